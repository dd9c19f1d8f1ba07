"""The outcome of unpacking a file: a text that was written, or the reason why none was.

`containers` runs in a process of its own and prints one; `unpacking` reads it. Knows no Django.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_RATIO = 200  # times its size, which no file of texts reaches
ALWAYS_WRITTEN = 2**20  # bytes, however small the file is
LONGEST_SAMPLE = 60  # characters of a cell


class MergedRange(NamedTuple):
    """The rows and columns of merged cells; rows count from 1, and columns from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class PartStart:
    """A part of a container, as it begins."""

    name: str
    sample: str = ""
    first_row: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A text that was written, or the reason why none was.

    Its kind says what it is:

    - `objects`: rows as JSON lines.
    - `cells`: rows of a sheet as JSON lists of cells, each in the line that has its number.
    - `text`: a text that was compressed.
    - `parts`: nothing is written, because one of the parts must be chosen.
    - `fault`: nothing can be read. `file_faults` has a sentence for each.
    """

    kind: str
    part: str = ""  # what is to be read of the text
    name: str = ""  # of the file in an archive
    prefix: str = ""  # begins the names of its parts
    merged: Sequence[MergedRange] = ()
    part_starts: Sequence[PartStart] = ()
    fault: str = ""
    # In the sentence of a fault.
    placeholders: Mapping[str, str | int] = field(default_factory=dict)


class Fault(Exception):
    """An outcome without rows."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def fault_with(fault: str, **placeholders: str | int) -> Fault:
    """Return why nothing can be read."""
    return Fault(Outcome("fault", fault=fault, placeholders=placeholders))


def choice_of(part_starts: Sequence[PartStart]) -> Fault:
    """Return the parts of which one must be chosen."""
    return Fault(Outcome("parts", part_starts=part_starts))


class Output:
    """A file that grows no further than what a file of texts unpacks to."""

    def __init__(self, file: Any, packed_size: int) -> None:
        self.file = file
        self.left = max(ALWAYS_WRITTEN, MOST_RATIO * packed_size)

    def write(self, block: bytes) -> None:
        """Write a block. Raises Fault."""
        self.left -= len(block)
        if self.left < 0:
            raise fault_with("bomb")
        self.file.write(block)

    def copy(self, file: Any) -> None:
        """Write the rest of a file."""
        while block := file.read(2**20):
            self.write(block)


def line_of(row_object: Any) -> bytes:
    text = json.dumps(row_object, ensure_ascii=False, default=_as_text)
    # Half a character becomes its escape in JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _as_text(value: Any) -> str:
    """Return a time as ISO 8601 writes it, at midnight without the hour; or another value."""
    iso = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return iso.removesuffix("T00:00:00")
