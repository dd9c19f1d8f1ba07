"""The results of judging: open scores, barred scores with reasons, and verdicts on whole items.

The functions return plain values for the command line. A verdict has these keys:

- `open`: the open scores
- `barred`: each barred score with the reasons and the clause ids, each id once
- `remarks`: remarks on open scores
- `overridden`: forces that lost to a higher precedence
- `forced`: the score that a force sets, or null
- `excluded`, if any: checks that count as not answered, because those that force the score exclude
  them
- `missing`: the codes of the checks that still need an answer

An item has `targets`, the verdicts in order. Its `out_of_order` lists the pairs of targets whose
scores contradict a rule, by their index from 0. For input that cannot be judged, `error` is the
message, `checks` are the checks at fault, and `clauses` are the clauses that forbid them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .kinds import Effect
from .plain import Entries, Plain


class BindingTarget(NamedTuple):
    """The target that another one must score worse than."""

    key: str
    score: int | None  # None if it has no open one


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a bar or a remark: the rule, its clause, and the text to show."""

    clause: str
    rule: str
    effect: Effect
    text: str
    line: str = ""  # what stands under the scores instead of a longer text
    not_yet: str = ""  # what the score still needs, in few words
    reading: str = ""  # the code of the guidance that it rests on
    binding_target: BindingTarget | None = None  # only of a rank_below rule

    @property
    def short_text(self) -> str:
        """The line to show under the scores."""
        return self.line or self.text


@dataclass(frozen=True, slots=True)
class Bar:
    """A score that is not open, with every rule that bars it."""

    score: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A question about open scores, asked once. The annotator may ignore it."""

    scores: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A fact that does not go with those that force the score. It counts as not answered."""

    fact: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """The open and the barred scores of one target, given its checks."""

    open: tuple[int, ...]  # empty at most while answers are missing, if the rubric was proved
    barred: tuple[Bar, ...]
    remarks: tuple[Remark, ...]
    overridden: tuple[Reason, ...] = ()  # forces that lost to a higher precedence
    missing: tuple[str, ...] = ()  # codes of the checks that still need an answer
    forced: int | None = None  # the score that a force sets
    applies: bool = field(default=True, repr=False)  # whether the dimension's condition holds
    forcing: frozenset[str] = field(default=frozenset(), repr=False)  # the facts that force it
    excluded: tuple[Exclusion, ...] = field(default=(), repr=False)  # do not go with those

    @property
    def automatic_score(self) -> int | None:
        """The score that stands without being entered: a forced one, once nothing is missing."""
        if self.missing:
            return None
        return self.forced

    def counted_facts(self, facts: frozenset[str]) -> frozenset[str]:
        """Return the facts without those that count as not answered."""
        return facts.difference(exclusion.fact for exclusion in self.excluded)

    def bars(self, score: int) -> tuple[Reason, ...]:
        """Return the reasons that bar a score, or () if it is open."""
        for bar in self.barred:
            if bar.score == score:
                return bar.reasons
        return ()

    def remarks_on(self, score: int) -> tuple[Reason, ...]:
        """Return the reasons of the remarks on a score."""
        return tuple(remark.reason for remark in self.remarks if score in remark.scores)

    @property
    def acting_reasons(self) -> tuple[Reason, ...]:
        """The reasons of all rules that bar a score, each once, in the rubric's order."""
        reasons: dict[Reason, None] = {}
        for bar in self.barred:
            reasons.update(dict.fromkeys(bar.reasons))
        return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Clash:
    """Checks that cannot hold together. Unless a force decides, one must be taken back."""

    checks: tuple[str, ...]
    clause: str
    text: str
    reading: str = ""  # as in `Reason`
    # Its code; that of the question, if both are answers to one.
    rule: str = field(default="", repr=False)

    @property
    def reason(self) -> Reason:
        return Reason(self.clause, self.rule, Effect.EXCLUDE, self.text, reading=self.reading)


@dataclass(frozen=True, slots=True)
class Clashes:
    """All clashes in one set of checks, returned instead of a verdict."""

    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class TargetState:
    """One target of an item with its answers so far."""

    key: str  # names the target within the item
    facts: frozenset[str]
    score: int | None = None  # as entered, if at all
    answered: frozenset[str] | None = None  # codes of the answered checks; None means all
    without: str = ""  # why it has no score even if a rule forces one: a `Without`


@dataclass(frozen=True, slots=True)
class OutOfOrder:
    """Two scores that contradict a `rank_below` rule."""

    lower: str  # the key of the target that must score below the other
    higher: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemRemark:
    """A remark about two targets of an item."""

    keys: tuple[str, str]
    reason: Reason


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """The judgement of all targets of an item in one dimension, by key, and of their order."""

    judgements: tuple[tuple[str, Verdict | Clashes], ...]
    out_of_order: tuple[OutOfOrder, ...] = ()
    remarks: tuple[ItemRemark, ...] = ()

    def of(self, key: str) -> Verdict | Clashes:
        """Return the judgement of a target, by its key."""
        for name, judgement in self.judgements:
            if name == key:
                return judgement
        raise LookupError(key)


def as_plain(judgement: Verdict | Clashes) -> Entries:
    """Return one judgement. If checks clash, it is a fault."""
    if isinstance(judgement, Clashes):
        return _clashes_as_plain(judgement.clashes)
    plain_remarks: list[Plain] = []
    for remark in judgement.remarks:
        plain_remarks.append({"scores": list(remark.scores), **_reason_as_plain(remark.reason)})
    plain: Entries = {
        "open": list(judgement.open),
        "barred": [_bar_as_plain(bar) for bar in judgement.barred],
        "remarks": plain_remarks,
        "overridden": [_reason_as_plain(reason) for reason in judgement.overridden],
        "forced": judgement.forced,
        "missing": list(judgement.missing),
    }
    if judgement.excluded:
        plain["excluded"] = [exclusion.fact for exclusion in judgement.excluded]
    return plain


def _clashes_as_plain(clashes: tuple[Clash, ...]) -> Entries:
    texts = []
    checks: list[str] = []
    for clash in clashes:
        texts.append(f"{', '.join(clash.checks)}: {clash.text}")
        checks += clash.checks
    clauses = [clash.clause for clash in clashes if clash.clause]
    return fault_as_plain("; ".join(texts), checks=_once(checks), clauses=_once(clauses))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in their order, each once."""
    return tuple(dict.fromkeys(names))


def _bar_as_plain(bar: Bar) -> Entries:
    clauses = [reason.clause for reason in bar.reasons if reason.clause]
    return {
        "score": bar.score,
        "clauses": list(_once(clauses)),
        "reasons": [reason.text for reason in bar.reasons],
    }


def _reason_as_plain(reason: Reason) -> Entries:
    return {"clause": reason.clause, "text": reason.text}


def item_as_plain(judged: ItemVerdict) -> Entries:
    """Return the judgements of one judged. The keys of its targets must be indexes from 0."""
    out_of_order: list[Plain] = []
    for pair in judged.out_of_order:
        keys = {"lower": int(pair.lower), "higher": int(pair.higher)}
        out_of_order.append({**keys, **_reason_as_plain(pair.reason)})
    plain_targets: list[Plain] = [as_plain(judgement) for _key, judgement in judged.judgements]
    return {"targets": plain_targets, "out_of_order": out_of_order}


def fault_as_plain(
    text: str, *, checks: tuple[str, ...] = (), clauses: tuple[str, ...] = ()
) -> Entries:
    """Return why something cannot be judged."""
    return {"error": text, "checks": list(checks), "clauses": list(clauses)}
