"""Files → rows, one at a time: never more of a file in memory than one of its lines. No Django.

A reader takes an open binary file and yields, in the file's order, a Row for what it could read and a
LineError for what it could not. What a row means is `mapping`'s affair.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

LONGEST_LINE = 16 * 2**20  # bytes; a longer one would be held in memory whole
LONGEST_EXCERPT = 60  # characters of a value that are shown

BOM = b"\xef\xbb\xbf"
FOREIGN_STARTS = {
    b"\xff\xfe": "is UTF-16, not UTF-8; save it as UTF-8",
    b"\xfe\xff": "is UTF-16, not UTF-8; save it as UTF-8",
    b"\x1f\x8b": "is compressed (gzip); unpack it first",
    b"PK\x03\x04": "is an archive (zip); unpack it first",
}


@dataclass(frozen=True, slots=True)
class Row:
    """What stands in one line. `size` in bytes, for those who gather rows and must know when to stop."""

    line: int
    content: Mapping[str, object]
    size: int


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a line cannot be taken. `column` is a key path such as `responses[0].text`, counted from 0, or
    empty where the line as a whole is meant; `value` an excerpt of what stands there."""

    line: int
    column: str
    value: str
    reason: str
    advice: str

    def __str__(self) -> str:
        column = f'"{self.column}" ' if self.column else ""
        value = f" ({self.value})" if self.value else ""
        return f"line {self.line}: {column}{self.reason}{value}; {self.advice}"


class Unreadable(ValueError):
    """A file of which no line can be read. The message goes on from the file's name."""


class _Refused(ValueError):
    """Valid JSON by the parser's lights, but not by ours."""

    def __init__(self, column: str, value: str, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.column, self.value, self.reason, self.advice = column, value, reason, advice


def read_jsonl(file: BinaryIO) -> Iterator[Row | LineError]:
    """JSON objects, one a line. Lines of white space are passed over; a BOM and CRLF are as good as none."""
    for number, line in enumerate(_lines(file), start=1):
        if line is None:
            yield LineError(
                number, "", "", f"is longer than {LONGEST_LINE:,} bytes", "make several items of it"
            )
        elif not line.isspace():
            yield _read_object(number, line)


# By the end of the file's name. A further format is a further reader.
READERS: Mapping[str, Callable[[BinaryIO], Iterator[Row | LineError]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
}


def reader_for(file_name: str) -> Callable[[BinaryIO], Iterator[Row | LineError]]:
    """The reader for a file, by its name. Raises Unreadable."""
    for ending, reader in READERS.items():
        if file_name.lower().endswith(ending):
            return reader
    raise Unreadable(f"is of a format that is not read; allowed are {', '.join(READERS)}")


def excerpt(value: object) -> str:
    """A value as JSON, shortened, and fit to be printed whatever is in it."""
    if isinstance(value, str):
        shown = json.dumps(value[:LONGEST_EXCERPT], ensure_ascii=False)
        return printable(shown + ("…" if len(value) > LONGEST_EXCERPT else ""))
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        shown = "…"
    return printable(shown if len(shown) <= LONGEST_EXCERPT else shown[:LONGEST_EXCERPT] + "…")


def printable(text: str) -> str:
    r"""The text with what no UTF-8 file can hold written out, such as \ud83d, and control characters too."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in text)


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a file; None for one that is too long, which is read past in pieces."""
    line = file.readline(LONGEST_LINE + 1)
    for start, fault in FOREIGN_STARTS.items():
        if line.startswith(start):
            raise Unreadable(fault)
    line = line.removeprefix(BOM)
    while line:
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield None
        else:
            yield line
        line = file.readline(LONGEST_LINE + 1)


def _read_object(number: int, line: bytes) -> Row | LineError:
    advice = "write one JSON object a line"
    try:
        content = _decoder.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        around = line[max(0, error.start - 20) : error.start + 20].decode("utf-8", "backslashreplace")
        return LineError(
            number, "", excerpt(around), f"is not UTF-8 at byte {error.start + 1}", "save the file as UTF-8"
        )
    except _Refused as refused:
        return LineError(number, refused.column, refused.value, refused.reason, refused.advice)
    except json.JSONDecodeError as error:
        around = error.doc[max(0, error.pos - 20) : error.pos + 20].rstrip("\r\n")
        return LineError(
            number, "", excerpt(around), f"is not JSON at character {error.pos + 1}: {error.msg}", advice
        )
    except RecursionError:
        return LineError(number, "", "", "is nested too deeply", "flatten it")
    except ValueError:  # Python's limit on the digits of a whole number
        return LineError(number, "", "", "holds a number of too many digits", "write it as a text, in quotes")
    if not isinstance(content, dict):
        return LineError(number, "", excerpt(content), "is not a JSON object", advice)
    return Row(number, content, len(line))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, value in pairs:
            if key in seen:
                raise _Refused(
                    printable(key), excerpt(value), "stands twice in one object", "keep one of them"
                )
            seen.add(key)
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Refused(
            "", text[:LONGEST_EXCERPT], "holds a number that is too large", "write it as a text, in quotes"
        )
    return number


def _no_number(text: str) -> NoReturn:
    raise _Refused("", text, "holds what is no number in JSON", "write a text in quotes, or null")


_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_number)
