"""The `rank_below` rules, which compare the targets of one item (clause RQ-11).

The clause says: a response that repeats itself ranks below those that do not. So the targets that
meet a rule's condition are its lower ones, and the others are its higher ones. It works in three
steps:

1. Each lower target is paired with each higher one, if both are fully answered (`ranked_pairs`).
2. A pair whose entered scores contradict the rule is reported (`pairs_out_of_order`).
3. The lower target of a pair loses the open scores that would contradict it (`narrowed`). A higher
   target loses none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from .dimension import Dimension
from .parts import Rule
from .reasons import reason_text
from .verdict import Bar, BindingTarget, Clashes, OutOfOrder, Reason, Remark, TargetState, Verdict


class RankedPair(NamedTuple):
    """The keys of two targets of an item, of which a rule ranks one below the other."""

    lower: str
    higher: str


def ranked_pairs(
    rule: Rule,
    dimension: Dimension,
    judgements: Mapping[str, Verdict | Clashes],
    targets: Mapping[str, TargetState],
) -> list[RankedPair]:
    """Return the pairs that the rule binds.

    The lower target meets the condition and is not forced. The higher target does not meet it and
    is not forced to the worst score. A target with missing answers or no open score is in no pair,
    nor is one that goes without a score.
    """
    worst_score = _worst_score(dimension)
    lower_keys = []
    higher_keys = []
    for key, verdict in judgements.items():
        target = targets[key]
        if isinstance(verdict, Clashes) or not verdict.open or verdict.missing or target.without:
            continue
        if rule.when.holds(verdict.counted_facts(target.facts)):
            if verdict.forced is None:
                lower_keys.append(key)
        elif verdict.forced != worst_score:
            higher_keys.append(key)
    pairs = []
    for lower in lower_keys:
        for higher in higher_keys:
            pairs.append(RankedPair(lower, higher))
    return pairs


def bound_targets(
    rule: Rule,
    dimension: Dimension,
    judgements: Mapping[str, Verdict | Clashes],
    targets: Mapping[str, TargetState],
) -> set[str]:
    """Return the lower targets if another target binds them, or may do so once it is answered.

    Only the remarks of `unbound` rules depend on it, so the set is empty where there are none.
    """
    if not any(target_rule.unbound for target_rule in dimension.target_rules):
        return set()
    worst_score = _worst_score(dimension)
    lower_keys = {key for key, target in targets.items() if rule.when.holds(target.facts)}
    for key, judgement in judgements.items():
        can_be_above = isinstance(judgement, Clashes) or judgement.forced != worst_score
        if can_be_above and key not in lower_keys and not targets[key].without:
            return lower_keys
    return set()


def in_order(rule: Rule, dimension: Dimension, lower_score: int, higher_score: int) -> bool:
    """Return True if the scores of a lower and a higher target respect the rule.

    The lower target's score must be worse. The rule's own score and those worse than it are always
    bad enough: with a `rank_below` of 2, two targets may both have 2.
    """
    if dimension.goodness(lower_score) < dimension.goodness(higher_score):
        return True
    if rule.score is None:
        return False
    return dimension.goodness(lower_score) <= dimension.goodness(rule.score)


def pairs_out_of_order(
    rule: Rule,
    dimension: Dimension,
    pairs: Iterable[RankedPair],
    judgements: Mapping[str, Verdict | Clashes],
    score_by_target: Mapping[str, int | None],
) -> list[OutOfOrder]:
    """Return the pairs whose scores contradict the rule.

    A score that another rule bars is in no order: it must be changed anyway.
    """
    reason = _reason(rule, dimension)
    out_of_order = []
    for pair in pairs:
        lower_score = _open_score(judgements[pair.lower], score_by_target[pair.lower])
        higher_score = _open_score(judgements[pair.higher], score_by_target[pair.higher])
        if lower_score is None or higher_score is None:
            continue
        if not in_order(rule, dimension, lower_score, higher_score):
            out_of_order.append(OutOfOrder(pair.lower, pair.higher, reason))
    return out_of_order


def narrowed(
    rule: Rule,
    dimension: Dimension,
    pairs: Iterable[RankedPair],
    judgements: Mapping[str, Verdict | Clashes],
    score_by_target: Mapping[str, int | None],
) -> dict[str, Verdict | Clashes]:
    """Return the judgements, in which lower targets have only scores that respect the rule.

    The higher target of a pair binds by its score if that is open, else by its best open score.
    """
    reason = _reason(rule, dimension)
    after = dict(judgements)
    for pair in pairs:
        lower = after[pair.lower]
        higher = after[pair.higher]
        assert isinstance(lower, Verdict)
        assert isinstance(higher, Verdict)
        higher_score = _open_score(higher, score_by_target[pair.higher])
        if higher_score is None:
            higher_score = max(higher.open, key=dimension.goodness)
        remaining = []
        for lower_score in lower.open:
            if in_order(rule, dimension, lower_score, higher_score):
                remaining.append(lower_score)
        # If a rubric leaves no score, the proof reports that fault. Here the scores stay open,
        # and judge_item still reports entered scores that contradict the rule.
        if remaining:
            binding_target = BindingTarget(pair.higher, score_by_target[pair.higher])
            binding_reason = replace(reason, binding_target=binding_target)
            after[pair.lower] = _without_others(lower, remaining, binding_reason)
    return after


def _reason(rule: Rule, dimension: Dimension) -> Reason:
    """Return the rule's reason, for a target that meets its condition."""
    return reason_text(rule, dimension, frozenset(rule.when.positive))


def _worst_score(dimension: Dimension) -> int:
    return min(dimension.scores, key=dimension.goodness)


def _open_score(judgement: Verdict | Clashes, score: int | None) -> int | None:
    """Return a score of a target, or None if it has none or another rule bars it."""
    if isinstance(judgement, Verdict) and score in judgement.open:
        return score
    return None


def _without_others(verdict: Verdict, remaining: Sequence[int], reason: Reason) -> Verdict:
    """Return a verdict in which only the remaining scores are open; a reason bars the others."""
    barred = list(verdict.barred)
    for score in verdict.open:
        if score not in remaining:
            barred.append(Bar(score, (reason,)))
    barred.sort(key=lambda bar: bar.score)
    remarks = []
    for remark in verdict.remarks:
        scores = tuple(score for score in remark.scores if score in remaining)
        if scores:
            remarks.append(Remark(scores, remark.reason))
    return replace(verdict, open=tuple(remaining), barred=tuple(barred), remarks=tuple(remarks))
