"""Read what COPY of a SELECT sends: one row at a time, whatever their number."""

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from django.db import connection
from psycopg import sql

from .cells import cell
from .selection import Selection

BLOCK = 64 * 2**10  # bytes to yield at once
# The types of columns in PostgreSQL, as which `typed_rows` has them. All others are text.
DATABASE_TYPES = {"integer": "int8", "number": "float8"}


class CopyStream:
    """A file in blocks, as COPY statements write it after a `start`."""

    rows = 0  # when all blocks are out

    def __init__(self, statements: Iterable[sql.Composable], start: bytes = b"") -> None:
        self._statements = statements
        self._start = start

    def __iter__(self) -> Iterator[bytes]:
        block = bytearray(self._start)
        for statement in self._statements:
            with connection.cursor() as cursor:
                with cursor.copy(statement) as copy:
                    for row in copy:
                        block += row
                        if len(block) >= BLOCK:
                            yield bytes(block)
                            block.clear()
                self.rows += cursor.rowcount
        yield bytes(block)


def typed_rows(selection: Selection) -> Generator[tuple[Any, ...]]:
    """Yield rows whose numbers are numbers, and all else texts; an empty text is None."""
    cells = sql.SQL(", ").join(map(cell, selection.columns))
    rows = selection.from_clause + selection.order
    statement = sql.SQL("COPY (SELECT {} {}) TO STDOUT").format(cells, rows)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([DATABASE_TYPES.get(column.type, "text") for column in selection.columns])
        yield from copy.rows()
