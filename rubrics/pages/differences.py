"""List what differs between two documents of a rubric, for the pages of versions and of drafts.

    {"levels": [{"score": 4, "label": "Good"}]}  and  {"levels": [{"score": 4, "label": "Fine"}]}
    differ by  Change("level 4, label", "Good", "Fine", "changed")

Parts are matched by their code, score or id, so one that moves is still the same part. In documents
of `rubrics.pages.readable_document` the rules and conditions are sentences.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any, NamedTuple


class PartList(NamedTuple):
    """A list of parts in a document."""

    word: str  # for one of them
    naming_entry: str  # by which a part is known; "" if its place counts


PARTS = {
    "dimensions": PartList("dimension", "code"),
    "levels": PartList("level", "score"),
    "checks": PartList("check", "code"),
    "answers": PartList("answer", "code"),
    "rules": PartList("rule", "code"),
    "guidance": PartList("guidance", "code"),
    "aids": PartList("aid", "code"),
    "clauses": PartList("clause", "id"),
    "sources": PartList("source", "clause"),
    "examples": PartList("example", ""),
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
    kind: str  # "added", "removed", "moved" or "changed"


def changes_between(old: object, new: object) -> list[Change]:
    """Return the differences of two documents, given as plain values, in their order."""
    return [*_between(old, new, (), "")]


def _between(old: Any, new: Any, where: tuple[str, ...], key: str) -> Iterator[Change]:
    """Yield the differences of two values. `key` is their entry, `where` the titles around them."""
    olds = _entries(old, key)
    news = _entries(new, key)
    if olds is None or news is None:
        if old != new and (old or new):
            kind = _kind_of_change(old, new)
            yield Change(", ".join(where), _in_one_line(old), _in_one_line(new), kind)
        return
    paths = {}
    for name, part in {**olds, **news}.items():
        paths[name] = (*where, *_title(name, part, key))
        entry = name
        if key in PARTS:
            entry = ""
        yield from _between(olds.get(name), news.get(name), paths[name], entry)
    if key not in PARTS:
        return
    before = [name for name in olds if name in news]
    after = [name for name in news if name in olds]
    unmoved = _in_order(before, after)
    for name in after:
        if name not in unmoved:
            place = ", ".join(paths[name])
            yield Change(place, _place_in(olds, name), _place_in(news, name), "moved")


def _place_in(names: Iterable[str], name: str) -> str:
    place = [*names].index(name)
    return str(place + 1)


def _kind_of_change(old: object, new: object) -> str:
    if not old:
        return "added"
    if not new:
        return "removed"
    return "changed"


def _in_order(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return as many names as possible that stand in the same order in both lists."""
    places = {name: place for place, name in enumerate(before)}
    ends: list[int] = []  # the place of the last name of the best run of each length
    runs: list[int] = []  # how long the best run is that ends with each name
    for name in after:
        place = places[name]
        run = bisect_left(ends, place)
        runs.append(run)
        ends[run : run + 1] = [place]
    unmoved = set[str]()
    length = len(ends) - 1
    limit = len(before)
    for name, run in zip(reversed(after), reversed(runs), strict=True):
        if run == length and places[name] < limit:
            unmoved.add(name)
            length -= 1
            limit = places[name]
    return unmoved


def _entries(value: Any, key: str) -> Mapping[str, Any] | None:
    """Return the entries of a mapping, or a list of parts by their names; None for other values."""
    if key in PARTS and isinstance(value or [], list):
        entries = {}
        naming_entry = PARTS[key].naming_entry
        for place, part in enumerate(value or (), start=1):
            name = place
            if isinstance(part, dict):
                name = part.get(naming_entry, place)
            entries[str(name)] = part
        return entries
    if isinstance(value, dict):
        return value
    return None


def _title(name: str, part: Any, key: str) -> tuple[str, ...]:
    """Return what to call a part of a list ("level 4", "check “Too long”"), or an entry."""
    if key not in PARTS:
        if name in (*PARTS, "sentence"):
            return ()
        return (name.replace("_", " "),)
    titles = []
    if isinstance(part, dict):
        titles = [str(part[entry]) for entry in TITLES if part.get(entry)]
    if titles and key == "dimensions":
        return (titles[0],)
    words = name
    if titles:
        words = f"“{shorten(titles[0], LONGEST, placeholder='…')}”"
    return (f"{PARTS[key].word} {words}",)


def _in_one_line(value: Any) -> str:
    """Return a value in one line. The parts in a new part are counted."""
    if isinstance(value, list):
        return ", ".join(map(_in_one_line, value))
    if not isinstance(value, dict):
        return str(value or "")
    naming_entries = {*TITLES}
    naming_entries.update(parts.naming_entry for parts in PARTS.values())
    words = []
    for key, part in value.items():
        if part and key in PARTS:
            words.append(f"{len(part)} {key}")
        elif part and key not in naming_entries:
            entry = f"{key}: {_in_one_line(part)}"
            words.append(entry.replace("_", " "))
    return "; ".join(words)
