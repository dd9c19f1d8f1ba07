"""How many items, responses and scores a file has, as its columns say it. Knows no Django."""

from collections.abc import Iterable
from typing import NamedTuple

from .column_profile import ColumnProfile
from .mapping import Mapping
from .profile import Profile
from .score_columns import ScoreColumn
from .uses import ANSWERING, PROMPTS, Use


class FileCounts(NamedTuple):
    """The numbers of items, responses and scores in a file."""

    items: int = 0
    responses: int = 0  # 0: it is not known how many
    scores: int = 0
    are_more: bool = False  # there are more items than that


def estimated_counts(profile: Profile, mapping: Mapping) -> FileCounts:
    """Return the counts that the columns of a file say, before its rows become items."""
    responses = _responses(profile, mapping) or profile.rows
    scores = _scores(profile, mapping)
    are_all_marked = len(profile.marks) == profile.rows  # else combinations are not known
    id_parts = mapping.of(Use.ID)
    if len(id_parts) > 1:
        items = profile.combinations(*id_parts) if are_all_marked else profile.rows
        return FileCounts(items, responses, scores)
    keys = _columns(profile, mapping.of(Use.ID, Use.GROUP, Use.SHARED))
    if not keys or (keys[0].uncounted and not _repeats(keys[0])):
        return FileCounts(profile.rows, responses, scores)  # each row has another key
    key = keys[0]
    items = _counted(key)
    if mapping.repeats and items < profile.rows:  # a row for each rating
        paths = mapping.of(*ANSWERING, Use.MODEL)
        different = profile.combinations(key.path, *paths) if are_all_marked else 0
        responses = responses * different // profile.rows
    return FileCounts(items, responses, scores, are_more=key.uncounted > 0)


def _columns(profile: Profile, paths: Iterable[str]) -> list[ColumnProfile]:
    return [profile.columns[path] for path in paths if path in profile.columns]


def _counted(column: ColumnProfile) -> int:
    """Return how many different values were counted one by one."""
    return len(column.counts) + len(column.marks)


def _repeats(column: ColumnProfile) -> bool:
    """Tell whether a value that was counted came twice."""
    values = sum(column.counts.values()) + sum(column.marks.values())
    return values > _counted(column)


def _responses(profile: Profile, mapping: Mapping) -> int:
    prompts = _columns(profile, mapping.of(*PROMPTS))
    by_turns = any(column.list_entries for column in prompts)
    responses = 0
    for column in _columns(profile, mapping.of(*ANSWERING)):
        responses += column.number if by_turns else _values(column)
    return responses


def _values(column: ColumnProfile) -> int:
    """Return how many values a column has, those in its lists one by one."""
    if column.list_entries:
        empty = column.number - column.filled
        return empty + column.list_entries.number
    return column.number


def _scores(profile: Profile, mapping: Mapping) -> int:
    columns = _columns(profile, mapping.of(Use.SCORE))
    return sum(ScoreColumn(column, profile.rows).answers for column in columns)
