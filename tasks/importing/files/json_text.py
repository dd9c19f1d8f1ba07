"""The values and marks of a JSON text, one after the other. No Django but its translations."""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .json_values import broken_by, lenient
from .rows import LONGEST_ROW, Text, Unreadable, excerpt

BLOCK = 2**20  # bytes to read at once
MARK = re.compile(r"[^ \t\n\r]")
CLOSING = {"[": "]", "{": "}"}
CLOSE = gettext_lazy("expected a comma or a closing bracket")
HINT = gettext_lazy('write a list of objects, or {"items": […]}')


class JsonText:
    """A JSON text, of which never more than one value or one block is in memory."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        self.file = file
        self.text = ""  # the current block
        self.position = 0  # the offset in `text` of the next character to take
        self.line = 1  # the line of that character
        self.has_ended = False  # the file has no more text
        self._decode = getincrementaldecoder("utf-8-sig")("surrogateescape").decode

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while not (mark := MARK.search(self.text, self.position)) and not self.has_ended:
            self._go(len(self.text))
            self._read_on()
        self._go(mark.start() if mark else len(self.text))
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

    def pass_over(self) -> None:
        """Take the next value; a list or an object entry by entry."""
        if self.peek() not in CLOSING:
            self.take()
            return
        for _key in self.within():
            self.take()

    def take(self) -> str:
        """Return the text of the next value, which may be one that we refuse."""
        self.peek()
        while True:
            try:
                _value, end = lenient.raw_decode(self.text, self.position)
                # A number at the end of the block may continue in the next one.
                if end < len(self.text) or self.has_ended:
                    value = self.text[self.position : end]
                    self._go(end)
                    return value
            except json.JSONDecodeError as error:
                if self.has_ended:
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

    def broken(self, what: Text, position: int | None = None) -> Unreadable:
        """Return the error of a text that is not JSON."""
        if position is None:
            position = self.position
        line = self.line + self.text.count("\n", self.position, position)
        around = excerpt(self.text[max(0, position - 20) : position + 20])
        text = _("is not JSON in line %(line)s: %(what)s (%(around)s); %(hint)s")
        return Unreadable(text, line=line, what=what, around=around, hint=HINT)

    def _go(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def _read_on(self) -> None:
        rest = self.text[self.position :]
        # Double the size each time, so that a long entry is not parsed again for every block.
        block = self.file.read(max(BLOCK, len(rest)))
        self.text = rest + self._decode(block, not block)
        self.position = 0
        self.has_ended = not block
