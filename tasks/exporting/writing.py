"""Write rows that PostgreSQL sends row by row (COPY of one SELECT), in blocks of bytes.

CSV is by RFC 4180, except that lines end in LF; it is in UTF-8 and has a header. An empty cell is
an empty text or no value. JSONL has an object on each line, with null for an empty text or none.
Parquet goes to an unnamed file first, a group of rows at a time: its writer seeks.
"""

import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import Any

from django.db import connection
from psycopg import sql

from .column_types import Column
from .rows import Selection

BLOCK = 64 * 2**10  # bytes to yield at once; PostgreSQL sends one row at a time
GROUP = 5_000  # rows of Parquet; so many are in memory
# By type of column: the types in PostgreSQL, in memory and in Parquet. All others are text.
TYPES = {"integer": ("int8", "int64"), "number": ("float8", "float64")}
TEXT = ("text", "string")

# The start of a cell that a spreadsheet would run as a formula, except for plain numbers. It has
# the full-width forms too, because some spreadsheets fold them.
FORMULA = r"^(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$)"


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


class Buffer:
    """The bytes that were written since they were last taken, for what writes to a file."""

    closed = False

    def __init__(self) -> None:
        self._content = bytearray()

    def write(self, content: bytes) -> int:
        """Take the bytes; return how many they are."""
        self._content += content
        return len(content)

    def flush(self) -> None:
        """Do nothing: there is nothing behind it."""

    def close(self) -> None:
        """Do nothing, too."""

    def take(self) -> bytes:
        """Return the bytes since the last call."""
        content = bytes(self._content)
        self._content.clear()
        return content


def csv_file(
    names: Iterable[str],
    file_parts: Iterable[tuple[Sequence[Column], sql.Composable]],
    *,
    defused: bool = False,
    delimiter: str = ",",
) -> CopyStream:
    """Return a CSV file with a header of these names, and its parts one after the other.

    A part is its columns, and the rest of the statement that they are selected from.

    With `defused`, put an apostrophe before each cell that a spreadsheet would run as a formula.
    """
    copies = (_csv_copy(*part, delimiter, defused) for part in file_parts)
    # COPY would cut names at 63 bytes.
    return CopyStream(copies, csv_line(names, delimiter).encode())


def csv_line(line_cells: Iterable[str], delimiter: str = ",") -> str:
    """Return a line of CSV, quoted as COPY does it: csv of Python 3.11 leaves a lone CR bare."""
    special = re.compile(rf'["\r\n{delimiter}]')
    quoted = []
    for text in line_cells:
        if special.search(text):
            text = text.replace('"', '""')
            quoted.append(f'"{text}"')
        else:
            quoted.append(text)
    return delimiter.join(quoted) + "\n"


def csv_lines(heads: Sequence[str], data_rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield a header and rows as lines of CSV."""
    for cells in chain([heads], data_rows):
        yield csv_line(map(str, cells)).encode()


def defuse(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it as a formula."""
    return re.sub(FORMULA, "'", text)


def _csv_copy(
    columns: Sequence[Column], from_clause: sql.Composable, delimiter: str, defused: bool
) -> sql.Composable:
    cells = sql.SQL(", ").join(cell(column, defused) for column in columns)
    return sql.SQL("COPY (SELECT {} {}) TO STDOUT (FORMAT csv, DELIMITER {})").format(
        cells, from_clause, sql.Literal(delimiter)
    )


def cell(column: Column, defused: bool = False) -> sql.Composable:
    """Return a column's expression, with NULL for an empty text, which COPY would put in quotes."""
    if not column.is_free:
        return column.sql
    text = column.sql
    if defused:
        replacement = sql.SQL("regexp_replace({}, {}, {})")
        text = replacement.format(text, sql.Literal(FORMULA), sql.Literal("'"))
    return sql.SQL("NULLIF({}, '')").format(text)


class JsonCopy(CopyStream):
    """A file of JSON lines. COPY changes nothing of JSON but its backslashes, which it doubles."""

    def __iter__(self) -> Iterator[bytes]:
        for block in super().__iter__():  # of whole rows
            yield block.replace(rb"\\", b"\\")


def json_file(selection: Selection) -> JsonCopy:
    """Return a file of JSON lines."""
    line = json_line(selection.columns)
    rows = selection.from_clause + selection.order
    return JsonCopy([sql.SQL("COPY (SELECT {} {}) TO STDOUT").format(line, rows)])


def json_line(columns: Sequence[Column]) -> sql.Composable:
    """Return the expression for a row as a JSON object."""
    members = sql.SQL(", ").join(map(_member, columns))
    return sql.SQL("'{{' || array_to_string(ARRAY[{}], ',') || '}}'").format(members)


def _member(column: Column) -> sql.Composable:
    value = column.json or column.sql
    if column.type != "json":
        value = sql.SQL("to_json({})").format(cell(column))
    name = sql.Literal(json.dumps(column.name, ensure_ascii=False) + ":")
    return sql.SQL("{} || COALESCE(({})::text, 'null')").format(name, value)


def typed_rows(selection: Selection) -> Generator[tuple[Any, ...]]:
    """Yield rows whose numbers are numbers, and all else texts; nothing is None."""
    cells = sql.SQL(", ").join(map(cell, selection.columns))
    rows = selection.from_clause + selection.order
    statement = sql.SQL("COPY (SELECT {} {}) TO STDOUT").format(cells, rows)
    types = [TYPES.get(column.type, TEXT) for column in selection.columns]
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([in_database for in_database, _in_file in types])
        yield from copy.rows()


class Parquet:
    """A file in blocks. Empty texts are null, as in JSONL; JSON is text."""

    rows = 0  # when all blocks are out

    def __init__(self, selection: Selection) -> None:
        self._selection = selection

    def __iter__(self) -> Iterator[bytes]:
        # 35 MB, which few processes need.
        from arro3.core import DataType, Field, RecordBatchReader, Schema
        from arro3.io import write_parquet

        fields = []
        for column in self._selection.columns:
            _in_database, in_file = TYPES.get(column.type, TEXT)
            kind = getattr(DataType, in_file)()
            if column.type == "time":
                kind = DataType.timestamp("us", tz="UTC")
            fields.append(Field(column.name, kind))
        schema = Schema(fields)
        with TemporaryFile() as file:
            with closing(typed_rows(self._selection)) as rows:
                batches = RecordBatchReader.from_batches(schema, self._groups(rows, schema))
                write_parquet(batches, file, compression="snappy", max_row_group_size=GROUP)
            file.seek(0)
            yield from iter(partial(file.read, BLOCK), b"")

    def _groups(self, fetched_rows: Iterator[tuple[Any, ...]], schema: Any) -> Iterator[Any]:
        from arro3.core import Array, DataType, RecordBatch

        while group := list(islice(fetched_rows, GROUP)):
            self.rows += len(group)
            arrays = []
            for values, kind in zip(zip(*group, strict=True), schema.types, strict=True):
                # Times come as texts, which an array of times is only cast from.
                if DataType.is_timestamp(kind):
                    arrays.append(Array(values, DataType.string()).cast(kind))
                else:
                    arrays.append(Array(values, kind))
            yield RecordBatch.from_arrays(arrays, schema=schema)
