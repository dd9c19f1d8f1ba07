"""A sheet of a workbook → rows as JSON lists of cells, in the process of `containers`.

openpyxl reads a sheet row by row. Two things that it does not offer are done with its parts that
are not public: a row without a value for each empty column, and the ranges of merged cells. Knows
no Django.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import IO, Any, TypeAlias
from zipfile import ZipFile

from .formats import LONGEST_START, MOST_COLUMNS
from .outcomes import (
    LONGEST_SAMPLE,
    MergedRange,
    Outcome,
    Output,
    PartStart,
    choice_of,
    fault_with,
    line_of,
)

MOST_MERGED = 10_000  # ranges of cells
MOST_TITLES = 5  # rows of a sheet among which its header is
# Characters that XML does not take, but zero, and the "_" of a text that looks like one of these.
ESCAPED = re.compile("_x(00[01][0-9A-F](?<!0000)|0020|005F|FFF[EF])_", re.IGNORECASE)
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
Cells: TypeAlias = Sequence[Any]


def write_sheet(file: IO[bytes], archive: ZipFile, output: Output, part: str) -> Outcome:
    """Write the rows of a sheet, each in the line with its number. Raises Fault."""
    from openpyxl import load_workbook

    # The values of formulas as Excel stored them, and no links to other files.
    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    filled = [sheet for sheet in book.worksheets if any(_filled_rows(sheet))]
    names = [sheet.title for sheet in filled]
    visible = [sheet.title for sheet in filled if sheet.sheet_state == "visible"]
    titles = visible or book.sheetnames[:1]
    if part not in names and (part or len(titles) != 1):
        parts = [PartStart(title, first_row=_first_row(book[title])) for title in titles]
        raise choice_of(parts)
    sheet = book[part or titles[0]]
    line = 1  # to be written next
    for number, cells in _filled_rows(sheet):
        if len(cells) > MOST_COLUMNS:
            raise fault_with("far", row=number, column=len(cells), most=MOST_COLUMNS)
        output.write(b"\n" * (number - line) + line_of(cells))
        line = number + 1
    with archive.open(sheet._worksheet_path) as text:
        merged = list(islice(_merged_ranges(text), MOST_MERGED))
    return Outcome("cells", part, merged=merged)


def _merged_ranges(sheet_file: IO[bytes]) -> Iterator[MergedRange]:
    """Yield the ranges of merged cells in a sheet, with columns that are counted from 0."""
    from openpyxl.utils import column_index_from_string

    window = b""
    while block := sheet_file.read(2**20):
        window += block
        end = max(0, len(window) - LONGEST_START)
        for match in MERGED.finditer(window):
            left, top, right, bottom = (group.decode() for group in match.groups())
            first = column_index_from_string(left) - 1
            last = column_index_from_string(right) - 1
            yield MergedRange(int(top), first, int(bottom), last)
            end = max(end, match.end())
        window = window[end:]


def _first_row(sheet: Any) -> dict[str, str]:
    """Return the first row below the header of a sheet, as texts. Short rows above are a title."""
    cell_rows: list[list[str]] = []
    for _number, cells in islice(_filled_rows(sheet), MOST_TITLES):
        row = [str(cell or "")[:LONGEST_SAMPLE] for cell in cells]
        cell_rows.append(row)
    usual = max(map(len, cell_rows), default=0)
    while cell_rows and len(cell_rows[0]) * 2 <= usual:
        del cell_rows[0]
    names, first = (*cell_rows, [], [])[:2]
    values = [*first, *repeat("", len(names))]
    return dict(zip(names, values, strict=False))


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Cells]]:
    """Yield the rows that are not empty, with their numbers and without empty cells at the end."""
    sheet.reset_dimensions()  # a file may claim any
    sheet._get_row = _cells_up_to_the_last
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if cells:
            yield number, cells


def unescape(text: str) -> str:
    """Return a text with what XML does not take, such as a CR, which Excel writes as _x000D_."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _cells_up_to_the_last(sheet_cells: list[dict[str, Any]], *_limits: Any) -> list[Any]:
    """Return the values of a row. openpyxl makes one for each column of a row that is empty.

    The error of a formula is an object, so that it is not taken for a text.
    """
    filled = [cell for cell in sheet_cells if cell["value"] is not None]
    row_values: list[Any] = [None] * max((cell["column"] for cell in filled), default=0)
    for cell in filled:
        value = cell["value"]
        if cell["data_type"] == "e":
            value = {"error": value}
        elif isinstance(value, str):
            value = unescape(value)
        row_values[cell["column"] - 1] = value
    return row_values
