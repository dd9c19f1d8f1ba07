"""Group errors by kind, so that an error in every row is not reported for each. No Django."""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from .message import Language, Message, ngettext_lazy
from .rows import LineError

MOST_KINDS = 100
MOST_SAMPLES = 3  # errors of a kind that are reported in full
MOST_LINES = 10  # lines of further errors that are listed

_PLACE = re.compile(r"\[\d+\]")


@dataclass(slots=True)
class FaultKind:
    """The errors of one kind."""

    samples: list[LineError] = field(default_factory=list)  # the first ones
    number: int = 0  # of all errors of this kind
    lines: list[int] = field(default_factory=list)  # the first lines of the other errors

    def add(self, error: LineError) -> None:
        self.number += 1
        if len(self.samples) < MOST_SAMPLES:
            self.samples.append(error)
        elif len(self.lines) < MOST_LINES and error.line not in self.lines:  # a line may be a list
            self.lines.append(error.line)

    def rest(self, language: Language) -> str:
        """Return a sentence about the errors that are no samples, or "" if there are none."""
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
    """All errors of a file, with MOST_KINDS kinds in memory at most."""

    by_kind: dict[Hashable, FaultKind] = field(default_factory=dict)
    others: int = 0  # errors of further kinds

    def add(self, error: LineError) -> None:
        key = (_PLACE.sub("[]", error.column), _template(error.reason), _template(error.advice))
        if key not in self.by_kind:
            if len(self.by_kind) == MOST_KINDS:
                self.others += 1
                return
            self.by_kind[key] = FaultKind()
        self.by_kind[key].add(error)

    @property
    def kinds(self) -> list[FaultKind]:
        """The kinds in the order of their first lines."""
        return list(self.by_kind.values())

    @property
    def number(self) -> int:
        return sum(kind.number for kind in self.kinds) + self.others

    @property
    def is_cut(self) -> bool:
        """True if some errors are not reported in full."""
        return bool(self.others) or any(kind.number > len(kind.samples) for kind in self.kinds)

    def rest(self, language: Language) -> str:
        """Return a sentence about the errors of further kinds, or "" if there are none."""
        if not self.others:
            return ""
        return ngettext_lazy(
            "%(number)s more row is wrong in another way",
            "%(number)s more rows are wrong in other ways",
            self.others,
            number=self.others,
        ).worded(language)


def _template(message: Message) -> Hashable:
    """Return a key for a message without its values, except values that are messages."""
    within = [_template(value) for value in message.values.values() if isinstance(value, Message)]
    return (message.text, *within)
