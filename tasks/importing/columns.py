"""The columns of a file of any shape: where its values are, and the first of them.

A column is a path of names, dots and [*], such as `outputs[*].text`. Objects and lists of objects
are opened. A list of turns is one column, and so is a list of texts. No Django but its
translations.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _, ngettext

from .json_reader import decoder, problem
from .rows import LineError, SourceRow, excerpt, filled
from .values import BadValue

ROWS = 100  # that are looked at
DEEPEST_COLUMN = 16  # levels of objects and lists
MOST_INNER = 100  # columns within one object; an object with more is one column
EMPTY: tuple[object, ...] = (None, "", [], {})
# A turn has one of each.
SPEAKERS = ("role", "from", "speaker", "sender")
SAID = ("content", "value", "text", "message", "utterance")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of a row."""

    path: str  # of its column
    place: str  # the same with the numbers of the entries: `outputs[0].text`
    value: object


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its values in the first rows."""

    path: str
    values: tuple[object, ...]

    @property
    def filled(self) -> list[object]:
        return [value for value in self.values if value not in EMPTY]

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path.rpartition(".")[2]

    @property
    def example(self) -> str:
        """The first value in words."""
        match self.filled:
            case [list() as entries, *_others] if is_turns(entries):
                text = next(entries[0][name] for name in SAID if name in entries[0])
                words = ngettext(
                    "%(number)s turn: %(first)s", "%(number)s turns: %(first)s", len(entries)
                )
                return filled(words, number=len(entries), first=excerpt(text))
            case [list() as entries, *_others] if is_texts(entries):
                words = ngettext(
                    "%(number)s text: %(first)s", "%(number)s texts: %(first)s", len(entries)
                )
                return filled(words, number=len(entries), first=excerpt(entries[0]))
            case [first, *_others]:
                return excerpt(first)
        return _("empty")


@dataclass(frozen=True)
class Sample:
    """The first good rows of a file, and their columns."""

    rows: tuple[SourceRow, ...]
    columns: tuple[Column, ...]
    packed: frozenset[str]  # columns of texts that are JSON, and are opened

    @property
    def names(self) -> str:
        """The columns in one line."""
        return ", ".join(column.path for column in self.columns)

    def inside(self, root: str) -> "Sample":
        """Return the sample with the columns of one object only, and their paths in it."""
        start = f"{root}."
        return Sample(
            self.rows,
            tuple(
                Column(column.path.removeprefix(start), column.values)
                for column in self.columns
                if column.path.startswith(start)
            ),
            self.packed,
        )


def sample(rows: Iterable[SourceRow]) -> Sample:
    """Return the columns of the first rows."""
    good = tuple(row for row in islice(rows, ROWS) if not isinstance(row.content, LineError))
    packed = frozenset(
        column.path for column in _columns(good, frozenset()) if _is_packed(column, good)
    )
    return Sample(good, _columns(good, packed), packed)


def leaves(
    value: object,
    closed: Container[str],
    packed: Container[str],
    path: str = "",
    place: str = "",
    levels: int = DEEPEST_COLUMN,
) -> Iterator[Leaf]:
    """Yield the values of a row, in its order. Raises BadValue.

    The columns `closed` are not opened. A text in one of the columns `packed` is JSON.
    """
    if path in packed and isinstance(value, str) and value:
        value = _unpacked(value, path)
    if path in closed or not levels:
        yield Leaf(path, place, value)
    elif isinstance(value, dict) and value:
        dot = "." if path else ""
        for name, inner in value.items():
            yield from leaves(
                inner, closed, packed, f"{path}{dot}{name}", f"{place}{dot}{name}", levels - 1
            )
    elif isinstance(value, list) and value and _is_objects(value):
        for number, inner in enumerate(value):
            yield from leaves(inner, closed, packed, f"{path}[*]", f"{place}[{number}]", levels - 1)
    else:
        yield Leaf(path, place, value)


def is_turns(value: object) -> bool:
    """Tell whether a value is a list of who said what."""
    return (
        isinstance(value, list)
        and value != []
        and all(
            isinstance(turn, dict)
            and any(isinstance(turn.get(name), str) for name in SPEAKERS)
            and any(name in turn for name in SAID)
            for turn in value
        )
    )


def is_texts(value: object) -> bool:
    """Tell whether a value is a list of texts."""
    return isinstance(value, list) and value != [] and all(isinstance(each, str) for each in value)


def _is_objects(value: list[object]) -> bool:
    return all(isinstance(each, dict) and each for each in value) and not is_turns(value)


def _columns(rows: Iterable[SourceRow], packed: frozenset[str]) -> tuple[Column, ...]:
    closed: set[str] = set()
    while True:
        found: dict[str, list[object]] = {}
        for row in rows:
            for leaf in leaves(row.content, closed, packed):
                found.setdefault(leaf.path, []).append(leaf.value)
        below = Counter(above for path in found for above in _above(path))
        # What is an object in one row and a text in another is one column.
        one = {path for path in below if any(value not in EMPTY for value in found.get(path, ()))}
        one.update(path for path, number in below.items() if number > MOST_INNER)
        if one <= closed:
            return tuple(
                Column(path, tuple(values))
                for path, values in found.items()
                if path in closed or path not in below
            )
        closed |= one


def _above(path: str) -> Iterator[str]:
    """Yield the paths of all that a column is in."""
    for position, character in enumerate(path):
        if character in ".[" and position:
            yield path[:position]


def _is_packed(column: Column, rows: tuple[SourceRow, ...]) -> bool:
    """Tell whether a column's texts are JSON to be opened.

    Turns always are. Other lists and objects only are in a table, whose cells cannot be anything
    but texts: elsewhere a text in JSON may be what a model said.
    """
    if not column.filled or not all(
        isinstance(value, str) and value.startswith(("[", "{")) for value in column.filled
    ):
        return False
    try:
        found = [_unpacked(str(value), column.path) for value in column.filled]
    except BadValue:
        return False
    is_table = all(
        isinstance(cell, str | list) for row in rows for cell in dict(row.content).values()
    )
    return all(is_turns(value) or (is_table and _is_opened(value)) for value in found)


def _is_opened(value: object) -> bool:
    """Tell whether a cell in JSON is a list of texts or objects, or an object that has turns."""
    if isinstance(value, dict):
        return any(is_turns(inner) for inner in value.values())
    return is_texts(value) or (isinstance(value, list) and value != [] and _is_objects(value))


def _unpacked(text: str, path: str) -> object:
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        fault = problem(error, 0)
        raise BadValue(
            path, fault.reason, _("write the list or the object as JSON"), fault.value
        ) from error
