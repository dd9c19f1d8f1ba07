"""CSV and its kin → rows. Every cell is text as it stands, quotes apart; a row is whole or an error. No
Django.

What an empty cell means hangs on the column. Where a text is due (`prompt`, `response`, `context`, metadata,
…) it is the empty text. In a column of lists it is no list: none of `persona` and `history`; `messages` and
`responses` are as good as absent. Where a table has several columns for one thing (`prompt`, `messages` and
`history`; `response` and `responses`), empty cells give way to a filled one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from .encodings import BOM, HEAD
from .json_reader import parse, problem
from .rows import LONGEST_ROW, WHY, LineError, Row, Unreadable, as_bytes_stood, excerpt, printable

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
CONVERSATIONS = ("prompt", "messages", "history")
ANSWERS = ("response", "responses")
LISTS = ("persona", "history", "messages", "responses")  # a cell that begins with [ is JSON

# A limit of the whole process; Python's own is 131,072 characters.
csv.field_size_limit(LONGEST_ROW)


@dataclass
class Table:
    """Rows under a header. `delimiter` is what is usual by the file's name; the header decides."""

    file: BinaryIO
    delimiter: str
    hint = 'write a header with "id", "prompt" and "response", and a row for each response'
    names: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.file.seek(0)
        self.marked = self.file.read(len(BOM)) == BOM
        self.delimiter = self._delimiter()
        for cells, line, _, _ in self._records():
            self.names = _header(cells, line)
            return
        raise Unreadable(f"is empty; {self.hint}")

    def rows(self) -> Iterator[Row]:
        records = self._records()
        next(records)  # the header
        for cells, line, raw, fault in records:
            if fault:
                yield Row(line, LineError(line, "", excerpt(raw.rstrip("\r\n")), *fault), len(raw), raw)
            elif any(cells):
                yield Row(line, self._content(cells, line, raw), len(raw), raw)

    def bad_rows_head(self) -> str:
        names = [name for name in self.names if name != WHY]
        return ("\ufeff" if self.marked else "") + self._written([*names, WHY])

    def bad_row(self, row: Row, why: str, first: bool) -> str:
        """The row as it stands, with a cell more."""
        if WHY in self.names and not isinstance(row.content, LineError):
            cells = next(csv.reader(row.raw.splitlines(keepends=True), delimiter=self.delimiter))
            cells.pop(self.names.index(WHY))
            return self._written([*cells, why])
        return row.raw.rstrip("\r\n") + self.delimiter + self._written([why])

    def bad_rows_tail(self) -> str:
        return ""

    def _written(self, cells: Sequence[str]) -> str:
        line = io.StringIO(newline="")
        # Python 3.11 quotes those line ends only that it ends lines with.
        csv.writer(line, delimiter=self.delimiter, lineterminator="\r\n").writerow(cells)
        return line.getvalue()[:-2] + "\n"

    def _delimiter(self) -> str:
        """What parts the header into names of which one is "id"; else into the most names."""
        self.file.seek(0)
        head = self.file.read(HEAD).removeprefix(BOM).decode("utf-8", "replace")
        lines = io.StringIO(head, newline="")
        best: tuple[bool, int, bool, str] = (False, 0, False, self.delimiter)
        for delimiter in DELIMITERS:
            lines.seek(0)
            try:
                names = next(filter(None, csv.reader(lines, delimiter=delimiter)), [])
            except csv.Error:
                continue
            best = max(best, ("id" in names, len(names), delimiter == self.delimiter, delimiter))
        return best[-1]

    def _records(self) -> Iterator[tuple[list[str], int, str, tuple[str, str] | None]]:
        """Cells, the line in which they begin, how they stand there; or what is wrong, with advice."""
        self.file.seek(0)
        # Bytes that are no UTF-8 come through as lone surrogates, and are found by that.
        text = io.TextIOWrapper(self.file, "utf-8-sig", errors="surrogateescape", newline="")
        held = _Held()
        reader = csv.reader(held.lines_of(text), delimiter=self.delimiter, strict=True)
        try:
            while True:
                line = reader.line_num + 1
                held.drop()
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield [], line, held.text, _fault(str(error))
                else:
                    if cells:
                        yield cells, line, held.text, None
        finally:
            text.detach()  # else the file would be closed with it

    def _content(self, cells: list[str], line: int, raw: str) -> dict[str, object] | LineError:
        if len(cells) != len(self.names):
            return LineError(
                line,
                "",
                excerpt(raw.rstrip("\r\n")),
                f"has {len(cells)} cells under {len(self.names)} names",
                "give every row as many cells as the header, empty ones too; put a cell that holds "
                f"{DELIMITERS[self.delimiter]}, quotes or line ends in quotes",
                self._id(cells),
            )
        if not raw.isascii() and (fault := self._not_utf8(cells, line)):
            return fault
        content: dict[str, object] = dict(zip(self.names, cells, strict=True))
        for several in (CONVERSATIONS, ANSWERS):
            there = [name for name in several if name in content]
            if len(there) > 1:
                filled = [name for name in there if content[name]] or there[:1]
                for name in there:
                    if name not in filled:
                        del content[name]
        for name in LISTS:
            cell = content.get(name)
            if cell == "" and name in ("messages", "responses"):
                del content[name]
            elif isinstance(cell, str) and cell.startswith("["):
                try:
                    content[name] = parse(cell)
                except (ValueError, RecursionError) as error:
                    found = problem(error, line)
                    return LineError(
                        line,
                        name,
                        found.value,
                        found.reason,
                        "a cell that begins with [ is a list in JSON",
                        self._id(cells),
                    )
        return content

    def _id(self, cells: list[str]) -> str:
        return dict(zip(self.names, cells, strict=False)).get("id", "")

    def _not_utf8(self, cells: list[str], line: int) -> LineError | None:
        for name, cell in zip(self.names, cells, strict=True):
            try:
                cell.encode()
            except UnicodeEncodeError as error:
                around = as_bytes_stood(cell[max(0, error.start - 20) : error.start + 20])
                return LineError(
                    line,
                    printable(name),
                    excerpt(around),
                    "is not UTF-8",
                    "save the file as UTF-8, or say that it is Windows-1252",
                    self._id(cells),
                )
        return None


class _Held:
    """The lines of the row that is being read, as they stand."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.size = 0

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def drop(self) -> None:
        self.lines.clear()
        self.size = 0

    def lines_of(self, file: io.TextIOWrapper) -> Iterator[str]:
        number = 0
        while line := file.readline(LONGEST_ROW + 1):
            number += 1
            self.lines.append(line)
            self.size += len(line)
            if self.size > LONGEST_ROW:
                raise Unreadable(
                    f"has a row near line {number:,} that is longer than {LONGEST_ROW:,} characters; "
                    "look for a quote that is not closed"
                )
            yield line


def _header(cells: list[str], line: int) -> list[str]:
    shown = excerpt(", ".join(cells))
    for name in cells:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise Unreadable(
                f"is not UTF-8 in its header ({excerpt(as_bytes_stood(name))}); save it as UTF-8, or say "
                "that it is Windows-1252"
            ) from None
        if cells.count(name) > 1:
            raise Unreadable(f"has the column {excerpt(name)} twice in its header; rename one of them")
    for names, advice in (
        (("id",), "give every item an id of its own"),
        (CONVERSATIONS, 'give one of "prompt", "messages" and "history"'),
        (ANSWERS, 'give "response" or "responses"'),
    ):
        if not set(names) & set(cells):
            meant = next((cell for cell in cells if cell.strip().lower() in names), None)
            also = f"; {excerpt(meant)} is not {excerpt(meant.strip().lower())}" if meant else ""
            raise Unreadable(
                f'has no column "{names[0]}" in its header, line {line} ({shown}){also}; {advice}'
            )
    return cells


def _fault(said: str) -> tuple[str, str]:
    if "unexpected end" in said:
        return "begins a quote that is not closed", "close it, and double every quote within"
    if "field limit" in said:
        return f"holds a cell of more than {LONGEST_ROW:,} characters", "look for a quote that is not closed"
    return f"is not well quoted: {said}", "put the whole cell in quotes, and double every quote within"
