"""What holds between the responses of one item (RQ-11): up to six, with any checks that can hold
together.

The promise: whatever was ticked, scores can be given; and nothing is taken away that some order
could have used.
"""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings, strategies as st

from rubrics.rules import judge, judge_item
from rubrics.schema import Clashes, Dimension, Judged, Verdict
from tests.verdicts import response_quality

Facts = frozenset[str]
FACTS = [
    "comprehensive",
    "nonsensical",
    "irrelevant",
    "repeats_itself",
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "missing_disclaimer",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "not_neutral",
    "late_disclaimer",
    "style_error",
]
FORCING = {"harmful", "empty", "nonsensical", "irrelevant", "plagiarised"}
FAULTS = FORCING | {
    "repeats_itself",
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "missing_disclaimer",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "not_neutral",
    "false_claim",
    "unhelpful",
    "late_disclaimer",
    "style_error",
}


@st.composite
def checks(draw: st.DrawFn) -> Facts:
    if draw(st.integers(0, 19)) == 0:
        return frozenset({"empty"})
    # Few checks at a time: an item full of faults has no faultless response to be ranked below.
    facts = set(draw(st.lists(st.sampled_from(FACTS), max_size=4)))
    facts |= {
        draw(st.sampled_from(["helpful", "unhelpful", ""])),
        draw(st.sampled_from(["harmless", "harmful", ""])),
        draw(st.sampled_from(["honest", "false_claim", "plagiarised", ""])),
    }
    if draw(st.booleans()):
        facts.add("repeats_itself")
    facts.discard("")
    if "plagiarised" in facts:
        facts.discard("helpful")
    if "missing_disclaimer" in facts:
        facts.discard("late_disclaimer")
    return frozenset(facts)


items = st.lists(checks(), min_size=1, max_size=6)
# Items in which the order binds: faultless responses beside repeating ones.
affirmations = st.sets(st.sampled_from(["helpful", "harmless", "honest", "comprehensive"]))
binding_items = st.lists(
    st.one_of(
        affirmations.map(frozenset),
        affirmations.map(lambda facts: frozenset({*facts, "repeats_itself"})),
    ),
    min_size=2,
    max_size=6,
)


def judged(dimension: Dimension, item: list[Facts]) -> tuple[list[Verdict], list[Verdict]]:
    """Each response by itself, and after what holds between them."""
    alone = [judge(dimension, facts) for facts in item]
    together = judge_item(
        dimension, [Judged(str(place), facts) for place, facts in enumerate(item)]
    )
    narrowed = [together.of(str(place)) for place in range(len(item))]
    assert not any(isinstance(verdict, Clashes) for verdict in (*alone, *narrowed))
    return alone, narrowed  # type: ignore[return-value]


def forced(facts: Facts) -> int | None:
    if facts & (FORCING - {"plagiarised"}):
        return 1
    return 3 if "plagiarised" in facts else None


def ordered(item: list[Facts]) -> list[tuple[int, int]]:
    """(the repeating, the other): the pairs that RQ-11 orders, said afresh from the clause."""
    return [
        (low, high)
        for low, facts in enumerate(item)
        if "repeats_itself" in facts and forced(facts) is None
        for high, others in enumerate(item)
        if "repeats_itself" not in others and forced(others) != 1
    ]


def narrowing(item: list[Facts]) -> list[tuple[int, int]]:
    """Those pairs whose other response is without a fault: only they bar scores."""
    return [(low, high) for low, high in ordered(item) if not item[high] & FAULTS]


def in_order(low: int, high: int) -> bool:
    return low < high or low == high == 2


@given(st.one_of(items, binding_items))
@settings(max_examples=400)
def test_scores_that_satisfy_rq_11_always_exist(item: list[Facts]) -> None:
    _, narrowed = judged(response_quality(), item)
    assert all(verdict.open for verdict in narrowed)
    lowest_or_highest = [
        min(verdict.open) if "repeats_itself" in facts else max(verdict.open)
        for facts, verdict in zip(item, narrowed, strict=True)
    ]
    assert all(
        in_order(lowest_or_highest[low], lowest_or_highest[high]) for low, high in ordered(item)
    )


@given(st.one_of(items, binding_items).filter(lambda item: len(item) <= 4))
@settings(max_examples=200)
def test_exactly_what_no_order_could_hold_is_barred(item: list[Facts]) -> None:
    """By brute force: a score stays open if and only if some scores of the others go with it."""
    alone, narrowed = judged(response_quality(), item)
    possible: list[set[int]] = [set() for _ in item]
    for scores in product(*(verdict.open for verdict in alone)):
        if all(in_order(scores[low], scores[high]) for low, high in narrowing(item)):
            for place, score in enumerate(scores):
                possible[place].add(score)
    assert [set(verdict.open) for verdict in narrowed] == possible


@given(st.one_of(items, binding_items))
@settings(max_examples=200)
def test_what_the_order_bars_it_bars_with_rq_11_and_adds_to_what_was_barred(
    item: list[Facts],
) -> None:
    alone, narrowed = judged(response_quality(), item)
    for before, after in zip(alone, narrowed, strict=True):
        for score in range(1, 8):
            if score in after.open:
                assert score in before.open
            elif score in before.open:
                assert [reason.clause for reason in after.bars(score)] == ["RQ-11"]
            else:
                assert after.bars(score) == before.bars(score)
        assert {remark.reason for remark in after.remarks} <= {
            remark.reason for remark in before.remarks
        }
        assert all(set(remark.scores) <= set(after.open) for remark in after.remarks)
        assert (after.forced, after.overridden, after.missing) == (
            before.forced,
            before.overridden,
            before.missing,
        )


@given(items, st.data())
@settings(max_examples=300)
def test_entered_scores_out_of_order_are_named_each_and_only_they(
    item: list[Facts], data: st.DataObject
) -> None:
    dimension = response_quality()
    scores: list[int | None] = []
    for facts in item:
        verdict = judge(dimension, facts)
        assert isinstance(verdict, Verdict)
        scores.append(data.draw(st.sampled_from([*verdict.open, None])))
    result = judge_item(
        dimension, [Judged(str(place), facts, scores[place]) for place, facts in enumerate(item)]
    )

    wrong = {
        (str(low), str(high))
        for low, high in ordered(item)
        if (below := scores[low]) is not None and (above := scores[high]) is not None
        if not in_order(below, above)
    }
    assert {(pair.lower, pair.higher) for pair in result.out_of_order} == wrong
    assert result.remarks == ()


@given(items)
@settings(max_examples=100)
def test_the_order_of_the_responses_changes_nothing(item: list[Facts]) -> None:
    _, narrowed = judged(response_quality(), item)
    _, reversed_ = judged(response_quality(), item[::-1])
    assert narrowed == reversed_[::-1]


def test_checks_that_clash_are_told_for_their_response_alone() -> None:
    clash = frozenset({"honest", "false_claim"})
    result = judge_item(
        response_quality(), [Judged("a", clash), Judged("b", frozenset({"repeats_itself"}))]
    )
    assert isinstance(result.of("a"), Clashes)
    below = result.of("b")
    assert isinstance(below, Verdict)
    assert below.open == (2, 3, 4, 5, 6)
