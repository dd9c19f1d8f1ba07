"""A sheet of a workbook → rows. A row's line is its number in the sheet. No Django."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .grids import Grid
from .headers import LOOKED_AT, Header, header_of
from .json_values import decoder
from .options import ReadingOptions
from .outcomes import MergedRange
from .rows import JsonObject, SourceRow, refuse_empty
from .unpacking import Unpacked


class Sheet(Grid):
    """A sheet, as `containers` writes it: a JSON list of cells in the line of each row."""

    hint = gettext_lazy("write a row for each response")

    def __init__(self, unpacked: Unpacked, options: ReadingOptions) -> None:
        super().__init__()
        self.file: BinaryIO = unpacked.file
        self.merged = unpacked.outcome.merged
        lines = islice(self._lines(), LOOKED_AT)
        first = [(line, _texts(decoder.decode(text))) for line, text in lines]
        self.header = header_of(first, options.header) if first else Header(0, ())
        self.proposals = {"header": self.header.line}
        if any(cells.bottom > self.header.line for cells in self.merged):
            self.fixed_remarks = (_("Merged cells are read for each of their rows."),)

    def rows(self) -> Iterator[SourceRow]:
        self.errors.clear()
        values = _MergedValues(self.merged)
        for line, text in self._lines():
            if line > self.header.line:
                cells = decoder.decode(text)
                values.fill(line, cells)
                yield SourceRow(line, self._values(line, cells))

    def _lines(self) -> Iterator[tuple[int, str]]:
        self.file.seek(0)
        empty = 0
        for line, text in enumerate(self.file, start=1):
            empty = empty + 1 if text.isspace() else 0
            refuse_empty(empty, line)
            if not empty:
                yield line, text.decode()

    def _values(self, line: int, cells: Sequence[object]) -> JsonObject:
        """Return the values of a row. An empty cell is absent, and so is the error of a formula."""
        row_content: JsonObject = {}
        for name, cell in self.content(cells).items():
            if isinstance(cell, dict):
                self.note_errors(line, cell.values())
            elif cell is not None:
                row_content[name] = cell
        return row_content


class _MergedValues:
    """The values of merged cells, which stand in the first of their rows only."""

    def __init__(self, merged: Sequence[MergedRange]) -> None:
        self.bottoms: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.values: dict[int, tuple[int, object]] = {}  # by column: the last row, and the value
        for cells in merged:
            if cells.bottom > cells.top:
                self.bottoms[cells.top][cells.left] = cells.bottom

    def fill(self, line: int, row_cells: list[object]) -> None:
        """Fill the cells of a row that are merged with one above."""
        for column, (bottom, value) in self.values.items():
            if line <= bottom:
                row_cells.extend([None] * (column + 1 - len(row_cells)))
                row_cells[column] = value
        for column, bottom in self.bottoms.get(line, {}).items():
            if column < len(row_cells):
                self.values[column] = bottom, row_cells[column]


def _texts(cells: Sequence[object]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]
