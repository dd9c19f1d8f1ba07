"""Answers to a survey: a row for each person, a column for each item. No Django.

Forms export such tables. They do not say which item a column is of, and are not guessed.
"""

import re

from .profile import Profile
from .rating_names import may_name_item, may_name_rater, use_of
from .score_columns import ScoreColumn
from .spelling import fold
from .turn_keys import TURN_TIME
from .uses import Use

FEWEST = 3  # columns of items
# Names of columns of items: `Q1_2`, `Item 3`, `How helpful is it? [Item 3]`, or a sentence.
ITEM = re.compile(
    r"(?:q|item|question|frage|aufgabe|antwort|réponse|answer)\W{0,2}\d+(?:[_.]\d+)?"
    r"|.+\[.+\]|.+\?|(?:\S+\s+){4,}\S+",
    re.IGNORECASE,
)
PERSON = re.compile("(response|respondent|submission|antwort|reponse)(id|nr)")
TIMES = re.compile("(start|end|recorded)date|zeitstempel|horodateur")


def is_survey(profile: Profile) -> bool:
    """Tell whether each row is of another person, and each column of numbers of another item."""
    items = 0
    people = times = 0
    for path, column in profile.columns.items():
        name = fold(path)
        scores = ScoreColumn(column, profile.rows)
        is_person = use_of(path) is Use.RATER or may_name_rater(path) or PERSON.fullmatch(name)
        if is_person and column.distinct == profile.rows:
            people += 1
        elif TIMES.fullmatch(name) or TURN_TIME.fullmatch(name):
            times += 1
        elif ITEM.fullmatch(path) and scores.is_numeric and scores.scale:
            items += 1
        elif is_person or may_name_item(path):
            return False
    others = len(profile.columns) - items
    return items >= max(FEWEST, others) and (people > 0 or times > 0)
