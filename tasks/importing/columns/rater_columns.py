"""Columns that say who rated: by their names, or as what tells the rows of a response apart.

No Django but its translations.
"""

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .first_names import is_first_name
from .rating_choices import MOST_KEYS, RatingChoices
from .rating_names import (
    are_joined,
    is_amount,
    is_model,
    is_of_several,
    is_score,
    may_name_item,
    may_name_rater,
    use_of,
)
from .score_columns import ScoreColumn
from .spelling import fold
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
    columns = []
    for column in ratings.free:
        if use_of(column.name) is not Use.RATER or not _holds_short_texts(column):
            continue
        if not (_is_role_beside_people(ratings, column) or _is_login(ratings, column)):
            columns.append(column)
    return columns


def _holds_short_texts(column: ScoreColumn) -> bool:
    """Tell whether all that a column holds, or its lists, is short."""
    values = column.profile.list_entries or column.profile
    return bool(values.counts) and not values.marks


def _is_role_beside_people(ratings: RatingChoices, column: ScoreColumn) -> bool:
    """Tell whether a column has the scores of one more person: `Judge` beside `Anna`."""
    numbers = [number for number in ratings.free_cells if number.is_numeric]
    return column in numbers and any(is_first_name(number.name) for number in numbers)


def _is_login(ratings: RatingChoices, column: ScoreColumn) -> bool:
    """Tell whether a column names who was logged in: `user_id` where no name is of a score."""
    is_named_so = fold(column.name) == "userid"
    return is_named_so and not any(is_score(other.name) for other in ratings.free)


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
    """Choose the column that tells the rows of one response apart, as who rated them does.

    Such as `name`, if rows with the same `prompt` and `response` have another name each.
    """
    scores = [column for column in ratings.free_cells if column.is_score]
    if not scores and not any(may_name_rater(column.name) for column in ratings.free_cells):
        return ratings
    names_rows = ratings.profile.names_rows
    about = _columns_of_response(ratings)
    if not about or names_rows(*about):  # each response has a single row
        return ratings
    candidates = [column for column in _may_be_raters(ratings) if column.path not in about]
    for column in candidates[:MOST_KEYS]:
        if names_rows(*about, column.path):
            if may_name_rater(column.name):
                reason = _("another one in each row of a response")
                return _choose_rater(ratings, column, reason)
            question = _("is it a person who rated?")
            return ratings.with_doubtful_rater(column.path, question)
    return ratings


def _columns_of_response(ratings: RatingChoices) -> list[str]:
    """Return the columns that say which response a row is about; else the first key of items."""
    about = ratings.of(*PROMPTS, *ANSWERING, Use.MODEL, Use.GROUP)
    keys = [column.path for column in ratings.free_cells if may_name_item(column.path)]
    return about or keys[:1]


def _may_be_raters(ratings: RatingChoices) -> list[ScoreColumn]:
    """Return the columns that may name who rated, by their values; the best names come first."""
    candidates = []
    for column in ratings.free_cells:
        is_other = column.is_score or is_amount(column.name) or use_of(column.name)
        may_be_name = may_name_rater(column.name) or not column.is_numeric
        if column.groups_rows and may_be_name and not is_other:
            candidates.append(column)
    return sorted(candidates, key=lambda column: not may_name_rater(column.name))
