"""Find the rows in one JSON document. No Django but its translations.

Rows may be laid out in four ways, perhaps within other objects:

    list      {"items": [{"id": "a"}, {"id": "b"}]}     the part "items" has two rows
    by key    {"a": {"text": "…"}, "b": {"text": "…"}}  the keys are the ids of the rows
    columns   {"text": {"0": "…", "1": "…"}}            as pandas writes a table; or lists
    split     {"columns": ["id"], "data": [["a"]]}      the names, then the rows

Any other object is one row. The document is read once, and its rows stay in the file: of each value
only its shape is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from .json_text import CLOSING, JsonText
from .json_values import lenient
from .rows import LONGEST_EXCERPT, MOST_INNER, WHOLE, JsonObject, Option, excerpt, printable

DEEPEST = 3  # objects that a part may be in
LOOKED_AT = 50  # entries of an object


class RowLayout(StrEnum):
    """The ways in which a value holds rows."""

    LIST = "list"
    BY_KEY = "by_key"
    COLUMNS = "columns"
    SPLIT = "split"
    WHOLE = "whole"  # it is one row itself


@dataclass
class ValueShape:
    """A value of a document, as far as is needed to find rows in it."""

    mark: str  # its first character
    inner: str = ""  # the first character of a list's last entry
    first_text: str = ""  # the text of a list's first entry
    number: int = 0  # of entries
    members: dict[str, "ValueShape"] = field(default_factory=dict)  # of an object, the first ones

    @property
    def is_list_of_objects(self) -> bool:
        return self.mark == "[" and self.inner == "{"


class DocumentPart(NamedTuple):
    """Rows in a document."""

    path: str  # the keys to it, with dots
    layout: RowLayout
    shape: ValueShape

    @property
    def depth(self) -> int:
        return self.path.count(".") + 1 if self.path else 0

    @property
    def option(self) -> Option:
        """The part as a choice, with the first row or the names of columns."""
        row = _first_row(self.shape)
        if self.layout is RowLayout.BY_KEY:
            row = {"id": None} | row
        return Option(self.path, excerpt(row or list(self.shape.members)), row, is_of_document=True)


def shape_of(text: JsonText, depth: int = 0) -> ValueShape:
    """Take the next value and return its shape."""
    shape = ValueShape(text.peek())
    if shape.mark not in CLOSING:
        text.take()
        return shape
    for key in text.within():
        if shape.mark == "[":
            shape.inner = text.peek()
            entry = text.take()
            shape.first_text = shape.first_text or entry
        elif depth < DEEPEST and shape.number < LOOKED_AT:
            shape.members[printable(key)] = shape_of(text, depth + 1)
        else:
            text.take()
        shape.number += 1
    return shape


def parts_in(shape: ValueShape, path: str = "") -> Iterator[DocumentPart]:
    """Yield the rows in a value; those within it only if it is no row or table itself."""
    layout = _layout_of(shape)
    if layout:
        yield DocumentPart(path, layout, shape)
        return
    for key, entry in shape.members.items():
        yield from parts_in(entry, f"{path}.{key}" if path else key)


def whole_option(shape: ValueShape) -> Option:
    """Return the choice to read a document as one row."""
    return Option(WHOLE, excerpt(list(shape.members)), dict.fromkeys(shape.members))


def _layout_of(shape: ValueShape) -> RowLayout | None:
    """Return how a value holds rows, or None if it holds none itself."""
    if shape.is_list_of_objects:
        return RowLayout.LIST
    members = shape.members
    if {"columns", "data"} <= members.keys() and members["data"].inner == "[":
        return RowLayout.SPLIT
    marks = {entry.mark for entry in members.values()}
    if marks == {"["} and _are_columns([*members.values()]):
        return RowLayout.COLUMNS
    if marks == {"{"}:
        return _layout_of_objects(shape)
    return None


def _are_columns(lists: list[ValueShape]) -> bool:
    """Return True for several lists of the same length, of plain values."""
    lengths = {entry.number for entry in lists}
    has_objects = any(entry.inner in CLOSING for entry in lists)
    return len(lists) > 1 and len(lengths) == 1 and max(lengths) > 1 and not has_objects


def _layout_of_objects(shape: ValueShape) -> RowLayout | None:
    """Return how an object of objects holds rows: as columns, as rows by key, or not at all."""
    objects = list(shape.members.values())
    keys = [entry.members.keys() for entry in objects]
    are_numbered = all(key.isdigit() for names in keys for key in names)
    if are_numbered and any(keys):
        are_named = not all(key.isdigit() for key in shape.members)
        return RowLayout.COLUMNS if are_named else None
    common = set(keys[0]).intersection(*keys)
    has_tables = any(_layout_of(entry) in (RowLayout.COLUMNS, RowLayout.SPLIT) for entry in objects)
    if has_tables or len(keys) < 2 or len(common) * 2 < max(map(len, keys)):
        return None
    is_by_columns = objects[0].number > MOST_INNER >= shape.number
    return RowLayout.COLUMNS if is_by_columns else RowLayout.BY_KEY


def _first_row(shape: ValueShape) -> JsonObject:
    """Return the names in the first row of a part, with the values of a list's."""
    if not shape.is_list_of_objects:
        for entry in shape.members.values():
            return dict.fromkeys(entry.members or shape.members)
        return {}
    content = lenient.decode(shape.first_text)
    if not isinstance(content, dict):
        return {}
    first_row: JsonObject = {}
    for name, value in islice(content.items(), MOST_INNER):
        first_row[name] = value[:LONGEST_EXCERPT] if isinstance(value, str) else value
    return first_row
