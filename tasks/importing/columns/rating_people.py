"""Columns for each person who rated, perhaps for each dimension. No Django but translations."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mode

from django.utils.translation import gettext as _

from .names import variant
from .rating_names import (
    BEHIND_NAME,
    is_amount,
    is_of_part,
    is_person,
    is_quality,
    is_role,
    is_score,
    without_mark,
)
from .score_columns import ENOUGH, ScoreColumn
from .scoring import QUALITY, code_of

SEPARATORS = re.compile(r"[ _:./-]+")
FEWEST = 3  # columns with names of people that speak for each other


@dataclass(frozen=True)
class PersonColumn:
    """A column with the scores of one person in one dimension."""

    column: ScoreColumn
    name: str
    dimension: str = QUALITY
    question: str = ""  # to be asked, if it is doubtful


def people_in(columns: Sequence[ScoreColumn]) -> list[PersonColumn]:
    """Return the columns of people: by numbers, by both names, or by the names alone."""
    columns = [column for column in columns if not is_amount(column.name)]
    by_marks = [*_by_marks(column for column in columns if column.is_numeric or column.texts)]
    numbers = [column for column in columns if column.is_numeric or not column.answers]
    return by_marks or _by_both(numbers) or _by_names(numbers)


def _by_marks(columns: Iterable[ScoreColumn]) -> Iterator[PersonColumn]:
    """Yield columns such as `rater_1`, `score B`, `fluency_1`."""
    stems: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    for column in columns:
        stem, mark = variant(column.name)
        if mark:
            stems[stem][mark] = column
    several = {stem: marks for stem, marks in stems.items() if len(marks) > 1}
    roles = [marks for marks in several.values() if all(is_role(c.name) for c in marks.values())]
    for marks in roles:
        for column in marks.values():
            yield PersonColumn(column, column.name)
    if roles:
        return
    for marks in stems.values():
        for column in marks.values():
            if is_role(column.name):  # one alone
                yield PersonColumn(column, column.name, QUALITY, _("is it a person who rated?"))
    dimensions = [marks for marks in several.values() if _is_dimension(marks)]
    for marks in several.values():
        if not dimensions or marks.keys() != dimensions[0].keys():
            continue
        for mark, column in marks.items():
            title = without_mark(column.name)
            name = BEHIND_NAME.sub("", column.name)
            is_plain = name != column.name or is_score(title)
            yield PersonColumn(column, name if is_plain and name else mark, code_of(title))


def _is_dimension(marks: dict[str, ScoreColumn]) -> bool:
    names = [without_mark(column.name) for column in marks.values()]
    return all(is_quality(name) and not is_of_part(name) for name in names)


def _by_both(columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns such as `Anna_fluency` or `fluency_Anna`."""
    pairs = {}
    for column in columns:
        first, *rest = SEPARATORS.split(BEHIND_NAME.sub("", column.name), maxsplit=1)
        if rest:
            pairs[first, rest[0]] = column
    for person, title in ((0, 1), (1, 0)):
        fitting = {pair: column for pair, column in pairs.items() if is_person(pair[person])}
        people = {pair[person] for pair in fitting}
        titles = {pair[title] for pair in fitting}
        has_titles = len(titles) > 1 or all(map(is_quality, titles))
        if len(people) > 1 and has_titles and len(fitting) == len(people) * len(titles):
            return [
                PersonColumn(column, pair[person], code_of(pair[title]))
                for pair, column in fitting.items()
            ]
    return []


def _by_names(columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns that have the names of people, and ask if the numbers do not go together."""
    people = []
    for column in columns:
        name = BEHIND_NAME.sub("", column.name)
        if is_person(name):
            people.append(PersonColumn(column, name))
    are_many = len(people) >= FEWEST
    if len(people) < 2 or not (are_many or all(map(_is_capital, people))):
        return []
    question = _("is it a person who rated?")
    scales = [person.column.scale for person in people]
    lows, highs = zip(*(scale or (1, 1) for scale in scales), strict=True)
    low, high = mode(lows), sorted(highs)[len(highs) // 2]
    are_addresses = all("@" in person.name for person in people)
    is_clear = are_addresses or (are_many and _are_names(people))
    checked = []
    for person, lowest, highest in zip(people, lows, highs, strict=True):
        is_few = person.column.answers <= ENOUGH
        fits = is_few or (lowest >= low and highest <= 2 * high + 1)
        doubt = "" if is_clear and fits else question
        checked.append(PersonColumn(person.column, person.name, QUALITY, doubt))
    return checked


def _are_names(people: Sequence[PersonColumn]) -> bool:
    """Tell whether no number is 0, as of counts and flags, and no two small names end in s."""
    zeros = [person for person in people if (person.column.scale or (1, 1))[0] < 1]
    plurals = [person for person in people if person.name.endswith("s")]
    codes = [person for person in people if re.fullmatch(r"[A-Z]\d+", person.name)]
    has_names = all(map(_is_capital, people)) or len(plurals) < 2
    return has_names and not (zeros or codes)


def _is_capital(person: PersonColumn) -> bool:
    return person.name[:1].isupper() or "@" in person.name
