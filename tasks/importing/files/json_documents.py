"""One JSON document → rows. No Django but its translations.

A document is a list of objects, or an object that has one. If it has several, a part is chosen by
its key, or the whole document as one row. The rest of the object is not read. An object without
such a list is one row.

A table as pandas writes it has an object for each column, whose keys are the numbers of the rows.
"""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .json_lines import JsonLines, broken_by, lenient, row_of
from .rows import (
    LONGEST_EXCERPT,
    LONGEST_ROW,
    MOST_INNER,
    WHOLE,
    Option,
    Source,
    SourceRow,
    Text,
    Unreadable,
    excerpt,
    part_needed,
    printable,
)

BLOCK = 2**20  # bytes to read at once
MARK = re.compile(r"[^ \t\n\r]")
NUMBERED = "{0"  # the kind of an object whose keys are numbers
MOST_CELLS = 64 * 2**20  # characters of a table by columns, and 50 more for each cell
CLOSING = {"[": "]", "{": "}"}
ITEMS = gettext_lazy("write an object for each item")
CLOSE = gettext_lazy("expected a comma or a closing bracket")


def json_source(file: BinaryIO, *, lines: bool, part: str) -> Source:
    """Return the reader of a text that begins with { or [. Raises ChoiceNeeded.

    It is JSON lines if its first line is a whole object and others follow; a file of one line is
    if its name says so (`lines`). Everything else is one document, whatever its line breaks.
    """
    values = _Values(file)
    if values.peek() == "[":
        return JsonList(file)
    line = values.line
    try:
        values.take()
        is_lines = values.line == line and (lines or values.peek() != "")
    except Unreadable:  # a line that is broken, or a document that is longer than a row
        first, end, _rest = values.text[values.position :].partition("\n")
        is_lines = end != "" and not first.rstrip().endswith(("{", "[", ",", ":"))
    if is_lines:
        return JsonLines(file)
    return _document(file, part)


def _document(file: BinaryIO, part: str) -> Source:
    """Return the reader of an object: of a list in it, of its columns, or of it as one row."""
    values = _Values(file)
    kinds: dict[str, str] = {}
    options = []
    for key in values.within():
        name = printable(key)
        kinds[name], first = values.pass_over()
        if kinds[name] == "[{":
            options.append(Option(name, excerpt(lenient.decode(first)), brief(first)))
    if set(kinds.values()) == {NUMBERED}:
        return JsonColumns(file)
    if set(kinds.values()) == {"{"} and len(kinds) > MOST_INNER:
        raise Unreadable(
            _("is one object of %(number)s objects; %(hint)s"),
            number=len(kinds),
            hint=JsonList.hint,
        )
    # A list without entries may be one of objects if there is nothing else.
    if len(kinds) == 1 and "[" in kinds.values():
        options = [Option(name, "[]")]
    if not options:
        return JsonList(file)
    whole = Option(WHOLE, excerpt(list(kinds)), dict.fromkeys(kinds))
    parts = (*options, whole)
    if part == WHOLE:
        return JsonList(file, None, parts)
    if part not in [option.value for option in options] and (part or len(options) > 1):
        raise part_needed(parts)
    return JsonList(file, part or options[0].value, parts)


def brief(text: str) -> dict[str, object]:
    """Return the entries of an object's text, with its texts shortened."""
    row = lenient.decode(text)
    if not isinstance(row, dict):
        return {}
    cut: dict[str, object] = {}
    for name, value in islice(row.items(), MOST_INNER):
        cut[name] = value[:LONGEST_EXCERPT] if isinstance(value, str) else value
    return cut


@dataclass(frozen=True)
class JsonList(Source):
    """A list of objects, or the one under a key of an object, or an object that is one row.

    Never more than one object or one block of it is in memory.
    """

    file: BinaryIO
    key: str | None = None
    parts: tuple[Option, ...] = ()
    hint = gettext_lazy('write a list of objects, or {"items": […]}')

    def rows(self) -> Iterator[SourceRow]:
        values = _Values(self.file)
        yield from self._rows(values)
        if values.peek():
            raise values.broken(_("something comes after its end"))

    def _rows(self, values: "_Values") -> Iterator[SourceRow]:
        for key in [None] if self.key is None else values.within():
            if key is not None and printable(key) != self.key:
                values.pass_over()
            elif values.peek() == "{":
                yield row_of(values.line, values.take(), ITEMS)
            else:
                for number in values.within():
                    line = values.line
                    yield row_of(line, values.take(), ITEMS, f"{self.key or ''}[{number}]")


class JsonColumns(JsonList):
    """A table that has an object for each column. It is read as a whole."""

    def _rows(self, values: "_Values") -> Iterator[SourceRow]:
        rows: dict[str, tuple[int, list[str]]] = {}  # by number: the first line, and the cells
        size = 0
        for name in values.within():
            for number in values.within():
                cell = f"{json.dumps(name)}: {values.take()}"
                rows.setdefault(number, (values.line, []))[1].append(cell)
                size += len(cell) + 50
                if size > MOST_CELLS:
                    raise Unreadable(
                        _(
                            "is a table by columns of more than 64 MB; write it by rows, "
                            'in pandas with orient="records"'
                        )
                    )
        for number, (line, cells) in rows.items():
            yield row_of(line, f"{{{', '.join(cells)}}}", ITEMS, f"[{number}]")


@dataclass
class _Values:
    """The values and marks of a JSON text, taken one after the other, block by block."""

    file: BinaryIO
    text: str = ""  # the current block
    position: int = 0  # the offset in `text` of the next character to take
    line: int = 1  # the line of that character
    ended: bool = False  # the source has no more text

    def __post_init__(self) -> None:
        self.file.seek(0)
        self.decode = getincrementaldecoder("utf-8-sig")("surrogateescape").decode

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while not (found := MARK.search(self.text, self.position)) and not self.ended:
            self._go(len(self.text))
            self._read_on()
        self._go(found.start() if found else len(self.text))
        return self.text[self.position : self.position + 1]

    def skip(self, mark: str, due: Text) -> None:
        """Take a mark. Raises Unreadable, with what is due, if another character is next."""
        if self.peek() != mark:
            raise self.broken(due)
        self._go(self.position + 1)

    def within(self) -> Iterator[str]:
        """Yield the key or number of each value in the next object or list, before the value."""
        opening = self.peek()
        closing = CLOSING.get(opening, "")
        self.skip("{" if closing == "}" else "[", _("expected a list"))
        number = 0
        while self.peek() != closing:
            if number:
                self.skip(",", CLOSE)
            key = str(number)
            if closing == "}":
                if self.peek() != '"':
                    raise self.broken(_("expected a key in double quotes"))
                key = lenient.decode(self.take())
                self.skip(":", _("expected a colon"))
            self.peek()
            yield key
            number += 1
        self.skip(closing, CLOSE)

    def pass_over(self) -> tuple[str, str]:
        """Take the next value, a list or object entry by entry; return its kind and first entry.

        The kind is its first mark, then that of its last entry in a list, or NUMBERED.
        """
        kind = mark = self.peek()
        first = ""
        for key in self.within() if mark in CLOSING else ():
            kind = mark + self.peek() if mark == "[" else NUMBERED if key.isdigit() else mark
            entry = self.take()
            first = first or entry
        if mark not in CLOSING:
            self.take()
        return kind, first

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
        more = self.file.read(max(BLOCK, len(rest)))
        self.text, self.position, self.ended = rest + self.decode(more, not more), 0, not more

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
