"""Tell what is wrong with a document, and what to look at once more, in place of refusing it.

The pages of a draft show a `DocumentReport` while a lead writes; `editor.from_prose` takes the
faults of one part at a time.
"""

from dataclasses import dataclass
from functools import cached_property

from ..judging.schema import Rubric
from .advice import advice
from .finding import Finding
from .proof import findings
from .reading import Reading
from .yaml_lines import DocumentError, Fault, Lines, refuse_beyond


@dataclass(frozen=True)
class DocumentReport:
    """A document as far as it can be read, and all that is to be said of it."""

    rubric: Rubric | None  # if its parts can be read and fit together
    misfits: tuple[Finding, ...] = ()

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The misfits, else what the proof finds. It takes long, so few pages ask for it."""
        if self.rubric is None:
            return self.misfits
        return (*findings(self.rubric), *advice(self.rubric))

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that keep it from being published."""
        return tuple(finding for finding in self.findings if finding.is_fault)


def examine(content: object) -> DocumentReport:
    """Return the report on plain values. Its rules are proved when `findings` is first read."""
    try:
        refuse_beyond(content)
    except DocumentError as error:
        return DocumentReport(None, tuple(map(Finding, error.faults)))
    reading = Reading(content)
    reading.add_misfits()
    if reading.faults or not reading.rubric:
        texts = dict.fromkeys(text for _line, text in reading.faults)
        return DocumentReport(None, tuple(map(Finding, texts)))
    return DocumentReport(reading.rubric)


def unproved_faults(content: object, lines: Lines) -> list[Fault]:
    """Return the faults of plain values with their lines, but for those that the proof finds."""
    reading = Reading(content, lines)
    reading.add_misfits()
    return reading.faults
