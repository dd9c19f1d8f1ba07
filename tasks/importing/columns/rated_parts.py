"""The values that ratings are made of. No Django but its translations."""

import json
from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping
from typing import NamedTuple

from ..files.rows import JsonObject
from .sample import leaves


class RatedPart(NamedTuple):
    """A row, or an entry of a list in it."""

    place: str  # of the entry, such as `ratings[0]`; "" of the row
    column_values: Mapping[str, object]
    around: Mapping[str, object]  # its values, and those of what it is in


class Cell(NamedTuple):
    """A value that a rating is made of."""

    value: object
    path: str
    place: str
    rater: object
    dimension: str
    part: RatedPart


def parts_in_row(
    content: Mapping[str, object],
    needed: Collection[str],
    unsplit: Container[str],
    packed: Container[str],
) -> Iterator[RatedPart]:
    """Yield the entries of lists in a row, and the row itself, with the columns that are needed.

    See `leaves` for `unsplit` and `packed`.
    """
    if all(path in content for path in needed):  # the row of a table
        yield RatedPart("", content, content)
        return
    values_by_part: defaultdict[str, JsonObject] = defaultdict(dict)
    for leaf in leaves(content, unsplit, packed):
        if leaf.path not in needed:
            continue
        place = ""
        _list, mark, tail = leaf.path.rpartition("[*]")
        if mark:
            place = leaf.place.removesuffix(tail)
        values_by_part[place][leaf.path] = leaf.value
    for place, values in values_by_part.items():
        around: JsonObject = {}
        for outer, outer_values in values_by_part.items():
            if place.startswith(outer):
                around |= outer_values
        yield RatedPart(place, values, around)


def is_within(place: str, outer: str) -> bool:
    """Tell whether a place is another one, or in it."""
    return place == outer or place.startswith((f"{outer}.", f"{outer}["))


def list_of(path: str) -> str:
    """Return the list of objects that a column is in, or ""."""
    return path.rpartition("[*]")[0]


def text_of(value: object) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bool):
        value = int(value)
    return "" if value is None else str(value)


def answer_of(value: object) -> str:
    """Return what a comment or a check says, in a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return text_of(value)
