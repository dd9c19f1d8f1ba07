"""CSV and similar tables → rows. No Django but its translations.

Every cell is text, unchanged except for its quotes. A row is complete or an error.
"""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from .containers import MOST_COLUMNS
from .rows import (
    AS_WINDOWS,
    HEAD,
    LONGEST_ROW,
    LineError,
    Source,
    SourceRow,
    Unreadable,
    excerpt,
    filled,
    not_utf8,
    printable,
    refuse_empty,
)
from .unpacking import FAULTS

DELIMITERS = {
    ",": gettext_lazy("commas"),
    ";": gettext_lazy("semicolons"),
    "\t": gettext_lazy("tabs"),
    "|": gettext_lazy("bars"),
}
# The first line of a table from Excel that names its delimiter.
NAMED = re.compile(r'"?sep=([,;\t|])"?[\r\n]')

# This limit is for the whole process. Python's default is 131,072 characters.
csv.field_size_limit(LONGEST_ROW)


@dataclass
class Table(Source):
    """A table: rows under a header."""

    is_table = True

    file: BinaryIO
    delimiter: str  # at first the usual one for the file's name, then the header's
    hint = gettext_lazy(
        'write a header with "id", "prompt" and "response", and a row for each response'
    )
    names: list[str] = field(default_factory=list, init=False)
    extra: int = field(default=0, init=False)  # cells without a name behind the last one

    def __post_init__(self) -> None:
        self.delimiter = self._delimiter()
        for cells, *_others in self._records():
            named = max((end for end, cell in enumerate(cells, start=1) if cell), default=0)
            self.extra = len(cells) - named
            self.names = _header(cells[:named])
            return
        raise Unreadable(_("is empty; %(hint)s"), hint=self.hint)

    def rows(self) -> Iterator[SourceRow]:
        records, empty = self._records(), 0
        next(records)  # the header
        for cells, line, raw, fault in records:
            empty = 0 if fault or any(cells) else empty + 1
            refuse_empty(empty, line)
            if fault:
                yield SourceRow(line, LineError(line, "", excerpt(raw.rstrip("\r\n")), *fault), raw)
            elif any(cells):
                yield SourceRow(line, self._content(cells, line, raw), raw)

    def _delimiter(self) -> str:
        """Return the delimiter that finds a column "id" in the header, or the most columns."""
        self.file.seek(0)
        head = self.file.read(HEAD).removeprefix(BOM_UTF8).decode("utf-8", "replace")
        if named := NAMED.match(head):
            return named[1]
        found = []
        for delimiter in DELIMITERS:
            records = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
            names = next(filter(None, records), [])
            found.append(("id" in names, len(names), delimiter == self.delimiter, delimiter))
        return max(found)[-1]

    def _records(self) -> Iterator[tuple[list[str], int, str, tuple[str, str] | None]]:
        """Yield each record's cells, first line and raw text, and its fault and advice, if any."""
        self.file.seek(0)
        # Bytes that are no UTF-8 become lone surrogates, which later checks find.
        text = io.TextIOWrapper(self.file, "utf-8-sig", errors="surrogateescape", newline="")
        held: list[str] = []  # the raw lines of the record that is being read
        reader = csv.reader(_lines(text, held), delimiter=self.delimiter, strict=True)
        try:
            while True:
                line = reader.line_num + 1
                held.clear()
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield [], line, "".join(held), _fault(str(error))
                else:
                    if cells and (line > 1 or not cells[0].startswith("sep=")):
                        yield cells, line, "".join(held), None
        finally:
            if not self.file.closed:
                text.detach()  # else the file would be closed with it

    def _content(self, cells: list[str], line: int, raw: str) -> dict[str, str] | LineError:
        if len(cells) == len(self.names) + self.extra and not any(cells[len(self.names) :]):
            cells = cells[: len(self.names)]
        given = dict(zip(self.names, cells, strict=False))
        item = given.get("id", "")
        if cells == self.names:  # as of tables that were put behind one another
            advice = _("take it out, or have it left out")
            return LineError(line, "", excerpt(raw.strip()), _("is the header once more"), advice)
        if len(cells) != len(self.names):
            return LineError(
                line,
                "",
                excerpt(raw.rstrip("\r\n")),
                filled(
                    ngettext(
                        "has %(cells)s cell under %(names)s names",
                        "has %(cells)s cells under %(names)s names",
                        len(cells),
                    ),
                    cells=len(cells),
                    names=len(self.names),
                ),
                filled(
                    _(
                        "give every row as many cells as the header, empty ones too; "
                        "put a cell that holds %(delimiters)s, quotes or line ends in quotes"
                    ),
                    delimiters=DELIMITERS[self.delimiter],
                ),
                item,
            )
        if not raw.isascii():
            for name, text in given.items():
                if around := not_utf8(text):
                    return LineError(
                        line, printable(name), around, _("is not UTF-8"), str(AS_WINDOWS), item
                    )
        return given


def _lines(file: io.TextIOWrapper, held: list[str]) -> Iterator[str]:
    """Yield the lines of a table, and add each to `held`, which the caller clears for a record."""
    size = empty = 0
    lines = iter(lambda: file.readline(LONGEST_ROW + 1), "")
    for number, line in enumerate(lines, start=1):
        size = len(line) + (size if held else 0)
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
        held.append(line)
        yield line


def _header(cells: list[str]) -> list[str]:
    if len(cells) > MOST_COLUMNS:
        raise Unreadable(FAULTS["columns"], number=len(cells), most=MOST_COLUMNS)
    for name in cells:
        if not_utf8(name):
            raise Unreadable(
                _("is not UTF-8 in its header (%(name)s); %(advice)s"),
                name=excerpt(name, as_bytes=True),
                advice=AS_WINDOWS,
            )
    if twice := [name for place, name in enumerate(cells) if name in cells[:place]]:
        raise Unreadable(FAULTS["twice"], name=excerpt(twice[0]))
    return cells


def _fault(said: str) -> tuple[str, str]:
    """Return the reason and the advice for an error message of Python's csv reader."""
    if "unexpected end" in said:
        return _("begins a quote that is not closed"), _("close it, and double every quote within")
    goes_on = _("has text after the closing quote of a cell")
    quoted = goes_on if "expected after" in said else _("is not well quoted")
    return quoted, _("put the whole cell in quotes, and double every quote within")
