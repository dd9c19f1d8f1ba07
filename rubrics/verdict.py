"""What judging gives: scores left open, scores barred with the reasons, and what holds within an
item. Import them from `rubrics.schema`."""

from __future__ import annotations

from dataclasses import dataclass

from .kinds import Effect


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a score is barred, or what is remarked: the rule, its clause, and the words shown."""

    clause: str
    rule: str
    effect: Effect
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A score that is not open, with every rule that bars it."""

    score: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said, once, of an open score; the annotator may go on."""

    scores: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be scored, given the checks.

    `open` is never empty. `forced` is the score that a force sets. `overridden` are the forces that
    a higher precedence beat. `missing` are the codes of checks that must still be answered.
    """

    open: tuple[int, ...]
    barred: tuple[Bar, ...]
    remarks: tuple[Remark, ...]
    overridden: tuple[Reason, ...] = ()
    missing: tuple[str, ...] = ()
    forced: int | None = None

    def bars(self, score: int) -> tuple[Reason, ...]:
        """The reasons that bar a score; empty where it is open."""
        return next((bar.reasons for bar in self.barred if bar.score == score), ())

    def remarks_on(self, score: int) -> tuple[Reason, ...]:
        return tuple(remark.reason for remark in self.remarks if score in remark.scores)

    @property
    def acting(self) -> tuple[Reason, ...]:
        """Every rule that bars something, once, in the rubric's order."""
        return tuple(dict.fromkeys(reason for bar in self.barred for reason in bar.reasons))


@dataclass(frozen=True, slots=True)
class Clash:
    """Checks that cannot hold together. Nothing can be judged until one is taken back."""

    checks: tuple[str, ...]
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Clashes:
    """All that clashes in one set of checks; stands in the place of a verdict."""

    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One target of an item as answered so far: `key` names it within the item.

    `answered`: codes of the asked checks that have an answer (None: all have). `score`: the score
    entered, if any.
    """

    key: str
    facts: frozenset[str]
    score: int | None = None
    answered: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class OutOfOrder:
    """Two scores that contradict a `rank_below`: `lower` must score below `higher`."""

    lower: str
    higher: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemRemark:
    """A remark that concerns two targets of an item."""

    keys: tuple[str, str]
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """One dimension over all targets of an item: the judgement of each, by key, and what holds
    between."""

    judgements: tuple[tuple[str, Verdict | Clashes], ...]
    out_of_order: tuple[OutOfOrder, ...] = ()
    remarks: tuple[ItemRemark, ...] = ()

    def of(self, key: str) -> Verdict | Clashes:
        return next(judgement for name, judgement in self.judgements if name == key)
