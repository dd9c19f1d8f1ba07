"""Read a rubric from the answer of a language model that was given prose.

Text around the document is left out, and so is each dimension with faults: one slip does not cost
the others. Entries that models forget are supplied, such as `code`, `short`, `slug` and `summary`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import islice, pairwise
from pathlib import Path

from django.utils.translation import gettext as _

from ..documents.document import dump, examine, faults_with_lines, parse
from ..documents.yaml_lines import DocumentError, Fault, Lines, in_yaml, values, with_lines
from ..judging.plain import Entries, Plain
from ..judging.schema import Rubric
from ..pages.outline import scales_in_words
from .elements import mappings_in

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOST_READ = 50  # dimensions
LEAST_READ = 5
MOST_ENTRIES = 100_000  # read around all of them together
_ENTRIES = [spec.name for spec in fields(Rubric) if spec.init]
_KEY = rf"[\"']?(?:{'|'.join(_ENTRIES)})[\"']? *:"
_BEGIN = re.compile(rf"^( *)(?:\{{ *$|(?:\{{ *)?{_KEY})", re.M)
_LIST = re.compile(r"^( *)[\"']?dimensions[\"']? *: *(?:#.*)?\n(?: *(?:#.*)?\n)*( *)(?=-\s)", re.M)
_TITLE = re.compile(
    r"\btitle[\"']?: *[\"']?(.+?)[\"']?(?:,? {0,9}\}?|, *[\"']?\w+[\"']?:.*)$", re.M
)
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


@dataclass(frozen=True, slots=True)
class _DimensionRead:
    """One dimension of an answer, read with what is around all of them."""

    text: str
    elements: Sequence[Entries]  # it as plain values; none if it has faults
    faults: Sequence[Fault]

    @property
    def title(self) -> str:
        """The title in the text, also if that cannot be read."""
        if match := _TITLE.search(self.text):
            return match[1]
        return "–"


def read_answer(answer: str) -> AnswerRead:
    """Read each dimension of an answer by itself."""
    text = document_in(answer)
    is_numbered = True
    with suppress(DocumentError):  # in brackets no part has lines of its own
        if not _LIST.search(text):
            text = in_yaml(values(text))
            is_numbered = False
    texts = _one_by_one(text)
    _nothing, frame = next(texts)
    head, lines, head_faults = _completed(frame)
    # Each dimension is read with what stands around all of them, so that a long text has fewer.
    most = MOST_ENTRIES // _entries_in(head)
    most = max(LEAST_READ, min(MOST_READ, most))
    dimensions = _dimensions_read(islice(texts, most), head, lines, head_faults)
    faults = []
    for line, fault in head_faults:
        if not dimensions or not fault.startswith("dimensions:"):
            faults.append((line, fault))
    sound: list[Plain] = []
    for dimension in dimensions:
        faults += dimension.faults
        sound += dimension.elements
    if len(dimensions) == most:
        message = _("at most %(most)s are read") % {"most": most}
        faults.append((0, f"dimensions: {message}"))
    scales, draft = _draft_of(head, head_faults, sound)
    if draft:
        faults += [(0, fault.text) for fault in examine(draft).faults]
    if not is_numbered:
        faults = [(0, fault) for _line, fault in faults]
    titled_scales = _titles_with_scales(dimensions, scales)
    return AnswerRead(titled_scales, DocumentError(faults).faults, draft)


def _titles_with_scales(
    prose_dimensions: Iterable[_DimensionRead], scales: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Return the title of each dimension, with the next scale if it has no faults."""
    next_scale = iter(scales)
    titled_scales = []
    for dimension in prose_dimensions:
        scale = ""
        if not dimension.faults:
            scale = next(next_scale, "")
        titled_scales.append((dimension.title, scale))
    return tuple(titled_scales)


def _dimensions_read(
    dimension_texts: Iterable[tuple[str, str]],
    head: Entries,
    lines: Lines,
    head_faults: Sequence[Fault],
) -> list[_DimensionRead]:
    """Read each dimension, without the faults of what is around all of them."""
    around = {*head_faults}
    prose_dimensions: list[_DimensionRead] = []
    codes: set[str] = set()
    for text, document in dimension_texts:
        content, all_faults = _within(head, lines, document)
        elements = mappings_in(content.get("dimensions"))
        faults = [fault for fault in all_faults if fault not in around]
        if not faults:
            repeated = [element for element in elements if str(element["code"]) in codes]
            faults = [_repeated_code(element) for element in repeated]
        if faults:
            elements = []
        codes.update(str(element["code"]) for element in elements)
        prose_dimensions.append(_DimensionRead(text, elements, faults))
    return prose_dimensions


def _repeated_code(element: Entries) -> Fault:
    message = _('"%(name)s" appears more than once; give each its own') % {"name": element["code"]}
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
        rubric = parse(content, is_stored=True)
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
    return _blank_lines(text, 0, begin.start()) + document


def _one_by_one(text: str) -> Iterator[tuple[str, str]]:
    """Yield a document without dimensions, then each of them, and a document of it alone."""
    begin = key = len(text)
    key_indent = item_indent = ""
    if match := _LIST.search(text):
        begin = match.start(2)
        key = match.start()
        key_indent, item_indent = match.groups()
    closing = _first_match(rf"^{key_indent}{_KEY}|\Z", text, begin)
    places = [begin]
    item_start = re.compile(rf"^{item_indent}-(?=\s|\Z)", re.M)
    for item in item_start.finditer(text, begin, closing):
        places.append(item.start())
    end = _first_match(rf"^{key_indent}[\"'\w]+ *:|\Z", text, places[-1])
    yield "", text[:begin] + _blank_lines(text, begin, end) + text[end:]
    above = _blank_lines(text, 0, key) + text[key:begin]
    for start, stop in pairwise([*places[1:], end]):
        part = text[start:stop]
        yield part, above + _blank_lines(text, begin, start) + part


def _first_match(pattern: str, text: str, start: int) -> int:
    """Return where a pattern that always matches first does, from a place on."""
    match = re.compile(pattern, re.M).search(text, start)
    assert match
    return match.start()


def _blank_lines(text: str, start: int, end: int) -> str:
    """Return as many line breaks as a part of a text has."""
    return "\n" * text.count("\n", start, end)


def _completed(text: str) -> tuple[Entries, Lines, list[Fault]]:
    """Return the values of a document with what it lacks, their lines, and the faults."""
    try:
        document, lines, faults = with_lines(text)
    except DocumentError as error:
        return {}, Lines(), [*error.faults_by_line]
    entries = {}
    if isinstance(document, dict):
        entries = document
    title = str(entries.get("title") or "Rubric")
    content = {"title": title, "summary": title, **entries}
    content["slug"] = _code(title).replace("_", "-")
    _supply(content)
    return content, lines, [*faults, *faults_with_lines(content, lines)]


def _within(head: Entries, around: Lines, text: str) -> tuple[Entries, list[Fault]]:
    """Return the values of a document of one dimension, and its faults among what is around it."""
    try:
        document, lines, faults = with_lines(text)
    except DocumentError as error:
        return {}, [*error.faults_by_line]
    elements: Plain = None
    if isinstance(document, dict):
        elements = document.get("dimensions")
    content: Entries = {"dimensions": elements}
    _supply(content)
    whole = {**head, **content}
    whole_lines = Lines(around.line, {**around.within, **lines.within})
    return content, [*faults, *faults_with_lines(whole, whole_lines)]


def _entries_in(value: object) -> int:
    """Return how many values stand in one."""
    if isinstance(value, dict):
        return 1 + sum(map(_entries_in, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_entries_in, value))
    return 1


def _supply(value: object) -> None:
    """Give each part without a code one that is made from its title or wording."""
    if not isinstance(value, dict):
        return
    for name, parts in value.items():
        if not isinstance(parts, list):
            continue
        naming_entry = _NAMED_BY.get(name, "")
        for number, part in enumerate(parts, start=1):
            _supply(part)
            if not isinstance(part, dict):
                continue
            word = str(part.get(naming_entry, ""))
            if code := _code(word):
                peers = [peer.get("code") for peer in parts if isinstance(peer, dict)]
                if code in peers:
                    code = f"{code}_{number}"
                part.setdefault("code", code)
            if word and name == "dimensions":
                part.setdefault("short", word[:20].strip())


def _code(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain)[:70].strip("_")
