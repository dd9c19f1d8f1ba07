"""Raters who may be slots: rater 1 to n of each item, other people in each. Knows no Django."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from .column_profile import ColumnProfile
from .profile import Profile
from .rating_names import is_role
from .score_cells import list_in
from .scoring import NO_ANSWER, RatingKey, RatingKeys
from .spelling import variant
from .uses import Use

FEWEST = 3  # columns; the second of two often rated a part of the items alone
# Marks of what is no answer, as a profile has them.
NO_MARKS = frozenset({None, hash(repr(None)), *map(hash, NO_ANSWER)})


def are_slots(profile: Profile, uses: Mapping[str, Use], rating_keys: RatingKeys) -> bool:
    """Tell whether nothing names a person, and items with fewer ratings lack the last raters."""
    if Use.RATER in uses.values():
        return False
    columns = [column for path, column in profile.columns.items() if uses.get(path) is Use.SCORE]
    lists = [column for column in columns if _lengths(column)]
    if lists and len(lists) < len(columns):
        return False
    if lists:
        return any(len(_lengths(column)) > 1 for column in lists)
    paths_by_dimension: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for column in columns:
        key = rating_keys.get(column.path, RatingKey())
        paths_by_dimension[key.dimension][key.rater] = column.path
    for paths in paths_by_dimension.values():
        ordered = [paths[name] for name in sorted(paths, key=_number)]
        if not _is_numbered(paths) or not _fills_in_order(profile, ordered):
            return False
    return bool(paths_by_dimension)


def _lengths(column: ColumnProfile) -> set[int]:
    lists = [list_in(example) for example in column.examples]
    return {len(scores) for scores in lists if isinstance(scores, list)}


def _is_numbered(raters: Collection[str]) -> bool:
    for rater in raters:
        is_slot = _number(rater) and is_role(rater)
        if not is_slot and not rater.isdigit():
            return False
    return len(raters) >= FEWEST


def _number(rater: str) -> int:
    mark = rater if rater.isdigit() else variant(rater)[1]
    return int(mark) if mark.isdigit() else 0


def _fills_in_order(profile: Profile, paths: list[str]) -> bool:
    """Tell whether rows have scores in the first of some columns, and not all as many."""
    numbers = set()
    for marks in profile.marks:
        has_score = [marks.get(path) not in NO_MARKS for path in paths]
        if has_score != sorted(has_score, reverse=True):
            return False
        numbers.add(sum(has_score))
    return len(numbers - {0}) > 1
