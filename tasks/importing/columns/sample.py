"""The columns of a file of any shape, and their values in its first rows.

A row is an object, which is split into leaves: `{"outputs": [{"text": "Yes"}]}` has the leaf "Yes".
The path of a leaf, `outputs[*].text`, is its column. Objects and lists of objects are split;
everything else is a leaf, also a list of turns or of texts.

Two sets of paths change that. A text in a `packed` column is JSON, so its value is split instead.
A column in `unsplit` is a leaf, even if it is an object. No Django but its translations.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeGuard

from django.utils.translation import gettext as _, ngettext

from ..files import formats
from ..files.file_faults import FAULTS
from ..files.json_values import decoder, problem
from ..files.python_literals import read_literal
from ..files.rows import MOST_INNER, JsonObject, LineError, SourceRow, Unreadable, excerpt, fill_in
from ..files.values import BadValue
from .turn_keys import is_turns, text_key

ROWS = 100  # that are looked at
MOST_LEVELS = 16  # of objects and lists in each other; what is deeper is a leaf
EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of a row that is split no further."""

    path: str  # of its column: `outputs[*].text`
    place: str  # the same with the numbers of the entries: `outputs[0].text`
    value: object


@dataclass(frozen=True)
class FileColumn:
    """A column with its values in the first rows."""

    path: str
    first_values: tuple[object, ...]  # several of a row, if it is in a list
    name: str  # its path within the object that counts (`Sample.inside`); "" if it is outside

    @property
    def filled(self) -> list[object]:
        """The values that are not empty."""
        return [value for value in self.first_values if value not in EMPTY]

    @property
    def example(self) -> str:
        """The first value in words, cut off if it is long."""
        first = next(iter(self.filled), _("empty"))
        if not isinstance(first, list):
            return excerpt(first)
        words = ngettext("%(number)s entry: %(first)s", "%(number)s entries: %(first)s", len(first))
        turn = first[0]
        text = turn[text_key(turn) or ""] if is_turns(first) else turn
        return fill_in(words, number=len(first), first=excerpt(text))


@dataclass(frozen=True)
class Sample:
    """The first good rows of a file, and their columns."""

    first_rows: tuple[SourceRow, ...]
    columns: tuple[FileColumn, ...]
    packed: frozenset[str]  # the paths of columns whose texts are JSON

    def inside(self, root: str) -> "Sample":
        """Return the sample with the names that its columns have in one object of each row."""
        columns = []
        for column in self.columns:
            columns.append(replace(column, name=name_within(root, column.path)))
        return replace(self, columns=tuple(columns))


def name_within(root: str, path: str) -> str:
    """Return the name of a column in an object, as in `Input.text` and `INPUT:text`, or ""."""
    return path[len(root) + 1 :] if path.startswith((f"{root}.", f"{root}:")) else ""


def sample(source_rows: Iterable[SourceRow]) -> Sample:
    """Return the columns of the first rows. Raises Unreadable if there are too many columns."""
    good = tuple(row for row in islice(source_rows, ROWS) if not isinstance(row.content, LineError))
    if isinstance(source_rows, Generator):
        source_rows.close()  # while its file is open
    is_table = all(_holds_cells(row.content) for row in good)
    columns_as_texts = _columns(good, packed=frozenset())
    packed = frozenset(column.path for column in columns_as_texts if _is_packed(column, is_table))
    return Sample(good, _columns(good, packed), packed)


def _holds_cells(content: object) -> bool:
    """Tell whether a row may be one of a table: texts, or lists from JSON in them."""
    if not isinstance(content, Mapping):
        return False
    return all(isinstance(cell, str | list) for cell in content.values())


def leaves(
    value: object,
    unsplit: Container[str],
    packed: Container[str],
    path: str = "",
    place: str = "",
    levels_left: int = MOST_LEVELS,
) -> Iterator[Leaf]:
    """Yield the leaves of a row, in its order. Raises BadValue for a packed text that is no JSON.

    The module says what `unsplit` and `packed` do. `path` and `place` are those of the value, if it
    is a part of a row. `levels_left` says how many more are split.
    """
    if path in packed and isinstance(value, str) and value:
        value = parsed_cell(value, path)
    if path in unsplit or not levels_left:
        yield Leaf(path, place, value)
    elif isinstance(value, dict) and value:
        dot = "." if path else ""
        for name, entry in value.items():
            end = f"{dot}{name}"
            yield from leaves(entry, unsplit, packed, path + end, place + end, levels_left - 1)
    elif is_objects(value):
        for number, entry in enumerate(value):
            inner_place = f"{place}[{number}]"
            yield from leaves(entry, unsplit, packed, f"{path}[*]", inner_place, levels_left - 1)
    else:
        yield Leaf(path, place, value)


def is_objects(value: object) -> TypeGuard[list[JsonObject]]:
    """Tell whether a value is a list of objects that are not turns."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(entry, dict) and entry for entry in value):
        return False
    return not is_turns(value)


def _columns(source_rows: Iterable[SourceRow], packed: frozenset[str]) -> tuple[FileColumn, ...]:
    """Return the columns of rows. Raises Unreadable if there are too many.

    Some objects must not be split, which is known only once all rows are. Then the rows are split
    again without these objects, until no more of them turn up.
    """
    unsplit: set[str] = set()
    while True:
        values_by_path = _values_by_path(source_rows, unsplit, packed)
        inner_columns = Counter(outer for path in values_by_path for outer in _outer_paths(path))
        to_keep = _to_keep_unsplit(values_by_path, inner_columns)
        if to_keep <= unsplit:
            break
        unsplit |= to_keep
    columns = []
    for path, values in values_by_path.items():
        # A path that is split in some rows is empty in the others, so it is no column.
        if path in unsplit or path not in inner_columns:
            columns.append(FileColumn(path, tuple(values), path))
    most = formats.MOST_COLUMNS
    if len(columns) > most:
        raise Unreadable(FAULTS["columns"], number=len(columns), most=most)
    return tuple(columns)


def _values_by_path(
    source_rows: Iterable[SourceRow], unsplit: Container[str], packed: Container[str]
) -> dict[str, list[object]]:
    """Return the values of the leaves of all rows, by path."""
    values_by_path: defaultdict[str, list[object]] = defaultdict(list)
    for row in source_rows:
        for leaf in leaves(row.content, unsplit, packed):
            values_by_path[leaf.path].append(leaf.value)
    if not any(values_by_path[""]):
        del values_by_path[""]  # of rows without columns
    return values_by_path


def _to_keep_unsplit(
    values_by_path: Mapping[str, Iterable[object]], inner_columns: Mapping[str, int]
) -> set[str]:
    """Return the paths of objects that must be leaves.

    An object is one if another row has a text or a number in its place: both are values of one
    column then. An object of too many columns is one, too. `inner_columns` says how many are in
    each path.
    """
    paths = set()
    for path, number in inner_columns.items():
        has_values = any(value not in EMPTY for value in values_by_path.get(path, ()))
        if has_values or number > MOST_INNER:
            paths.add(path)
    return paths


def _outer_paths(path: str) -> Iterator[str]:
    """Yield the paths of all that a column is in: `a` and `a[*]` of `a[*].b`."""
    for end, mark in enumerate(path):
        if end and mark in ".[":
            yield path[:end]


def _is_packed(file_column: FileColumn, is_table: bool) -> bool:
    """Tell whether a column's texts are JSON to be split.

    Turns always are. Other lists and objects only are in a table, whose cells cannot be anything
    but texts: elsewhere a text in JSON may be what a model said.
    """
    if not file_column.filled:
        return False
    for text in file_column.filled:
        if not isinstance(text, str) or text[0] not in "[{":
            return False
        try:
            value = parsed_cell(text, file_column.path)
        except BadValue:
            return False
        is_list_in_table = is_table and _is_list_in_cell(value)
        if not is_list_in_table and not _has_turns(value):
            return False
    return True


def _has_turns(value: object) -> bool:
    """Tell whether a value is turns, one turn, or an object that has turns."""
    inner = value.values() if isinstance(value, dict) else ()
    return any(map(is_turns, (value, [value], *inner)))


def _is_list_in_cell(value: object) -> bool:
    """Tell whether a cell in JSON is a list of texts or objects, or one text in an object."""
    if isinstance(value, dict):
        return len(value) == 1 and all(isinstance(entry, str) for entry in value.values())
    if not isinstance(value, list):
        return False
    return is_objects(value) or all(isinstance(entry, str | None) for entry in value)


def parsed_cell(text: str, path: str) -> object:
    """Return the value that a packed text holds. Raises BadValue, with the column's path."""
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        with suppress(ValueError):  # as pandas writes a list or an object into a cell
            return read_literal(text)
        fault = problem(error, 0)
        advice = _("write the list or the object as JSON")
        raise BadValue(path, fault.reason, advice, fault.value) from error
