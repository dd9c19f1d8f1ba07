"""Read a rubric from the answer of a language model that was given prose.

Text around the document is left out. An answer that is no YAML is refused. Each dimension with
faults is left out: one slip does not cost the others. Entries that models forget are supplied, such
as `code`, `short`, `slug` and `summary`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from django.utils.translation import gettext as _

from ..documents.document import dump, parse_stored
from ..documents.document_report import examine, unproved_faults
from ..documents.yaml_lines import DocumentError, Fault, Lines, with_lines
from ..judging.plain import Entries, Plain
from ..judging.schema import Rubric
from ..pages.outline import scales_in_words
from .elements import mappings_in, new_code, slug_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOST_READ = 50  # dimensions
LEAST_READ = 5
MOST_ENTRIES = 100_000  # read around all of them together
_ENTRIES = [spec.name for spec in fields(Rubric) if spec.init]
_KEY = rf"[\"']?(?:{'|'.join(_ENTRIES)})[\"']? *:"
_BEGIN = re.compile(rf"^( *)(?:\{{ *$|(?:\{{ *)?{_KEY})", re.M)
# The entry that the code of a part is made from, by the list that has the part.
_NAMED_BY = {
    **dict.fromkeys(("dimensions", "guidance"), "title"),
    **dict.fromkeys(("checks", "answers"), "wording"),
    "rules": "effect",
}


@dataclass(frozen=True, slots=True)
class AnswerRead:
    """All that could be read of an answer."""

    titled_scales: tuple[tuple[str, str], ...]  # of each dimension; no scale if it does not stand
    faults: tuple[str, ...]
    content: Entries | None  # what stands, as a document, if it can be opened as a draft

    @property
    def unread(self) -> list[str]:
        """The titles of the dimensions that do not stand."""
        return [title for title, scale in self.titled_scales if not scale]


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
        head = _completed(document)
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
    scales, draft = _draft_of(head, head_faults, sound)
    if draft:
        faults += [(0, fault.text) for fault in examine(draft).faults]
    return AnswerRead(_titles_with_scales(dimensions, scales), DocumentError(faults).faults, draft)


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


def _titles_with_scales(
    prose_dimensions: Iterable[_DimensionRead], scales: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Return the title of each dimension, with the next scale if it has no faults."""
    next_scale = iter(scales)
    titled_scales = []
    for dimension in prose_dimensions:
        scale = ""
        if dimension.is_sound:
            scale = next(next_scale, "")
        titled_scales.append((dimension.title, scale))
    return tuple(titled_scales)


def _repeated_code(code: str) -> Fault:
    message = _('"%(name)s" appears more than once; give each its own') % {"name": code}
    return 0, f"dimensions: {message}"


def _draft_of(
    head: Entries, faults: Sequence[Fault], elements: Sequence[Plain]
) -> tuple[list[str], Entries | None]:
    """Return the scales of what stands, and it as a document, if it can be opened as a draft."""
    content: Entries = {}
    for name in _ENTRIES:
        is_faulty = any(fault.startswith(name) for _line, fault in faults)
        if name in head and not is_faulty:
            content[name] = head[name]
    content["dimensions"] = [*elements]
    try:
        rubric = parse_stored(content)
    except DocumentError:
        return [], None
    if not elements:
        return [], None
    scales = [scales_in_words((dimension,)) for dimension in rubric.dimensions]
    return scales, dump(rubric)


def is_plain_prose(answer: str) -> bool:
    """Return True if a text has no list of dimensions, so that no model wrote it as asked."""
    return not re.search(r"^[ \t{]*[\"']?dimensions[\"']? *:", answer, re.M)


def document_in(answer: str) -> str:
    """Return the document in an answer, at its lines; "" if there is none.

    It begins at the first line with one of its keys, and ends before the fence or the sentences
    that follow its last one. Tabs in front of a line become spaces.
    """
    text = answer.replace("\r\n", "\n")
    text = re.sub(r"^[ \t]+", lambda indent: indent[0].replace("\t", "  "), text, flags=re.M)
    begin = _BEGIN.search(text)
    if not begin:
        return ""
    indent = begin[1]
    parts = re.compile(rf"^{indent}(?:{_KEY}|- *\{{?[\"']?\w+[\"']? *:|[\]}}])", re.M)
    last = begin.end()
    for part in parts.finditer(text, begin.start()):
        last = max(last, part.end())
    end = len(text)
    after = re.compile(rf"^ {{0,{len(indent)}}}[^\s#]", re.M)
    if match := after.search(text, last):
        end = match.start()
    document = text[begin.start() : end]
    lines_above = text.count("\n", 0, begin.start())
    return "\n" * lines_above + document


def _completed(document: Entries) -> Entries:
    """Return the entries of a document with what it lacks."""
    title = str(document.get("title") or "Rubric")
    content = {"title": title, "summary": title, **document, "slug": slug_of(title) or "rubric"}
    _supply(content)
    return content


def _entries_in(value: object) -> int:
    """Return how many values stand in one."""
    if isinstance(value, dict):
        return 1 + sum(map(_entries_in, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_entries_in, value))
    return 1


def _supply(value: Plain) -> None:
    """Give each part without a code one that is made from its title or wording."""
    if not isinstance(value, dict):
        return
    for name, parts in value.items():
        naming_entry = _NAMED_BY.get(name, "")
        for part in mappings_in(parts):
            _supply(part)
            word = str(part.get(naming_entry, ""))
            if word:
                codes = [str(peer.get("code")) for peer in mappings_in(parts)]
                part.setdefault("code", new_code(word, codes))
            if word and name == "dimensions":
                part.setdefault("short", word[:20].strip())
