"""Write JSON lines: an object on each line, with null for an empty text or none.

PostgreSQL makes the objects, `{"item": "a", "score": 4}`, so Python only passes them on.
"""

import json
from collections.abc import Iterator, Sequence

from psycopg import sql

from .cells import cell
from .column_types import Column
from .copying import CopyStream
from .selection import Selection


def json_file(selection: Selection) -> CopyStream:
    """Return a file of JSON lines."""
    line = json_line(selection.columns)
    rows = selection.from_clause + selection.order
    return _JsonCopy([sql.SQL("COPY (SELECT {} {}) TO STDOUT").format(line, rows)])


class _JsonCopy(CopyStream):
    """A file of JSON lines. COPY changes nothing of JSON but its backslashes, which it doubles."""

    def __iter__(self) -> Iterator[bytes]:
        for block in super().__iter__():  # of whole rows
            yield block.replace(rb"\\", b"\\")


def json_line(columns: Sequence[Column]) -> sql.Composable:
    """Return the expression for a row as a JSON object."""
    members = sql.SQL(", ").join(map(_member, columns))
    return sql.SQL("'{{' || array_to_string(ARRAY[{}], ',') || '}}'").format(members)


def _member(column: Column) -> sql.Composable:
    """Return the expression for one entry of the object, such as '"score":4'."""
    value = column.json or column.sql
    if column.type != "json":
        value = sql.SQL("to_json({})").format(cell(column))
    name = sql.Literal(json.dumps(column.name, ensure_ascii=False) + ":")
    return sql.SQL("{} || COALESCE(({})::text, 'null')").format(name, value)
