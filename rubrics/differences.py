"""List what differs between two documents of a rubric.

Parts are matched by their code, score or id, so one that moves is still the same part. In documents
of `rubrics.in_words` the rules and conditions are sentences.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from textwrap import shorten
from typing import Any, Literal

# The lists of parts: a word for each of them, and the entry by which they are known, else their
# place counts.
PARTS = {
    "dimensions": ("dimension", "code"),
    "levels": ("level", "score"),
    "checks": ("check", "code"),
    "answers": ("answer", "code"),
    "rules": ("rule", "code"),
    "guidance": ("guidance", "code"),
    "aids": ("aid", "code"),
    "clauses": ("clause", "id"),
    "examples": ("example", ""),
}
TITLES = ("title", "wording", "sentence")
LONGEST = 60  # letters of a title


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on a value, whose words may change while the value does not."""

    text: str = field(compare=False)
    value: object

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: what stood and stands where, in a reader's words."""

    where: str  # "Coherence, level 4, label"
    before: str
    after: str
    kind: Literal["added", "removed", "moved", "changed"]


def changes_between(before: object, after: object) -> list[Change]:
    """Return the differences of two documents, given as plain values, in their order."""
    return [*_between(before, after, ())]


def _between(old: Any, new: Any, where: tuple[str, ...]) -> Iterator[Change]:
    if old == new or not (old or new):
        return
    if not (isinstance(old, dict) and isinstance(new, dict)):
        yield _change(where, old, new)
        return
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        if key in PARTS and isinstance(was or [], list) and isinstance(now or [], list):
            yield from _of_parts(key, was or [], now or [], where)
        else:
            entry = () if key == "sentence" else (str(key).replace("_", " "),)
            yield from _between(was, now, (*where, *entry))


def _of_parts(key: str, old: list[Any], new: list[Any], where: tuple[str, ...]) -> Iterator[Change]:
    olds, news = _by_name(old, key), _by_name(new, key)
    titles = {name: _title(key, name, part) for name, part in (olds | news).items()}
    for name, title in titles.items():
        if name in olds and name in news:
            yield from _between(olds[name], news[name], (*where, title))
        else:
            yield _change((*where, title), olds.get(name), news.get(name))
    before, after = [each for each in olds if each in news], [each for each in news if each in olds]
    stays = SequenceMatcher(None, before, after).get_matching_blocks()
    kept = {name for block in stays for name in before[block.a : block.a + block.size]}
    for name in after:
        if name not in kept:
            was, now = ([*parts].index(name) + 1 for parts in (olds, news))
            yield Change(", ".join((*where, titles[name])), str(was), str(now), "moved")


def _by_name(parts: list[Any], key: str) -> dict[str, Any]:
    entry = PARTS[key][1]
    return {
        str(part.get(entry, place) if isinstance(part, dict) else place): part
        for place, part in enumerate(parts, start=1)
    }


def _title(key: str, name: str, part: Any) -> str:
    """Return "Coherence" for a dimension, "level 4", or "check “Too long”"."""
    entries = part if isinstance(part, dict) else {}
    title = shorten(
        next((str(entries[each]) for each in TITLES if entries.get(each)), ""),
        LONGEST,
        placeholder="…",
    )
    word = PARTS[key][0]
    if key == "dimensions" and title:
        return title
    return f"{word} “{title}”" if title else f"{word} {name}"


def _change(where: tuple[str, ...], old: Any, new: Any) -> Change:
    kind: Literal["added", "removed", "changed"] = "changed" if old and new else "added"
    return Change(", ".join(where), _said(old), _said(new), kind if new else "removed")


def _said(value: Any) -> str:
    """Return a value in one line. The parts in a new part are counted."""
    if isinstance(value, dict):
        named = {*TITLES, *(name for _word, name in PARTS.values())}
        return "; ".join(
            f"{len(part)} {key}" if key in PARTS else f"{key}: {_said(part)}".replace("_", " ")
            for key, part in value.items()
            if part and key not in named
        )
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return "" if value is None else str(value)
