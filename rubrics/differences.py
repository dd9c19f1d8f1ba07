"""List what differs between two documents of a rubric.

Parts are matched by their code, score or id, so one that moves is still the same part. In documents
of `rubrics.in_words` the rules and conditions are sentences.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from textwrap import shorten
from typing import Any

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
    "sources": ("source", "clause"),
    "examples": ("example", ""),
}
TITLES = ("title", "wording", "sentence")
LONGEST = 60  # letters of a title
AROUND = 3  # lines around those that differ
MOST_PAIRS = 20_000_000  # of lines to compare, at worst


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
    kind: str  # "added", "removed", "moved" or "changed"


def changes_between(before: object, after: object) -> list[Change]:
    """Return the differences of two documents, given as plain values, in their order."""
    return [*_between(before, after, (), "")]


def _between(old: Any, new: Any, where: tuple[str, ...], key: str) -> Iterator[Change]:
    """Yield the differences of two values. `key` is their entry, `where` the titles around them."""
    olds, news = _entries(old, key), _entries(new, key)
    if olds is None or news is None:
        if old != new and (old or new):
            kind = "changed" if old and new else "added" if new else "removed"
            yield Change(", ".join(where), _said(old), _said(new), kind)
        return
    titles = {name: _title(name, part, key) for name, part in (olds | news).items()}
    for name, title in titles.items():
        entry = "" if key in PARTS else name
        yield from _between(olds.get(name), news.get(name), (*where, *title), entry)
    before, after = (
        [name for name in names if key in PARTS and name in olds and name in news]
        for names in (olds, news)
    )
    stays = _in_order(before, after)
    for name in (each for each in after if each not in stays):
        was, now = (str([*names].index(name) + 1) for names in (olds, news))
        yield Change(", ".join((*where, *titles[name])), was, now, "moved")


def _in_order(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return as many names as possible that stand in the same order in both lists."""
    places = {name: place for place, name in enumerate(before)}
    ends: list[int] = []  # the place of the last name of the best run of each length
    runs: list[int] = []  # how long the best run is that ends with each name
    for name in after:
        runs.append(bisect_left(ends, places[name]))
        ends[runs[-1] : runs[-1] + 1] = [places[name]]
    stays, length, limit = set[str](), len(ends) - 1, len(before)
    for name, run in zip(reversed(after), reversed(runs), strict=True):
        if run == length and places[name] < limit:
            stays.add(name)
            length, limit = length - 1, places[name]
    return stays


def lines_between(before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """Return the lines that differ, with signs as in a patch; None if they are too many.

    The work grows with the pairs of equal lines. Those at the beginning and the end cost nothing.
    """
    start, end = 0, 0
    shorter = min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    # With a few equal lines around them, as a reader wants them.
    first, last = max(0, start - AROUND), max(0, end - AROUND)
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    counts = Counter(new)
    pairs = sum(counts[line] for line in old)
    if (pairs + len(old) + len(new)) * min(len(old), len(new)) > MOST_PAIRS:
        return None
    lines = [*unified_diff(old, new, lineterm="")][2:]
    return [_moved(line, first) if line.startswith("@@") else line for line in lines]


def _moved(head: str, by: int) -> str:
    """Return the head of a hunk with its two places moved."""
    return re.sub(r"(?<=[-+])\d+", lambda place: str(int(place[0]) + by), head)


def _entries(value: Any, key: str) -> dict[str, Any] | None:
    """Return the entries of a mapping, or a list of parts by their names; None for other values."""
    if key not in PARTS or not isinstance(value or [], list):
        return value if isinstance(value, dict) else None
    name = PARTS[key][1]
    return {
        str(part.get(name, place) if isinstance(part, dict) else place): part
        for place, part in enumerate(value or (), start=1)
    }


def _title(name: str, part: Any, key: str) -> tuple[str, ...]:
    """Return what to call a part of a list ("level 4", "check “Too long”"), or an entry."""
    if key not in PARTS:
        return () if name in (*PARTS, "sentence") else (name.replace("_", " "),)
    entries = part if isinstance(part, dict) else {}
    title = next((str(entries[each]) for each in TITLES if entries.get(each)), "")
    said = f"“{shorten(title, LONGEST, placeholder='…')}”" if title else name
    return (title if title and key == "dimensions" else f"{PARTS[key][0]} {said}",)


def _said(value: Any) -> str:
    """Return a value in one line. The parts in a new part are counted."""
    if isinstance(value, dict):
        named = {*TITLES, *(name for _word, name in PARTS.values())}
        return "; ".join(
            f"{len(part)} {key}" if key in PARTS else f"{key}: {_said(part)}".replace("_", " ")
            for key, part in value.items()
            if part and key not in named
        )
    return ", ".join(map(_said, value)) if isinstance(value, list) else str(value or "")
