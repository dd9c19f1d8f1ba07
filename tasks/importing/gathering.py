"""Faults gathered by their kind, so that one that stands in every row is not said for each. No
Django."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from .message import Language, Message, ngettext_lazy
from .rows import LineError

MOST_KINDS = 100
MOST_SAMPLES = 3  # faults of a kind that are said in full
MOST_LINES = 10  # lines that are named after these

_PLACE = re.compile(r"\[\d+\]")


@dataclass(slots=True)
class Kind:
    """Faults of one kind: the first ones, how many there are, and the first lines of the rest."""

    samples: list[LineError] = field(default_factory=list)
    number: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, error: LineError) -> None:
        self.number += 1
        if len(self.samples) < MOST_SAMPLES:
            self.samples.append(error)
        elif len(self.lines) < MOST_LINES and error.line not in self.lines:  # a line may be a list
            self.lines.append(error.line)

    def rest(self, language: Language) -> str:
        """What is said of those that are no samples; "" where all are."""
        left = self.number - len(self.samples)
        if not left:
            return ""
        lines = ", ".join(map(language.number, self.lines))
        return ngettext_lazy(
            "%(number)s more row is wrong like that (line %(lines)s)",
            "%(number)s more rows are wrong like that (lines %(lines)s)",
            left,
            number=left,
            lines=lines + (", …" if left > len(self.lines) else ""),
        ).worded(language)


@dataclass
class Gathered:
    """All faults of a file. In memory are so many kinds, whatever the file holds; `others` is how
    many faults are of further kinds."""

    by_kind: dict[Hashable, Kind] = field(default_factory=dict)
    others: int = 0

    def add(self, error: LineError) -> None:
        key = (_PLACE.sub("[]", error.column), _template(error.reason), _template(error.advice))
        if key not in self.by_kind:
            if len(self.by_kind) == MOST_KINDS:
                self.others += 1
                return
            self.by_kind[key] = Kind()
        self.by_kind[key].add(error)

    @property
    def kinds(self) -> list[Kind]:
        """In the order of their first lines."""
        return list(self.by_kind.values())

    @property
    def number(self) -> int:
        return sum(kind.number for kind in self.kinds) + self.others

    @property
    def is_cut(self) -> bool:
        """Whether there are faults that are not said in full."""
        return bool(self.others) or any(kind.number > len(kind.samples) for kind in self.kinds)

    def rest(self, language: Language) -> str:
        """What is said of further kinds; "" where there are none."""
        if not self.others:
            return ""
        return ngettext_lazy(
            "%(number)s more row is wrong in another way",
            "%(number)s more rows are wrong in other ways",
            self.others,
            number=self.others,
        ).worded(language)


def _template(message: Message) -> Hashable:
    """What a message says, without what stands in it but for messages."""
    within = [_template(value) for value in message.values.values() if isinstance(value, Message)]
    return (message.text, *within)
