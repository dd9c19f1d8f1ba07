"""Write rows as a workbook (XLSX) of one sheet, row by row, by openpyxl.

Every text is a cell of text, whatever it begins with, so no program runs it as a formula or makes a
number or a day of it. A character that XML does not take is written as `_x0001_`, as Excel does; a
text that has `_x0001_` itself gets `_x005F_x0001_`. The same rows are the same bytes: the archive
has no time in it.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from functools import partial
from itertools import chain
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from .copying import BLOCK, typed_rows
from .filters import Refused
from .selection import Selection

# What a sheet takes, by the limits of Excel. Letters are those of UTF-16.
MOST_ROWS = 2**20 - 1  # below the header
MOST_COLUMNS = 2**14
MOST_LETTERS = 2**15 - 1
NO_TIME = datetime(1980, 1, 1)  # noqa: DTZ001 - the first that a ZIP has; openpyxl takes no zone


class Workbook:
    """A file in blocks. Raise Refused before the first one if a sheet does not take the rows.

    Empty texts are empty cells. Times and JSON are texts, as in CSV.
    """

    rows = 0  # when all blocks are out

    def __init__(self, selection: Selection, title: str) -> None:
        if len(selection.columns) > MOST_COLUMNS:
            raise Refused(
                "format",
                _("A sheet of XLSX takes %(most)s columns at most: choose another kind of file.")
                % {"most": _number(MOST_COLUMNS)},
            )
        self._selection = selection
        self._title = title

    def __iter__(self) -> Iterator[bytes]:
        with TemporaryFile() as file:
            self._write(file)
            file.seek(0)
            yield from iter(partial(file.read, BLOCK), b"")

    def _write(self, file: IO[bytes]) -> None:
        # 30 MB, which few processes need.
        from openpyxl import Workbook as Book
        from openpyxl.writer.excel import ExcelWriter

        book = Book(write_only=True)
        book.properties.creator = "Evenhand"
        book.properties.created = book.properties.modified = NO_TIME
        sheet = book.create_sheet(self._title)
        sheet.freeze_panes = "A2"
        try:
            self._write_rows(sheet)
        finally:
            # Also after an error, because saving removes the file in which openpyxl has the rows.
            ExcelWriter(book, TimelessZip(file, "w", ZIP_DEFLATED)).save()

    def _write_rows(self, sheet: Any) -> None:
        """Append a header and the rows. Raise Refused at a text that is too long for a cell."""
        from .sheet_cells import cell_of

        names = [column.name for column in self._selection.columns]
        with closing(typed_rows(self._selection)) as rows:
            for number, row in enumerate(chain([names], rows)):
                for name, value in zip(names, row, strict=True):
                    if isinstance(value, str):
                        _refuse_long(value, name, number)
                sheet.append([cell_of(sheet, value) for value in row])
                self.rows = number


class TimelessZip(ZipFile):
    """A ZIP whose entries have no time of their own, through the two methods of openpyxl."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *_args: Any, **_options: Any) -> None:
        super().writestr(ZipInfo(zinfo_or_arcname), data, ZIP_DEFLATED)

    def write(self, filename: Any, arcname: Any = None, *_args: Any, **_options: Any) -> None:
        entry = ZipInfo(arcname)
        entry.compress_type = ZIP_DEFLATED
        # Its size is not known beforehand, and may be more than 4 GiB.
        with open(filename, "rb") as source, self.open(entry, "w", force_zip64=True) as target:
            copyfileobj(source, target, BLOCK)


def _refuse_long(text: str, column: str, row_number: int) -> None:
    """Raise Refused if a cell does not take a text."""
    if len(text) <= MOST_LETTERS // 2:  # a character is two letters at most
        return
    letters = len(text.encode("utf-16-le")) // 2
    if letters > MOST_LETTERS:
        raise Refused(
            "format",
            _(
                "Row %(row)s has a text of %(letters)s letters in the column “%(column)s”. A cell "
                "of XLSX takes %(most)s at most: choose CSV, JSON lines or Parquet."
            )
            % {
                "row": _number(row_number),
                "letters": _number(letters),
                "column": column,
                "most": _number(MOST_LETTERS),
            },
        )


def too_many_rows() -> Refused:
    """Return why a file of more rows than a sheet has is not made."""
    return Refused(
        "format",
        _(
            "A sheet of XLSX takes %(most)s rows at most. Choose a part of it, or CSV, JSON lines "
            "or Parquet."
        )
        % {"most": _number(MOST_ROWS)},
    )


def _number(number: int) -> str:
    return str(number_format(number, force_grouping=True))
