"""Dialogue, clause by clause: each test is named after the clause that it proves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import pytest

from rubrics.documents.shipped import shipped
from rubrics.judging.kinds import Detector, Kind, Scope, Unit
from tests.verdicts import (
    clashing,
    clauses_barring,
    dialogue,
    open_to,
    own_words,
    rests_on,
    subsets,
    verdict_on,
)

# The checks by the level that describes them (DQ-02 to DQ-04, DQ-08 to DQ-10).
TICKS = {
    "quality": {
        1: ("broken", "hard_to_understand"),
        3: ("grammar_errors", "short", "repeated", "perverse"),
        5: ("long_informative", "medium_fluent"),
    },
    "coherence": {
        1: ("irrelevant",),
        3: ("little_relevance", "same_as_query", "paraphrase_of_query", "generic", "question_only"),
        5: ("long_informative", "medium_fluent"),
    },
}
DIMENSIONS = ("quality", "consistency", "coherence", "diversity")


def kinds(code: str) -> dict[str, Kind]:
    return {check.code: check.kind for check in dialogue(code).checks}


def needs(code: str) -> tuple[bool, bool, int, int]:
    asked = dialogue(code).needs
    return asked.persona, asked.history, asked.candidates, asked.other_histories


# --- the frame ---


def test_four_dimensions_come_in_this_order() -> None:
    assert [(part.code, part.short, part.unit) for part in shipped("dialogue").dimensions] == [
        ("quality", "Qual.", Unit.RESPONSE),
        ("consistency", "Cons.", Unit.RESPONSE),
        ("coherence", "Cohe.", Unit.RESPONSE),
        ("diversity", "Dive.", Unit.CANDIDATE_SET),
    ]


@pytest.mark.parametrize("code", DIMENSIONS)
def test_every_check_has_a_key(code: str) -> None:
    assert all(check.key for check in dialogue(code).checks)


@pytest.mark.parametrize("code", ["quality", "coherence", "diversity"])
def test_only_consistency_marks_lines_of_the_persona(code: str) -> None:
    assert not any(check.marks_persona for check in dialogue(code).checks)


@pytest.mark.parametrize("code", DIMENSIONS)
def test_no_answer_stands_for_a_faultless_response(code: str) -> None:
    # "Best" belongs to the four questions of response quality; here a merit is one thing among
    # others.
    assert all(check.best is None for check in dialogue(code).checks)


# --- quality ---


def test_dq_01_quality_is_asked_of_every_response_by_itself() -> None:
    assert needs("quality") == (False, False, 0, 0)
    assert "by itself" in dialogue("quality").question
    assert "is its grammar correct" in " ".join(dialogue("quality").question.split())


def test_dq_01_the_measure_of_short_and_medium_is_at_hand() -> None:
    (measure,) = dialogue("quality").guidance
    assert measure.clauses == ("DQ-01", "DQ-03", "DQ-04")
    text = " ".join(measure.text.split())
    for words in (
        "gives no lengths",
        "Our reading",
        "a bare answer",
        "“i mostly read”",
        "with or without a stock question back",
        "Medium adds a detail of its own",
        "spaces",
    ):
        assert words in text


@pytest.mark.parametrize("code", ["quality", "coherence"])
def test_dq_01_no_help_gives_a_length_in_words(code: str) -> None:
    assert not any(re.search(r"\d", check.help) for check in dialogue(code).checks)


@pytest.mark.parametrize("code", ["quality", "coherence"])
def test_ticks_are_optional(code: str) -> None:
    assert kinds(code) == {check: Kind.TICK for level in TICKS[code].values() for check in level}
    assert verdict_on(dialogue(code), answered=()).missing == ()


@pytest.mark.parametrize("check", TICKS["quality"][1])
def test_dq_02_what_is_broken_or_very_hard_to_understand_is_1_or_2(check: str) -> None:
    assert open_to(dialogue("quality"), check) == (1, 2)
    assert "DQ-02" in dialogue("quality").check(check).clauses


@pytest.mark.parametrize("check", TICKS["quality"][3])
def test_dq_03_lesser_faults_are_2_to_4(check: str) -> None:
    assert open_to(dialogue("quality"), check) == (2, 3, 4)
    assert "DQ-03" in dialogue("quality").check(check).clauses


def excluded(code: str) -> set[tuple[str, str, str]]:
    """(clause, check, check) for each pair that cannot be ticked together."""
    dimension = dialogue(code)
    return {
        (clause, one, other)
        for pair in combinations(dimension.facts, 2)
        for clause, (one, other) in clashing(dimension, *pair)
    }


def test_dq_04_a_length_is_one_and_what_is_fluent_is_not_broken_nor_full_of_errors() -> None:
    fluent = ("short", "medium_fluent", "perverse", "grammar_errors")
    assert excluded("quality") == {
        ("DQ-04", "long_informative", "medium_fluent"),
        ("DQ-04", "short", "long_informative"),
        ("DQ-04", "short", "medium_fluent"),
        ("DQ-04", "grammar_errors", "short"),
        ("DQ-04", "grammar_errors", "medium_fluent"),
        *(("DQ-04", bad, good) for bad in ("broken", "hard_to_understand") for good in fluent),
    }


def test_dq_10_a_length_is_one() -> None:
    assert excluded("coherence") == {("DQ-10", "long_informative", "medium_fluent")}


@pytest.mark.parametrize("code", ["consistency", "diversity"])
def test_yes_or_no_questions_exclude_nothing(code: str) -> None:
    assert excluded(code) == set()


def test_dq_03_the_program_asks_about_repetition() -> None:
    checks = {check.code: check.detector for check in dialogue("quality").checks if check.detector}
    assert checks == {"repeated": Detector.REPEATS}


@pytest.mark.parametrize("check", TICKS["quality"][5])
def test_dq_04_merits_are_4_or_5(check: str) -> None:
    assert open_to(dialogue("quality"), check) == (4, 5)
    assert "DQ-04" in dialogue("quality").check(check).clauses


# --- consistency ---


def test_dq_05_consistency_is_asked_only_where_there_is_a_persona() -> None:
    assert needs("consistency") == (True, False, 0, 0)


def test_dq_06_both_questions_must_be_answered_and_mark_the_lines() -> None:
    checks = dialogue("consistency").checks
    assert [(check.code, check.kind, check.marks_persona) for check in checks] == [
        ("contradicts", Kind.YES_NO, True),
        ("reflects", Kind.YES_NO, True),
    ]
    assert [[answer.sets for answer in check.answers] for check in checks] == [
        ["contradicts", None],
        ["reflects", None],
    ]
    assert verdict_on(dialogue("consistency"), answered=()).missing == ("contradicts", "reflects")


@pytest.mark.parametrize(
    ("facts", "scores"),
    [
        ((), (2, 3, 4)),
        (("contradicts",), (1, 2)),
        (("reflects",), (4, 5)),
        (("contradicts", "reflects"), (1, 2)),
    ],
)
def test_dq_06_contradiction_decides_then_reflection(
    facts: tuple[str, ...], scores: tuple[int, ...]
) -> None:
    consistency = dialogue("consistency")
    assert open_to(consistency, *facts) == scores
    for score in set(consistency.scores) - set(scores):
        assert clauses_barring(consistency, score, *facts) == ["DQ-06"]


def test_dq_06_to_contradict_is_to_say_what_nobody_believes_who_believes_the_line() -> None:
    text = " ".join(dialogue("consistency").check("contradicts").help.split())
    assert "whoever believes the line would not believe the response" in text
    assert "both could be true" not in text
    assert "What has nothing to do with a line does not contradict it." in text


def test_dq_06_nothing_is_barred_for_the_absence_of_what_is_not_yet_answered() -> None:
    consistency = dialogue("consistency")
    assert verdict_on(consistency, answered=()).open == (1, 2, 3, 4, 5)
    assert verdict_on(consistency, "reflects", answered={"reflects"}).open == (1, 2, 3, 4, 5)
    assert verdict_on(consistency, "contradicts", answered={"contradicts"}).open == (1, 2)
    assert verdict_on(consistency, answered={"contradicts"}).open == (1, 2, 3, 4, 5)


# --- coherence ---


def test_dq_07_coherence_is_asked_only_where_there_is_a_history() -> None:
    assert needs("coherence") == (False, True, 0, 0)


def test_dq_08_what_is_irrelevant_is_1_or_2() -> None:
    assert open_to(dialogue("coherence"), "irrelevant") == (1, 2)
    assert "DQ-08" in dialogue("coherence").check("irrelevant").clauses


def test_dq_08_a_reply_that_merely_does_not_answer_is_a_general_remark() -> None:
    text = " ".join(dialogue("coherence").check("irrelevant").help.split())
    assert "such as “i am sorry”, is a General remark" in text
    assert dialogue("coherence").check("generic").wording == "General remark"


@pytest.mark.parametrize("check", TICKS["coherence"][3])
def test_dq_09_what_hardly_answers_is_2_to_4(check: str) -> None:
    assert open_to(dialogue("coherence"), check) == (2, 3, 4)
    assert "DQ-09" in dialogue("coherence").check(check).clauses


def test_dq_09_the_program_asks_whether_the_query_is_given_back() -> None:
    checks = {
        check.code: check.detector for check in dialogue("coherence").checks if check.detector
    }
    assert checks == {"same_as_query": Detector.SAME_AS_QUERY}


@pytest.mark.parametrize("check", TICKS["coherence"][5])
def test_dq_10_what_takes_up_the_history_well_is_4_or_5(check: str) -> None:
    assert open_to(dialogue("coherence"), check) == (4, 5)
    assert "DQ-10" in dialogue("coherence").check(check).clauses


def test_dq_10_reading_d1_errors_count_only_where_they_hinder() -> None:
    (reading,) = dialogue("coherence").guidance
    assert reading.clauses == ("DQ-10",)
    assert "only where they hinder understanding" in reading.text


# --- diversity ---


def test_dq_11_one_question_is_about_the_set_one_about_the_whole_corpus() -> None:
    checks = dialogue("diversity").checks
    assert [(check.code, check.kind, check.scope) for check in checks] == [
        ("set_high", Kind.YES_NO, Scope.TARGET),
        ("corpus_high", Kind.YES_NO, Scope.CORPUS),
    ]
    assert [[answer.sets for answer in check.answers] for check in checks] == [
        ["set_high", None],
        ["corpus_high", None],
    ]


def test_dq_11_a_set_has_two_candidates_and_its_model_five_other_histories() -> None:
    assert needs("diversity") == (False, False, 2, 5)
    assert dialogue("diversity").sample == 50


@pytest.mark.parametrize("code", ["quality", "consistency", "coherence"])
def test_dq_11_only_diversity_asks_about_a_corpus(code: str) -> None:
    assert {check.scope for check in dialogue(code).checks} == {Scope.TARGET}


@pytest.mark.parametrize(
    ("facts", "scores", "rules"),
    [
        ((), (1, 2), {"neither_at_most_2"}),
        (("set_high",), (2, 3, 4), {"any_at_least_2", "only_here_at_most_4"}),
        (("corpus_high",), (2, 3, 4), {"any_at_least_2", "only_overall_at_most_4"}),
        (("set_high", "corpus_high"), (4, 5), {"any_at_least_2", "both_at_least_4"}),
    ],
)
def test_dq_12_neither_one_or_both_high(
    facts: tuple[str, ...], scores: tuple[int, ...], rules: set[str]
) -> None:
    diversity = dialogue("diversity")
    assert open_to(diversity, *facts) == scores
    for score in set(diversity.scores) - set(scores):
        assert set(clauses_barring(diversity, score, *facts)) == {"DQ-12"}
    assert {reason.rule for reason in verdict_on(diversity, *facts).acting_reasons} == rules


def test_dq_12_nothing_is_barred_for_the_absence_of_what_is_not_yet_answered() -> None:
    diversity = dialogue("diversity")
    assert verdict_on(diversity, answered=()).open == (1, 2, 3, 4, 5)
    assert verdict_on(diversity, "set_high", answered={"set_high"}).open == (2, 3, 4, 5)
    assert verdict_on(diversity, "corpus_high", answered={"corpus_high"}).open == (2, 3, 4, 5)


def test_dq_12_reading_d3_low_and_very_low_are_told_apart_by_the_annotator() -> None:
    reading, *_others = dialogue("diversity").guidance
    assert (reading.code, reading.clauses) == ("low_and_very_low", ("DQ-12",))
    assert open_to(dialogue("diversity")) == (1, 2)


def test_dq_11_the_two_numbers_are_marked_as_our_reading() -> None:
    (enough,) = (text for text in dialogue("diversity").guidance if text.code == "enough")
    assert "Our reading" in enough.text
    assert "two or more responses" in enough.text
    assert "five or more other histories" in enough.text
    assert needs("diversity") == (False, False, 2, 5)


@pytest.mark.parametrize("code", ["consistency", "diversity"])
def test_dq_06_and_dq_12_the_scores_between_are_marked_as_our_reading(code: str) -> None:
    (bands,) = (text for text in dialogue(code).guidance if text.code == "bands")
    assert "Our reading: a 2 and a 4 lie beside them" in bands.text


# --- all ---


@pytest.mark.parametrize("code", DIMENSIONS)
def test_dq_13_scores_are_whole_from_1_to_5_and_2_and_4_lie_between(code: str) -> None:
    dimension = dialogue(code)
    assert list(dimension.scores) == [1, 2, 3, 4, 5]
    assert [(level.score, level.label, level.between) for level in dimension.levels] == [
        (5, "Perfect", False),
        (4, "Between fair and perfect", True),
        (3, "Fair", False),
        (2, "Between poor and fair", True),
        (1, "Poor", False),
    ]


@pytest.mark.parametrize("code", ["quality", "coherence"])
def test_dq_14_a_bar_says_under_which_level_the_rubric_names_the_tick(code: str) -> None:
    for level, checks in TICKS[code].items():
        for check in checks:
            verdict = verdict_on(dialogue(code), check)
            label = dialogue(code).labels[check]
            assert {(reason.text, reason.reading) for reason in verdict.acting_reasons} == {
                (f"The rubric names {label} under {level}.", "lowest_decides")
            }


LOWEST_DECIDES = {
    "poor_at_most_2",
    "fair_at_most_4",
    "fair_at_least_2",
    "fair_and_perfect_at_least_3",
    "perfect_at_least_4",
}


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        (
            "quality",
            {
                "measure": {"short", "medium_fluent", "grammar_errors"},
                "lowest_decides": {*LOWEST_DECIDES, "grammar_errors_at_most_4"},
            },
        ),
        (
            "consistency",
            {
                "bands": {
                    *("contradiction_at_most_2", "neither_at_least_2", "neither_at_most_4"),
                    "reflection_at_least_4",
                }
            },
        ),
        (
            "coherence",
            {
                "errors": {"5", "long_informative", "medium_fluent"},
                "lowest_decides": LOWEST_DECIDES,
            },
        ),
        (
            "diversity",
            {
                "low_and_very_low": {"1"},
                "enough": {"set_high", "corpus_high"},
                "bands": {
                    *("neither_at_most_2", "any_at_least_2", "only_here_at_most_4"),
                    *("only_overall_at_most_4", "both_at_least_4"),
                },
            },
        ),
    ],
)
def test_exactly_the_parts_of_a_dialogue_dimension_that_rest_on_a_reading_link_to_it(
    code: str, parts: dict[str, set[str]]
) -> None:
    assert rests_on(dialogue(code)) == parts


@pytest.mark.parametrize("code", DIMENSIONS)
def test_every_reason_is_short_enough_to_stand_under_the_scores(code: str) -> None:
    assert own_words(dialogue(code)) == {}, "no rule has a line besides"


def test_dq_13_whole_scores_are_told_of() -> None:
    (whole,) = (text for text in shipped("dialogue").guidance if "DQ-13" in text.clauses)
    assert "whole number from 1 to 5" in whole.text


def permitted_in(code: str) -> Iterator[tuple[str, ...]]:
    """Every combination without an excluded pair."""
    pairs = [{one, other} for _clause, one, other in excluded(code)]
    return (
        facts
        for facts in subsets(dialogue(code).facts)
        if not any(pair <= {*facts} for pair in pairs)
    )


@pytest.mark.parametrize(
    ("rest", "open_scores"), [((), (3, 4, 5)), (("repeated",), (3, 4)), (("perverse",), (3, 4))]
)
def test_dq_14_grammar_errors_are_no_bar_to_a_long_5_unless_something_else_is_wrong(
    rest: tuple[str, ...], open_scores: tuple[int, ...]
) -> None:
    scores = open_to(dialogue("quality"), "grammar_errors", "long_informative", *rest)
    assert scores == open_scores


def lowest_level_decides(
    code: str, facts: tuple[str, ...]
) -> tuple[tuple[int, ...], dict[int, set[str]]]:
    """(the open scores, the rules that bar each other one)"""
    one, three, five = (bool(set(TICKS[code][level]) & set(facts)) for level in (1, 3, 5))
    barred: dict[int, set[str]] = defaultdict(set)
    # DQ-14's exception: the source forbids errors only of the medium length.
    only_errors = set(TICKS[code][3]) & set(facts) == {"grammar_errors"}
    long_with_errors = only_errors and "long_informative" in facts
    others = set(TICKS[code][3]) & set(facts) - {"grammar_errors"}
    for holds, rule, scores in (
        (one, "poor_at_most_2", (3, 4, 5)),
        (bool(others), "fair_at_most_4", (5,)),
        (
            "grammar_errors" in facts and "long_informative" not in facts,
            "grammar_errors_at_most_4",
            (5,),
        ),
        (three and not one, "fair_at_least_2", (1,)),
        (three and five and not one, "fair_and_perfect_at_least_3", (1, 2)),
        (five and not one and not three, "perfect_at_least_4", (1, 2, 3)),
    ):
        for score in scores if holds else ():
            barred[score].add(rule)
    if one:
        return (1, 2), barred
    if long_with_errors:
        return (3, 4, 5), barred
    if three:
        return (3, 4) if five else (2, 3, 4), barred
    return (4, 5) if five else (1, 2, 3, 4, 5), barred


@pytest.mark.parametrize("code", ["quality", "coherence"])
def test_dq_14_the_lowest_ticked_level_decides_in_every_combination(code: str) -> None:
    dimension = dialogue(code)
    permitted = list(permitted_in(code))
    assert len(permitted) == {"quality": 36, "coherence": 192}[code]
    for facts in permitted:
        scores, barred = lowest_level_decides(code, facts)
        verdict = verdict_on(dimension, *facts)
        assert verdict.open == scores
        assert {
            bar.score: {reason.rule for reason in bar.reasons} for bar in verdict.barred
        } == barred
        for bar in verdict.barred:
            assert {reason.clause for reason in bar.reasons} == {"DQ-14"}
            assert all(reason.text.endswith(".") for reason in bar.reasons)


@pytest.mark.parametrize("code", ["quality", "coherence"])
def test_dq_14_a_merit_does_not_lift_a_defect_and_one_more_tick_never_opens_beyond(
    code: str,
) -> None:
    dimension = dialogue(code)
    faults = {check for level in (1, 3) for check in TICKS[code][level]}
    for facts in permitted_in(code):
        for fault in faults - set(facts):
            if not clashing(dimension, *facts, fault):
                assert max(open_to(dimension, *facts, fault)) <= max(open_to(dimension, *facts))


@pytest.mark.parametrize("code", DIMENSIONS)
def test_no_permitted_combination_is_left_empty_handed(code: str) -> None:
    dimension = dialogue(code)
    for facts in permitted_in(code):
        verdict = verdict_on(dimension, *facts)
        assert verdict.open
        assert verdict.forced is None
        assert verdict.remarks == ()
