"""What holds between the responses of one item (RQ-11): up to six, with any checks that can hold
together.

The promise: whatever was ticked, scores can be given; and nothing is taken away that some order
could have used.
"""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from rubrics.judging.rules import judge, judge_item
from rubrics.judging.verdict import Clashes, TargetState, Verdict
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
    if facts & {"nonsensical", "irrelevant"}:
        facts -= {"helpful", "comprehensive"}
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


def judged(
    item: list[Facts], scores: list[int | None] | None = None
) -> tuple[list[Verdict], list[Verdict]]:
    """Each response by itself, and after what holds between them."""
    alone = [judge(response_quality(), facts) for facts in item]
    together = judge_item(response_quality(), targets(item, scores))
    narrowed = [together.of(str(place)) for place in range(len(item))]
    assert not any(isinstance(verdict, Clashes) for verdict in (*alone, *narrowed))
    return alone, narrowed  # type: ignore[return-value]


def targets(item: list[Facts], scores: list[int | None] | None = None) -> list[TargetState]:
    return [
        TargetState(str(place), facts, scores[place] if scores else None)
        for place, facts in enumerate(item)
    ]


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


def in_order(low: int, high: int) -> bool:
    return low < high or low == high == 2


def entered(data: st.DataObject, item: list[Facts]) -> list[int | None]:
    """Some scores that each response leaves open by itself."""
    alone, _ = judged(item)
    return [data.draw(st.sampled_from([*verdict.open, None])) for verdict in alone]


def binding(place: int, item: list[Facts], scores: list[int | None]) -> int | None:
    """The score that counts as entered: an automatic one needs no entry."""
    return forced(item[place]) if scores[place] is None else scores[place]


@given(st.one_of(items, binding_items), st.data())
@settings(max_examples=300)
def test_every_offered_score_leaves_a_choice_with_which_the_item_can_be_submitted(
    item: list[Facts], data: st.DataObject
) -> None:
    """By brute force over what the form offers once a response has the offered score."""
    scores = entered(data, item)
    _, offered = judged(item, scores)
    place = data.draw(st.integers(0, len(item) - 1))
    for score in offered[place].open:
        chosen = [*scores]
        chosen[place] = score
        # Others may have to change their scores: only what each leaves open by itself is given.
        _, left = judged(item, [chosen[at] if at == place else None for at in range(len(item))])
        best = [
            score if at == place else (min if "repeats_itself" in facts else max)(left[at].open)
            for at, facts in enumerate(item)
        ]
        assert all(in_order(best[low], best[high]) for low, high in ordered(item))


@given(st.one_of(items, binding_items), st.data())
@settings(max_examples=300)
def test_exactly_what_no_open_score_of_the_others_goes_with_is_barred_to_a_repeater(
    item: list[Facts], data: st.DataObject
) -> None:
    """A sibling binds by its score, where it has one, else by its open scores."""
    scores = entered(data, item)
    alone, narrowed = judged(item, scores)
    for place, verdict in enumerate(alone):
        above = [
            (given_,) if (given_ := binding(high, item, scores)) is not None else alone[high].open
            for low, high in ordered(item)
            if low == place
        ]
        fitting = tuple(
            score
            for score in verdict.open
            if all(any(in_order(score, other) for other in others) for others in above)
        )
        assert narrowed[place].open == fitting, "2 always fits"


@given(st.one_of(items, binding_items), st.data())
@settings(max_examples=200)
def test_every_score_offered_to_a_repeater_goes_with_the_scores_entered(
    item: list[Facts], data: st.DataObject
) -> None:
    scores = entered(data, item)
    _, narrowed = judged(item, scores)
    for low, high in ordered(item):
        if (above := binding(high, item, scores)) is not None:
            assert all(in_order(score, above) for score in narrowed[low].open)


@given(st.one_of(items, binding_items))
@settings(max_examples=200)
def test_the_order_of_responses_only_bars_scores_and_names_rq_11(
    item: list[Facts],
) -> None:
    alone, narrowed = judged(item)
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
    scores = entered(data, item)
    result = judge_item(response_quality(), targets(item, scores))

    wrong = {
        (str(low), str(high))
        for low, high in ordered(item)
        if (below := scores[low]) is not None
        if (above := binding(high, item, scores)) is not None
        if not in_order(below, above)
    }
    assert {(pair.lower, pair.higher) for pair in result.out_of_order} == wrong
    assert result.remarks == ()


@given(items)
@settings(max_examples=100)
def test_the_order_of_the_responses_changes_nothing(item: list[Facts]) -> None:
    _, narrowed = judged(item)
    _, reversed_ = judged(item[::-1])
    assert [verdict.open for verdict in narrowed] == [verdict.open for verdict in reversed_[::-1]]


def test_checks_that_clash_are_told_for_their_response_alone() -> None:
    clash = frozenset({"honest", "false_claim"})
    result = judge_item(
        response_quality(),
        [TargetState("a", clash), TargetState("b", frozenset({"repeats_itself"}))],
    )
    assert isinstance(result.of("a"), Clashes)
    below = result.of("b")
    assert isinstance(below, Verdict)
    assert below.open == (2, 3, 4, 5, 6)
