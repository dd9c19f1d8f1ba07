"""Parts of a file that are joined by a key: rows get the columns of a row of another part.

Answers may stand in one sheet and questions in another: `id` of both says which belong together.
No Django but its translations.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from sys import getsizeof
from typing import TypeAlias

from django.utils.translation import gettext as _, ngettext

from . import containers
from .grids import Grid
from .rows import LineError, Source, SourceRow, Unreadable, excerpt, fill_in, printable
from .values import BadValue

MOST_BYTES = 50 * 2**20  # of memory, for the part that is joined
MOST_ADDED = containers.MOST_BYTES  # to all rows together: many may name one long row
FIRST_ROWS = 100  # that say which columns a part has
Key: TypeAlias = tuple[str, ...]


class JoinedPart:
    """The rows of a part in memory, by their key."""

    def __init__(self, source: Source, name: str, columns: Sequence[str]) -> None:
        """Read all rows. Raises Unreadable."""
        require_columns(column_names(source), columns)
        self.source, self.name, self.columns = source, name, columns
        self.number = 0  # of good rows
        self.rows: dict[Key, Mapping[str, object]] = {}
        self.twice: dict[Key, int] = {}  # the line of a key's second row
        self.errors: list[LineError] = []  # of its bad rows
        left = MOST_BYTES
        for row in source.rows():
            left -= self._take(row)
            if left < 0:
                text = _(
                    "has a part %(part)s that is too large to be joined: it may need 50 MB of "
                    "memory; join it before, or leave out columns"
                )
                raise Unreadable(text, part=excerpt(name))

    def _take(self, row: SourceRow) -> int:
        """Take in a row, and return what it needs of memory."""
        if isinstance(row.content, LineError):
            error = row.content
            place = f"{self.name}.{error.column}".removesuffix(".")
            self.errors.append(replace(error, column=printable(place)))
            return memory_of([place, error.value, error.reason, error.advice])
        self.number += 1
        key = key_of(row.content, self.columns)
        if key in self.rows:
            self.twice.setdefault(key, row.line)
            return 0
        if not all(key):
            return 0
        more = {name: row.content[name] for name in row.content if name not in self.columns}
        self.rows[key] = more
        return memory_of(more) + memory_of(key)

    def row(self, row_key: Key, column: str) -> Mapping[str, object]:
        """Return the columns of the row that has a key. Raises BadValue."""
        part, value = excerpt(self.name), excerpt(", ".join(row_key))
        if row_key not in self.rows:
            reason = fill_in(_("is in no row of the part %(part)s"), part=part)
            raise BadValue(column, reason, _("add the row there, or take this one out"), value)
        if row_key in self.twice:
            words = _("is in several rows of the part %(part)s, also in line %(line)s")
            reason = fill_in(words, part=part, line=self.twice[row_key])
            raise BadValue(column, reason, _("leave one of them there"), value)
        return self.rows[row_key]


class Joined(Source):
    """A part whose rows have the columns of another one."""

    def __init__(self, source: Source, joined_part: JoinedPart, columns: Sequence[str]) -> None:
        """Join them by columns of the first. Raises Unreadable."""
        self.source, self.part, self.columns = source, joined_part, columns
        self.names = column_names(source)
        require_columns(self.names, columns)
        self.used: set[Key] = set()
        self.unused = 0  # rows of the other part, when all rows are read
        self.added = 0  # bytes
        self.hint = source.hint
        self.is_table = source.is_table or joined_part.source.is_table
        self.parts = source.parts
        self.proposals = source.proposals
        words = _("The rows have the columns of the part “%(part)s”, by “%(columns)s”.")
        self.fixed_remarks = (fill_in(words, part=joined_part.name, columns=", ".join(columns)),)

    @property
    def guesses(self) -> Sequence[str]:
        return (*self.source.guesses, *self.part.source.guesses)

    @property
    def remarks(self) -> Sequence[str]:
        remarks = [*self.source.remarks, *self.part.source.remarks, *self.fixed_remarks]
        if self.unused:
            text = ngettext(
                "%(number)s row of the part “%(part)s” belongs to none, and is left out.",
                "%(number)s rows of the part “%(part)s” belong to none, and are left out.",
                self.unused,
            )
            remarks.append(fill_in(text, number=self.unused, part=self.part.name))
        return remarks

    def rows(self) -> Iterator[SourceRow]:
        self.unused = self.added = 0
        self.used.clear()
        for error in self.part.errors:
            yield SourceRow(error.line, error)
        for row in self.source.rows():
            yield self._joined(row)
        self.unused = self.part.number - len(self.used)

    def _joined(self, row: SourceRow) -> SourceRow:
        if isinstance(row.content, LineError):
            return row
        key = key_of(row.content, self.columns)
        try:
            more = self.part.row(key, self.columns[0])
        except BadValue as bad:
            return SourceRow(row.line, bad.at(row), row.path)
        self.used.add(key)
        self.added += memory_of(more)
        if self.added > MOST_ADDED:
            text = _("is larger than 2 GB once its parts are joined; split it")
            raise Unreadable(text)
        content = dict(row.content)
        for name, value in more.items():
            is_used = name in self.names or name in row.content
            content[f"{self.part.name}.{name}" if is_used else name] = value
        return SourceRow(row.line, content, row.path)


def key_columns(key: str) -> list[tuple[str, str]]:
    """Return the columns of a key, in a part and in the other: `topic, number`, `question_id: id`.

    A column has one name in both unless two are given.
    """
    pairs = []
    for names in key.split(","):
        name, _colon, other = names.partition(":")
        pairs.append((name.strip(), other.strip() or name.strip()))
    return pairs


def key_of(content: Mapping[str, object], columns: Sequence[str]) -> Key:
    """Return the values of a key as texts; an empty one for what is missing."""
    values = (content.get(column) for column in columns)
    return tuple("" if value is None else str(value) for value in values)


def column_names(source: Source) -> set[str]:
    """Return the names of a part's columns, as far as its first rows say."""
    if isinstance(source, Grid):
        return {*source.header.names}
    names: set[str] = set()
    for row in islice(source.rows(), FIRST_ROWS):
        if not isinstance(row.content, LineError):
            names.update(row.content)
    return names


def require_columns(part_columns: Collection[str], columns: Sequence[str]) -> None:
    """Raise Unreadable if a part lacks a column of the key."""
    for column in columns:
        if column not in part_columns:
            text = _("has no column %(column)s to join its parts by; one of them has %(names)s")
            quoted = ", ".join(map(excerpt, sorted(part_columns)))
            raise Unreadable(text, column=excerpt(column), names=quoted)


def memory_of(content: object) -> int:
    """Return the bytes of memory that a value needs, with all that is in it."""
    size = 0
    values = [content]
    while values:
        value = values.pop()
        size += getsizeof(value)
        if isinstance(value, dict):
            values.extend(value)
            values.extend(value.values())
        elif isinstance(value, list | tuple):
            values.extend(value)
    return size
