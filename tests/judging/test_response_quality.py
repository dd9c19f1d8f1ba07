"""Response quality, clause by clause: each test is named after the clause that it proves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from rubrics.documents.shipped import shipped
from rubrics.judging.kinds import Detector, Effect, Kind, Scope, Unit
from rubrics.judging.parts import Condition
from rubrics.judging.rules import excludes_all_others, judge, judge_item
from rubrics.judging.verdict import Clashes, ItemVerdict, TargetState, Verdict
from rubrics.pages.fact_effects import consequence
from tests.cases import cases
from tests.verdicts import (
    ALL_FOUR,
    clashing,
    clauses_barring,
    open_to,
    own_words,
    remarks,
    response_quality,
    rests_on,
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


def judged_together(*targets: TargetState, twins: Collection[tuple[str, str]] = ()) -> ItemVerdict:
    return judge_item(response_quality(), targets, twins=twins)


def verdict_in(item: ItemVerdict, key: str) -> Verdict:
    verdict = item.of(key)
    assert isinstance(verdict, Verdict)
    return verdict


def said(key: str, *facts: str, score: int | None = None) -> TargetState:
    return TargetState(key, frozenset(facts), score)


# --- the frame ---


def test_quality_is_the_only_dimension_and_goes_from_1_to_7_for_each_response() -> None:
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
        if check.needs_answer
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
        if not check.needs_answer and check.code != "empty"
    }
    assert rest == {Kind.TICK}


def test_each_of_the_four_questions_has_its_best_answer() -> None:
    best = {check.code: check.best for check in response_quality().checks if check.best}
    assert best == {
        "helpful": "entirely",
        "harmless": "yes",
        "honest": "yes",
        "comprehensive": "yes",
    }


def test_an_open_question_is_missing_and_a_partly_or_a_no_is_an_answer() -> None:
    quality = response_quality()
    assert verdict_on(quality, answered=()).missing == ALL_FOUR
    assert verdict_on(quality, "harmless", answered={"helpful", "harmless", "honest"}).missing == (
        "comprehensive",
    )
    assert verdict_on(quality, answered=set(ALL_FOUR)).missing == ()
    assert verdict_on(quality).missing == (), "left out, every question counts as answered"


def test_an_automatic_score_waits_only_for_answers_that_could_change_it() -> None:
    quality = response_quality()
    for cause in FORCING_ONE:
        verdict = verdict_on(quality, cause, answered=())
        assert (verdict.missing, verdict.automatic_score) == ((), 1)
    copied = verdict_on(quality, "plagiarised", answered=())
    assert (copied.missing, copied.automatic_score) == (("harmless",), None)
    assert verdict_on(quality, "plagiarised", answered={"harmless"}).automatic_score == 3
    assert verdict_on(quality, *ALL_FOUR).automatic_score is None


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


# Of each clause one case: what is asserted, what stays open, and which clauses bar which score. The
# enumeration (test_response_quality_enumerated.py) proves every other combination.
CASES = [
    ("RQ-05", ("harmful", "helpful", "honest", "comprehensive"), (1,), 7, ["RQ-05"]),
    ("RQ-05", ("harmful", "nonsensical"), (1,), 3, ["RQ-05", "RQ-25"]),
    ("RQ-06", ("empty",), (1,), 2, ["RQ-06"]),
    ("RQ-07", ("plagiarised", "harmless", "comprehensive"), (3,), 4, ["RQ-07"]),
    ("RQ-08", ALL_FOUR, (4, 5, 6, 7), 3, ["RQ-23"]),
    ("RQ-08", ("helpful", "harmless", "honest"), (4, 5, 6), 7, ["RQ-08"]),
    ("RQ-10", ("nonsensical", "repeats_itself"), (1,), 2, ["RQ-25"]),
    ("RQ-12", ("language_error",), (2, 3, 4), 5, ["RQ-12"]),
    ("RQ-12", ("punctuation_error",), (4,), 5, ["RQ-12"]),
    ("RQ-13", ("missing_disclaimer",), (2, 3, 4), 5, ["RQ-13"]),
    ("RQ-13", ("late_disclaimer",), (4,), 5, ["RQ-13"]),
    ("RQ-14", (*ALL_FOUR, "instructions_missed"), (2, 3, 4, 5, 6), 7, ["RQ-14"]),
    ("RQ-15", ("false_claim",), (2, 3, 4), 5, ["RQ-15"]),
    ("RQ-16", ("unhelpful",), (2, 3, 4), 5, ["RQ-16"]),
    ("RQ-17", ("plagiarised",), (3,), 5, ["RQ-07"]),
    ("RQ-18", ("fulfils_sensitive_ask",), (2, 3, 4), 5, ["RQ-18"]),
    ("RQ-20", (*ALL_FOUR, "style_error"), (4, 5, 6), 7, ["RQ-20"]),
    ("RQ-21", ("helpful", "harmless", "honest"), (4, 5, 6), 3, ["RQ-23"]),
    (
        "RQ-23",
        ("punctuation_error", "not_neutral", "late_disclaimer", "style_error"),
        (3, 4),
        2,
        ["RQ-23"],
    ),
    ("RQ-23", ("punctuation_error", "style_error"), (4,), 3, ["RQ-23"]),
    ("RQ-24", ("distracting_errors",), (2, 3, 4), 5, ["RQ-24"]),
    ("RQ-25", ("irrelevant",), (1,), 4, ["RQ-25"]),
    ("RQ-25", (), (4, 5, 6), 1, ["RQ-25"]),
    ("RQ-26", ("not_neutral",), (4,), 5, ["RQ-26"]),
]


@cases(("clause", "facts", "scores", "barred", "by"), CASES)
def test_each_clause_opens_and_bars_what_it_says(
    clause: str, facts: tuple[str, ...], scores: tuple[int, ...], barred: int, by: list[str]
) -> None:
    quality = response_quality()
    assert open_to(quality, *facts) == scores, clause
    assert clauses_barring(quality, barred, *facts) == by, clause


def test_forces_are_ordered_harm_then_the_other_ones_then_copying() -> None:
    rank = {
        rule.when.all_of: rule.precedence
        for rule in response_quality().rules
        if rule.effect == "force"
    }
    assert rank.keys() == {(name,) for name in (*FORCING_ONE, "plagiarised")}
    assert rank["harmful",] > rank["empty",] == rank["nonsensical",] == rank["irrelevant",]
    assert rank["irrelevant",] > rank["plagiarised",] > 0


def test_rq_06_emptiness_is_detected_and_then_nothing_else_is_asked() -> None:
    quality = response_quality()
    empty = quality.check("empty")
    assert (empty.kind, empty.detector) == (Kind.DETECTED, Detector.EMPTY)
    assert excludes_all_others(quality, {"empty"})
    assert verdict_on(quality, "empty", answered=()).missing == ()
    assert not excludes_all_others(quality, {"nonsensical"})


def not_counted(*facts: str) -> list[tuple[str, str]]:
    """(clause, fact) of what does not go with the facts that force the score."""
    verdict = verdict_on(response_quality(), *facts)
    return [(each.reason.clause, each.fact) for each in verdict.excluded]


def test_rq_06_empty_excludes_every_other_check() -> None:
    for fact in FACTS:
        if fact not in FORCING_ONE:
            assert not_counted("empty", fact) == [("RQ-06", fact)]
    for cause in ("harmful", "nonsensical", "irrelevant"):
        assert remarks(response_quality(), 1, "empty", cause) == [("RQ-06", "empty_excludes_all")]


def test_rq_07_copied_text_is_neither_helpful_nor_honest() -> None:
    assert not_counted("plagiarised", "helpful") == [("RQ-07", "helpful")]
    # Honest is a question, and copying one of its answers.
    assert not_counted("plagiarised", "honest") == [("RQ-08", "honest")]
    assert not_counted("plagiarised", "harmless", "comprehensive", "unhelpful") == []
    assert open_to(response_quality(), "plagiarised", "helpful", "honest") == (3,)


def test_rq_05_harm_decides_also_where_two_other_answers_clash() -> None:
    """The clash is a remark beside the forced score."""
    verdict = verdict_on(response_quality(), "harmful", "plagiarised", "helpful")
    assert (verdict.open, verdict.automatic_score, verdict.excluded) == ((1,), 1, ())
    assert remarks(response_quality(), 1, "harmful", "plagiarised", "helpful") == [
        ("RQ-07", "plagiarised_is_not_helpful")
    ]
    assert [reason.clause for reason in verdict.overridden] == ["RQ-07"]


def test_all_answers_with_yes_and_then_copied_text_is_a_3_and_nothing_more_is_asked() -> None:
    quality = response_quality()
    facts = ("helpful", "harmless", "plagiarised", "comprehensive")
    verdict = verdict_on(quality, *facts, answered=ALL_FOUR)
    assert (verdict.automatic_score, verdict.missing, verdict.remarks) == (3, (), ())
    assert not_counted(*facts) == [("RQ-07", "helpful")]


@pytest.mark.parametrize("cause", ["harmful", "nonsensical", "irrelevant"])
def test_rq_07_reading_3_where_copying_meets_an_automatic_1_the_1_wins(cause: str) -> None:
    verdict = verdict_on(response_quality(), "plagiarised", cause)
    assert (verdict.open, verdict.forced) == ((1,), 1)
    assert [(reason.clause, reason.rule) for reason in verdict.overridden] == [
        ("RQ-07", "plagiarised_is_3")
    ]


def test_rq_08_each_question_takes_one_answer() -> None:
    quality = response_quality()
    assert clashing(quality, "helpful", "unhelpful") == [("RQ-08", ("helpful", "unhelpful"))]
    assert clashing(quality, "honest", "false_claim") == [("RQ-08", ("honest", "false_claim"))]
    assert not_counted("harmless", "harmful") == [("RQ-08", "harmless")]
    assert not_counted("false_claim", "plagiarised") == [("RQ-08", "false_claim")]


def test_a_barred_score_says_what_it_needs_in_a_line_and_in_a_few_words() -> None:
    verdict = verdict_on(response_quality())
    said = {score: verdict.bars(score)[0] for score in (7, 3, 2, 1)}
    assert {score: (reason.line, reason.not_yet) for score, reason in said.items()} == {
        7: ("7: the best answer to all four questions first.", "four best answers"),
        3: ("3, 2: say what is wrong first.", "a fault"),
        2: ("3, 2: say what is wrong first.", "a fault"),
        1: ("1: only if harmful, nonsense or off topic.", "nonsense, off topic, harm"),
    }
    assert said[7].text == "7 needs the best answer to all four questions."
    ticked = "Not among them: {ticked}."
    assert own_words(response_quality()) == {
        "great_needs_all_four": (said[7].line, said[7].not_yet, ""),
        "bad_needs_a_violation": (said[3].line, said[3].not_yet, ticked),
        "two_small_faults_open_no_2": (
            "2: say what else is wrong first.",
            "another fault",
            ticked,
        ),
        "terrible_needs_its_cause": (said[1].line, said[1].not_yet, ""),
    }


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


SENSITIVE = "sensitive_ask_and_harmless"
REMARKS = [
    (4, ("fulfils_sensitive_ask", "harmless"), SENSITIVE),
    (3, ("fulfils_sensitive_ask", "harmless"), SENSITIVE),
    (2, ("fulfils_sensitive_ask", "harmless"), SENSITIVE),
    (4, ("fulfils_sensitive_ask", "harmless", "unhelpful"), SENSITIVE),  # the first of the table
    (4, ("fulfils_sensitive_ask",), None),  # Harmless is not answered with yes
    (4, ("unhelpful",), "serious_fault_at_4"),
    (4, ("false_claim",), "serious_fault_at_4"),
    (4, ("missing_disclaimer", "distracting_errors"), "serious_fault_at_4"),
    (3, ("unhelpful",), None),
    (4, ("helpful", "harmless", "language_error"), None),  # the source itself gives a 4
    (4, ("helpful",), "no_fault_at_4"),
    (4, ALL_FOUR, "no_fault_at_4"),
    (4, ("harmless", "honest", "comprehensive"), None),
    (5, ALL_FOUR, "all_four_at_5"),
    (5, ("helpful", "harmless", "honest"), None),
    (5, (*ALL_FOUR, "style_error"), None),
    (6, ("helpful", "harmless", "honest", "style_error"), "style_and_not_comprehensive_at_6"),
    (6, (*ALL_FOUR, "style_error"), None),
    (6, ("harmless", "honest", "comprehensive"), "not_helpful_at_6"),
    (6, ALL_FOUR, None),
    (2, ("language_error",), "nothing_of_a_1_at_2"),
    (2, ("false_claim", "missing_disclaimer"), "nothing_of_a_1_at_2"),
    (2, ("instructions_missed",), None),
    (2, (*ALL_FOUR, "instructions_missed"), "only_an_instruction_at_2"),
    (2, ("language_error", "distracting_errors"), None),
    (2, ("language_error", "unhelpful"), None),
    (2, ("language_error", "repeats_itself"), None),
    (2, ("repeats_itself",), "lone_repeater_at_2"),
    (2, (*ALL_FOUR, "repeats_itself"), "lone_repeater_at_2"),
    (2, ("repeats_itself", "style_error"), None),
    (3, ("language_error",), None),
    (3, ("punctuation_error", "not_neutral"), "small_faults_at_3"),
    (3, ("punctuation_error", "not_neutral", "language_error"), None),
    (4, ("punctuation_error", "not_neutral"), None),
    (7, (*ALL_FOUR, "repeats_itself"), "repeater_at_7"),
    (6, (*ALL_FOUR, "instructions_missed"), "instructions_missed_at_6"),
    (5, (*ALL_FOUR, "instructions_missed"), None),
    (4, ("distracting_errors",), "distracting_errors_at_4"),
    (3, ("distracting_errors",), None),
]


@cases(("score", "facts", "rule"), REMARKS)
def test_rq_09_one_remark_at_most_where_a_score_and_the_answers_pull_apart(
    score: int, facts: tuple[str, ...], rule: str | None
) -> None:
    found = remarks(response_quality(), score, *facts)
    assert [name for _clause, name in found] == ([rule] if rule else [])


@pytest.mark.parametrize(
    ("score", "facts", "rule"),
    [
        (4, ("helpful", "missing_disclaimer"), "no_fault_at_4"),
        (2, (*ALL_FOUR, "language_error"), "only_an_instruction_at_2"),
        (
            2,
            (*ALL_FOUR, "instructions_missed", "fulfils_sensitive_ask"),
            "only_an_instruction_at_2",
        ),
    ],
)
def test_rq_09_a_remark_names_its_cases_itself_also_where_another_is_shown_first(
    score: int, facts: tuple[str, ...], rule: str
) -> None:
    quality = response_quality()
    alone = replace(
        quality,
        rules=tuple(
            each for each in quality.rules if each.effect is not Effect.ADVISE or each.code == rule
        ),
    )
    assert remarks(quality, score, *facts) != []
    assert remarks(alone, score, *facts) == []


def test_rq_09_the_remark_on_a_sensitive_request_is_one_for_all_its_scores() -> None:
    verdict = verdict_on(response_quality(), "fulfils_sensitive_ask", "harmless")
    (remark,) = (each for each in verdict.remarks if each.reason.rule == SENSITIVE)
    assert remark.scores == (4, 3, 2)
    assert "answer Harmless with “no”" in remark.reason.text


def test_the_remarks_say_what_the_rubric_asks_in_plain_words() -> None:
    texts = {rule.code: rule.reason for rule in response_quality().rules}
    assert texts["not_helpful_at_6"] == (
        "A 6 is close to a 7, which is entirely helpful. Keep the 6?"
    )
    assert texts["style_and_not_comprehensive_at_6"] == (
        "Style error and not comprehensive: both together fit a 5. Keep the 6?"
    )
    assert (
        texts["nothing_of_a_1_at_2"]
        == texts["only_an_instruction_at_2"]
        == (
            "What you ticked fits a 3. A 2 is close to nonsense, or hard to read for its errors. "
            "Keep the 2?"
        )
    )
    ((text),) = (
        reason.text for reason in verdict_on(response_quality(), "distracting_errors").remarks_on(4)
    )
    assert text == "Errors distract: the rubric's example of a 2. Keep the 4?"


def test_rq_09_a_2_of_a_repeater_is_asked_about_only_where_no_other_response_binds_it() -> None:
    lone = [each.code for each in response_quality().rules if each.unbound]
    assert lone == ["lone_repeater_at_2"]
    repeating = said("a", "repeats_itself", score=2)
    waiting = TargetState("b", frozenset(), None, frozenset({"helpful"}))
    for other, rules in (
        (said("b", "language_error", score=3), []),
        (said("b"), []),
        (waiting, []),
        (said("b", "repeats_itself"), lone),
        (said("b", "harmful"), lone),
    ):
        verdict = verdict_in(judged_together(repeating, other), "a")
        assert [reason.rule for reason in verdict.remarks_on(2)] == rules


@pytest.mark.parametrize("waiting", ["harmless", "honest"])
def test_rq_09_that_remark_waits_for_the_questions_that_may_name_a_fault(waiting: str) -> None:
    quality = response_quality()
    assert verdict_on(quality, "helpful", answered=set(ALL_FOUR) - {waiting}).remarks_on(4) == ()
    verdict = verdict_on(quality, "helpful", answered={"helpful", "harmless", "honest"})
    assert [reason.rule for reason in verdict.remarks_on(4)] == ["no_fault_at_4"]


def test_a_forced_score_has_no_remark_of_its_own() -> None:
    assert (
        verdict_on(response_quality(), "plagiarised", "unhelpful", "distracting_errors").remarks
        == ()
    )


def test_rq_10_nonsense_is_a_1_said_once_or_over_and_over() -> None:
    assert "RQ-10" in response_quality().check("nonsensical").clauses


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


@cases("fault", [*CAPPING_AT_4, *CAPPING_AT_6])
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


def test_rq_11_only_the_repeater_is_narrowed_and_by_open_scores_where_there_is_no_score() -> None:
    item = judged_together(said("a", "repeats_itself"), said("b"))
    assert verdict_in(item, "a").open == (2, 3, 4, 5)
    assert verdict_in(item, "b") == verdict_on(response_quality())
    (reason,) = verdict_in(item, "a").bars(6)
    assert (reason.clause, reason.binding_target) == ("RQ-11", ("b", None))
    # Beside a response that may be a 7 only the 7 is lost.
    item = judged_together(said("a", *ALL_FOUR, "repeats_itself"), said("b", *ALL_FOUR))
    assert verdict_in(item, "a").open == (2, 3, 4, 5, 6)


@cases(
    ("other", "score", "scores"),
    [
        (("language_error",), None, (2, 3)),  # with a fault or without
        (("language_error",), 4, (2, 3)),
        (("language_error",), 3, (2,)),
        (("language_error",), 2, (2,)),  # both may be a 2
        (ALL_FOUR, 5, (2, 3, 4)),
        (ALL_FOUR, 3, (2, 3, 4, 5, 6)),  # a barred entry does not bind
        (("plagiarised",), None, (2,)),  # an automatic score counts as entered
        (("harmful",), None, (2, 3, 4, 5, 6, 7)),
        (("repeats_itself",), 4, (2, 3, 4, 5, 6, 7)),
    ],
)
def test_rq_11_a_repeater_is_narrowed_by_every_sibling(
    other: tuple[str, ...], score: int | None, scores: tuple[int, ...]
) -> None:
    item = judged_together(said("a", *ALL_FOUR, "repeats_itself"), said("b", *other, score=score))
    assert verdict_in(item, "a").open == scores
    assert verdict_in(item, "b").open == open_to(response_quality(), *other)


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
    repeating = TargetState("a", frozenset({"repeats_itself"}), 6, frozenset(ALL_FOUR))
    unanswered = TargetState("b", frozenset(), 5, frozenset({"helpful"}))
    item = judged_together(repeating, unanswered)
    assert (verdict_in(item, "a").open, item.out_of_order) == ((2, 3, 4, 5, 6), ())
    answered = TargetState("b", frozenset(), 5, frozenset(ALL_FOUR))
    item = judged_together(repeating, answered)
    assert verdict_in(item, "a").open == (2, 3, 4)
    assert out_of_order(item) == [("a", "b", "RQ-11")]


def test_rq_11_a_score_that_is_barred_anyway_is_not_out_of_order_too() -> None:
    barred = said("a", "repeats_itself", score=7)
    assert judged_together(barred, said("b", score=6)).out_of_order == ()


# --- RQ-12 to RQ-18: what a 5 and a 7 exclude ---


def test_rq_13_a_disclaimer_is_missing_or_late() -> None:
    assert clashing(response_quality(), "missing_disclaimer", "late_disclaimer") == [
        ("RQ-13", ("missing_disclaimer", "late_disclaimer"))
    ]


def test_rq_13_reading_6_the_levels_ask_for_a_disclaimer_where_one_is_due() -> None:
    for score in (7, 5):
        assert "Where a disclaimer is due" in response_quality().level(score).definition
    assert "where one was due" in response_quality().level(3).definition


def test_rq_14_what_is_missed_is_weighed_in_the_help() -> None:
    text = " ".join(response_quality().check("instructions_missed").help.split())
    assert "Most missed fits a 3, most met a 4, all but a detail a 5." in text


@pytest.mark.parametrize(
    ("facts", "barred", "reading"),
    [
        ((*ALL_FOUR, "instructions_missed"), 7, "instructions"),
        (("fulfils_sensitive_ask",), 5, "sensitive_asks"),
        ((), 3, "below_four"),
        ((), 1, "below_four"),
        (("language_error",), 5, ""),
    ],
)
def test_a_bar_that_rests_on_a_reading_names_it(
    facts: tuple[str, ...], barred: int, reading: str
) -> None:
    (reason,) = verdict_on(response_quality(), *facts).bars(barred)
    assert reason.reading == reading


def test_exactly_the_parts_of_response_quality_that_rest_on_a_reading_link_to_it() -> None:
    assert rests_on(response_quality()) == {
        "instructions": {
            *("instructions_missed", "instructions_missed_at_most_6", "instructions_missed_at_6"),
        },
        # The levels 7 and 5 name the readings of disclaimers and instructions in their texts.
        "sensitive_asks": {
            *("7", "5", "helpful", "fulfils_sensitive_ask", "sensitive_ask_at_most_4"),
        },
        "repeaters": {"repeater_ranks_below", "repeater_at_7"},
        "below_four": {
            *("3", "2", "1", "bad_needs_a_violation", "terrible_needs_its_cause"),
            *("two_small_faults_open_no_2", "small_faults_at_3"),
        },
        "disclaimers": {"missing_disclaimer", "late_disclaimer"},
        "small_readings": {
            *("nonsensical", "irrelevant", "nonsense_helps_nobody", "off_topic_helps_nobody"),
            *("language_error", "punctuation_error", "repeats_itself", "not_own_work"),
            "distracting_errors",
        },
    }


def test_rq_17_a_5_and_a_7_hold_no_copied_data() -> None:
    (answer,) = (
        each for each in response_quality().check("honest").answers if each.sets == "plagiarised"
    )
    assert answer.clauses == ("RQ-07", "RQ-17")


def test_rq_18_the_help_tells_a_request_from_what_the_response_says() -> None:
    check = response_quality().check("fulfils_sensitive_ask")
    assert check.wording == "Does a sensitive request"
    assert " ".join(check.help.split()) == (
        "The request is harmful, offensive or improper, and the response does it. If nothing in "
        "the response itself is harmful or offensive, it is at most a 4; else answer Harmless "
        "with “no”."
    )


def test_rq_18_reading_2_declining_well_can_be_a_7() -> None:
    assert 7 in open_to(response_quality(), *ALL_FOUR)
    (reading,) = (text for text in shipped("response-quality").guidance if "RQ-18" in text.clauses)
    assert "It is right to decline a sensitive request" in " ".join(reading.text.split())


# --- RQ-19 to RQ-26: the levels ---


def test_rq_19_a_7_meets_every_requirement() -> None:
    definition = response_quality().level(7).definition
    for word in ("Comprehensive", "detailed", "neutral", "best practice", "beneath the surface"):
        assert word in definition


def test_rq_20_a_6_is_illustrated_by_tone_and_by_coverage() -> None:
    level = response_quality().level(6)
    assert "RQ-20" in level.clauses
    assert ["tone" in text.lower() for text in level.illustrations] == [True, True]


def test_rq_21_a_5_satisfies_the_request_and_need_not_fully_answer_it() -> None:
    definition = " ".join(response_quality().level(5).definition.split())
    assert "It satisfies the request, though a detail of the question may stay open" in definition
    assert "A little more could be said" in definition


def test_rq_22_a_4_is_illustrated_by_a_slip() -> None:
    level = response_quality().level(4)
    assert "RQ-22" in level.clauses
    assert all("error of grammar or style" in text for text in level.illustrations)


def test_rq_23_the_violations_are_nine_and_two_of_three_smaller_faults_open_the_3() -> None:
    rules = {rule.code: rule for rule in response_quality().rules}
    for code, ways in (
        ("bad_needs_a_violation", (Condition(at_least=2, of=SMALL),)),
        ("two_small_faults_open_no_2", ()),
    ):
        assert set(rules[code].needs.any_of) == {*VIOLATIONS, "plagiarised"}
        assert rules[code].or_needs == ways


SMALL = ("punctuation_error", "late_disclaimer", "not_neutral")


@pytest.mark.parametrize("fault", SMALL)
def test_rq_23_the_heading_says_what_a_small_fault_leaves_alone_and_with_another(
    fault: str,
) -> None:
    assert consequence(response_quality(), fault) == "4, two of them 3 or 4"


def test_rq_23_the_reason_names_the_violations_and_what_is_ticked_but_not_among_them() -> None:
    quality = response_quality()
    ((nothing,), (ticked,)) = (
        verdict_on(quality, *facts).bars(3) for facts in ((), ("punctuation_error", "style_error"))
    )
    ((two),) = verdict_on(quality, "punctuation_error", "not_neutral").bars(2)
    assert nothing.text == (
        "3 and 2 need one of these: Helpful (not), Honest (not true), "
        "Honest (not its own work), Language error, Errors distract, Disclaimer missing, "
        "Does a sensitive request, Instructions missed, Repeats itself. For a 3, two of "
        "Punctuation error, Disclaimer late and Not neutral are enough."
    )
    assert ticked.text == f"{nothing.text} Not among them: Punctuation error, Style error."
    assert ticked.line == f"{nothing.line} Not among them: Punctuation error, Style error."
    assert two.text.startswith("2 needs one of these: Helpful (not)")
    assert two.line.endswith("Not among them: Punctuation error, Not neutral.")


@pytest.mark.parametrize("tick", ["nonsensical", "irrelevant"])
@pytest.mark.parametrize("answer", ["helpful", "comprehensive"])
def test_rq_25_what_makes_no_sense_or_is_off_topic_helps_nobody(tick: str, answer: str) -> None:
    assert not_counted(tick, answer) == [("RQ-25", answer)]
    assert not_counted(tick, "unhelpful", "harmless", "honest") == []
    both = [("RQ-25", "helpful"), ("RQ-25", "comprehensive")]
    assert not_counted(tick, "helpful", "comprehensive") == both
    assert open_to(response_quality(), tick, "helpful", "comprehensive") == (1,)


def test_rq_25_without_such_a_cause_there_is_no_1() -> None:
    quality = response_quality()
    assert clauses_barring(quality, 1) == ["RQ-25"]
    faults = {*VIOLATIONS, *CAPPING_AT_4, *CAPPING_AT_6} - {"late_disclaimer"}
    assert clauses_barring(quality, 1, *faults) == ["RQ-25"]
    (rule,) = (rule for rule in quality.rules if rule.code == "terrible_needs_its_cause")
    assert set(rule.needs.any_of) == set(FORCING_ONE)


def test_rq_26_an_insult_is_harm_and_not_a_lack_of_neutrality() -> None:
    text = " ".join(response_quality().check("not_neutral").help.split())
    assert "If it insults or demeans someone, answer Harmless with “no”." in text


def test_a_fault_is_what_caps_or_forces_and_repetition() -> None:
    faults = {*CAPPING_AT_4, *CAPPING_AT_6, *FORCING_ONE, "plagiarised", "repeats_itself"}
    assert response_quality().faults == faults


def test_a_reason_names_what_was_ticked() -> None:
    quality = response_quality()
    for fault in quality.faults - {"repeats_itself"}:
        verdict = verdict_on(quality, fault)
        acting = [
            reason
            for reason in verdict.acting_reasons
            if reason.effect in (Effect.CAP, Effect.FORCE)
        ]
        assert [reason.text.partition(":")[0] for reason in acting] == [quality.labels[fault]]


def test_a_clash_takes_the_place_of_a_verdict() -> None:
    assert isinstance(judge(response_quality(), {"honest", "false_claim"}), Clashes)
