"""A profile of a column: what its values are like, counted in bounded memory.

`profile.py` adds the values of all rows one by one, a million times and more, so this is plain and
fast. Short values are counted as they are, longer ones by their hash. No Django.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Any

from .sample import MOST_LEVELS
from .turn_keys import is_turns

MOST_DIFFERENT = 1_000  # values of a column that are counted one by one
SHORT = 60  # characters of a text that is counted as it is
EXAMPLES = 5
NUMBER = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?(?:[eE][+-]?\d{1,2})?")


class ValueKind(StrEnum):
    """Kinds of values."""

    TEXT = "text"
    WHOLE = "whole number"
    DECIMAL = "decimal"
    BOOLEAN = "true or false"
    TURNS = "turns"
    TEXTS = "list of texts"
    NUMBERS = "list of numbers"
    OTHER = "other"


WORDS = (ValueKind.TEXT, ValueKind.TURNS, ValueKind.TEXTS)


@dataclass(slots=True)
class ColumnProfile:
    """All that a column holds, in short."""

    path: str
    most: int = MOST_DIFFERENT  # values that are counted one by one
    number: int = 0  # of values, empty ones too
    filled: int = 0
    letters: int = 0  # of all texts together
    counts: dict[str, int] = field(default_factory=dict)  # of short values, as texts
    marks: dict[int, int] = field(default_factory=dict)  # counts of longer ones
    uncounted: int = 0  # values that came when enough others were counted
    kinds: Counter[ValueKind] = field(default_factory=Counter)
    lowest: float | None = None
    highest: float | None = None
    examples: list[object] = field(default_factory=list)
    list_entries: "ColumnProfile | None" = None  # of all lists in it

    def add(self, value: object) -> None:
        """Take in one value."""
        self.number += 1
        if value is None or value == "" or value == [] or value == {}:
            return
        self.filled += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(value)
        if type(value) is not str:
            self._add_other(value)
            return
        size = len(value)
        self.letters += size
        if size > SHORT:
            self.kinds[ValueKind.TEXT] += 1
            self._count(self.marks, hash(value))
        else:
            self._add_short(value, kind_of(value))

    @property
    def distinct(self) -> int:
        """How many different values there are, at most."""
        return len(self.counts) + len(self.marks) + self.uncounted

    @property
    def totals(self) -> tuple[object, ...]:
        """All that is counted of its values in every row."""
        return self.number, self.filled, self.letters, self.counts, self.marks

    @property
    def mean_length(self) -> float:
        """The characters of a text on average."""
        return self.letters / max(1, self.filled)

    def share(self, *kinds: ValueKind) -> float:
        """Return how much of what is filled is of some kinds."""
        return sum(self.kinds[kind] for kind in kinds) / max(1, self.filled)

    def _add_short(self, text: str, value_kind: ValueKind) -> None:
        self.kinds[value_kind] += 1
        if self._count(self.counts, text) and value_kind in (ValueKind.WHOLE, ValueKind.DECIMAL):
            number = float(text.replace(",", "."))
            self.lowest = number if self.lowest is None else min(number, self.lowest)
            self.highest = number if self.highest is None else max(number, self.highest)

    def _add_other(self, value: object) -> None:
        if isinstance(value, bool):
            self._add_short(str(value), ValueKind.BOOLEAN)
        elif isinstance(value, int | float | Decimal):
            text = str(value)
            kind = kind_of(text)
            self._add_short(text, ValueKind.OTHER if kind is ValueKind.TEXT else kind)
        else:
            self.kinds[self._kind_of_list(value)] += 1
            self._count(self.marks, hash(as_text(value)))

    def _kind_of_list(self, value: object) -> ValueKind:
        if is_turns(value):
            self.letters += len(as_text(value))
            return ValueKind.TURNS
        if not isinstance(value, list) or self.path.endswith("[*]" * MOST_LEVELS):
            return ValueKind.OTHER
        inner = self.list_entries = self.list_entries or ColumnProfile(f"{self.path}[*]", self.most)
        for entry in value:
            inner.add(entry)
        if all(isinstance(entry, str | None) for entry in value):
            self.letters += sum(len(entry or "") for entry in value)
            return ValueKind.TEXTS
        numbers = all(isinstance(entry, int | Decimal | None) for entry in value)
        return ValueKind.NUMBERS if numbers else ValueKind.OTHER

    def _count(self, value_counts: dict[Any, int], value_key: object) -> bool:
        """Count a value. Return whether it was not counted before."""
        if value_key in value_counts:
            value_counts[value_key] += 1
            return False
        if len(value_counts) < self.most:
            value_counts[value_key] = 1
        else:
            self.uncounted += 1
        return True


def as_text(value: object) -> str:
    """Return a value as text, to compare it; "" if it is nested so deeply that it is refused."""
    try:
        return repr(value)
    except RecursionError:
        return ""


@lru_cache(maxsize=10_000)
def kind_of(text: str) -> ValueKind:
    """Return the kind of a short text."""
    stripped = text.strip()
    if NUMBER.fullmatch(stripped):
        return ValueKind.WHOLE if stripped.lstrip("+-").isdigit() else ValueKind.DECIMAL
    return ValueKind.BOOLEAN if stripped.casefold() in ("true", "false") else ValueKind.TEXT
