"""The columns of a file of any shape: where its values are, and the first of them.

A column is a path of names, dots and [*], such as `outputs[*].text`. Objects and lists of objects
are opened. A list of turns is one column, and so is a list of texts. No Django but its
translations.
"""

from collections import Counter, defaultdict
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
        columns = []
        for column in self.columns:
            is_inside = column.path.startswith(start)
            name = column.path.removeprefix(start) if is_inside else ""
            columns.append(replace(column, name=name))
        return replace(self, columns=tuple(columns))


def sample(rows: Iterable[SourceRow]) -> Sample:
    """Return the columns of the first rows. Raises Unreadable."""
    good = tuple(row for row in islice(rows, ROWS) if not isinstance(row.content, LineError))
    if isinstance(rows, Generator):
        rows.close()  # while its file is open
    is_table = all(_holds_cells(row.content) for row in good)
    columns = _columns(good, frozenset())
    packed = frozenset(column.path for column in columns if _is_packed(column, is_table))
    return Sample(good, _columns(good, packed), packed)


def _holds_cells(content: object) -> bool:
    """Tell whether a row may be one of a table: texts, or lists from JSON in them."""
    if not isinstance(content, Mapping):
        return False
    return all(isinstance(cell, str | list) for cell in content.values())


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
    if path in closed or not levels:
        yield Leaf(path, place, value)
    elif isinstance(value, dict) and value:
        dot = "." if path else ""
        for name, entry in value.items():
            end = f"{dot}{name}"
            yield from leaves(entry, closed, packed, path + end, place + end, levels - 1)
    elif is_objects(value):
        for number, entry in enumerate(value):
            inner_place = f"{place}[{number}]"
            yield from leaves(entry, closed, packed, f"{path}[*]", inner_place, levels - 1)
    else:
        yield Leaf(path, place, value)


def is_objects(value: object) -> TypeGuard[list[dict[str, object]]]:
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(entry, dict) and entry for entry in value):
        return False
    return not is_turns(value)


def _columns(rows: Iterable[SourceRow], packed: frozenset[str]) -> tuple[FileColumn, ...]:
    closed: set[str] = set()
    while True:
        values: defaultdict[str, list[object]] = defaultdict(list)
        for row in rows:
            for leaf in leaves(row.content, closed, packed):
                values[leaf.path].append(leaf.value)
        if not any(values[""]):
            del values[""]  # of a row without columns
        below = Counter(outer for path in values for outer in _outer(path))
        # What is an object in one row and a text in another is one column.
        one = set()
        for path, number in below.items():
            has_values = any(value not in EMPTY for value in values.get(path, ()))
            if has_values or number > MOST_INNER:
                one.add(path)
        if one <= closed:
            paths = [path for path in values if path in closed or path not in below]
            most = formats.MOST_COLUMNS
            if len(paths) > most:
                raise Unreadable(unpacking.FAULTS["columns"], number=len(paths), most=most)
            return tuple(FileColumn(path, tuple(values[path]), path) for path in paths)
        closed |= one


def _outer(path: str) -> Iterator[str]:
    """Yield all that a column is in: `a` and `a[*]` of `a[*].b`."""
    for end, mark in enumerate(path):
        if end and mark in ".[":
            yield path[:end]


def _is_packed(column: FileColumn, is_table: bool) -> bool:
    """Tell whether a column's texts are JSON to be opened.

    Turns always are. Other lists and objects only are in a table, whose cells cannot be anything
    but texts: elsewhere a text in JSON may be what a model said.
    """
    if not column.filled:
        return False
    for text in column.filled:
        if not isinstance(text, str) or text[0] not in "[{":
            return False
        try:
            value = parsed_cell(text, column.path)
        except BadValue:
            return False
        is_list = is_table and _is_list(value)
        if not is_list and not _has_turns(value):
            return False
    return True


def _has_turns(value: object) -> bool:
    """Tell whether a value is turns, one turn, or an object that has turns."""
    inner = value.values() if isinstance(value, dict) else ()
    return any(map(is_turns, (value, [value], *inner)))


def _is_list(value: object) -> bool:
    """Tell whether a cell in JSON is a list of texts or objects, or one text in an object."""
    if isinstance(value, dict):
        return len(value) == 1 and all(isinstance(entry, str) for entry in value.values())
    if not isinstance(value, list):
        return False
    return is_objects(value) or all(isinstance(entry, str | None) for entry in value)


def parsed_cell(text: str, path: str) -> object:
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        with suppress(ValueError):  # as pandas writes a list or an object into a cell
            return read_literal(text)
        fault = problem(error, 0)
        advice = _("write the list or the object as JSON")
        raise BadValue(path, fault.reason, advice, fault.value) from error
