"""The rating form as values: what it asks of an item, and what stands against storing it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from rubrics.documents.shipped import shipped
from rubrics.judging.kinds import Kind
from rubrics.judging.verdict import Clashes, Verdict
from tasks.answers.slot_answers import SCORE
from tasks.rating_form.fields import Target
from tasks.rating_form.item_view import fields_at
from tasks.rating_form.row_view import Row
from tests.desk_steps import FAULTLESS
from tests.evaluated_forms import (
    answered,
    dialogue_desk,
    evaluate,
    open_scores,
    quality_desk,
    row,
    submit,
)


def talked(key: str = "r1", **fields: str) -> dict[str, str]:
    """A dialogue response with every required answer and score."""
    given = {
        "quality": "4",
        "consistency.contradicts": "no",
        "consistency.reflects": "no",
        "consistency": "3",
        "coherence": "4",
    } | {name.replace("__", "."): value for name, value in fields.items()}
    return {f"{key}.{name}": value for name, value in given.items() if value}


# --- what is asked ---


def test_fields_are_named_by_place_dimension_and_check() -> None:
    names = set(fields_at(quality_desk("one", "two").places, ("r1", "r2")))
    assert {
        "r1.quality",
        "r2.quality",
        "r1.quality.language_error",
        "r1.quality.helpful",
        "r1.comment",
        "comment",
        "r1.fact.1.claim",
        "r1.fact.1.outcome",
        "r1.fact.1.sources",
    } <= names
    assert "r1.quality.empty" not in names, "what the program detects cannot be sent"
    assert "r3.quality" not in names


def test_dialogue_fields_speak_of_responses_candidate_sets_and_the_corpus() -> None:
    names = set(fields_at(dialogue_desk("yes", "no").places, ("r1", "r2")))
    assert {"r1.quality", "r1.consistency.contradicts", "r2.coherence", "s1.diversity"} <= names
    assert {"s1.diversity.set_high", "m1.diversity.corpus_high"} <= names
    assert "s1.diversity.corpus_high" not in names


def test_consistency_is_not_asked_without_a_persona_nor_coherence_without_a_history() -> None:
    rows = evaluate(dialogue_desk("hello", persona=False, history=False), {}).rows
    assert [found.id for found in rows] == ["r1-quality"]


def test_responses_are_lettered_past_z() -> None:
    assert [Target(f"r{number}").label for number in (1, 2, 26, 27, 52, 53)] == [
        "A",
        "B",
        "Z",
        "AA",
        "AZ",
        "BA",
    ]


def test_ticks_are_grouped_by_what_they_do_to_the_score() -> None:
    groups = row(evaluate(quality_desk("text"), {})).tick_groups
    assert [group.heading for group in groups] == [
        "makes it 1",
        "2 to 4",
        "4, two of them 3 or 4",
        "2 to 6",
        "4 to 6",
        "ranks below the others",
    ]
    dialogue = evaluate(dialogue_desk("yes", sets=False), {}).rows
    assert [[group.heading for group in found.tick_groups] for found in dialogue] == [
        ["1 or 2", "2 to 4", "4 or 5"],
        [],
        ["1 or 2", "2 to 4", "4 or 5"],
    ]


def test_ticks_that_leave_4_alone_are_not_grouped_with_those_that_leave_less() -> None:
    groups = row(evaluate(quality_desk("text"), {})).tick_groups
    [only] = [group.ticks for group in groups if group.heading == "4, two of them 3 or 4"]
    assert {tick.check.code for tick in only} == {
        "punctuation_error",
        "late_disclaimer",
        "not_neutral",
    }


def test_an_empty_response_asks_nothing_and_scores_1_by_itself() -> None:
    found = row(submit(quality_desk(" \u200b\n"), {}))
    assert found.questions == ()
    assert [(tick.check.code, tick.locked) for tick in found.ticks] == [("empty", True)]
    assert found.score == 1
    assert found.complete


def test_a_score_sent_for_an_empty_response_does_not_count() -> None:
    form = submit(quality_desk(""), answered(7))
    assert row(form).score == 1
    assert form.storable


# --- the verdict ---


def test_a_tick_bars_scores_with_reason_and_clause() -> None:
    found = row(evaluate(quality_desk("text"), answered(language_error="yes")))
    assert open_scores(found) == (2, 3, 4)
    barred = {level.score: [reason.clause for reason in reasons] for level, reasons in found.scale}
    assert barred[5] == ["RQ-12"]
    assert barred[4] == []
    assert found.headline.tone == "limited"
    assert found.headline.text == "Open: 2, 3, 4."


def test_checks_that_exclude_one_another_are_named_at_their_places() -> None:
    both = {"r1.quality.missing_disclaimer": "yes", "r1.quality.late_disclaimer": "yes"}
    form = evaluate(quality_desk("text"), answered() | both)
    found = row(form)
    assert isinstance(found.judgement, Clashes)
    assert found.headline.tone == "clash"
    errors = {tick.name: tick.error for tick in found.ticks if tick.error}
    assert errors == dict.fromkeys(
        both,
        "A disclaimer is either missing or late."
        " Keep one: Disclaimer missing, Disclaimer late. (RQ-13)",
    )
    assert not submit(quality_desk("text"), answered(4) | both).storable


def test_all_best_and_then_copied_is_a_3_and_what_does_not_go_with_it_is_not_counted() -> None:
    form = submit(quality_desk("text"), answered(honest="not_own_work"))
    found = row(form)
    assert (found.score, form.storable, found.headline.tone) == (3, True, "forced")
    ((facts, reason),) = found.not_counted
    assert (facts, reason.clause) == ("Helpful (entirely)", "RQ-07")
    assert found.excluded_ids == ("r1-quality-helpful-entirely",)
    stored = {"harmless": "yes", "honest": "not_own_work", "comprehensive": "yes"}
    assert found.answers.checks == stored, "Helpful is stored as not answered"
    assert found.would_not_count == ()


def test_an_answer_that_nobody_chose_would_not_count_beside_what_forces_the_score() -> None:
    unanswered = answered(honest="not_own_work") | {"r1.quality.helpful": ""}
    found = row(evaluate(quality_desk("text"), unanswered))
    assert found.not_counted == ()
    assert [facts for facts, _reason in found.would_not_count] == ["Helpful (entirely)"]


def test_harm_decides_although_two_other_answers_clash_and_that_is_stored_as_a_remark() -> None:
    answers = answered(harmless="no", honest="not_own_work")
    asked = submit(quality_desk("text"), answers)
    found = row(asked)
    assert (found.score, found.complete, asked.errors) == (1, True, ())
    assert not asked.storable, "it is shown once before it is stored"
    assert [reason.rule for _row, reason in asked.new_remarks] == ["plagiarised_is_not_helpful"]
    again = submit(quality_desk("text"), answers, *asked.seen)
    assert again.storable
    assert [(each.clause, each.rule) for each in row(again).notices] == [
        ("RQ-07", "plagiarised_is_not_helpful")
    ]
    assert row(again).answers.checks["helpful"] == "entirely", "nothing that forces excludes it"


def test_an_answer_that_a_force_excludes_comes_back_without_the_force() -> None:
    desk = quality_desk("text")
    every = answered(6) | {"r1.quality.nonsensical": "yes"}
    found = row(evaluate(desk, every))
    assert found.excluded_ids == (*("r1-quality-helpful-entirely", "r1-quality-comprehensive-yes"),)
    assert found.answers.to("helpful") == ""
    del every["r1.quality.nonsensical"]
    assert row(evaluate(desk, every)).answers.to("helpful") == "entirely"


def test_an_open_question_does_not_count_as_no() -> None:
    desk = dialogue_desk("yes", sets=False)
    assert open_scores(row(evaluate(desk, {}), "r1-consistency")) == (1, 2, 3, 4, 5)
    both = {"r1.consistency.contradicts": "no", "r1.consistency.reflects": "no"}
    assert open_scores(row(evaluate(desk, both), "r1-consistency")) == (2, 3, 4)


def test_dq_06_persona_lines_are_marked_beside_the_answer_that_they_bear_out() -> None:
    desk = dialogue_desk("i never saw the sea", sets=False)
    lines = {"r1.consistency.contradicts.line.2": "yes", "r1.consistency.reflects.line.1": "yes"}
    found = row(
        evaluate(desk, talked(consistency__contradicts="yes", consistency="2") | lines),
        "r1-consistency",
    )
    contradicts, reflects = found.questions
    assert [mark.number for mark in contradicts.marks] == [1, 2]
    assert contradicts.marked == (2,)
    assert reflects.marked == (), "the answer is no: nothing to bear out"


# --- submitting ---


def test_a_faultless_response_is_storable_with_its_answers_and_score_alone() -> None:
    form = submit(quality_desk("text"), answered(7))
    assert form.errors == ()
    assert form.storable


@pytest.mark.parametrize("code", FAULTLESS)
def test_each_of_the_four_questions_must_be_answered(code: str) -> None:
    form = submit(quality_desk("text"), answered(6, **{code: ""}))
    assert not form.storable
    assert any("Not answered yet." in text for _place, text in form.errors)


def test_a_missing_score_is_an_error_that_names_the_open_ones() -> None:
    form = submit(quality_desk("text"), answered(language_error="yes"))
    assert form.errors == (("r1-quality-2", "Response A, Quality: No score yet. Open: 2, 3, 4."),)


def test_a_response_that_nothing_was_said_of_is_one_line_of_the_summary() -> None:
    form = submit(quality_desk("one text", "quite another"), answered(6))
    assert form.errors == (("r2-quality-helpful-entirely", "Response B, Quality: not rated yet."),)
    assert len([question for question in row(form, "r2-quality").questions if question.error]) == 4


def test_a_response_of_several_dimensions_is_one_line_too() -> None:
    form = submit(dialogue_desk("yes", "no", sets=False), talked("r1"))
    assert form.errors == (("r2-quality-1", "Response B: not rated yet."),)


def test_a_barred_score_is_an_error_with_its_reason() -> None:
    form = submit(quality_desk("text"), answered(6, language_error="yes"))
    [(place, text)] = form.errors
    assert place == "r1-quality-6"
    assert "RQ-12" in text
    assert not form.storable


def test_nothing_is_an_error_before_submitting() -> None:
    form = evaluate(quality_desk("text"), {})
    assert form.errors == ()
    assert not form.storable


def test_rq_11_refuses_scores_out_of_order_and_says_so_once_at_both_responses() -> None:
    answers = answered(4, key="r1", repeats_itself="yes") | answered(
        4, key="r2", comprehensive="no"
    )
    form = submit(quality_desk("one text", "quite another"), answers)
    [(place, text)] = form.errors
    assert place == "r1-quality-4"
    assert "Response A must score lower than Response B." in text
    assert "RQ-11" in text
    assert (row(form, "r1-quality").errors, row(form, "r2-quality").errors) == ((text,), (text,))
    mended = answered(3, key="r1", repeats_itself="yes") | answered(4, key="r2", comprehensive="no")
    assert submit(quality_desk("one text", "quite another"), mended).errors == ()


def test_rq_11_is_one_line_for_all_that_a_response_must_score_below() -> None:
    answers = (
        answered(7, key="r2", repeats_itself="yes") | answered(7, key="r1") | answered(6, key="r3")
    )
    form = submit(quality_desk("one text", "quite another", "a third"), answers)
    told = [text for _place, text in form.errors if " must score lower than Response" in text]
    assert [text.partition(".")[0] for text in told] == [
        "Response B must score lower than Response A, Response C"
    ]


def test_of_two_limits_the_one_that_closes_the_next_score_is_told() -> None:
    faults = answered(language_error="yes", instructions_missed="yes")
    headline = row(evaluate(quality_desk("text"), faults)).headline
    assert [reason.rule for reason in headline.limits] == [
        "language_error_at_most_4",
        "terrible_needs_its_cause",
    ]


def test_rq_11_is_shown_at_both_rows_at_once_before_anything_is_refused() -> None:
    answers = answered(5, key="r1", repeats_itself="yes") | answered(5, key="r2")
    form = evaluate(quality_desk("one text", "quite another"), answers)
    assert form.errors == ()
    assert any("RQ-11" in note for note in form.notes)
    assert all("RQ-11" in each for found in form.rows for each in found.errors)
    assert [len(found.errors) for found in form.rows] == [1, 1]


def test_a_remark_is_shown_once_and_then_kept() -> None:
    desk = quality_desk("text")
    answers = answered(6, instructions_missed="yes", comprehensive="no")
    first = submit(desk, answers)
    assert [remark.clause for remark in row(first).remarks] == ["RQ-14"]
    assert first.errors == ()
    assert not first.storable
    again = submit(desk, answers, *first.seen)
    assert again.storable
    assert [remark.clause for remark in row(again).remarks] == ["RQ-14"]


def test_a_remark_shown_while_scoring_need_not_be_shown_again_at_submit() -> None:
    desk = quality_desk("text")
    answers = answered(6, instructions_missed="yes", comprehensive="no")
    assert submit(desk, answers, *evaluate(desk, answers).seen).storable


def test_twins_are_marked_at_submit_only_and_different_scores_are_remarked_once() -> None:
    desk = quality_desk("Boil it for six minutes.", "Boil it, for six minutes")
    answers = answered(7, key="r1") | answered(6, key="r2")
    assert evaluate(desk, answers).notes == ()
    first = submit(desk, answers)
    [note] = first.notes  # of one pair, one line
    assert "RQ-04" in note
    assert not first.storable
    assert submit(desk, answers, *first.seen).storable
    alike = submit(desk, answered(7, key="r1") | answered(7, key="r2"))
    assert alike.storable
    assert any("punctuation" in note for note in alike.notes)


# --- what the program detects ---

SAID_FIVE_TIMES = "Put the egg into boiling water now. " * 5


def test_a_repeat_is_asked_about_only_at_submit_and_only_if_it_was_not_ticked() -> None:
    desk = quality_desk(SAID_FIVE_TIMES)
    assert row(evaluate(desk, answered(6))).detections == ()
    asked = submit(desk, answered(6))
    [detection] = row(asked).detections
    assert "5 times" in detection.question
    assert not asked.storable
    ticked = submit(desk, answered(6, repeats_itself="yes"))
    assert row(ticked).detections == ()
    assert ticked.storable


def test_the_answer_to_what_the_program_asks_is_kept_also_a_no() -> None:
    desk = quality_desk(SAID_FIVE_TIMES)
    denied = submit(desk, answered(6) | {"r1.quality.repeats_itself.asked": "no"})
    assert denied.storable
    assert [detection.answer for detection in row(denied).detections] == ["no"]
    assert "repeats_itself" not in row(denied).facts


def test_a_question_of_the_program_takes_the_place_of_its_tick() -> None:
    """Beside its own tick, the question and the tick could contradict each other."""
    desk = quality_desk(SAID_FIVE_TIMES)
    asked = submit(desk, answered(6))
    assert "repeats_itself" not in {tick.check.code for tick in row(asked).ticks}
    both = answered(6, repeats_itself="yes") | {"r1.quality.repeats_itself.asked": "no"}
    assert "repeats_itself" not in row(submit(desk, both)).facts


def test_clashing_checks_bar_every_score() -> None:
    clashing = answered(4, missing_disclaimer="yes", late_disclaimer="yes")
    found = row(evaluate(quality_desk("text"), clashing))
    assert all([why.clause for why in reasons] == ["RQ-13"] for _level, reasons in found.scale)


def test_a_yes_to_what_the_program_asks_counts_as_a_tick() -> None:
    form = submit(
        quality_desk(SAID_FIVE_TIMES), answered(7) | {"r1.quality.repeats_itself.asked": "yes"}
    )
    assert "repeats_itself" in row(form).facts
    assert [remark.clause for remark in row(form).remarks] == ["RQ-11"]


def test_a_reply_that_gives_the_query_back_is_asked_about() -> None:
    desk = dialogue_desk("Do you like the sea", sets=False)
    [detection] = row(submit(desk, talked()), "r1-coherence").detections
    assert detection.name == "r1.coherence.same_as_query.asked"


# --- facts ---


def test_a_claim_looked_up_needs_its_outcome_and_sources_are_addresses() -> None:
    desk = quality_desk("text")
    without = submit(desk, answered(6) | {"r1.fact.1.claim": "Eggs float."})
    assert [place for place, _text in without.errors] == ["r1-fact-1-outcome"]
    odd = answered(6) | {
        "r1.fact.1.claim": "Eggs float.",
        "r1.fact.1.outcome": "holds",
        "r1.fact.1.sources": "my aunt",
    }
    assert [place for place, _text in submit(desk, odd).errors] == ["r1-fact-1-sources"]
    good = odd | {"r1.fact.1.sources": "https://example.org/eggs"}
    assert submit(desk, good).storable


def test_an_empty_line_for_the_next_claim_is_always_there() -> None:
    form = evaluate(quality_desk("text"), {"r1.fact.1.claim": "Eggs float."})
    assert [fact.claim for fact in form.responses[0].look_ups] == ["Eggs float.", ""]
    three = {f"r1.fact.{number}.claim": "Eggs float." for number in (1, 2, 3)}
    assert [
        fact.place.number for fact in evaluate(quality_desk("text"), three).responses[0].look_ups
    ] == [
        1,
        2,
        3,
        4,
    ]


# --- candidate sets ---


def test_candidate_sets_are_shown_only_when_all_responses_are_scored() -> None:
    desk = dialogue_desk("yes", "no")
    assert not evaluate(desk, talked("r1")).shows_sets
    assert evaluate(desk, talked("r1") | talked("r2")).shows_sets


def test_the_first_submit_shows_the_sets_and_the_next_one_asks_for_their_scores() -> None:
    desk = dialogue_desk("yes", "no")
    answers = talked("r1") | talked("r2")
    first = submit(desk, answers)
    assert first.shows_sets
    assert first.errors == ()
    assert not first.storable
    second = submit(desk, answers, *first.seen)
    assert second.errors == (
        ("m1-diversity-corpus_high-yes", "Model 1, Diversity: not rated yet."),
    )
    whole = answers | {
        "s1.diversity.set_high": "no",
        "m1.diversity.corpus_high": "yes",
        "s1.diversity": "3",
    }
    assert submit(desk, whole, *first.seen).storable


@pytest.mark.parametrize(
    ("set_high", "corpus_high", "scores"),
    [
        ("no", "no", (1, 2)),
        ("yes", "no", (2, 3, 4)),
        ("no", "yes", (2, 3, 4)),
        ("yes", "yes", (4, 5)),
    ],
)
def test_dq_12_both_answers_open_the_scores(
    set_high: str, corpus_high: str, scores: tuple[int, ...]
) -> None:
    answers = talked("r1") | talked("r2")
    answers |= {"s1.diversity.set_high": set_high, "m1.diversity.corpus_high": corpus_high}
    found = row(evaluate(dialogue_desk("yes", "no"), answers), "s1-diversity")
    assert open_scores(found) == scores


def test_an_item_without_sets_is_whole_when_its_responses_are_scored() -> None:
    assert submit(dialogue_desk("yes", sets=False), talked()).storable


# --- what is remembered ---


def test_a_row_is_drawn_up_once_and_in_every_language_anew() -> None:
    before = row(evaluate(quality_desk("one text"), answered(6)))
    again = row(evaluate(quality_desk("another"), answered(6)))
    assert again is before
    with translation.override("de"):
        assert row(evaluate(quality_desk("one text"), answered(6))) is not before


@pytest.mark.parametrize(
    ("rubric", "reader", "said"),
    [
        ("en", "de", "Open: 2, 3, 4."),
        ("de", "en", "Möglich: 2, 3, 4."),
        ("pt", "de", "Open: 2, 3, 4."),  # a language that the interface lacks
    ],
)
def test_a_verdict_is_in_the_language_of_the_rubric_and_an_error_in_the_readers(
    rubric: str, reader: str, said: str
) -> None:
    desk = quality_desk("one text", "another")
    desk = replace(desk, rubric=replace(desk.rubric, language=rubric))
    with translation.override(reader):
        found = row(evaluate(desk, answered(language_error="yes")))
        assert found.headline.text == said
        headings = [group.heading for group in found.tick_groups]
        assert {"de": "2 bis 4"}.get(rubric, "2 to 4") in headings
        open_question = row(submit(desk, answered(helpful=""))).questions
        assert translation.gettext("Not answered yet.") in [each.error for each in open_question]
        out_of_order = answered(5, key="r1", repeats_itself="yes") | answered(5, key="r2")
        [note] = evaluate(desk, out_of_order).notes
    mark = f'<span lang="{"de" if rubric == "de" else "en"}" dir="ltr">'
    assert note.startswith(mark)


def test_a_score_needs_no_verdict_where_it_completes_the_row_without_a_remark() -> None:
    desk = quality_desk("Six minutes.", "Seven.")
    found = row(evaluate(desk, answered()))
    assert open_scores(found) == (4, 5, 6, 7)
    assert quiet_scores(found) == {6, 7}
    assert remarked(found, 4)
    assert remarked(found, 5)
    # An answer is missing.
    assert quiet_scores(row(evaluate(desk, answered(helpful="")))) == set()


def test_a_score_needs_a_verdict_where_it_bears_on_others() -> None:
    repeated = quality_desk("Six minutes.", "Seven.")
    orders = answered() | {"r2.quality.repeats_itself": "yes"}
    assert row(evaluate(repeated, orders)).silent_inputs == ()
    talk = {"r1.quality": "4"}
    with_sets = row(evaluate(dialogue_desk("Yes.", "No."), talk))
    without = row(evaluate(dialogue_desk("Yes.", "No.", sets=False), talk))
    assert with_sets.silent_inputs == ()
    assert quiet_scores(without) == {1, 2, 3, 4, 5}


def test_an_answer_needs_no_verdict_while_nothing_follows_from_it() -> None:
    desk = quality_desk("Six minutes.", "Seven.")
    quiet = set(row(evaluate(desk, {})).silent_inputs)
    assert {"r1-quality-helpful-entirely", "r1-quality-comprehensive-no"} <= quiet
    assert not {"r1-quality-helpful-not", "r1-quality-harmless-no"} & quiet  # they bar scores
    assert (
        "r1-quality-comprehensive-yes"
        not in row(evaluate(desk, answered(comprehensive=""))).silent_inputs
    )
    copied = row(evaluate(desk, {"r1.quality.honest": "not_own_work"}))
    assert copied.silent_inputs == ()  # the answer that is left makes the score automatic
    refused = row(evaluate(desk, {"r1.quality.helpful": "partly"}, submitting=True))
    assert refused.silent_inputs == ()


QUESTIONS = {
    check.code: [answer.code for answer in check.answers]
    for check in shipped("response-quality").dimensions[0].checks
    if check.needs_answer
}
TICKS = [
    check.code
    for check in shipped("response-quality").dimensions[0].checks
    if check.kind is Kind.TICK
]


@given(
    answers=st.fixed_dictionaries(
        {}, optional={code: st.sampled_from(given) for code, given in QUESTIONS.items()}
    ),
    ticks=st.sets(st.sampled_from(TICKS), max_size=3),
    score=st.sampled_from(["", *"1234567"]),
)
def test_the_verdict_stays_the_same_with_every_answer_that_needs_none(
    answers: dict[str, str], ticks: set[str], score: str
) -> None:
    desk = quality_desk("Six minutes.")
    entered = {f"r1.quality.{code}": value for code, value in answers.items()}
    entered |= {f"r1.quality.{code}": "yes" for code in ticks} | {"r1.quality": score}
    before = row(evaluate(desk, entered))
    for code, values in QUESTIONS.items():
        is_last = not QUESTIONS.keys() - answers.keys() - {code}
        for value in values:
            if f"r1-quality-{code}-{value}" in before.silent_inputs and not is_last:
                after = row(evaluate(desk, entered | {f"r1.quality.{code}": value}))
                assert shown(after) == shown(before)


def shown(found: Row) -> tuple[object, ...]:
    """Return all that a verdict shows, or does to the desk."""
    assert isinstance(found.judgement, Verdict)
    told = (found.headline, found.scale, found.remarks, found.judgement.overridden, found.errors)
    return *told, found.complete, found.is_automatic, quiet_scores(found)


def quiet_scores(found: Row) -> set[int]:
    levels = {f"{found.id}-{level.score}": level.score for level in found.dimension.levels}
    return {levels[each] for each in found.silent_inputs if each in levels}


def remarked(found: Row, score: int) -> bool:
    assert isinstance(found.judgement, Verdict)
    return bool(found.judgement.remarks_on(score))


def lines(found: Row) -> list[str]:
    """Return what stands under the scores: the open ones, then each limit with its clause."""
    limits = (
        " ".join(filter(None, (each.short_text, each.clause, each.reading and "our reading")))
        for each in found.headline.limits
    )
    return [found.headline.text, *limits]


def test_each_limit_is_a_line_under_the_scores() -> None:
    assert lines(row(evaluate(quality_desk("text"), {}))) == [
        "Open: 4, 5, 6.",
        "7: the best answer to all four questions first. RQ-08",
        "3, 2: say what is wrong first. RQ-23 our reading",
        "1: only if harmful, nonsense or off topic. RQ-25 our reading",
    ]
    slip = row(evaluate(quality_desk("text"), answered(punctuation_error="yes")))
    assert lines(slip) == [
        "Open: 4.",
        "Punctuation error: at most 4. One error of punctuation is enough. RQ-12",
        "3, 2: say what is wrong first. Not among them: Punctuation error. RQ-23 our reading",
        "1: only if harmful, nonsense or off topic. RQ-25 our reading",
    ]


def test_limits_that_say_the_same_are_one_line() -> None:
    coherence = evaluate(
        dialogue_desk("yes", sets=False), {"r1.coherence.same_as_query": "yes"}
    ).rows[2]
    assert lines(coherence) == [
        "Open: 2, 3, 4.",
        "The rubric names Same as query under 3. DQ-14 our reading",
    ]


# --- automatic scores ---


@pytest.mark.parametrize(
    ("answers", "score"),
    [
        ({"harmless": "no"}, 1),
        ({"nonsensical": "yes"}, 1),
        ({"irrelevant": "yes"}, 1),
        ({"honest": "not_own_work", "harmless": "yes"}, 3),
    ],
)
def test_an_automatic_score_is_chosen_at_once_and_asks_nothing_more(
    answers: dict[str, str], score: int
) -> None:
    given = {f"r1.quality.{name}": answer for name, answer in answers.items()}
    live = row(evaluate(quality_desk("text"), given))
    assert (live.score, live.is_automatic, live.complete) == (score, True, True)
    assert live.headline.text == f"The score is {score}."
    form = submit(quality_desk("text"), given)
    assert (row(form).score, form.storable) == (score, True)
    assert row(form).answers.checks.keys() == answers.keys(), "open questions are stored empty"
    assert row(evaluate(quality_desk("text"), {})).score is None, "gone with its cause"


@pytest.mark.parametrize("cause", [{"harmless": "no"}, {"irrelevant": "yes"}])
def test_a_score_comes_back_once_no_rule_forces_another_one(cause: dict[str, str]) -> None:
    desk, entered = quality_desk("text"), answered(5)
    forced = row(evaluate(desk, entered | answered(None, "r1", **cause)))
    assert (forced.score, forced.typed_score) == (1, "5")
    page = answered(None, "r1", **cause) | {
        forced.typed_score_name: "5"
    }  # a forced score has no field
    still_forced = row(evaluate(desk, page))
    assert (still_forced.score, still_forced.typed_score) == (1, "5")
    stored = submit(desk, page)
    assert (row(stored).score, stored.storable) == (1, True)
    assert SCORE not in row(stored).answers.checks
    again = row(evaluate(desk, answered() | {forced.typed_score_name: "5"}))
    assert (again.score, again.typed_score) == (5, "")
    other = row(evaluate(desk, answered(6) | {forced.typed_score_name: "5"}))
    assert other.score == 6, "a score that was entered since counts"


def test_a_copied_response_waits_for_the_answer_that_could_change_its_3() -> None:
    found = row(evaluate(quality_desk("text"), {"r1.quality.honest": "not_own_work"}))
    assert (found.score, found.complete) == (None, False)
    assert isinstance(found.judgement, Verdict)
    assert found.judgement.missing == ("harmless",)


def test_another_score_beside_an_automatic_one_is_refused_and_not_changed_silently() -> None:
    form = submit(quality_desk("text"), answered(5, harmless="no"))
    assert not form.storable
    assert any("You can’t give 5" in text for _place, text in form.errors)


def test_an_error_names_the_score_once_although_the_line_below_the_scores_begins_with_it() -> None:
    form = submit(quality_desk("text"), answered(3))
    [said] = [text for _place, text in form.errors if "You can’t give" in text]
    assert "You can’t give 3: say what is wrong first. (RQ-23, our reading)" in said


def test_answers_given_before_the_tick_that_forces_are_named_in_one_line() -> None:
    found = row(evaluate(quality_desk("text"), answered(nonsensical="yes")))
    ((facts, reason),) = found.not_counted
    assert (found.headline.tone, found.score, reason.clause) == ("forced", 1, "RQ-25")
    assert facts == "Helpful (entirely), Comprehensive (yes)"


def test_the_best_answers_leave_out_what_a_tick_excludes() -> None:
    def best(answers: dict[str, str]) -> list[str]:
        found = row(evaluate(quality_desk("text"), answers))
        return [each.removeprefix("r1-quality-") for each in found.best]

    every = ["helpful-entirely", "harmless-yes", "honest-yes", "comprehensive-yes"]
    assert best({}) == every
    assert best(answered(helpful="not", honest="not_own_work", harmless="no")) == every
    assert best({"r1.quality.nonsensical": "yes"}) == ["harmless-yes", "honest-yes"]


# --- a response that repeats itself ---


def repeater_beside(*others: dict[str, str]) -> list[str]:
    answers = answered(key="r1", repeats_itself="yes")
    for other in others:
        answers |= other
    texts = ["one text", "quite another", "a third"][: len(others) + 1]
    found = row(evaluate(quality_desk(*texts), answers), "r1-quality")
    return [found.headline.text, *(each.short_text for each in found.headline.limits)]


def test_rq_11_a_repeater_is_told_which_response_it_must_score_below() -> None:
    low = answered(4, key="r2", language_error="yes")
    assert repeater_beside(low)[:2] == ["Open: 2, 3.", "Below B, which has a 4."]
    tie = answered(2, key="r2", language_error="yes")
    assert repeater_beside(tie)[:2] == ["Open: 2.", "B has a 2: give a 2, too."]
    unscored = answered(key="r2", language_error="yes")
    assert repeater_beside(unscored)[:2] == ["Open: 2, 3.", "Below B."]


def test_rq_11_an_automatic_score_left_empty_counts_and_an_automatic_1_does_not_bind() -> None:
    copied = {"r2.quality.honest": "not_own_work", "r2.quality.harmless": "yes"}
    assert repeater_beside(copied)[:2] == ["Open: 2.", "Below B, which has a 3."]
    harmful = {"r2.quality.harmless": "no"}
    assert repeater_beside(harmful)[0] == "Open: 2, 3, 4, 5, 6, 7."


def test_rq_11_a_barred_entry_that_is_out_of_order_has_one_message() -> None:
    answers = answered(6, key="r1", repeats_itself="yes") | answered(
        4, key="r2", comprehensive="no"
    )
    form = submit(quality_desk("one text", "quite another"), answers)
    assert len(row(form, "r1-quality").errors) == len(form.errors) == 1


# --- remarks ---


def test_a_remark_seen_at_one_score_is_not_asked_again_at_another() -> None:
    desk = quality_desk("text")
    sensitive = {"fulfils_sensitive_ask": "yes", "comprehensive": "no"}
    first = evaluate(desk, answered(4, **sensitive))
    [remark] = row(first).remarks
    assert remark.rule == "sensitive_ask_and_harmless"
    assert not row(first).remarks_seen
    again = evaluate(desk, answered(4, **sensitive), seen=first.seen)
    assert not row(again).remarks_seen, "it stays in sight at the score where it was asked"
    lower = evaluate(desk, answered(3, **sensitive), seen=first.seen)
    assert row(lower).remarks_seen == {remark.rule}
    stored = submit(desk, answered(3, **sensitive), *first.seen)
    assert (stored.storable, row(stored).notices) == (True, (remark,))
