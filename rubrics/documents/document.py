"""Read a rubric from a YAML document.

`parse` returns the frozen schema or raises DocumentError with every fault it finds. Each fault
names the line in a document, the path, the value, and what to do. `dump` is the inverse:
`parse(dump(rubric)) == rubric`. This module reads the shape of the document, which the classes in
`judging.schema`, `judging.dimension` and `judging.parts` declare by their fields.
`wellformed` checks that the parts that could be read fit together, and then `proof` that the rules
work whatever is answered.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _, override

from ..judging.schema import Rubric, interface_language
from .advice import advice
from .misfits import Path
from .nodes import MOST_FAULTS, UNSTORABLE, Node, ReadingState, default_of, with_place
from .proof import Finding, findings
from .wellformed import faults_in
from .yaml_lines import DocumentError, Fault, Lines, refuse_beyond, with_lines


def read(text: str) -> Rubric:
    """Parse a YAML text into a rubric. Raises DocumentError."""
    content, lines, faults = with_lines(text)
    return _Reading(faults).rubric(content, lines, is_stored=False)


def read_shape(text: str) -> tuple[Rubric, tuple[str, ...]]:
    """Return the rubric of a YAML text, and its faults, which are none of its shape.

    Raises DocumentError with all faults if its shape cannot be read.
    """
    content, lines, faults = with_lines(text)
    try:
        return _Reading([*faults]).rubric(content, lines, is_stored=False), ()
    except DocumentError as error:
        with suppress(DocumentError):
            return _Reading(faults).rubric(content, lines, is_stored=True), error.faults
        raise


def faults_with_lines(content: object, lines: Lines) -> list[Fault]:
    """Return the faults of shape and of fitting together."""
    reading = _Reading([])
    reading.fitting(content, lines)
    return reading.faults


def parse(content: object, *, is_stored: bool = False) -> Rubric:
    """Parse plain values (from YAML or JSON) into a rubric. Raises DocumentError.

    `is_stored` skips the checks that the parts fit together and that the rules work, because they
    passed before storing. Ratings refer to published versions, so a version stays readable when
    those checks get stricter.
    """
    return _Reading([]).rubric(content, Lines(), is_stored=is_stored)


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
    """Read plain values, to be proved; return the faults in place of raising them."""
    try:
        refuse_beyond(content)
    except DocumentError as error:
        return DocumentReport(None, tuple(map(Finding, error.faults)))
    reading = _Reading([])
    rubric = reading.fitting(content, Lines())
    if reading.faults or not rubric:
        texts = dict.fromkeys(text for _line, text in reading.faults)
        return DocumentReport(None, tuple(map(Finding, texts)))
    return DocumentReport(rubric)


def storable(value: Any) -> Any:
    """Return plain values as JSON that PostgreSQL keeps; dates and the like as texts."""
    if isinstance(value, dict):
        return {storable(str(key)): storable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [storable(part) for part in value]
    if value is None or isinstance(value, int):
        return value
    return UNSTORABLE.sub("", str(value))


def dump(value: object) -> Any:
    """Return a rubric, or a part of one, as plain values.

    It has no fields at their default, but those that `rubrics.judging.dimension` marks as WRITTEN.
    """
    if is_dataclass(value) and not isinstance(value, type):
        entries = {}
        for name, default in _dumped_fields(type(value)):
            part = getattr(value, name)
            if default is MISSING or part != default:
                entries[name] = dump(part)
        return entries
    if isinstance(value, tuple):
        return [dump(part) for part in value]
    if isinstance(value, StrEnum):
        return str(value)
    return value


@cache
def _dumped_fields(part_class: type) -> list[tuple[str, Any]]:
    """Return the fields of a part of a rubric, each with the default at which it is left out."""
    specs = [spec for spec in fields(part_class) if spec.init]
    return [(spec.name, MISSING if spec.metadata else default_of(spec)) for spec in specs]


class _Reading(ReadingState):
    """A document, read as a rubric."""

    def rubric(self, content: object, lines: Lines, *, is_stored: bool) -> Rubric:
        """Return the rubric. Raises DocumentError with all faults."""
        rubric = self.fitting(content, lines, is_stored=is_stored)
        if rubric and not self.faults and not is_stored:
            for finding in findings(rubric):
                if finding.is_fault:
                    self.faults.append((self.line_at(finding.path), finding.text))
        if self.faults or not rubric:
            raise DocumentError(self.faults)
        return rubric

    def fitting(self, content: object, lines: Lines, *, is_stored: bool = False) -> Rubric | None:
        """Return the rubric as far as it can be read. Collect what does not fit together."""
        language = ""
        if isinstance(content, dict):
            language = content.get("language", "en")
        self.yes_no = yes_no_in(language)
        rubric: Rubric | None = Node(content, (), lines, self).part(Rubric)
        misfits = faults_in(rubric) if rubric and not is_stored else ()
        around: set[Path] = set()
        for path in self.faulty:
            for end in range(len(path)):
                around.add(path[:end])
        for path, message, name in islice(misfits, MOST_FAULTS):
            is_read = path not in around and self.faulty.isdisjoint(_parts_around(path))
            if is_read and name not in self.unread:
                self.faults.append((self.line_at(path), with_place(path, message)))
        return rubric

    def line_at(self, path: Path) -> int:
        """Return the line of a part, or of the first part around it that has one; 0 for none."""
        for part in _parts_around(path):
            if part in self.line_of:
                return self.line_of[part]
        return 0


def _parts_around(path: Path) -> Iterator[Path]:
    """Yield the path of a part, then those of the parts around it, the whole document last."""
    for end in range(len(path), -1, -1):
        yield path[:end]


def yes_no_in(language: object) -> tuple[str, ...]:
    """Return the words for yes and no in a language; none if the interface has not got it."""
    known_language = interface_language(str(language))
    if not known_language:
        return ()
    with override(known_language):
        return _("yes"), _("no")
