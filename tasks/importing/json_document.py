"""One JSON document → rows. No Django but its translations.

A document is a list of objects, or an object that has one. If it has several, a part is chosen by
its key. What stands beside the list is not read. An object without such a list, or with a column
of items, is one row.

A table as pandas writes it has an object for each column, whose keys are the numbers of the rows.
"""

import io
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .json_reader import JsonLines, broken_by, lenient, marked, row_of
from .rows import LONGEST_ROW, Source, SourceRow, Text, Unreadable, chosen, excerpt
from .values import ANSWERS, CONVERSATIONS

BLOCK = 2**20  # characters to read at once
MARK = re.compile(r"[^ \t\n\r]")
# The beginning of a list or an object, with the mark behind it, or a key that is a number.
OPENED = re.compile(r'[\[{][ \t\n\r]*("\d+"|[^ \t\n\r])')
FAR = 4_096  # characters in which this beginning ends
MOST_CELLS = 64 * 2**20  # characters of a table by columns, and 50 more for each cell
CLOSING = {"[": "]", "{": "}"}
ITEMS = gettext_lazy("write an object for each item")
CLOSE = gettext_lazy("a comma or a closing bracket is due")


def json_source(file: BinaryIO, *, lines: bool, part: str) -> Source:
    """Return the reader of a text that begins with { or [.

    It is JSON lines if its first line is a whole object and others follow; a file of one line is
    if its name says so (`lines`). Everything else is one document, whatever its line breaks.
    """
    with _values(file) as values:
        if values.peek() == "[":
            chosen((), part)
            return JsonList(file)
    if _is_lines(file, lines):
        chosen((), part)
        return JsonLines(file)
    with _values(file) as values:
        keys: list[str] = []
        lists: dict[str, bool] = {}  # True for a list of objects
        numbered = 0
        for key in values.within():
            keys.append(key)
            first = values.first()
            if first.startswith("["):
                lists[key] = first == "[{"
            numbered += bool(re.fullmatch(r'\{"\d+"', first))
            values.pass_over()
    if keys and numbered == len(keys):
        chosen((), part)
        return JsonColumns(file)
    # A list without entries may be one of objects if there is nothing else.
    parts = tuple(key for key in lists if lists[key] or len(keys) == 1)
    if not part and (not parts or {*CONVERSATIONS, *ANSWERS}.intersection(keys)):
        return JsonList(file)
    return JsonList(file, chosen(parts, part))


def _is_lines(file: BinaryIO, named: bool) -> bool:
    file.seek(0)
    if file.read(len(BOM_UTF8)) != BOM_UTF8:
        file.seek(0)
    raw = next(line for line in iter(partial(file.readline, LONGEST_ROW), b"") if line.strip())
    line = raw.decode("utf-8", "surrogateescape").strip()
    if len(raw) == LONGEST_ROW:
        return False
    try:
        lenient.decode(line)
    except json.JSONDecodeError as error:
        return error.pos < len(line)  # else it is not broken but goes on in the next line
    except RecursionError:
        return True
    return named or any(more.strip() for more in iter(partial(file.readline, BLOCK), b""))


@dataclass(frozen=True)
class JsonList(Source):
    """A list of objects, or the one under a key of an object, or an object that is one row.

    Never more than one object or one block of it is in memory.
    """

    file: BinaryIO
    key: str | None = None
    hint = gettext_lazy('write a list of objects, or {"items": […]}')
    head, between, tail = "[\n", ",\n", "\n]\n"

    def rows(self) -> Iterator[SourceRow]:
        with _values(self.file) as values:
            yield from self._rows(values)
            if values.peek():
                raise values.broken(_("something comes after its end"))

    def _rows(self, values: "_Values") -> Iterator[SourceRow]:
        if self.key is not None:
            for key in values.within():
                if key == self.key:
                    yield from _entries(values, key)
                else:
                    values.pass_over()
        elif values.peek() == "[":
            yield from _entries(values, "")
        else:
            yield row_of(values.line, values.take(), ITEMS)

    def bad_row(self, row: SourceRow, why: str) -> str:
        return marked(row.raw, why)


class JsonColumns(JsonList):
    """A table that has an object for each column. It is read as a whole."""

    def _rows(self, values: "_Values") -> Iterator[SourceRow]:
        cells: dict[str, list[str]] = {}  # by the row's number, in the file's order
        lines: dict[str, int] = {}
        size = 0
        for name in values.within():
            for number in values.within():
                lines.setdefault(number, values.line)
                cell = values.take()
                cells.setdefault(number, []).append(f"{json.dumps(name)}: {cell}")
                size += len(name) + len(cell) + 50
                if size > MOST_CELLS:
                    raise Unreadable(
                        _(
                            "is a table by columns of more than 64 MB; write it by rows, "
                            'in pandas with orient="records"'
                        )
                    )
        for number, found in cells.items():
            yield row_of(lines[number], f"{{{', '.join(found)}}}", ITEMS, f"[{number}]")


def _entries(values: "_Values", key: str) -> Iterator[SourceRow]:
    for number in values.within():
        line = values.line
        yield row_of(line, values.take(), ITEMS, f"{key}[{number}]")


@contextmanager
def _values(file: BinaryIO) -> Iterator["_Values"]:
    file.seek(0)
    text = io.TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield _Values(text)
    finally:
        text.detach()  # else the file would be closed with it


@dataclass
class _Values:
    """The values and marks of a JSON text, taken one after the other, block by block."""

    source: io.TextIOWrapper
    text: str = ""  # the current block
    position: int = 0  # the offset in `text` of the next character to take
    line: int = 1  # the line of that character
    ended: bool = False  # the source has no more text

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while True:
            found = MARK.search(self.text, self.position)
            self._go(found.start() if found else len(self.text))
            if self.position < len(self.text) or self.ended:
                return self.text[self.position : self.position + 1]
            self._read_on()

    def skip(self, mark: str, due: Text) -> None:
        """Take a mark. Raises Unreadable, with what is due, if another character is next."""
        if self.peek() != mark:
            raise self.broken(due)
        self._go(self.position + 1)

    def within(self) -> Iterator[str]:
        """Yield the key or number of each value in the next object or list, before the value."""
        opening = self.peek()
        closing = CLOSING.get(opening, "")
        self.skip("{" if closing == "}" else "[", _("a list is due"))
        number = 0
        while self.peek() != closing:
            if number:
                self.skip(",", CLOSE)
            key = str(number)
            if closing == "}":
                if self.peek() != '"':
                    raise self.broken(_("a key in double quotes is due"))
                key = lenient.decode(self.take())
                self.skip(":", _("a colon is due"))
            self.peek()
            yield key
            number += 1
        self.skip(closing, CLOSE)

    def first(self) -> str:
        """Return how the next value begins: its mark, and that or the key behind it."""
        mark = self.peek()
        while len(self.text) - self.position < FAR and not self.ended:
            self._read_on()
        found = OPENED.match(self.text, self.position)
        return mark + (found[1] if found else "")

    def pass_over(self) -> None:
        """Take the next value, piece by piece if it is a list or an object."""
        if self.peek() in CLOSING:
            for _key in self.within():
                self.take()
        else:
            self.take()

    def take(self) -> str:
        """Return the text of the next value, which may be one that we refuse."""
        self.peek()
        while True:
            try:
                _value, end = lenient.raw_decode(self.text, self.position)
                # A number at the end of the block may continue in the next one.
                if end < len(self.text) or self.ended:
                    taken = self.text[self.position : end]
                    self._go(end)
                    return taken
            except json.JSONDecodeError as error:
                if self.ended:
                    raise self.broken(broken_by(error)[0], error.pos) from None
            except RecursionError:
                raise Unreadable(
                    _("is nested too deeply in line %(line)s; flatten it"), line=self.line
                ) from None
            if len(self.text) - self.position > LONGEST_ROW:
                raise Unreadable(
                    _(
                        "has an entry in line %(line)s that is broken or longer than %(most)s "
                        "characters; close it, or make several items of it"
                    ),
                    line=self.line,
                    most=LONGEST_ROW,
                )
            self._read_on()

    def _go(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def _read_on(self) -> None:
        rest = self.text[self.position :]
        # Double the size each time, so that a long entry is not parsed again for every block.
        more = self.source.read(max(BLOCK, len(rest)))
        self.text, self.position, self.ended = rest + more, 0, not more

    def broken(self, what: Text, position: int | None = None) -> Unreadable:
        """Return the error of a text that is not JSON."""
        position = self.position if position is None else position
        return Unreadable(
            _("is not JSON in line %(line)s: %(what)s (%(around)s); %(hint)s"),
            line=self.line + self.text.count("\n", self.position, position),
            what=what,
            around=excerpt(self.text[max(0, position - 20) : position + 20]),
            hint=JsonList.hint,
        )
