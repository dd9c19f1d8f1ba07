"""Read a rubric from the answer of a language model that was given prose.

Text around the document is left out. An answer that is no YAML is refused. Each dimension with
faults is left out: one slip does not cost the others. Entries that models forget are supplied
(`prose_document`). The form in which one pastes an answer calls `read_answer`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import gettext as _

from ..documents.document import dump, parse_stored
from ..documents.document_report import examine, unproved_faults
from ..documents.yaml_lines import DocumentError, Fault, Lines, with_lines
from ..judging.plain import Entries, Plain
from ..judging.schema import Rubric
from ..pages.outline import scales_in_words
from .prose_document import ENTRIES, completed, document_in

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOST_READ = 50  # dimensions
LEAST_READ = 5
MOST_ENTRIES = 100_000  # read around all of them together


class TitledScale(NamedTuple):
    """A dimension of an answer."""

    title: str
    scale: str  # in words; "" if the dimension is left out


@dataclass(frozen=True, slots=True)
class AnswerRead:
    """All that could be read of an answer."""

    titled_scales: tuple[TitledScale, ...]  # of each dimension
    faults: tuple[str, ...]
    content: Entries | None  # what was read, as a document, if it can be opened as a draft

    @property
    def unread(self) -> list[str]:
        """The titles of the dimensions that are left out."""
        return [dimension.title for dimension in self.titled_scales if not dimension.scale]


def materials() -> dict[str, str]:
    """Return the page about the format, and its JSON Schema in one line."""
    page = (DOCS / "rubric-format.md").read_text("utf-8")
    schema = (DOCS / "rubric-schema.json").read_text("utf-8")
    return {"format": page, "schema": re.sub(r"\n *", "", schema)}


def read_answer(answer: str) -> AnswerRead:
    """Read each dimension of an answer, with what is around all of them."""
    try:
        document, lines, key_faults = with_lines(document_in(answer))
    except DocumentError as error:
        return AnswerRead((), error.faults, None)
    head: Entries = {}
    if isinstance(document, dict):
        head = completed(document)
    elements = head.get("dimensions")
    if isinstance(elements, list):
        head["dimensions"] = []
    head_faults = unproved_faults(head, lines)
    faulty_lines = {line for line, _fault in key_faults}
    dimensions = _dimensions_read(head, elements, lines, {*head_faults}, faulty_lines)
    faults = [*key_faults]
    for line, fault in head_faults:
        if not dimensions or not fault.startswith("dimensions:"):
            faults.append((line, fault))
    sound: list[Plain] = []
    for dimension in dimensions:
        faults += dimension.faults
        if dimension.is_sound:
            sound.append(dimension.element)
    if isinstance(elements, list) and len(dimensions) < len(elements):
        message = _("at most %(most)s are read") % {"most": len(dimensions)}
        faults.append((0, f"dimensions: {message}"))
    rubric = _rubric_of(head, head_faults, sound)
    draft = dump(rubric) if rubric else None
    if draft:
        faults += [(0, fault.text) for fault in examine(draft).faults]
    return AnswerRead(_titled_scales(dimensions, rubric), DocumentError(faults).faults, draft)


@dataclass(frozen=True, slots=True)
class _DimensionRead:
    """One dimension of an answer, as plain values."""

    element: Plain
    faults: Sequence[Fault]
    is_sound: bool  # without faults, also of its keys

    @property
    def title(self) -> str:
        title = self.element.get("title") if isinstance(self.element, dict) else None
        return str(title or "–")


def _dimensions_read(
    head: Entries, elements: Plain, lines: Lines, around: set[Fault], faulty_lines: set[int]
) -> list[_DimensionRead]:
    """Read each dimension by itself, as the only one beside what is around all of them."""
    if not isinstance(elements, list):
        return []
    # The more stands around them, the fewer are read.
    most = max(LEAST_READ, min(MOST_READ, MOST_ENTRIES // _entries_in(head)))
    lines_of_all = lines.within.get("dimensions", Lines())
    prose_dimensions: list[_DimensionRead] = []
    codes: set[str] = set()
    for number, element in enumerate(elements[:most]):
        element_lines = lines_of_all.within.get(number, Lines())
        of_one = Lines(lines_of_all.line, {0: element_lines})
        document_lines = Lines(lines.line, {**lines.within, "dimensions": of_one})
        all_faults = unproved_faults({**head, "dimensions": [element]}, document_lines)
        faults = [fault for fault in all_faults if fault not in around]
        code = str(element.get("code")) if isinstance(element, dict) else ""
        if not faults and code in codes:
            faults = [_repeated_code(code)]
        is_sound = not faults and faulty_lines.isdisjoint(_lines_in(element_lines))
        if is_sound:
            codes.add(code)
        prose_dimensions.append(_DimensionRead(element, faults, is_sound))
    return prose_dimensions


def _lines_in(lines: Lines) -> Iterator[int]:
    """Yield the lines of a value and of all within it."""
    yield lines.line
    for inner_lines in lines.within.values():
        yield from _lines_in(inner_lines)


def _titled_scales(
    prose_dimensions: Iterable[_DimensionRead], rubric: Rubric | None
) -> tuple[TitledScale, ...]:
    """Return all dimensions; the rubric has the sound ones, in the same order."""
    sound_ones = list(rubric.dimensions) if rubric else []
    titled_scales = []
    for dimension in prose_dimensions:
        scale = ""
        if dimension.is_sound and sound_ones:
            scale = scales_in_words((sound_ones.pop(0),))
        titled_scales.append(TitledScale(dimension.title, scale))
    return tuple(titled_scales)


def _repeated_code(code: str) -> Fault:
    message = _('"%(name)s" appears more than once; give each its own') % {"name": code}
    return 0, f"dimensions: {message}"


def _rubric_of(head: Entries, faults: Sequence[Fault], elements: Sequence[Plain]) -> Rubric | None:
    """Return the rubric of what has no fault, if it can be opened as a draft."""
    if not elements:
        return None
    content: Entries = {}
    for name in ENTRIES:
        is_faulty = any(fault.startswith(name) for _line, fault in faults)
        if name in head and not is_faulty:
            content[name] = head[name]
    content["dimensions"] = [*elements]
    try:
        return parse_stored(content)
    except DocumentError:
        return None


def _entries_in(value: object) -> int:
    """Return how many values stand in one."""
    if isinstance(value, dict):
        return 1 + sum(map(_entries_in, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_entries_in, value))
    return 1
