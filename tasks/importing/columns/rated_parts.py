"""The values that ratings are made of. Knows no Django."""

import json
from collections.abc import Mapping
from typing import NamedTuple


class RatedPart(NamedTuple):
    """A row, or an entry of a list in it."""

    place: str  # of the entry, such as `ratings[0]`; "" of the row
    values: Mapping[str, object]
    around: Mapping[str, object]  # its values, and those of what it is in


class Cell(NamedTuple):
    """A value that a rating is made of."""

    value: object
    path: str
    place: str
    rater: object
    dimension: str
    part: RatedPart


def list_of(path: str) -> str:
    """Return the list of objects that a column is in, or ""."""
    return path.rpartition("[*]")[0]


def text_of(value: object) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)
