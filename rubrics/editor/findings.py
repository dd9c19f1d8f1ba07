"""The outline of a draft, and the findings about it at the part and the row that they are about.

The pages of a draft show both. A finding comes from the reader or the proof of documents, and has
the words of the forms here (`documents.plain_findings`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from django.utils.translation import gettext as _

from ..documents.draft_parts import DraftDimension
from ..documents.draft_paths import Path, place_of
from ..documents.finding import Finding
from ..documents.plain_findings import fault_of, task_of
from ..documents.yaml_lines import DocumentError, Lines, with_lines
from .edit import Edit
from .facts import facts_to_choose

_NUMBERS = {str(number) for number in range(1, 10_000)}  # of an example; it may have a name


@dataclass(frozen=True)
class PartFinding:
    """A finding in the words of the forms, at the part and the row that it is about."""

    part: str
    title: str  # of its dimension
    at: str  # the row; "" for the part as a whole
    path: Path
    is_task: bool
    is_fault: bool
    text: str


@dataclass(frozen=True)
class OutlinePart:
    """A part in the outline: how many things to do it has, and how many rows."""

    part: str
    fault_count: int
    number: int = 0
    dimension: DraftDimension | None = None
    sections: Sequence["OutlinePart"] = ()

    @property
    def name(self) -> str:
        """The name of a section of a dimension."""
        return self.part.rpartition(".")[2]


def outline_of(edit: Edit, findings: Iterable[PartFinding]) -> list[OutlinePart]:
    """Return the parts in their order, each with the number of its faults."""
    faulty = [finding.part for finding in findings if finding.is_fault]
    outline = [OutlinePart("about", faulty.count("about"))]
    for dimension in edit.dimensions:
        code = dimension.code
        numbers = {
            "checks": len(dimension.checks),
            "rules": len(dimension.rules),
            "examples": len(dimension.examples),
        }
        sections = []
        for name, number in numbers.items():
            part = f"{code}.{name}"
            sections.append(OutlinePart(part, faulty.count(part), number))
        outline.append(OutlinePart(code, faulty.count(code), 0, dimension, sections))
    checks = len(edit.content.checks)
    outline.append(OutlinePart("checks", faulty.count("checks"), checks))
    return outline


def findings_in(edit: Edit, findings: Iterable[Finding]) -> list[PartFinding]:
    """Return the findings: what is still to be written, faults, and what to look at.

    Each has its part, and the row there that it names. Their texts are those of the forms.
    """
    dimensions = {dimension.code: dimension for dimension in edit.dimensions}
    labels_by_dimension: dict[str, Mapping[str, str]] = {}
    entries: dict[tuple[str, str, str], PartFinding] = {}
    for finding in findings:
        path = place_of(finding)
        part = part_of(path)
        code = part.partition(".")[0]
        dimension = dimensions.get(code)
        if code not in labels_by_dimension:
            labels_by_dimension[code] = dict(facts_to_choose(edit, dimension))
        labels = labels_by_dimension[code]
        task = task_of(finding, edit.content, labels)
        entry = PartFinding(
            part=part,
            title=dimension.title if dimension else "",
            at=_row_of(path),
            path=path,
            is_task=bool(task),
            is_fault=finding.is_fault,
            text=task or fault_of(finding, edit.content, labels),
        )
        entries.setdefault((part, entry.at, entry.text), entry)  # what says the same stands once
    return sorted(entries.values(), key=lambda entry: (not entry.is_fault, not entry.is_task))


def part_of(path: Sequence[str]) -> str:
    """Return the part that a path of a finding is in."""
    match path:
        case ("dimensions", code, *within):
            sections = [name for name in ("examples", "checks", "rules") if name in within]
            return ".".join([code, *sections[:1]])
        case ("checks", *_):
            return "checks"
        case _:
            return "about"


def _row_of(path: Sequence[str]) -> str:
    match path:
        case ("checks", code, *_):
            return code
        case ("dimensions", _, "levels", score, "examples", number, *_) if number in _NUMBERS:
            return f"{score}.{int(number) - 1}"
        case ("dimensions", _, _, code, *_):
            return code
    return ""


def at_row(finding: PartFinding, more: str) -> PartFinding:
    """Return a finding. One at an entry under "More" begins with its line there."""
    lines = _lines_of(more)
    for name in (*finding.path, *re.findall('^"([^"]+)"', finding.text)):
        if name in lines and lines[name].line:
            message = _("More, line %(line)s: %(text)s")
            text = message % {"line": lines[name].line, "text": finding.text}
            return replace(finding, text=text)
    return finding


@lru_cache(maxsize=4)  # a part may have many findings
def _lines_of(more: str) -> Mapping[object, Lines]:
    """Return the entries of "More" by their names, each with its line."""
    with suppress(DocumentError):
        return with_lines(more)[1].within
    return {}
