"""Read a rubric from the answer of a language model that was given prose.

Text around the document is left out, and so is each dimension with faults: one slip does not cost
the others. Entries that models forget are supplied, such as `code`, `short`, `slug` and `summary`.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from .document import dump, examine, faults_with_lines, parse
from .outline import scales_in_words
from .schema import Rubric
from .yaml_lines import DocumentError, Fault, Lines, in_yaml, values, with_lines

DOCS = Path(__file__).resolve().parent.parent / "docs"
MOST_READ, LEAST_READ = 50, 5  # dimensions
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

    parts: tuple[tuple[str, str], ...]  # the title of each dimension, and its scale if it stands
    faults: tuple[str, ...]
    content: dict[str, Any] | None  # what stands, as a document, if it can be opened as a draft

    @property
    def unread(self) -> list[str]:
        """The titles of the dimensions that do not stand."""
        return [title for title, scale in self.parts if not scale]


def materials() -> dict[str, str]:
    """Return the page about the format, and its JSON Schema in one line."""
    schema = (DOCS / "rubric-schema.json").read_text("utf-8")
    return {
        "format": (DOCS / "rubric-format.md").read_text("utf-8"),
        "schema": re.sub(r"\n *", "", schema),
    }


def read_answer(answer: str) -> AnswerRead:
    """Read each dimension of an answer by itself."""
    text, is_numbered = document_in(answer), True
    with suppress(DocumentError):  # in brackets no part has lines of its own
        if not _LIST.search(text):
            text, is_numbered = in_yaml(values(text)), False
    texts = _one_by_one(text)
    head, lines, own = _completed(next(texts)[1])
    # Each dimension is read with what stands around all of them, so that a long text has fewer.
    most = max(LEAST_READ, min(MOST_READ, MOST_ENTRIES // _entries_in(head)))
    found = [(part, *_within(head, lines, alone)) for part, alone in islice(texts, most)]
    apart = {*own}
    faults = [each for each in own if not (found and each[1].startswith("dimensions:"))]
    titles: list[tuple[str, bool]] = []
    stand: list[Any] = []
    for part, content, said in found:
        entries, codes = content.get("dimensions", ()), [each["code"] for each in stand]
        fresh = [fault for fault in said if fault not in apart] or [
            (
                0,
                "dimensions: "
                + _('"%(name)s" appears more than once; give each its own')
                % {"name": each["code"]},
            )
            for each in entries
            if each["code"] in codes
        ]
        faults += fresh
        stand += () if fresh else entries
        titles.append((titled[1] if (titled := _TITLE.search(part)) else "–", not fresh))
    if len(found) == most:
        faults.append((0, "dimensions: " + _("at most %(most)s are read") % {"most": most}))
    named = [name for name in _ENTRIES if name in head]
    kept = {name: head[name] for name in named if not any(e.startswith(name) for _l, e in own)}
    scales: Iterator[str] = iter(())
    draft = None
    with suppress(DocumentError):
        rubric = parse({**kept, "dimensions": stand}, is_stored=True)
        scales = (scales_in_words([each]) for each in rubric.dimensions)
        draft = dump(rubric) if stand else None
    proved = [(0, found.text) for found in examine(draft).faults if draft]
    return AnswerRead(
        tuple((title, next(scales, "") if stands else "") for title, stands in titles),
        DocumentError([(line * is_numbered, said) for line, said in (*faults, *proved)]).faults,
        draft,
    )


def is_plain_prose(answer: str) -> bool:
    """Return True if a text has no list of dimensions, so that no model wrote it as asked."""
    return not re.search(r"^[ \t{]*[\"']?dimensions[\"']? *:", answer, re.M)


def document_in(answer: str) -> str:
    """Return the document in an answer, at its lines; "" if there is none.

    It begins at the first line with one of its keys, and ends before the fence or the sentences
    that follow its last one. Tabs in front of a line become spaces.
    """
    text = answer.replace("\r\n", "\n")
    text = re.sub(r"^[ \t]+", lambda found: found[0].replace("\t", "  "), text, flags=re.M)
    if not (begin := _BEGIN.search(text)):
        return ""
    parts = re.compile(rf"^{begin[1]}(?:{_KEY}|- *\{{?[\"']?\w+[\"']? *:|[\]}}])", re.M)
    last = max([begin.end(), *(each.end() for each in parts.finditer(text, begin.start()))])
    after = re.compile(rf"^ {{0,{len(begin[1])}}}[^\s#]", re.M).search(text, last)
    end = after.start() if after else len(text)
    return "\n" * text.count("\n", 0, begin.start()) + text[begin.start() : end]


def _one_by_one(text: str) -> Iterator[tuple[str, str]]:
    """Yield a document without dimensions, then each of them, and a document of it alone."""
    found = _LIST.search(text)
    begin = found.start(2) if found else len(text)
    key = found.start() if found else len(text)
    own, item = found.groups() if found else ("", "")
    closing = next(re.compile(rf"^{own}{_KEY}|\Z", re.M).finditer(text, begin)).start()
    items = re.compile(rf"^{item}-(?=\s|\Z)", re.M).finditer(text, begin, closing)
    places = [begin, *(each.start() for each in items)]
    end = next(re.compile(rf"^{own}[\"'\w]+ *:|\Z", re.M).finditer(text, places[-1])).start()
    yield "", text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
    for start, stop in pairwise([*places[1:], end]):
        above = "\n" * text.count("\n", 0, key) + text[key:begin]
        part = text[start:stop]
        yield part, above + "\n" * text.count("\n", begin, start) + part


def _completed(text: str) -> tuple[dict[str, Any], Lines, list[Fault]]:
    """Return the values of a document with what it lacks, their lines, and the faults."""
    try:
        found, lines, faults = with_lines(text)
    except DocumentError as error:
        return {}, Lines(), [*error.placed]
    content = found if isinstance(found, dict) else {}
    title = str(content.get("title") or "Rubric")
    content = {"title": title, "summary": title, **content, "slug": _code(title).replace("_", "-")}
    _supply(content)
    return content, lines, [*faults, *faults_with_lines(content, lines)]


def _within(head: dict[str, Any], around: Lines, text: str) -> tuple[dict[str, Any], list[Fault]]:
    """Return the values of a document of one dimension, and its faults among what is around it."""
    try:
        found, lines, faults = with_lines(text)
    except DocumentError as error:
        return {}, [*error.placed]
    entries = found.get("dimensions") if isinstance(found, dict) else None
    content: dict[str, Any] = {"dimensions": entries}
    _supply(content)
    whole = Lines(around.line, {**around.within, **lines.within})
    return content, [*faults, *faults_with_lines({**head, **content}, whole)]


def _entries_in(value: object) -> int:
    """Return how many values stand in one."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_entries_in, parts))


def _supply(value: object) -> None:
    """Give each part without a code one that is made from its title or wording."""
    for name, parts in value.items() if isinstance(value, dict) else ():
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            _supply(part)
            word = str(part.get(_NAMED_BY.get(name, ""), "")) if isinstance(part, dict) else ""
            if code := _code(word):
                taken = [each.get("code") for each in parts if isinstance(each, dict)]
                part.setdefault("code", f"{code}_{number + 1}" if code in taken else code)
            if word and name == "dimensions":
                part.setdefault("short", word[:20].strip())


def _code(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain)[:70].strip("_")
