"""What readers hand on: rows, and what is wrong with one. No Django."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from .message import ENGLISH, Language, Message
from .message import gettext_lazy as _

LONGEST_ROW = 16 * 2**20  # bytes or characters; a longer one would be held in memory whole
LONGEST_EXCERPT = 60  # characters of a value that are shown
WHY = "import_error"  # the column of a file of bad rows that says what is wrong; read again, it is passed over


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a row cannot be taken. `column` is a key path such as `responses[0].text`, counted from
    0, or empty where the row as a whole is meant; `value` an excerpt of what stands there; `item`
    the id of the item, where that could be told."""

    line: int
    column: str
    value: str
    reason: Message
    advice: Message
    item: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.why(ENGLISH)}"

    def why(self, language: Language) -> str:
        """All but the line."""
        column = f'"{self.column}" ' if self.column else ""
        value = f" ({self.value})" if self.value else ""
        fault = f"{column}{self.reason.worded(language)}{value}"
        return _("%(fault)s; %(advice)s", fault=fault, advice=self.advice).worded(language)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What begins in a line of the file. `raw` is how it stands there, `size` its length, for those
    who gather rows and must know when to stop; `path` says where in the document it stands, where
    that is not said by the line, such as `[6]`."""

    line: int
    content: Mapping[str, object] | LineError
    size: int
    raw: str
    path: str = ""


class Unreadable(ValueError):
    """A file of which no row can be read. The message goes on from the file's name."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def excerpt(value: object, *, as_bytes: bool = False) -> str:
    r"""A value as JSON, shortened, and fit to be printed whatever is in it. `as_bytes`: of a text
    in which bytes that are no UTF-8 stand as lone surrogates, with those written out, as \xe9."""
    if isinstance(value, str):
        shown = json.dumps(value[:LONGEST_EXCERPT], ensure_ascii=False)
        shown = as_bytes_stood(shown) if as_bytes else shown
        return printable(shown + ("…" if len(value) > LONGEST_EXCERPT else ""))
    try:
        shown = json.dumps(value, ensure_ascii=False, default=float)  # it holds Decimals
    except (RecursionError, ValueError):  # the latter where a whole number has too many digits
        shown = "…"
    return printable(shown if len(shown) <= LONGEST_EXCERPT else shown[:LONGEST_EXCERPT] + "…")


def printable(text: str) -> str:
    r"""The text with what no UTF-8 file can hold written out, such as \ud83d, and control
    characters too."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in text)


def as_bytes_stood(text: str) -> str:
    r"""Text in which bytes that are no UTF-8 stand as lone surrogates, with those written out, as
    \xe9."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
