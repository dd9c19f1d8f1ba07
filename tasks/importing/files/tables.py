"""CSV and similar tables → rows. No Django but its translations.

Every cell is text, unchanged except for its quotes. A row is complete or an error.
"""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from statistics import mode
from typing import BinaryIO, NamedTuple

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from .grids import Grid
from .headers import LOOKED_AT, header_of
from .options import ReadingOptions
from .rows import (
    HEAD,
    LONGEST_ROW,
    OTHER_ENCODING,
    LineError,
    SourceRow,
    Unreadable,
    excerpt,
    fill_in,
    not_utf8,
    printable,
    refuse_empty,
)

DELIMITERS = {
    ",": gettext_lazy("commas"),
    ";": gettext_lazy("semicolons"),
    "\t": gettext_lazy("tabs"),
    "|": gettext_lazy("bars"),
}
# The first line of a table from Excel that names its delimiter.
DELIMITER_LINE = re.compile(r'"?sep=([,;\t|])"?[\r\n]')
# The errors of formulas, as workbooks write them.
FORMULA_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!"})
DASHES = re.compile(r"\s*:?-{2,}:?\s*")  # below a name, as a table in Markdown has them
TAKE_OUT = gettext_lazy("take it out, or have it left out")
MOST_BEFORE_HEADER = 1_000  # rows that are looked through for the names of columns

# This limit is for the whole process. Python's default is 131,072 characters.
csv.field_size_limit(LONGEST_ROW)


class Record(NamedTuple):
    """The cells of a row."""

    line: int  # where it begins
    cells: Sequence[str]
    text: str
    error: str = ""  # of Python's csv reader


class Table(Grid):
    """A table: rows under a header, or without one."""

    hint = gettext_lazy(
        'write a header with "id", "prompt" and "response", and a row for each response'
    )

    def __init__(self, file: BinaryIO, usual_delimiter: str, options: ReadingOptions) -> None:
        super().__init__()
        self.file = file
        self.delimiter = options.delimiter or self._proposed_delimiter(usual_delimiter)
        first = self._first_rows()
        if not first:
            raise Unreadable(_("is empty; %(hint)s"), hint=self.hint)
        self.header = header_of(first, options.header)
        self.proposals = {"delimiter": self.delimiter, "header": self.header.line}

    def rows(self) -> Iterator[SourceRow]:
        empty = 0
        self.errors.clear()
        for record in self._records():
            line, cells, _text, error = record
            is_empty = not (error or any(cells))
            empty = empty + 1 if is_empty else 0
            refuse_empty(empty, line)
            if line <= self.header.line or is_empty:
                continue
            content = _fault(record) if error else self._read(record)
            yield SourceRow(line, content)

    def _first_rows(self) -> list[tuple[int, Sequence[str]]]:
        numbered_rows: list[tuple[int, Sequence[str]]] = []
        size = 0
        with closing(self._records()) as records:
            for record in islice(records, MOST_BEFORE_HEADER):
                if any(record.cells):
                    numbered_rows.append((record.line, record.cells))
                    size += len(record.text)
                if len(numbered_rows) == LOOKED_AT or size > HEAD:
                    break
        return numbered_rows

    def _proposed_delimiter(self, usual: str) -> str:
        """Return the delimiter that splits the first rows into the most columns, all alike."""
        self.file.seek(0)
        head = self.file.read(HEAD).removeprefix(BOM_UTF8).decode("utf-8", "replace")
        if first_line := DELIMITER_LINE.match(head):
            return first_line[1]
        whole = head.rpartition("\n")[0] if len(head) > HEAD // 4 else head
        return max(DELIMITERS, key=lambda delimiter: _fit(whole or head, delimiter, usual))

    def _records(self) -> Generator[Record, None, None]:
        self.file.seek(0)
        # Bytes that are no UTF-8 become lone surrogates, which later checks find.
        text = io.TextIOWrapper(self.file, "utf-8-sig", errors="surrogateescape", newline="")
        record_lines: list[str] = []  # of the record that is being read
        reader = csv.reader(_lines(text, record_lines), delimiter=self.delimiter, strict=True)
        try:
            while True:
                line = reader.line_num + 1
                record_lines.clear()
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield Record(line, (), "".join(record_lines), str(error))
                else:
                    if cells and (line > 1 or not cells[0].startswith("sep=")):
                        yield Record(line, cells, "".join(record_lines))
        finally:
            if not self.file.closed:
                text.detach()  # else the file would be closed with it

    def _read(self, record: Record) -> dict[str, str] | LineError:
        line, cells, text, _error = record
        names = self.header.names
        if len(cells) > len(names) and not any(cells[len(names) :]):
            cells = cells[: len(names)]
        content = self.content(cells)
        item = content.get("id", "")
        if len(cells) < len(names) or len(cells) > max(len(names), self.header.width):
            row = excerpt(text.rstrip("\r\n"))
            return LineError(line, "", row, *self._wrong_number(len(cells)), item)
        if cells == names:  # as of tables that were put behind one another
            row = excerpt(text.rstrip("\r\n"))
            return LineError(line, "", row, _("is the header once more"), str(TAKE_OUT))
        filled = [cell for cell in cells if cell]
        if len(filled) > 1 and all(map(DASHES.fullmatch, filled)):
            return LineError(line, "", excerpt(filled[-1]), _("is a line of dashes"), str(TAKE_OUT))
        if not text.isascii():
            for name, cell in content.items():
                if around := not_utf8(cell):
                    reason, advice = _("is not UTF-8"), str(OTHER_ENCODING)
                    return LineError(line, printable(name), around, reason, advice, item)
        if not FORMULA_ERRORS.isdisjoint(cells):
            self.note_errors(line, filter(FORMULA_ERRORS.__contains__, cells))
        return content

    def _wrong_number(self, cell_count: int) -> tuple[str, str]:
        """Return the reason and the advice for a row with more or fewer cells than names."""
        reason = ngettext(
            "has %(cells)s cell under %(names)s names",
            "has %(cells)s cells under %(names)s names",
            cell_count,
        )
        advice = _(
            "give every row as many cells as the header, empty ones too; "
            "put a cell that holds %(delimiters)s, quotes or line ends in quotes"
        )
        delimiters = DELIMITERS[self.delimiter]
        return (
            fill_in(reason, cells=cell_count, names=len(self.header.names)),
            fill_in(advice, delimiters=delimiters),
        )


def _fit(head: str, delimiter: str, usual: str) -> tuple[object, ...]:
    """Return how well a delimiter splits the beginning of a table, to be compared."""
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    numbers = [len(cells) for cells in islice(filter(any, reader), LOOKED_AT)] or [1]
    columns = mode(numbers)
    # A text may hold as many commas as the other texts, but names hold none.
    before = numbers.index(columns)
    share = numbers.count(columns) / len(numbers)
    return columns > 1, -before, round(share, 1), columns, delimiter == usual


def _lines(text_file: io.TextIOWrapper, record: list[str]) -> Iterator[str]:
    """Yield the lines of a table, and add each to `record`, which the caller clears."""
    size = empty = 0
    lines = iter(lambda: text_file.readline(LONGEST_ROW + 1), "")
    for number, line in enumerate(lines, start=1):
        size = len(line) + (size if record else 0)
        if size > LONGEST_ROW:
            raise Unreadable(
                _(
                    "has a row near line %(line)s that is longer than %(most)s characters; "
                    "look for a quote that is not closed"
                ),
                line=number,
                most=LONGEST_ROW,
            )
        empty = empty + 1 if line.isspace() else 0
        refuse_empty(empty, number)
        record.append(line)
        yield line


def _fault(record: Record) -> LineError:
    """Return the error of a row that Python's csv reader cannot read."""
    row = excerpt(record.text.rstrip("\r\n"))
    if "unexpected end" in record.error:
        advice = _("close it, and double every quote within")
        return LineError(record.line, "", row, _("begins a quote that is not closed"), advice)
    reason = _("is not well quoted")
    if "expected after" in record.error:
        reason = _("has text after the closing quote of a cell")
    advice = _("put the whole cell in quotes, and double every quote within")
    return LineError(record.line, "", row, reason, advice)
