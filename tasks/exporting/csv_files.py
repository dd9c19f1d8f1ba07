"""Write CSV by RFC 4180, except that lines end in LF: rows of the database, or of Python.

It is in UTF-8 and has a header. An empty cell is an empty text or no value.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from psycopg import sql

from .cells import cell
from .column_types import Column
from .copying import CopyStream


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


def _csv_copy(
    columns: Sequence[Column], from_clause: sql.Composable, delimiter: str, defused: bool
) -> sql.Composable:
    cells = sql.SQL(", ").join(cell(column, defused) for column in columns)
    return sql.SQL("COPY (SELECT {} {}) TO STDOUT (FORMAT csv, DELIMITER {})").format(
        cells, from_clause, sql.Literal(delimiter)
    )


def csv_lines(heads: Sequence[str], data_rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield a header and rows as lines of CSV."""
    for cells in chain([heads], data_rows):
        yield csv_line(map(str, cells)).encode()


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
