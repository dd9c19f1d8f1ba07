"""The columns of a file of any shape: where its values are, and the first of them.

A column is a path of names, dots and [*], such as `outputs[*].text`. Objects and lists of objects
are opened. A list of turns is one column, and so is a list of texts. No Django but its
translations.
"""

from collections import Counter
from collections.abc import Container, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeGuard

from django.utils.translation import gettext as _, ngettext

from ..files import formats, unpacking
from ..files.json_values import decoder, problem
from ..files.python_literals import read_literal
from ..files.rows import MOST_INNER, LineError, SourceRow, Unreadable, excerpt, filled
from ..files.values import BadValue
from .names import is_turns, text_key

ROWS = 100  # that are looked at
MOST_LEVELS = 16  # of objects and lists; deeper ones are one column
EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of a row."""

    path: str  # of its column
    place: str  # the same with the numbers of the entries: `outputs[0].text`
    value: object


@dataclass(frozen=True)
class FileColumn:
    """A column with its values in the first rows."""

    path: str
    values: tuple[object, ...]
    name: str  # its path within what counts; "" if it is beside that

    @property
    def filled(self) -> list[object]:
        return [value for value in self.values if value not in EMPTY]

    @property
    def holds_words(self) -> bool:
        return all(isinstance(value, str | list) for value in self.filled)

    @property
    def example(self) -> str:
        """The first value in words."""
        first = next(iter(self.filled), _("empty"))
        if not isinstance(first, list):
            return excerpt(first)
        words = ngettext("%(number)s entry: %(first)s", "%(number)s entries: %(first)s", len(first))
        turn = first[0]
        text = turn[text_key(turn) or ""] if is_turns(first) else turn
        return filled(words, number=len(first), first=excerpt(text))


@dataclass(frozen=True)
class Sample:
    """The first good rows of a file, and their columns."""

    rows: tuple[SourceRow, ...]
    columns: tuple[FileColumn, ...]
    packed: frozenset[str]  # columns of texts that are JSON, and are opened

    def inside(self, root: str) -> "Sample":
        """Return the sample with the names that its columns have in one object."""
        start = f"{root}."
        columns = (
            replace(
                column,
                name=column.path.removeprefix(start) if column.path.startswith(start) else "",
            )
            for column in self.columns
        )
        return replace(self, columns=tuple(columns))


def sample(rows: Iterable[SourceRow]) -> Sample:
    """Return the columns of the first rows. Raises Unreadable."""
    good = tuple(row for row in islice(rows, ROWS) if not isinstance(row.content, LineError))
    if isinstance(rows, Generator):
        rows.close()  # while its file is open
    is_table = all(
        isinstance(row.content, Mapping)
        and all(isinstance(cell, str | list) for cell in row.content.values())
        for row in good
    )
    packed = frozenset(
        column.path for column in _columns(good, frozenset()) if _is_packed(column, is_table)
    )
    return Sample(good, _columns(good, packed), packed)


def leaves(
    value: object,
    closed: Container[str],
    packed: Container[str],
    path: str = "",
    place: str = "",
    levels: int = MOST_LEVELS,
) -> Iterator[Leaf]:
    """Yield the values of a row, in its order. Raises BadValue.

    The columns `closed` are not opened. A text in one of the columns `packed` is JSON.
    """
    if path in packed and isinstance(value, str) and value:
        value = parsed_cell(value, path)
    inner: list[tuple[str, str, object]] = []
    if isinstance(value, dict):
        dot = "." if path else ""
        inner = [
            (f"{path}{dot}{name}", f"{place}{dot}{name}", entry) for name, entry in value.items()
        ]
    elif is_objects(value):
        inner = [(f"{path}[*]", f"{place}[{number}]", entry) for number, entry in enumerate(value)]
    if inner and path not in closed and levels:
        for inner_path, inner_place, entry in inner:
            yield from leaves(entry, closed, packed, inner_path, inner_place, levels - 1)
    else:
        yield Leaf(path, place, value)


def is_objects(value: object) -> TypeGuard[list[dict[str, object]]]:
    return (
        isinstance(value, list)
        and value != []
        and all(isinstance(entry, dict) and entry for entry in value)
        and not is_turns(value)
    )


def _columns(rows: Iterable[SourceRow], packed: frozenset[str]) -> tuple[FileColumn, ...]:
    closed: set[str] = set()
    while True:
        values: dict[str, list[object]] = {}
        for leaf in (leaf for row in rows for leaf in leaves(row.content, closed, packed)):
            values.setdefault(leaf.path, []).append(leaf.value)
        if not any(values.get("", ())):
            values.pop("", None)  # of a row without columns
        # All that a column is in: `a` and `a[*]` of `a[*].b`.
        below = Counter(
            path[:end] for path in values for end, mark in enumerate(path) if mark in ".[" and end
        )
        # What is an object in one row and a text in another is one column.
        one = {
            path
            for path, number in below.items()
            if number > MOST_INNER or any(value not in EMPTY for value in values.get(path, ()))
        }
        if one <= closed:
            paths = [path for path in values if path in closed or path not in below]
            if len(paths) > (most := formats.MOST_COLUMNS):
                raise Unreadable(unpacking.FAULTS["columns"], number=len(paths), most=most)
            return tuple(FileColumn(path, tuple(values[path]), path) for path in paths)
        closed |= one


def _is_packed(column: FileColumn, is_table: bool) -> bool:
    """Tell whether a column's texts are JSON to be opened.

    Turns always are. Other lists and objects only are in a table, whose cells cannot be anything
    but texts: elsewhere a text in JSON may be what a model said.
    """
    texts = [value for value in column.filled if isinstance(value, str) and value[0] in "[{"]
    try:
        values = [parsed_cell(text, column.path) for text in texts]
    except BadValue:
        return False
    return len(texts) == len(column.filled) > 0 and all(
        _has_turns(value) or (is_table and _is_list(value)) for value in values
    )


def _has_turns(value: object) -> bool:
    """Tell whether a value is turns, one turn, or an object that has turns."""
    inner = value.values() if isinstance(value, dict) else ()
    return any(map(is_turns, (value, [value], *inner)))


def _is_list(value: object) -> bool:
    """Tell whether a cell in JSON is a list of texts or objects, or one text in an object."""
    if isinstance(value, dict):
        return len(value) == 1 and all(isinstance(entry, str) for entry in value.values())
    return is_objects(value) or (
        isinstance(value, list) and all(isinstance(entry, str | None) for entry in value)
    )


def parsed_cell(text: str, path: str) -> object:
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        with suppress(ValueError):  # as pandas writes a list or an object into a cell
            return read_literal(text)
        fault = problem(error, 0)
        advice = _("write the list or the object as JSON")
        raise BadValue(path, fault.reason, advice, fault.value) from error
