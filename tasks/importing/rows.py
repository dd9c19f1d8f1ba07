"""The rows that readers yield, their errors, and the file of bad rows. No Django."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from .message import ENGLISH, Language, Message, gettext_lazy as _

HEAD = 64 * 2**10  # bytes at the beginning of a file that are read to recognise it
LONGEST_ROW = 16 * 2**20  # bytes or characters; limits memory, where a row is read whole
LONGEST_EXCERPT = 60  # characters of a value to show
# The column for the reason in a file of bad rows. It is ignored when that file is imported again.
WHY = "import_error"


@dataclass(frozen=True, slots=True)
class LineError:
    """The reason why a row cannot be loaded."""

    line: int
    column: str  # a key path such as `responses[0].text`, counted from 0; "" for the whole row
    value: str  # an excerpt
    reason: Message
    advice: Message
    item: str = ""  # the item's id, if it could be read

    def __str__(self) -> str:
        return f"line {self.line}: {self.why(ENGLISH)}"

    def why(self, language: Language) -> str:
        """Return the message without the line."""
        column = f'"{self.column}" ' if self.column else ""
        value = f" ({self.value})" if self.value else ""
        fault = f"{column}{self.reason.worded(language)}{value}"
        return _("%(fault)s; %(advice)s", fault=fault, advice=self.advice).worded(language)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of the file."""

    line: int  # where it begins in the file
    content: Mapping[str, object] | LineError
    size: int  # bytes or characters in the file, for limiting chunks of rows
    raw: str  # its text in the file
    path: str = ""  # its place in a JSON document, such as `[6]`, if the line does not identify it


class Source(ABC):
    """A reader of one file. It can be read repeatedly, and can write bad rows in its format."""

    hint: Message  # the advice for a file without items
    # What a file of bad rows has before, between and after its rows.
    head = between = tail = ""

    @abstractmethod
    def rows(self) -> Iterator[SourceRow]:
        """Yield the rows of the file, from its beginning."""

    @abstractmethod
    def bad_row(self, row: SourceRow, why: str) -> str:
        """Return a row as it was written, with the reason added."""


class TooManyBadRows(Exception):
    """The bad rows are larger than their file may be."""


class BadRowsFile:
    """A writer for the file of bad rows, with the reasons in `language`.

    It raises TooManyBadRows beyond `most` bytes. Without a file it writes nothing.
    """

    def __init__(
        self, source: Source, file: BinaryIO | None, most: int | None, language: Language
    ) -> None:
        self.source, self.file, self.most, self.language = source, file, most, language
        self.size = 0

    def add(self, row: SourceRow, error: LineError) -> None:
        before = self.source.between if self.size else self.source.head
        self._write(before + self.source.bad_row(row, error.why(self.language)))

    def finish(self) -> None:
        if self.size:
            self._write(self.source.tail)

    def _write(self, text: str) -> None:
        if self.file is None:
            return
        # Write bytes that were not UTF-8 back unchanged.
        written = text.encode("utf-8", "surrogateescape")
        self.size += len(written)
        if self.most is not None and self.size > self.most:
            raise TooManyBadRows
        self.file.write(written)


class FileRefused(Exception):
    """A file is refused, for the reason in the message."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Unreadable(FileRefused):
    """The file cannot be read. The message continues a sentence that begins with its name."""


def excerpt(value: object, *, as_bytes: bool = False) -> str:
    r"""Return a value as JSON, shortened and printable.

    With `as_bytes`, show lone surrogates as the bytes that were no UTF-8, such as \xe9.
    """
    if isinstance(value, str):
        shown = json.dumps(value[:LONGEST_EXCERPT], ensure_ascii=False)
        shown = as_bytes_stood(shown) if as_bytes else shown
        return printable(shown + ("…" if len(value) > LONGEST_EXCERPT else ""))
    try:
        shown = json.dumps(value, ensure_ascii=False, default=float)  # it holds Decimals
    except (RecursionError, ValueError):  # ValueError for an integer of too many digits
        shown = "…"
    return printable(shown if len(shown) <= LONGEST_EXCERPT else shown[:LONGEST_EXCERPT] + "…")


def printable(text: str) -> str:
    r"""Return the text with lone surrogates and control characters escaped, such as \ud83d."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in text)


def as_bytes_stood(text: str) -> str:
    r"""Return a text with its lone surrogates as the bytes that they replace, such as \xe9.

    A file decoded with "surrogateescape" has a lone surrogate for each byte that is no UTF-8.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def not_utf8(text: str) -> str:
    """Return an excerpt around the first byte that was no UTF-8, or "" if there is none."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return excerpt(text[max(0, error.start - 20) : error.start + 20], as_bytes=True)
    return ""
