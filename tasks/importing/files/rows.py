"""The rows that readers yield, and their errors by kind.

No Django but its translations. An error is worded when it is made, in the active language.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from django.utils.formats import number_format
from django.utils.translation import gettext as _, gettext_lazy, ngettext

if TYPE_CHECKING:
    from django.utils.functional import Promise

JsonObject: TypeAlias = dict[str, object]  # of a file, which may have any names and values
Text: TypeAlias = "str | Promise"  # in words, or translated when it is shown

HEAD = 64 * 2**10  # bytes at the beginning of a file that are read to recognise it
LONGEST_ROW = 16 * 2**20  # bytes or characters; limits memory, where a row is read whole
MOST_PARTS = 20  # in a message
WHOLE = "."  # the part that is a whole JSON document: one row
MOST_INNER = 100  # columns within one object; an object with more is one column
MOST_EMPTY = 10_000  # lines one after the other
LONGEST_EXCERPT = 60  # characters of a value to show
# Errors are grouped by kind, so that an error in every row is not reported for each.
MOST_KINDS = 100
MOST_SAMPLES = 3  # errors of a kind that are reported in full
MOST_LINES = 10  # lines of further errors that are listed
OTHER_ENCODING = gettext_lazy(
    "save the file as UTF-8, or choose another encoding, by “Encoding” on the page or by --encoding"
)

_INDEX = re.compile(r"\[\d+\]")
# The values in a message: what is in quotes; a number, which may hold no-break spaces, or a code
# such as U+DEAD; and the word behind it, which may be singular or plural.
_VALUE = re.compile(r'["“„«].*["”“»]|(?:\d|U\+)[^ ]*(?: \w+)?', re.DOTALL)


def fill_in(text: Text, /, **placeholders: object) -> str:
    """Return a message with its values, and numbers as the active language writes them."""
    return str(text) % {
        name: number_format(value, force_grouping=True) if isinstance(value, int) else value
        for name, value in placeholders.items()
    }


@dataclass(frozen=True, slots=True)
class LineError:
    """The reason why a row cannot be loaded."""

    line: int
    column: str  # a key path such as `responses[0].text`, counted from 0; "" for the whole row
    value: str  # an excerpt
    reason: str
    advice: str
    item: str = ""  # the item's id, if it could be read

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"

    @property
    def why(self) -> str:
        """The message without the line."""
        column = f'"{self.column}" ' if self.column else ""
        value = f" ({self.value})" if self.value else ""
        return fill_in(
            _("%(fault)s; %(advice)s"), fault=f"{column}{self.reason}{value}", advice=self.advice
        )


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of the file."""

    line: int  # where it begins in the file
    content: Mapping[str, object] | LineError
    path: str = ""  # its place in a JSON document, such as `[6]`, if the line does not identify it


@dataclass(frozen=True, slots=True)
class Option:
    """A way to read a file, to be chosen by its value."""

    value: str
    sample: str  # what the file holds if it is read so, as a short text
    first_row: Mapping[str, object] = field(default_factory=dict)  # the first one, shortened
    is_of_document: bool = False  # a part of a JSON document, which is named by a key

    @property
    def is_whole(self) -> bool:
        """True for the part that is a whole document, perhaps of an archive."""
        return self.value.rpartition("/")[2] == WHOLE


class Source(ABC):
    """A reader of one file. It can be read repeatedly."""

    hint: Text  # the advice for a file without items
    is_table = False  # each cell is a text, which may be a list in JSON
    parts: Sequence[Option] = ()  # the part that is read, and others that could be
    proposals: Mapping[str, object] = MappingProxyType({})  # the options as it is read, by field

    fixed_remarks: Sequence[str] = ()  # remarks that no row changes

    @property
    def remarks(self) -> Sequence[str]:
        """Sentences about how the file is read; all of them after its rows."""
        return self.fixed_remarks

    @property
    def guesses(self) -> Sequence[str]:
        """Remarks about what was proposed by the file, and could be otherwise."""
        return ()

    @abstractmethod
    def rows(self) -> Iterator[SourceRow]:
        """Yield the rows of the file, from its beginning."""


@dataclass(slots=True)
class FaultKind:
    """The errors of one kind."""

    samples: list[LineError] = field(default_factory=list)  # the first ones
    number: int = 0  # of all errors of this kind
    line_numbers: list[int] = field(default_factory=list)  # the first lines of the other errors

    def add(self, error: LineError) -> None:
        """Count an error; keep it if it is among the first."""
        self.number += 1
        if len(self.samples) < MOST_SAMPLES:
            self.samples.append(error)
        elif (
            len(self.line_numbers) < MOST_LINES and error.line not in self.line_numbers
        ):  # a line may be a list
            self.line_numbers.append(error.line)

    @property
    def rest(self) -> str:
        """A sentence about the errors that are no samples, or "" if there are none."""
        left = self.number - len(self.samples)
        if not left:
            return ""
        lines = ", ".join(number_format(line, force_grouping=True) for line in self.line_numbers)
        return fill_in(
            ngettext(
                "%(number)s more row is wrong like that (line %(lines)s)",
                "%(number)s more rows are wrong like that (lines %(lines)s)",
                left,
            ),
            number=left,
            lines=lines + (", …" if left > len(self.line_numbers) else ""),
        )


@dataclass
class ErrorsByKind:
    """All errors of a file, with MOST_KINDS kinds in memory at most."""

    by_kind: dict[tuple[str, ...], FaultKind] = field(default_factory=dict)
    others: int = 0  # errors of further kinds

    def add(self, error: LineError) -> None:
        """Add an error to those of its kind."""
        key = (
            _INDEX.sub("[]", error.column),
            _VALUE.sub("", error.reason),
            _VALUE.sub("", error.advice),
        )
        if key not in self.by_kind:
            if len(self.by_kind) == MOST_KINDS:
                self.others += 1
                return
            self.by_kind[key] = FaultKind()
        self.by_kind[key].add(error)

    @property
    def kinds(self) -> list[FaultKind]:
        """The kinds in the order of their first lines."""
        return list(self.by_kind.values())

    @property
    def number(self) -> int:
        return sum(kind.number for kind in self.kinds) + self.others

    @property
    def is_cut(self) -> bool:
        """True if some errors are not reported in full."""
        return bool(self.others) or any(kind.number > len(kind.samples) for kind in self.kinds)

    @property
    def rest(self) -> str:
        """A sentence about the errors of further kinds."""
        return fill_in(
            ngettext(
                "%(number)s more row is wrong in another way",
                "%(number)s more rows are wrong in other ways",
                self.others,
            ),
            number=self.others,
        )


class FileRefused(Exception):
    """A file is refused, for the reason in the message. It is made of what `fill_in` takes."""

    def __init__(self, text: Text, /, **placeholders: object) -> None:
        super().__init__(fill_in(text, **placeholders))


class Unreadable(FileRefused):
    """The file cannot be read. The message continues a sentence that begins with its name."""


class ChoiceNeeded(Unreadable):
    """One must say first how the file is read: by a field of ReadingOptions."""

    def __init__(
        self, choice: str, options: Sequence[Option], text: Text, /, **placeholders: object
    ) -> None:
        self.field = choice
        self.options = tuple(options)
        super().__init__(text, **placeholders)


def part_needed(options: Sequence[Option]) -> ChoiceNeeded:
    """Return the error of a file with several parts, of which one must be named."""
    names = [excerpt(option.value) for option in options if not option.is_whole]
    rest = ["…"] if len(names) > MOST_PARTS else []
    text = _(
        "has the parts %(parts)s; name the one to read, by “Sheet, list or file” on the page or by "
        "--part"
    )
    return ChoiceNeeded("part", options, text, parts=", ".join(names[:MOST_PARTS] + rest))


def refuse_empty(number: int, line: int) -> None:
    """Raise Unreadable after MOST_EMPTY empty lines one after the other: a limit of work."""
    if number > MOST_EMPTY:
        raise Unreadable(
            _(
                "has more than %(most)s empty lines one after the other, near line %(line)s; "
                "take them out"
            ),
            most=MOST_EMPTY,
            line=line,
        )


def excerpt(value: object, *, as_bytes: bool = False) -> str:
    r"""Return a value as JSON, shortened and printable.

    With `as_bytes`, show lone surrogates as the bytes that were no UTF-8, such as \xe9.
    """
    if isinstance(value, str):
        text = json.dumps(value[:LONGEST_EXCERPT], ensure_ascii=False)
        if as_bytes:  # the lone surrogates of a file decoded with "surrogateescape"
            text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return printable(text + ("…" if len(value) > LONGEST_EXCERPT else ""))
    try:
        text = json.dumps(value, ensure_ascii=False, default=float)  # it holds Decimals
    except (RecursionError, ValueError):  # ValueError for an integer of too many digits
        return "…"
    return printable(text if len(text) <= LONGEST_EXCERPT else text[:LONGEST_EXCERPT] + "…")


def printable(text: str) -> str:
    r"""Return the text with lone surrogates and control characters escaped, such as \ud83d."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in text)


def not_utf8(text: str) -> str:
    """Return an excerpt around the first byte that was no UTF-8, or "" if there is none."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return excerpt(text[max(0, error.start - 20) : error.start + 20], as_bytes=True)
    return ""
