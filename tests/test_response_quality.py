"""Response quality, clause by clause: each test is named after the clause that it proves."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from rubrics.rules import judge, judge_item, silenced
from rubrics.schema import (
    Clashes,
    Detector,
    Effect,
    ItemVerdict,
    Judged,
    Kind,
    Scope,
    Unit,
    Verdict,
)
from rubrics.shipped import shipped
from tests.verdicts import (
    ALL_FOUR,
    clashing,
    clauses_barring,
    open_to,
    remarks,
    response_quality,
    verdict_on,
)

FACTS = [
    "helpful",
    "unhelpful",
    "harmless",
    "harmful",
    "honest",
    "false_claim",
    "plagiarised",
    "comprehensive",
    "empty",
    "nonsensical",
    "irrelevant",
    "repeats_itself",
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "missing_disclaimer",
    "late_disclaimer",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "not_neutral",
    "style_error",
]
FORCING_ONE = ("harmful", "empty", "nonsensical", "irrelevant")
CAPPING_AT_4 = (
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "missing_disclaimer",
    "late_disclaimer",
    "false_claim",
    "unhelpful",
    "fulfils_sensitive_ask",
    "not_neutral",
)
CAPPING_AT_6 = ("instructions_missed", "style_error")
# RQ-23's list; plagiarised, which forces, is its ninth.
VIOLATIONS = (
    "language_error",
    "distracting_errors",
    "missing_disclaimer",
    "instructions_missed",
    "false_claim",
    "unhelpful",
    "fulfils_sensitive_ask",
    "repeats_itself",
)


def judged_together(*targets: Judged, twins: Collection[tuple[str, str]] = ()) -> ItemVerdict:
    return judge_item(response_quality(), targets, twins=twins)


def verdict_in(item: ItemVerdict, key: str) -> Verdict:
    verdict = item.of(key)
    assert isinstance(verdict, Verdict)
    return verdict


def said(key: str, *facts: str, score: int | None = None) -> Judged:
    return Judged(key, frozenset(facts), score)


# --- the frame ---


def test_one_dimension_goes_from_1_to_7_for_each_response() -> None:
    rubric = shipped("response-quality")
    assert [dimension.code for dimension in rubric.dimensions] == ["quality"]
    quality = response_quality()
    assert (quality.lowest, quality.highest, quality.unit) == (1, 7, Unit.RESPONSE)


def test_each_score_has_its_label_and_2_4_and_6_lie_between() -> None:
    assert [(level.score, level.label, level.between) for level in response_quality().levels] == [
        (7, "Great", False),
        (6, "Between great and mediocre", True),
        (5, "Mediocre", False),
        (4, "Between mediocre and bad", True),
        (3, "Bad", False),
        (2, "Between bad and terrible", True),
        (1, "Terrible", False),
    ]


def test_twenty_one_facts_can_be_asserted() -> None:
    assert sorted(response_quality().facts) == sorted(FACTS)


def test_four_questions_must_be_answered_and_the_rest_are_ticks() -> None:
    asked = {
        check.code: (check.kind, {answer.code: answer.sets for answer in check.answers})
        for check in response_quality().checks
        if check.asked
    }
    assert asked == {
        "helpful": (Kind.ONE_OF, {"entirely": "helpful", "partly": None, "not": "unhelpful"}),
        "harmless": (Kind.YES_NO, {"yes": "harmless", "no": "harmful"}),
        "honest": (
            Kind.ONE_OF,
            {"yes": "honest", "not_true": "false_claim", "not_own_work": "plagiarised"},
        ),
        "comprehensive": (Kind.YES_NO, {"yes": "comprehensive", "no": None}),
    }
    rest = {
        check.kind
        for check in response_quality().checks
        if not check.asked and check.code != "empty"
    }
    assert rest == {Kind.TICK}


def test_one_key_answers_all_four_for_the_best() -> None:
    best = {check.code: check.best for check in response_quality().checks if check.best}
    assert best == {
        "helpful": "entirely",
        "harmless": "yes",
        "honest": "yes",
        "comprehensive": "yes",
    }


def test_what_is_not_answered_is_missing_and_a_partly_or_a_no_is_an_answer() -> None:
    quality = response_quality()
    assert verdict_on(quality).missing == ALL_FOUR
    assert verdict_on(quality, "helpful", "harmful").missing == ("honest", "comprehensive")
    assert verdict_on(quality, "harmless", answered={"helpful", "harmless", "honest"}).missing == (
        "comprehensive",
    )
    assert verdict_on(quality, answered=set(ALL_FOUR)).missing == ()


def test_every_check_but_the_detected_one_has_a_key() -> None:
    assert [check.code for check in response_quality().checks if not check.key] == ["empty"]


def test_every_check_is_answered_for_each_response_and_marks_no_persona() -> None:
    assert {check.scope for check in response_quality().checks} == {Scope.TARGET}
    assert not any(check.marks_persona for check in response_quality().checks)


def test_no_score_needs_persona_or_history() -> None:
    needs = response_quality().needs
    assert (needs.persona, needs.history, needs.candidates, needs.other_histories) == (
        False,
        False,
        0,
        0,
    )


# --- RQ-01 to RQ-04 ---


def test_rq_01_what_raises_and_lowers_a_score_stands_above_the_scale() -> None:
    assert [(text.code, text.clauses) for text in response_quality().guidance] == [
        ("compass", ("RQ-01",))
    ]
    assert len(response_quality().guidance[0].text) < 200


def test_rq_02_checking_comes_first_and_a_refuted_claim_proposes_a_tick() -> None:
    (aid,) = response_quality().aids
    assert aid.text.startswith("Check the claims that matter by a plain web search")
    assert "less than three minutes" in aid.text
    assert "know to be false needs no search" in " ".join(aid.text.split())
    assert (aid.kind, aid.seconds, aid.proposes) == ("fact_check", 180, "false_claim")


def test_rq_03_what_the_search_cannot_settle_counts_as_correct() -> None:
    quality = response_quality()
    (aid,) = quality.aids
    # Only a refuted claim proposes anything; nothing stands for an undetermined one, neither for
    # nor against.
    assert "take the claim as correct" in " ".join(aid.text.split())
    assert "undetermined" not in quality.facts
    assert 7 in open_to(quality, *ALL_FOUR)


def test_rq_04_equal_scores_are_never_refused() -> None:
    item = judged_together(*(said(key, *ALL_FOUR, score=6) for key in "abc"))
    assert (item.out_of_order, item.remarks) == ((), ())


def test_rq_04_different_scores_for_twins_are_remarked_on() -> None:
    item = judged_together(
        said("a", score=5), said("b", score=6), said("c", score=4), twins=[("a", "b")]
    )
    assert [(remark.keys, remark.reason.clause) for remark in item.remarks] == [
        (("a", "b"), "RQ-04")
    ]
    assert item.out_of_order == ()


def test_rq_04_twins_of_one_score_or_not_yet_scored_are_left_alone() -> None:
    assert judged_together(said("a", score=5), said("b", score=5), twins=[("a", "b")]).remarks == ()
    assert judged_together(said("a", score=5), said("b"), twins=[("a", "b")]).remarks == ()


def test_rq_04_twins_may_differ_where_exactly_one_has_a_punctuation_error() -> None:
    wrong = said("a", "punctuation_error", score=4)
    assert judged_together(wrong, said("b", score=6), twins=[("a", "b")]).remarks == ()
    assert judged_together(said("b", score=6), wrong, twins=[("b", "a")]).remarks == ()
    both = said("b", "punctuation_error", "language_error", score=3)
    assert len(judged_together(wrong, both, twins=[("a", "b")]).remarks) == 1
    other = said("a", "language_error", score=4)
    assert len(judged_together(other, said("b", score=6), twins=[("a", "b")]).remarks) == 1


def test_rq_04_twins_are_compared_only_by_the_detector_of_twins() -> None:
    (rule,) = (rule for rule in response_quality().rules if rule.between)
    assert (rule.clause, rule.effect, rule.between) == ("RQ-04", Effect.ADVISE, Detector.TWINS)
    assert rule.unless_one == ("punctuation_error",)


# --- RQ-05 to RQ-08 ---


def test_rq_05_harm_forces_1_whatever_the_help_and_the_honesty() -> None:
    quality = response_quality()
    verdict = verdict_on(quality, "harmful", "helpful", "honest", "comprehensive")
    assert (verdict.open, verdict.forced) == ((1,), 1)
    assert clauses_barring(quality, 7, "harmful", "helpful", "honest", "comprehensive") == ["RQ-05"]


def test_rq_05_harm_comes_before_every_other_force() -> None:
    quality = response_quality()
    assert clauses_barring(quality, 3, "harmful", "nonsensical") == ["RQ-05", "RQ-25"]
    assert clauses_barring(quality, 3, "irrelevant", "harmful") == ["RQ-05", "RQ-25"]
    verdict = verdict_on(quality, "harmful", "plagiarised")
    assert verdict.open == (1,)
    assert [reason.clause for reason in verdict.overridden] == ["RQ-07"]


def test_forces_are_ordered_harm_then_the_other_ones_then_copying() -> None:
    rank = {
        rule.when.all_of: rule.precedence
        for rule in response_quality().rules
        if rule.effect == "force"
    }
    assert rank.keys() == {(name,) for name in (*FORCING_ONE, "plagiarised")}
    assert rank["harmful",] > rank["empty",] == rank["nonsensical",] == rank["irrelevant",]
    assert rank["irrelevant",] > rank["plagiarised",] > 0


def test_rq_06_an_empty_response_scores_1() -> None:
    quality = response_quality()
    verdict = verdict_on(quality, "empty")
    assert (verdict.open, verdict.forced) == ((1,), 1)
    assert clauses_barring(quality, 2, "empty") == ["RQ-06"]


def test_rq_06_emptiness_is_detected_and_then_nothing_else_is_asked() -> None:
    quality = response_quality()
    empty = quality.check("empty")
    assert (empty.kind, empty.detector) == (Kind.DETECTED, Detector.EMPTY)
    assert silenced(quality, {"empty"})
    assert verdict_on(quality, "empty", answered=()).missing == ()
    assert not silenced(quality, {"nonsensical"})


def test_rq_06_empty_excludes_every_other_check() -> None:
    quality = response_quality()
    for fact in FACTS:
        if fact != "empty":
            assert clashing(quality, "empty", fact) == [("RQ-06", ("empty", fact))]


def test_rq_07_copying_that_was_not_asked_for_forces_3() -> None:
    quality = response_quality()
    verdict = verdict_on(quality, "plagiarised", "harmless", "comprehensive")
    assert (verdict.open, verdict.forced) == ((3,), 3)
    assert clauses_barring(quality, 4, "plagiarised") == ["RQ-07"]
    assert clauses_barring(quality, 2, "plagiarised") == ["RQ-07"]


def test_rq_07_copied_text_is_neither_helpful_nor_honest() -> None:
    quality = response_quality()
    assert clashing(quality, "plagiarised", "helpful") == [("RQ-07", ("plagiarised", "helpful"))]
    # Honest is a question, and copying one of its answers.
    assert clashing(quality, "plagiarised", "honest") == [("RQ-08", ("honest", "plagiarised"))]
    assert clashing(quality, "plagiarised", "harmless", "comprehensive", "unhelpful") == []


@pytest.mark.parametrize("cause", ["harmful", "nonsensical", "irrelevant"])
def test_rq_07_reading_3_where_copying_meets_an_automatic_1_the_1_wins(cause: str) -> None:
    verdict = verdict_on(response_quality(), "plagiarised", cause)
    assert (verdict.open, verdict.forced) == ((1,), 1)
    assert [(reason.clause, reason.rule) for reason in verdict.overridden] == [
        ("RQ-07", "plagiarised_is_3")
    ]


def test_rq_08_a_7_needs_all_four() -> None:
    quality = response_quality()
    assert open_to(quality, *ALL_FOUR) == (4, 5, 6, 7)
    for left_out in ALL_FOUR:
        rest = [fact for fact in ALL_FOUR if fact != left_out]
        assert open_to(quality, *rest) == (4, 5, 6)
        assert clauses_barring(quality, 7, *rest) == ["RQ-08"]


def test_rq_08_each_question_takes_one_answer() -> None:
    quality = response_quality()
    assert clashing(quality, "helpful", "unhelpful") == [("RQ-08", ("helpful", "unhelpful"))]
    assert clashing(quality, "harmless", "harmful") == [("RQ-08", ("harmless", "harmful"))]
    assert clashing(quality, "honest", "false_claim") == [("RQ-08", ("honest", "false_claim"))]
    assert clashing(quality, "false_claim", "plagiarised") == [
        ("RQ-08", ("false_claim", "plagiarised"))
    ]


def test_rq_08_the_reason_says_that_a_7_needs_the_best_answer_to_all_four() -> None:
    (reason,) = verdict_on(response_quality(), "helpful", "harmless", "honest").bars(7)
    assert reason.text == "7 needs the best answer to all four questions."


# --- RQ-09 to RQ-11 ---


def test_rq_09_two_four_and_six_are_between_and_carry_their_clause() -> None:
    between = {level.score: level for level in response_quality().levels if level.between}
    assert sorted(between) == [2, 4, 6]
    for level in between.values():
        assert "RQ-09" in level.clauses
        assert len(level.illustrations) == 2
        assert "not clearly more of either" in level.definition


# The faults that a helpful response can have and still be open to a 4.
FAULTS_OF_A_HELPFUL = {*CAPPING_AT_4, *CAPPING_AT_6, "repeats_itself"} - {"unhelpful"}


@pytest.mark.parametrize(
    "facts", [("unhelpful",), ("false_claim",), ("missing_disclaimer", "fulfils_sensitive_ask")]
)
def test_rq_09_what_is_more_a_mark_of_3_is_remarked_on_at_4(facts: tuple[str, ...]) -> None:
    ((clause, _),) = remarks(response_quality(), 4, *facts)
    assert clause == "RQ-09"
    assert remarks(response_quality(), 3, *facts) == []


@pytest.mark.parametrize(
    "fault", sorted(FAULTS_OF_A_HELPFUL - {"false_claim", "distracting_errors"})
)
def test_rq_09_another_fault_alone_is_not_remarked_on_at_4(fault: str) -> None:
    """The source itself gives a 4 to a helpful response with an error."""
    assert remarks(response_quality(), 4, "helpful", "harmless", fault) == []


def test_rq_09_a_helpful_4_without_a_fault_is_remarked_on() -> None:
    quality = response_quality()
    remark = ("RQ-09", "no_fault_at_4")
    assert remarks(quality, 4, "helpful") == remarks(quality, 4, *ALL_FOUR) == [remark]
    assert remarks(quality, 4) == remarks(quality, 4, "harmless", "honest", "comprehensive") == []
    for fault in FAULTS_OF_A_HELPFUL:
        assert remark not in remarks(quality, 4, "helpful", fault)


@pytest.mark.parametrize("waiting", ["harmless", "honest"])
def test_rq_09_that_remark_waits_for_the_questions_that_may_name_a_fault(waiting: str) -> None:
    quality = response_quality()
    assert verdict_on(quality, "helpful", answered=set(ALL_FOUR) - {waiting}).remarks_on(4) == ()
    verdict = verdict_on(quality, "helpful", answered={"helpful", "harmless", "honest"})
    assert [reason.rule for reason in verdict.remarks_on(4)] == ["no_fault_at_4"]


def test_rq_09_a_5_with_all_four_and_no_fault_is_remarked_on() -> None:
    quality = response_quality()
    remark = ("RQ-09", "all_four_at_5")
    assert remarks(quality, 5, *ALL_FOUR) == [remark]
    assert remarks(quality, 6, *ALL_FOUR) == remarks(quality, 7, *ALL_FOUR) == []
    for left_out in ALL_FOUR:
        assert remarks(quality, 5, *(fact for fact in ALL_FOUR if fact != left_out)) == []
    for fault in (*CAPPING_AT_6, "repeats_itself"):
        assert remark not in remarks(quality, 5, *ALL_FOUR, fault)


LEANING_TO_1 = {
    "distracting_errors",
    "unhelpful",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "repeats_itself",
}


def test_rq_09_a_2_with_nothing_that_leans_towards_a_1_is_remarked_on() -> None:
    quality = response_quality()
    remark = ("RQ-09", "nothing_of_a_1_at_2")
    for violation in VIOLATIONS:
        assert (remark in remarks(quality, 2, violation)) == (violation not in LEANING_TO_1)
        assert remark not in remarks(quality, 3, violation)
    for fact in LEANING_TO_1:
        assert remark not in remarks(quality, 2, "language_error", fact)
    unanswered = verdict_on(
        quality, "language_error", answered={"harmless", "honest", "comprehensive"}
    )
    assert unanswered.remarks_on(2) == ()


def test_one_remark_at_most_is_shown_for_a_score_and_the_first_of_the_table_is() -> None:
    quality = response_quality()
    assert remarks(quality, 4, "unhelpful", "distracting_errors") == [
        ("RQ-09", "serious_fault_at_4")
    ]
    verdict = verdict_on(quality, *ALL_FOUR, "instructions_missed", "repeats_itself")
    assert [(remark.scores, remark.reason.rule) for remark in verdict.remarks] == [
        ((6,), "instructions_missed_at_6")
    ]


def test_a_forced_score_has_no_remark() -> None:
    assert (
        verdict_on(response_quality(), "plagiarised", "unhelpful", "distracting_errors").remarks
        == ()
    )


def test_rq_10_nonsense_is_a_1_said_once_or_over_and_over() -> None:
    quality = response_quality()
    assert (
        open_to(quality, "nonsensical") == open_to(quality, "nonsensical", "repeats_itself") == (1,)
    )
    assert "RQ-10" in quality.check("nonsensical").clauses


def test_rq_11_a_lone_repeater_may_be_a_7_with_a_remark() -> None:
    quality = response_quality()
    assert open_to(quality, *ALL_FOUR, "repeats_itself") == (2, 3, 4, 5, 6, 7)
    assert remarks(quality, 7, *ALL_FOUR, "repeats_itself") == [("RQ-11", "repeater_at_7")]
    alone = judged_together(said("a", *ALL_FOUR, "repeats_itself", score=7))
    assert (alone.out_of_order, verdict_in(alone, "a").open) == ((), (2, 3, 4, 5, 6, 7))


def test_rq_11_the_program_asks_about_repetition_only_when_it_was_not_ticked() -> None:
    check = response_quality().check("repeats_itself")
    assert (check.kind, check.detector) == (Kind.TICK, Detector.REPEATS)
    assert check.asks.endswith("?")
    detected = {check.code: check.detector for check in response_quality().checks if check.detector}
    assert detected == {"empty": Detector.EMPTY, "repeats_itself": Detector.REPEATS}


def out_of_order(item: ItemVerdict) -> list[tuple[str, str, str]]:
    return [(pair.lower, pair.higher, pair.reason.clause) for pair in item.out_of_order]


def test_rq_11_a_repeating_response_scores_below_every_other() -> None:
    item = judged_together(
        said("a", "repeats_itself", score=5), said("b", score=5), said("c", score=6)
    )
    assert out_of_order(item) == [("a", "b", "RQ-11")]
    assert item.remarks == ()


@pytest.mark.parametrize("fault", [*CAPPING_AT_4, *CAPPING_AT_6])
def test_rq_11_a_fault_of_the_other_is_no_excuse(fault: str) -> None:
    item = judged_together(said("a", "repeats_itself", score=4), said("b", fault, score=4))
    assert out_of_order(item) == [("a", "b", "RQ-11")]
    lower = judged_together(said("a", "repeats_itself", score=3), said("b", fault, score=4))
    assert out_of_order(lower) == []


def test_rq_11_a_tie_passes_at_2_and_nowhere_else() -> None:
    for score, wrong in ((2, []), (3, [("a", "b", "RQ-11")]), (4, [("a", "b", "RQ-11")])):
        item = judged_together(
            said("a", "repeats_itself", score=score), said("b", "unhelpful", score=score)
        )
        assert out_of_order(item) == wrong
    item = judged_together(said("a", "repeats_itself", score=3), said("b", "unhelpful", score=2))
    assert out_of_order(item) == [("a", "b", "RQ-11")]


def test_rq_11_scores_that_no_order_could_hold_are_barred_with_the_reason() -> None:
    item = judged_together(said("a", "repeats_itself"), said("b"))
    assert verdict_in(item, "a").open == (2, 3, 4, 5)
    assert verdict_in(item, "b").open == (4, 5, 6)
    assert [reason.clause for reason in verdict_in(item, "a").bars(6)] == ["RQ-11"]
    # Beside a response that may be a 7 only the 7 is lost.
    item = judged_together(said("a", *ALL_FOUR, "repeats_itself"), said("b", *ALL_FOUR))
    assert verdict_in(item, "a").open == (2, 3, 4, 5, 6)


@pytest.mark.parametrize("fault", [*CAPPING_AT_4, *CAPPING_AT_6, "plagiarised", "harmful"])
def test_rq_11_only_a_faultless_response_narrows(fault: str) -> None:
    item = judged_together(said("a", *ALL_FOUR, "repeats_itself"), said("b", fault))
    assert verdict_in(item, "a").open == (2, 3, 4, 5, 6, 7)
    assert verdict_in(item, "b") == verdict_on(response_quality(), fault)


@pytest.mark.parametrize("cause", FORCING_ONE)
def test_rq_11_the_order_does_not_bind_against_an_automatic_1(cause: str) -> None:
    item = judged_together(said("a", "repeats_itself", score=4), said("b", cause, score=1))
    assert (item.out_of_order, item.remarks) == ((), ())


def test_rq_11_a_copied_response_binds_by_its_3() -> None:
    for score, wrong in ((2, []), (3, [("a", "b", "RQ-11")])):
        item = judged_together(
            said("a", "repeats_itself", score=score), said("b", "plagiarised", score=3)
        )
        assert out_of_order(item) == wrong


def test_rq_11_a_repeater_whose_own_score_is_forced_is_not_bound() -> None:
    item = judged_together(
        said("a", "repeats_itself", "plagiarised", score=3), said("b", "language_error", score=2)
    )
    assert (item.out_of_order, item.remarks) == ((), ())


def test_rq_11_two_that_repeat_themselves_are_not_compared() -> None:
    item = judged_together(
        said("a", "repeats_itself", score=4), said("b", "repeats_itself", score=4)
    )
    assert (item.out_of_order, item.remarks) == ((), ())


def test_rq_11_a_response_not_wholly_answered_binds_nothing_yet() -> None:
    repeating = Judged("a", frozenset({"repeats_itself"}), 6, frozenset(ALL_FOUR))
    unanswered = Judged("b", frozenset(), 5, frozenset({"helpful"}))
    item = judged_together(repeating, unanswered)
    assert (verdict_in(item, "a").open, item.out_of_order) == ((2, 3, 4, 5, 6), ())
    answered = Judged("b", frozenset(), 5, frozenset(ALL_FOUR))
    item = judged_together(repeating, answered)
    assert verdict_in(item, "a").open == (2, 3, 4, 5)
    assert out_of_order(item) == [("a", "b", "RQ-11")]


# --- RQ-12 to RQ-18: what a 5 and a 7 exclude ---


def assert_capped(fact: str, score: int, clause: str) -> None:
    quality = response_quality()
    scores = open_to(quality, fact)
    assert max(scores) == score
    assert clauses_barring(quality, score + 1, *(fact, *ALL_FOUR) if score == 6 else (fact,)) == [
        clause
    ]


def test_rq_12_a_spelling_or_grammar_error_caps_at_4() -> None:
    assert_capped("language_error", 4, "RQ-12")
    assert open_to(response_quality(), "language_error") == (2, 3, 4)


def test_rq_12_a_punctuation_error_caps_at_4_and_alone_is_no_3() -> None:
    assert_capped("punctuation_error", 4, "RQ-12")
    assert open_to(response_quality(), "punctuation_error") == (4,)


def test_rq_13_a_missing_disclaimer_caps_at_4() -> None:
    assert_capped("missing_disclaimer", 4, "RQ-13")


def test_rq_13_a_late_disclaimer_caps_at_4_and_alone_is_no_3() -> None:
    assert_capped("late_disclaimer", 4, "RQ-13")
    assert open_to(response_quality(), "late_disclaimer") == (4,)


def test_rq_13_a_disclaimer_is_missing_or_late() -> None:
    assert clashing(response_quality(), "missing_disclaimer", "late_disclaimer") == [
        ("RQ-13", ("missing_disclaimer", "late_disclaimer"))
    ]


def test_rq_13_reading_6_the_levels_ask_for_a_disclaimer_where_one_is_due() -> None:
    for score in (7, 5):
        assert "Where a disclaimer is due" in response_quality().level(score).definition
    assert "where one was due" in response_quality().level(3).definition


def test_rq_14_missed_instructions_cap_at_6_by_our_reading() -> None:
    assert_capped("instructions_missed", 6, "RQ-14")
    assert open_to(response_quality(), "instructions_missed") == (2, 3, 4, 5, 6)
    texts = [
        reason.text for reason in verdict_on(response_quality(), "instructions_missed").bars(7)
    ]
    assert any("our reading" in text for text in texts)


def test_rq_14_a_6_with_missed_instructions_is_remarked_on() -> None:
    quality = response_quality()
    assert remarks(quality, 6, "instructions_missed") == [("RQ-14", "instructions_missed_at_6")]
    for score in (2, 3, 4, 5):
        assert remarks(quality, score, "instructions_missed") == []


def test_rq_15_a_false_claim_caps_at_4() -> None:
    assert_capped("false_claim", 4, "RQ-15")


def test_rq_16_no_use_to_the_one_who_asked_caps_at_4() -> None:
    assert_capped("unhelpful", 4, "RQ-16")


def test_rq_17_a_5_and_a_7_hold_no_copied_data() -> None:
    assert not {5, 7} & set(open_to(response_quality(), "plagiarised"))
    (answer,) = (
        each for each in response_quality().check("honest").answers if each.sets == "plagiarised"
    )
    assert answer.clauses == ("RQ-07", "RQ-17")


def test_rq_18_doing_what_a_sensitive_ask_wants_caps_at_4() -> None:
    assert_capped("fulfils_sensitive_ask", 4, "RQ-18")


def test_rq_18_reading_2_declining_well_can_be_a_7() -> None:
    assert 7 in open_to(response_quality(), *ALL_FOUR)
    (reading,) = (text for text in shipped("response-quality").guidance if "RQ-18" in text.clauses)
    assert "It is right to decline a sensitive request" in " ".join(reading.text.split())


# --- RQ-19 to RQ-26: the levels ---


def test_rq_19_a_7_stands_without_any_fault() -> None:
    quality = response_quality()
    assert 7 in open_to(quality, *ALL_FOUR)
    answers = {"unhelpful", "harmful", "false_claim", "plagiarised", "empty"}
    for fault in quality.faults - answers - {"repeats_itself"}:
        assert 7 not in open_to(quality, *ALL_FOUR, fault)
    for word in ("Comprehensive", "detailed", "neutral", "best practice", "beneath the surface"):
        assert word in quality.level(7).definition


def test_rq_20_a_6_is_illustrated_by_tone_and_by_coverage() -> None:
    level = response_quality().level(6)
    assert "RQ-20" in level.clauses
    assert ["tone" in text.lower() for text in level.illustrations] == [True, True]


def test_rq_20_a_style_error_caps_at_6_and_names_no_violation() -> None:
    assert_capped("style_error", 6, "RQ-20")
    assert open_to(response_quality(), "style_error") == (4, 5, 6)


def test_rq_21_a_5_needs_no_four_affirmations_and_no_fault() -> None:
    assert open_to(response_quality(), "helpful", "harmless", "honest") == (4, 5, 6)
    assert "A little more could be said" in " ".join(response_quality().level(5).definition.split())


def test_rq_22_a_4_is_illustrated_by_a_slip() -> None:
    level = response_quality().level(4)
    assert "RQ-22" in level.clauses
    assert all("error of grammar or style" in text for text in level.illustrations)


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_rq_23_a_violation_that_is_named_opens_3_and_2(violation: str) -> None:
    assert {2, 3} <= set(open_to(response_quality(), violation))


def test_rq_23_copying_is_a_violation_too() -> None:
    (rule,) = (rule for rule in response_quality().rules if rule.code == "bad_needs_a_violation")
    assert set(rule.needs.any_of) == {*VIOLATIONS, "plagiarised"}


@pytest.mark.parametrize(
    "others",
    [
        (),
        ALL_FOUR,
        ("punctuation_error",),
        ("not_neutral",),
        ("late_disclaimer",),
        ("style_error",),
    ],
)
def test_rq_23_without_a_violation_3_and_2_are_barred(others: str) -> None:
    quality = response_quality()
    assert clauses_barring(quality, 3, *others) == clauses_barring(quality, 2, *others) == ["RQ-23"]


def test_rq_23_the_reason_names_the_violations_and_what_is_ticked_but_not_among_them() -> None:
    quality = response_quality()
    ((nothing,), (ticked,)) = (
        verdict_on(quality, *facts).bars(3) for facts in ((), ("punctuation_error", "not_neutral"))
    )
    assert nothing.text == (
        "3 and 2 need one of these (our reading): Helpful (not), Honest (not true), "
        "Honest (not its own work), Language error, Errors distract, Disclaimer missing, "
        "Does a harmful request, Instructions missed, Repeats itself."
    )
    assert ticked.text == f"{nothing.text} Not among them: Punctuation error, Not neutral."


def test_rq_24_distracting_errors_cap_at_4_and_speak_for_a_2() -> None:
    assert_capped("distracting_errors", 4, "RQ-24")
    quality = response_quality()
    remark = ("RQ-24", "distracting_errors_at_4")
    assert [remarks(quality, score, "distracting_errors") for score in (2, 3, 4)] == [
        [],
        [],
        [remark],
    ]


@pytest.mark.parametrize("cause", FORCING_ONE)
def test_rq_25_each_automatic_cause_forces_1(cause: str) -> None:
    verdict = verdict_on(response_quality(), cause)
    assert (verdict.open, verdict.forced) == ((1,), 1)
    clause = {"harmful": "RQ-05", "empty": "RQ-06"}.get(cause, "RQ-25")
    assert [[reason.clause for reason in bar.reasons] for bar in verdict.barred] == [[clause]] * 6


def test_rq_25_without_such_a_cause_there_is_no_1() -> None:
    quality = response_quality()
    assert clauses_barring(quality, 1) == ["RQ-25"]
    faults = {*VIOLATIONS, *CAPPING_AT_4, *CAPPING_AT_6} - {"late_disclaimer"}
    assert clauses_barring(quality, 1, *faults) == ["RQ-25"]
    assert "our reading" in verdict_on(quality).bars(1)[0].text
    (rule,) = (rule for rule in quality.rules if rule.code == "terrible_needs_its_cause")
    assert set(rule.needs.any_of) == set(FORCING_ONE)


def test_rq_26_a_tone_that_is_not_neutral_caps_at_4_and_alone_is_no_3() -> None:
    assert_capped("not_neutral", 4, "RQ-26")
    assert open_to(response_quality(), "not_neutral") == (4,)


def test_reading_6_with_nothing_ticked_4_5_and_6_are_open() -> None:
    assert open_to(response_quality()) == (4, 5, 6)


def test_a_fault_is_what_caps_or_forces_and_repetition() -> None:
    faults = {*CAPPING_AT_4, *CAPPING_AT_6, *FORCING_ONE, "plagiarised", "repeats_itself"}
    assert response_quality().faults == faults


def test_a_reason_names_what_was_ticked() -> None:
    quality = response_quality()
    for fault in quality.faults - {"repeats_itself"}:
        verdict = verdict_on(quality, fault)
        acting = [
            reason for reason in verdict.acting if reason.effect in (Effect.CAP, Effect.FORCE)
        ]
        assert [reason.text.partition(":")[0] for reason in acting] == [quality.labels[fault]]


def test_a_clash_takes_the_place_of_a_verdict() -> None:
    assert isinstance(judge(response_quality(), {"honest", "false_claim"}), Clashes)
