"""Columns that say who rated: by their names, or as what tells the rows of a response apart.

No Django but its translations.
"""

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .first_names import is_first_name
from .names import fold
from .rating_choices import MOST_KEYS, RatingChoices
from .rating_names import (
    are_joined,
    is_amount,
    is_model,
    is_of_several,
    is_score,
    may_be_key,
    may_be_who,
    use_of,
)
from .score_columns import ScoreColumn
from .uses import ANSWERING, PROMPTS, Use


def choose_raters(ratings: RatingChoices) -> RatingChoices:
    """Choose the columns that are named as who rated; if none is, perhaps another one."""
    for column in _columns_by_name(ratings):
        ratings = _choose_rater(ratings, column, _("named as who rated"))
    if not ratings.of(Use.RATER):
        ratings = _choose_likely_rater(ratings)
    return ratings


def _columns_by_name(ratings: RatingChoices) -> list[ScoreColumn]:
    """Return the free columns whose names say who rated, and which may hold names of people."""
    has_scores = any(is_score(column.name) for column in ratings.free)
    numbers = [column for column in ratings.free_cells if column.is_numeric]
    has_people = any(is_first_name(column.name) for column in numbers)
    columns = []
    for column in ratings.free:
        values = column.profile.list_entries or column.profile
        is_score_of_role = has_people and column in numbers  # `Judge` beside `Anna`
        is_only_login = fold(column.name) == "userid" and not has_scores
        has_short_values = values.counts and not values.marks
        is_rater = use_of(column.name) is Use.RATER
        if is_rater and has_short_values and not (is_score_of_role or is_only_login):
            columns.append(column)
    return columns


def _choose_rater(ratings: RatingChoices, column: ScoreColumn, reason: str) -> RatingChoices:
    """Choose a column of who rated, or ask if something speaks against it."""
    question = _doubt(column)
    if question:
        return ratings.with_doubtful_rater(column.path, question)
    return ratings.with_use(column.path, Use.RATER, reason)


def _doubt(column: ScoreColumn) -> str:
    """Return the question if some values of a column are models, or several people; else ""."""
    values = column.profile.list_entries or column.profile
    names = [*values.counts]
    models = [name for name in names if is_model(name) and not is_first_name(name)]
    others = [name for name in names if name in models or is_of_several(name)]
    if len(models) == len(names):
        return _("is it a person who rated? The values look like models")
    if others:
        words = _("did people rate? These may be none: %(names)s")
        return fill_in(words, names=", ".join(others))
    if not column.holds_lists and are_joined(names):
        return _("is each a person who rated? They look like several in one cell")
    return ""


def _choose_likely_rater(ratings: RatingChoices) -> RatingChoices:
    """Choose a column that alone tells rows of one response with scores from each other."""
    free = ratings.free_cells
    scores = [column for column in free if column.is_score]
    if not scores and not any(may_be_who(column.name) for column in free):
        return ratings
    keys = [column.path for column in free if may_be_key(column.path)]
    about = ratings.of(*PROMPTS, *ANSWERING, Use.MODEL, Use.GROUP) or keys[:1]
    rows = len(ratings.profile.marks)
    if not about or ratings.profile.combinations(*about) == rows:
        return ratings
    others = [column for column in free if column not in scores and column.path not in about]
    candidates = [column for column in others if _may_name_people(column)]
    candidates.sort(key=lambda column: not may_be_who(column.name))
    for column in candidates[:MOST_KEYS]:
        if ratings.profile.combinations(*about, column.path) < rows:
            continue
        if may_be_who(column.name):
            return _choose_rater(ratings, column, _("another one in each row of a response"))
        question = _("is it a person who rated?")
        return ratings.with_doubtful_rater(column.path, question)
    return ratings


def _may_name_people(column: ScoreColumn) -> bool:
    """Tell whether a column may name people, by its values and its name."""
    has_other_name = is_amount(column.name) or use_of(column.name)
    may_be_name = may_be_who(column.name) or not column.is_numeric
    return column.may_name_people and may_be_name and not has_other_name
