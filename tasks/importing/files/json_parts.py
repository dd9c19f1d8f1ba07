"""Find the rows in one JSON document. No Django but its translations.

Rows may be laid out in four ways, perhaps within other objects:

    list      {"items": [{"id": "a"}, {"id": "b"}]}     the part "items" has two rows
    by key    {"a": {"text": "…"}, "b": {"text": "…"}}  the keys are the ids of the rows
    columns   {"text": {"0": "…", "1": "…"}}            as pandas writes a table; or lists
    split     {"columns": ["id"], "data": [["a"]]}      the names, then the rows

Any other object is one row. `json_documents` reads a document once with `shape_of`, and its rows
stay in the file: a shape has only what is needed to find them. `parts_in` finds them in the shape:

    {"made": 2026, "items": [{"id": "a"}, …]}     DocumentPart("items", RowLayout.LIST, …)
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from .json_text import CLOSING, JsonText
from .json_values import lenient
from .rows import LONGEST_EXCERPT, MOST_INNER, WHOLE, JsonObject, Option, excerpt, printable

DEEPEST = 3  # objects that a part may be in
LOOKED_AT = 50  # entries of an object that its shape has


class RowLayout(StrEnum):
    """The ways in which a value holds rows."""

    LIST = "list"
    BY_KEY = "by_key"
    COLUMNS = "columns"
    SPLIT = "split"
    WHOLE = "whole"  # it is one row itself


@dataclass
class ValueShape:
    """A value of a document, as far as is needed to find rows in it.

    `shape_of` fills it while it reads the value.
    """

    mark: str  # the value's first character: { of an object, [ of a list
    last_mark: str = ""  # of a list: the first character of its last entry
    first_text: str = ""  # of a list: its first entry, as the file has it
    entry_count: int = 0
    members: dict[str, "ValueShape"] = field(default_factory=dict)  # of an object, the first ones

    @property
    def is_list_of_objects(self) -> bool:
        return self.mark == "[" and self.last_mark == "{"


class DocumentPart(NamedTuple):
    """Rows in a document."""

    path: str  # the keys to it, with dots; "" for the document itself
    layout: RowLayout
    shape: ValueShape

    @property
    def depth(self) -> int:
        """The number of objects that the part is in."""
        return self.path.count(".") + 1 if self.path else 0

    @property
    def option(self) -> Option:
        """The part as a choice, with the first row or the names of columns."""
        row = _first_row(self.shape)
        if self.layout is RowLayout.BY_KEY:
            row = {"id": None} | row
        sample = excerpt(row or list(self.shape.members))
        return Option(self.path, sample, row, is_of_document=True)


def shape_of(text: JsonText, depth: int = 0) -> ValueShape:
    """Take the next value and return its shape. `depth`: the objects that it is in."""
    shape = ValueShape(text.peek())
    is_inspected = depth < DEEPEST
    match shape.mark:
        case "[":
            for _number in text.within():
                shape.last_mark = text.peek()
                entry = text.take()
                shape.first_text = shape.first_text or entry
                shape.entry_count += 1
        case "{":
            for key in text.within():
                if is_inspected and shape.entry_count < LOOKED_AT:
                    shape.members[printable(key)] = shape_of(text, depth + 1)
                else:
                    text.take()
                shape.entry_count += 1
        case _:
            text.take()
    return shape


def parts_in(shape: ValueShape, path: str = "") -> Iterator[DocumentPart]:
    """Yield the rows in a value; those within it only if it is no row or table itself."""
    layout = _layout_of(shape)
    if layout:
        yield DocumentPart(path, layout, shape)
        return
    for key, entry in shape.members.items():
        inner_path = f"{path}.{key}" if path else key
        yield from parts_in(entry, inner_path)


def whole_option(shape: ValueShape) -> Option:
    """Return the choice to read a document as one row."""
    return Option(WHOLE, excerpt(list(shape.members)), dict.fromkeys(shape.members))


# --- the layout of a value ---


def _layout_of(shape: ValueShape) -> RowLayout | None:
    """Return how a value holds rows, or None if it holds none itself."""
    if shape.is_list_of_objects:
        return RowLayout.LIST
    if _is_split(shape):
        return RowLayout.SPLIT
    entries = list(shape.members.values())
    marks = {entry.mark for entry in entries}
    if marks == {"["}:
        return RowLayout.COLUMNS if _are_columns(entries) else None
    if marks == {"{"}:
        return _layout_of_objects(shape)
    return None


def _is_split(shape: ValueShape) -> bool:
    """Tell whether an object has "columns", and "data" that is a list of lists."""
    if "columns" not in shape.members or "data" not in shape.members:
        return False
    return shape.members["data"].last_mark == "["


def _are_columns(lists: Sequence[ValueShape]) -> bool:
    """Tell whether these are several lists of plain values, each with as many, at least two."""
    if len(lists) < 2 or any(entry.last_mark in CLOSING for entry in lists):
        return False
    lengths = {entry.entry_count for entry in lists}
    return len(lengths) == 1 and max(lengths) > 1


def _layout_of_objects(shape: ValueShape) -> RowLayout | None:
    """Return how an object of objects holds rows: as columns, as rows by key, or not at all.

    Columns have numbers as keys: {"text": {"0": "…", "1": "…"}}. Objects are rows by key if there
    are several, and at least half of the names of the largest one are in all of them.
    """
    objects = list(shape.members.values())
    all_names = [set(entry.members) for entry in objects]
    if _are_numbers(set().union(*all_names)):
        return None if _are_numbers(shape.members) else RowLayout.COLUMNS
    for entry in objects:
        if _layout_of(entry) in (RowLayout.COLUMNS, RowLayout.SPLIT):
            return None  # it holds tables
    common_names = set.intersection(*all_names)
    most_names = max(map(len, all_names))
    if len(objects) < 2 or len(common_names) * 2 < most_names:
        return None
    is_by_columns = objects[0].entry_count > MOST_INNER >= shape.entry_count
    return RowLayout.COLUMNS if is_by_columns else RowLayout.BY_KEY


def _are_numbers(member_names: Collection[str]) -> bool:
    """Tell whether there are names, and all are numbers."""
    return len(member_names) > 0 and all(name.isdigit() for name in member_names)


# --- the first row, which a choice shows ---


def _first_row(shape: ValueShape) -> JsonObject:
    """Return the names in the first row of a part. A row of a list has its values, too."""
    if shape.is_list_of_objects:
        return _first_entry(shape)
    for entry in shape.members.values():
        return dict.fromkeys(entry.members or shape.members)
    return {}


def _first_entry(shape: ValueShape) -> JsonObject:
    """Return the first entry of a list, with the beginnings of its texts."""
    content = lenient.decode(shape.first_text)
    if not isinstance(content, dict):
        return {}
    first_row: JsonObject = {}
    for name, value in islice(content.items(), MOST_INNER):
        first_row[name] = value[:LONGEST_EXCERPT] if isinstance(value, str) else value
    return first_row
