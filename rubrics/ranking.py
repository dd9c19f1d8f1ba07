"""The order that a `rank_below` rule asks of the targets of one item (RQ-11)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .reasons import stated
from .schema import Bar, Clashes, Dimension, Judged, OutOfOrder, Reason, Remark, Rule, Verdict

Pair = tuple[str, str]  # the keys of the target that a rule ranks below, and of the one above it


def ranked(
    rule: Rule,
    dimension: Dimension,
    judgements: Mapping[str, Verdict | Clashes],
    targets: Mapping[str, Judged],
) -> Iterator[Pair]:
    """Return the pairs (lower, higher) that the rule binds.

    The lower target meets the condition and is not forced. The higher target does not meet it and
    is not forced to the worst score. A target with missing answers or no open score is in no pair,
    nor is one that goes without a score.
    """
    answered = [
        (key, verdict.forced, rule.when.holds(verdict.counted(targets[key].facts)))
        for key, verdict in judgements.items()
        if isinstance(verdict, Verdict) and verdict.open and not verdict.missing
        if not targets[key].without
    ]
    lower = [key for key, forced, meets in answered if meets and forced is None]
    higher = [
        key
        for key, forced, meets in answered
        if not meets and forced != min(dimension.scores, key=dimension.merit)
    ]
    return ((low, high) for low in lower for high in higher)


def bound_by(
    rule: Rule,
    dimension: Dimension,
    judgements: Mapping[str, Verdict | Clashes],
    targets: Mapping[str, Judged],
) -> set[str]:
    """Return the targets that another one binds, or may bind once it is fully answered."""
    if not any(remark.unbound for remark in dimension.deciding):
        return set()
    worst = min(dimension.scores, key=dimension.merit)
    lower = {key for key, target in targets.items() if rule.when.holds(target.facts)}
    binding = {
        key
        for key, judgement in judgements.items()
        if key not in lower and not targets[key].without
        if isinstance(judgement, Clashes) or judgement.forced != worst
    }
    return lower if binding else set()


def in_order(rule: Rule, dimension: Dimension, low: int, high: int) -> bool:
    """Return True if the scores `low` and `high` of a lower and a higher target respect the rule.

    A low score that is no better than the rule's own score always passes.
    """
    return dimension.merit(low) < dimension.merit(high) or (
        rule.score is not None and dimension.merit(low) <= dimension.merit(rule.score)
    )


def put_in_order(
    rule: Rule,
    dimension: Dimension,
    pairs: Sequence[Pair],
    judgements: dict[str, Verdict | Clashes],
    scores: Mapping[str, int | None],
) -> Iterator[OutOfOrder]:
    """Narrow the lower target of each pair; yield the pairs whose scores contradict the rule.

    The higher target binds by its score if that is open, else by its best open score. A score
    that another rule bars is in no order: it must be changed anyway.
    """
    reason = stated(rule, dimension, frozenset(rule.when.positive))
    own = {key: each.open for key, each in judgements.items() if isinstance(each, Verdict)}
    for low, high in pairs:
        above = score if (score := scores[high]) in own[high] else None
        bound = max(own[high], key=dimension.merit) if above is None else above
        if above is not None and (below := scores[low]) in own[low]:
            assert below is not None
            if not in_order(rule, dimension, below, above):
                yield OutOfOrder(low, high, reason)
        verdict = judgements[low]
        assert isinstance(verdict, Verdict)
        remaining = tuple(
            score for score in verdict.open if in_order(rule, dimension, score, bound)
        )
        # If a rubric leaves no score, the proof reports that fault. Here the scores stay open,
        # and judge_item still reports entered scores that contradict the rule.
        if remaining:
            judgements[low] = _bar(verdict, remaining, replace(reason, beside=(high, above)))


def _bar(verdict: Verdict, remaining: tuple[int, ...], reason: Reason) -> Verdict:
    barred = (
        *verdict.barred,
        *(Bar(score, (reason,)) for score in verdict.open if score not in remaining),
    )
    return replace(
        verdict,
        open=remaining,
        barred=tuple(sorted(barred, key=lambda bar: bar.score)),
        remarks=tuple(
            Remark(scores, remark.reason)
            for remark in verdict.remarks
            if (scores := tuple(score for score in remark.scores if score in remaining))
        ),
    )
