"""JSON → rows, from one object per line. No Django but its translations.

The reader is strict: anything that RFC 8259 or plain sense forbids is an error and is never
repaired. Numbers keep their digits: integers may have any size, others become Decimal.
"""

import json
import math
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import BinaryIO, NoReturn

from django.utils.translation import gettext as _, gettext_lazy

from .rows import (
    AS_WINDOWS,
    LONGEST_EXCERPT,
    LONGEST_ROW,
    LineError,
    Source,
    SourceRow,
    Text,
    excerpt,
    filled,
    not_utf8,
    printable,
    refuse_empty,
)
from .values import KEEP_ONE, BadValue

ADVICE = gettext_lazy("write one JSON object a line")
AS_TEXT = gettext_lazy("write it as a text, in quotes")
TOO_MANY_DIGITS = gettext_lazy("holds a number of too many digits")
MOST_DIGITS = 4_300  # Python's limit for integers


@dataclass(frozen=True)
class JsonLines(Source):
    """JSON objects, one per line. Blank lines, a BOM and CRs at line ends are ignored."""

    file: BinaryIO
    hint: Text = ADVICE

    def rows(self) -> Iterator[SourceRow]:
        self.file.seek(0)
        empty = 0
        for number, line in enumerate(_lines(self.file), start=1):
            empty = empty + 1 if line and line.isspace() else 0
            refuse_empty(empty, number)
            if line is None:
                yield SourceRow(
                    number,
                    LineError(
                        number,
                        "",
                        "",
                        filled(_("is longer than %(most)s bytes"), most=LONGEST_ROW),
                        _("make several items of it"),
                    ),
                    "",
                )
            elif not line.isspace():
                yield row_of(number, line.decode("utf-8", "surrogateescape"), ADVICE)


def problem(error: Exception, line: int) -> LineError:
    """Return the LineError for an exception that parsing a line raised."""
    match error:
        case BadValue():
            return LineError(line, error.column, error.value, error.reason, error.advice)
        case json.JSONDecodeError():
            around = error.doc[max(0, error.pos - 20) : error.pos + 20].rstrip("\r\n")
            what, advice = broken_by(error)
            return LineError(
                line,
                "",
                excerpt(around),
                filled(
                    _("is not JSON at character %(place)s: %(what)s"),
                    place=error.pos + 1,
                    what=what,
                ),
                advice,
            )
        case RecursionError():
            return LineError(line, "", "", _("is nested too deeply"), _("flatten it"))
        case _:  # Python's limit on the digits of an integer
            return LineError(line, "", "", str(TOO_MANY_DIGITS), str(AS_TEXT))


# The beginnings of the parser's messages. Some occur in later Pythons only.
PARSERS_WORDS = {
    "Expecting value": gettext_lazy("expected a value"),
    "Expecting ',' delimiter": gettext_lazy("expected a comma or a closing bracket"),
    "Expecting ':' delimiter": gettext_lazy("expected a colon"),
    "Expecting property name": gettext_lazy("expected a key in double quotes"),
    "Illegal trailing comma": gettext_lazy("there is a comma before a closing bracket"),
    "Extra data": gettext_lazy("something comes after its end"),
    "Invalid \\uXXXX escape": gettext_lazy("\\u is not followed by four hexadecimal digits"),
    "Invalid \\escape": gettext_lazy("unknown escape after a backslash"),
}


def broken_by(error: json.JSONDecodeError) -> tuple[str, str]:
    """Return the reason and the advice for a syntax error."""
    there = error.doc[error.pos : error.pos + 1]
    control = error.msg.startswith("Invalid control character")
    if error.msg.startswith("Unterminated string") or (control and there in "\r\n"):
        return _("a text is not closed in its line"), _(
            'close it with "; a line end within is written \\n'
        )
    if control:
        return (
            filled(_("a text holds the control character %(code)s"), code=f"U+{ord(there):04X}"),
            filled(_("write it as %(code)s"), code=f"\\u{ord(there):04x}"),
        )
    words = (str(words) for begins, words in PARSERS_WORDS.items() if error.msg.startswith(begins))
    return next(words, _("unexpected text")), str(ADVICE)


def _object_in(raw: str) -> dict[str, object] | None:
    """Return the object of a text that may be refused, or None if it is none."""
    try:
        content = lenient.decode(raw)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a file, and None for a line that is too long.

    A line that is too long is skipped in pieces.
    """
    line = file.readline(LONGEST_ROW + 1).removeprefix(BOM_UTF8)
    while line:
        if len(line) > LONGEST_ROW and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_ROW)
            yield None
        else:
            yield line
        line = file.readline(LONGEST_ROW + 1)


def row_of(line: int, raw: str, advice: Text, path: str = "") -> SourceRow:
    """Return the row of an object's text, in which lone surrogates stand for bytes not UTF-8."""
    try:
        content = decoder.decode(raw)
        if not isinstance(content, dict):
            content = LineError(line, "", excerpt(content), _("is not a JSON object"), str(advice))
    except (ValueError, RecursionError) as error:
        content = problem(error, line)
    if not raw.isascii() and (around := not_utf8(raw)):
        content = LineError(line, "", around, _("is not UTF-8"), str(AS_WINDOWS))
    if isinstance(content, LineError):
        column = ".".join(filter(None, (path, content.column)))
        name = (_object_in(raw) or {}).get("id")
        content = replace(content, column=column, item=name if isinstance(name, str) else "")
    return SourceRow(line, content, raw, path)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise BadValue(
                printable(key), _("appears twice in one object"), KEEP_ONE, excerpt(value)
            )
        found[key] = value
    return found


def _decimal(text: str) -> Decimal:
    """Return a number as Decimal, because a float would round its digits."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("Infinity")
    # A reader of the database may use floats, and PostgreSQL has limits of its own.
    if not number.is_finite() or math.isinf(float(text)):
        fault: Text = _("holds a number that is too large")
    elif len(text) > MOST_DIGITS or number.adjusted() < -MOST_DIGITS:
        fault = TOO_MANY_DIGITS
    else:
        return number
    raise BadValue("", fault, AS_TEXT, text[:LONGEST_EXCERPT])


def _no_number(text: str) -> NoReturn:
    raise BadValue(
        "",
        _("contains a number that JSON does not allow"),
        _("write a text in quotes, or null"),
        text,
    )


# Raises BadValue, another ValueError, or RecursionError.
decoder = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_decimal, parse_constant=_no_number
)
# Accepts more than `decoder`, and so finds the end of a value that we refuse. Its values are never
# stored.
lenient = json.JSONDecoder(parse_int=str, parse_float=str)
