"""How far the answers of a case lie apart: spread, checks, saw or concluded, by clause."""

from __future__ import annotations

from hypothesis import given, strategies as st

from rubrics.judging.case_figures import (
    NO_COMMON_SCALE,
    CaseFigures,
    ScoredAnswer,
    checks_without_majority,
    figures_of,
    lower_median,
    majority_checks,
    saw_different_things,
    scores_left_open,
)
from rubrics.judging.dimension import Dimension
from tests.factories import rubric_document

QUALITY = rubric_document("response-quality").dimensions[0]


def best_with(*ticks: str, **answers: str) -> dict[str, str]:
    """All questions with their best answer but those named, and these ticks."""
    checks = {}
    for check in (*QUALITY.shared, *QUALITY.checks):
        if check.best:
            checks[check.code] = check.best
    return {**checks, **answers, **dict.fromkeys(ticks, "yes")}


def answer(value: int | None, *ticks: str, without: str = "") -> ScoredAnswer:
    return ScoredAnswer(value, without, best_with(*ticks))


def test_spread_is_the_distance_between_the_lowest_and_the_highest_score() -> None:
    figures = figures_of(QUALITY, [answer(6), answer(7), answer(5)])
    assert (figures.spread, figures.squares, figures.pairs) == (2, 1 + 1 + 4, 3)


def test_equal_answers_differ_in_nothing() -> None:
    assert figures_of(QUALITY, [answer(6), answer(6)]) == CaseFigures()
    assert not figures_of(QUALITY, [answer(6)]).differs_at_all


def test_a_score_beside_no_score_is_further_than_any_two_scores() -> None:
    figures = figures_of(QUALITY, [answer(6), answer(None, without="blank"), answer(7)])
    assert figures.is_mixed
    assert figures.spread == 1
    assert answer(1).distance(answer(None), QUALITY) == NO_COMMON_SCALE


def test_people_saw_different_things_if_no_score_is_open_under_the_checks_of_both() -> None:
    nonsense = best_with("nonsensical")
    assert scores_left_open(QUALITY, nonsense) == {1}
    assert saw_different_things(QUALITY, nonsense, best_with())
    assert not saw_different_things(QUALITY, best_with(), best_with())


def test_a_case_is_what_its_two_farthest_answers_are() -> None:
    seen = figures_of(QUALITY, [answer(1, "nonsensical"), answer(6), answer(7)])
    assert seen.is_seen
    assert (seen.pairs, seen.seen_pairs) == (3, 2)
    concluded = figures_of(QUALITY, [answer(5), answer(7)])
    assert (concluded.is_seen, concluded.seen_pairs) == (False, 0)


def test_a_forced_score_that_others_did_not_give_makes_a_case() -> None:
    assert figures_of(QUALITY, [answer(1, "nonsensical"), answer(2)]).is_forced_apart
    assert not figures_of(
        QUALITY, [answer(1, "nonsensical"), answer(1, "nonsensical")]
    ).is_forced_apart
    assert not figures_of(QUALITY, [answer(5), answer(7)]).is_forced_apart


def test_checks_differ_whatever_way_a_tick_is_left_out() -> None:
    left_out = ScoredAnswer(6, "", best_with(language_error="no"))
    assert figures_of(QUALITY, [left_out, answer(6)]).checks == ()
    assert figures_of(QUALITY, [answer(3, "language_error"), answer(6)]).checks == (
        "language_error",
    )


def test_a_clause_says_which_spread_is_left_if_all_had_answered_it_alike() -> None:
    """Two of three ticked the error, so the third ticks it too, and 7 becomes 4: RQ-12 bars it."""
    error = QUALITY.check("language_error").clauses
    answers = [answer(3, "language_error"), answer(4, "language_error"), answer(7)]
    figures = figures_of(QUALITY, answers)
    assert figures.spread == 4
    left = {figures.spread_without[clause] for clause in error}
    assert left == {1}


def test_a_clause_leaves_people_forced_apart_if_another_check_still_does() -> None:
    """Nonsense forces a 1, whatever all say of the language; alike, nobody is forced."""
    answers = [answer(1, "nonsensical", "language_error"), answer(3), answer(4)]
    figures = figures_of(QUALITY, answers)
    error = QUALITY.check("language_error").clauses[0]
    nonsense = QUALITY.check("nonsensical").clauses[0]
    assert figures.is_forced_apart
    assert figures.spread_without[error] == NO_COMMON_SCALE
    assert figures.spread_without[nonsense] < figures.spread


def test_a_forced_score_that_nobody_gave_has_its_clauses_too() -> None:
    figures = figures_of(QUALITY, [answer(5, "nonsensical"), answer(5)])
    assert (figures.pairs, figures.is_forced_apart) == (0, True)
    assert set(figures.spread_without) == {*QUALITY.check("nonsensical").clauses}


def test_checks_without_a_majority_are_named() -> None:
    assert checks_without_majority(QUALITY, [answer(3, "language_error"), answer(7)]) == [
        "language_error"
    ]
    assert checks_without_majority(QUALITY, [answer(3), answer(7)]) == []


def test_the_median_of_an_even_number_is_the_lower_middle() -> None:
    assert (lower_median([7, 4]), lower_median([7, 5, 4]), lower_median([7, 6, 5, 4])) == (4, 5, 5)


def test_checks_without_a_majority_have_none() -> None:
    assert majority_checks(QUALITY, [answer(3, "language_error"), answer(7)]) is None
    three = [answer(3, "language_error"), answer(4, "language_error"), answer(7)]
    assert (majority_checks(QUALITY, three) or {})["language_error"] == "yes"


def test_a_tick_that_is_stored_as_no_counts_as_none_in_a_majority() -> None:
    stored = ScoredAnswer(6, "", best_with(language_error="no"))
    answers = [stored, answer(6), answer(3, "language_error")]
    checks = majority_checks(QUALITY, answers)
    assert checks is not None
    assert "language_error" not in checks


def dimensions() -> list[Dimension]:
    every = rubric_document("response-quality").dimensions + rubric_document("dialogue").dimensions
    return [dimension for dimension in every if dimension.scores]


@given(st.data())
def test_figures_do_not_depend_on_the_order_of_the_answers(data: st.DataObject) -> None:
    dimension = data.draw(st.sampled_from(dimensions()))
    codes = [check.code for check in dimension.checks]
    one = st.builds(
        ScoredAnswer,
        value=st.sampled_from([None, *dimension.scores]),
        check_answers=st.dictionaries(st.sampled_from(codes), st.sampled_from(["yes", "no"]))
        if codes
        else st.just({}),
    )
    answers = data.draw(st.lists(one, min_size=2, max_size=4))
    there = figures_of(dimension, answers)
    back = figures_of(dimension, answers[::-1])
    for name in (
        "spread",
        "is_mixed",
        "is_forced_apart",
        "checks",
        "pairs",
        "seen_pairs",
        "squares",
    ):
        assert getattr(there, name) == getattr(back, name)
    assert there.seen_pairs <= there.pairs <= len(answers) * (len(answers) - 1) // 2
