"""JSON texts → values, and what is wrong with a text. No Django but its translations.

The reader is strict: anything that RFC 8259 or plain sense forbids is an error and is never
repaired, but for NaN and Infinity, which Python writes: they are null. Numbers keep their digits:
integers may have any size, others become Decimal.
"""

import json
import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from django.utils.translation import gettext as _, gettext_lazy

from .rows import LONGEST_EXCERPT, JsonObject, LineError, Text, excerpt, fill_in, printable
from .values import KEEP_ONE, BadValue

ADVICE = gettext_lazy("write one JSON object a line")
AS_TEXT = gettext_lazy("write it as a text, in quotes")
TOO_MANY_DIGITS = gettext_lazy("holds a number of too many digits")
MOST_DIGITS = 4_300  # Python's limit for integers
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


def problem(exception: Exception, line: int) -> LineError:
    """Return the LineError for an exception that parsing a line raised."""
    match exception:
        case BadValue():
            return LineError(
                line, exception.column, exception.value, exception.reason, exception.advice
            )
        case json.JSONDecodeError():
            around = exception.doc[max(0, exception.pos - 20) : exception.pos + 20].rstrip("\r\n")
            what, advice = broken_by(exception)
            text = _("is not JSON at character %(place)s: %(what)s")
            reason = fill_in(text, place=exception.pos + 1, what=what)
            return LineError(line, "", excerpt(around), reason, advice)
        case RecursionError():
            return LineError(line, "", "", _("is nested too deeply"), _("flatten it"))
        case _:  # Python's limit on the digits of an integer
            return LineError(line, "", "", str(TOO_MANY_DIGITS), str(AS_TEXT))


def broken_by(syntax_error: json.JSONDecodeError) -> tuple[str, str]:
    """Return the reason and the advice for a syntax error."""
    character = syntax_error.doc[syntax_error.pos : syntax_error.pos + 1]
    is_control = syntax_error.msg.startswith("Invalid control character")
    if syntax_error.msg.startswith("Unterminated string") or (is_control and character in "\r\n"):
        advice = _('close it with "; a line end within is written \\n')
        return _("a text is not closed in its line"), advice
    if is_control:
        reason = _("a text holds the control character %(code)s")
        advice = _("write it as %(code)s")
        code = ord(character)
        return fill_in(reason, code=f"U+{code:04X}"), fill_in(advice, code=f"\\u{code:04x}")
    for beginning, words in PARSERS_WORDS.items():
        if syntax_error.msg.startswith(beginning):
            return str(words), str(ADVICE)
    return _("unexpected text"), str(ADVICE)


def strict_decoder(constant: Callable[[str], None]) -> json.JSONDecoder:
    """Return a decoder that tells each NaN and Infinity to a function, and reads them as null.

    It raises BadValue, another ValueError, or RecursionError.
    """
    return json.JSONDecoder(
        object_pairs_hook=_unique, parse_float=_decimal, parse_constant=constant
    )


def _unique(members: list[tuple[str, object]]) -> JsonObject:
    content = dict(members)
    if len(content) == len(members):
        return content
    keys: set[str] = set()
    for key, value in members:
        if key in keys:
            raise BadValue(
                printable(key), _("appears twice in one object"), KEEP_ONE, excerpt(value)
            )
        keys.add(key)
    return content


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


decoder = strict_decoder(lambda text: None)
# Accepts more than `decoder`, and so finds the end of a value that we refuse. Its values are never
# stored.
lenient = json.JSONDecoder(parse_int=str, parse_float=str)
