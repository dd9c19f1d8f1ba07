"""Answers decide what is asked: checks of the whole response, conditions, scores that the answers
give, and a comment that low scores need. The rules, the form, and what is stored and exported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given, settings, strategies as st

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.proof import findings
from rubrics.documents.shipped import shipped
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Consequences
from rubrics.judging.parts import Condition
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Clashes, Verdict
from rubrics.models import Rubric
from rubrics.pages.fact_effects import consequence
from rubrics.pages.rule_groups import rule_groups
from rubrics.templatetags.rubric_pages import asked_if
from tasks.agreement.making import make
from tasks.answers.slot_answers import Answers
from tasks.models import Item, Membership, Placement, Project, Rating, Score
from tasks.models.tallies import tally_of
from tasks.overview.model_scores import ticked_most
from tasks.overview.partial_dimensions import partly_applied
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.item_view import ItemView, ResponseView
from tasks.rating_form.rating_words import rating_in_words
from tests import made_rubrics
from tests.desk_steps import HTMX, start, url
from tests.factories import NOW, make_item, make_membership, make_project

from .asked_rubric import (
    ANSWERS,
    TEXT,
    load,
)

GROUNDED = ANSWERS.dimension("grounded")
OTHER, BOTH = {"all_of": ["other"]}, {"all_of": ["first", "mark"]}


def form(
    said: Mapping[str, str], *, submitting: bool = False, setting: str = Consequences.ALWAYS
) -> Any:
    """The form of one response, r1, with these answers."""
    said = {f"r1.{name}": answer for name, answer in said.items()}
    desk = ItemView(
        ANSWERS,
        (ResponseView("r1", 1, 1, "m", "Yes."),),
        tags=frozenset({"chat"}),
        consequences=setting,
    )
    return evaluate(desk, Answers.read(said), submitting=submitting)


def rows(evaluated: Any) -> dict[str, Any]:
    return {row.dimension.code: row for row in evaluated.rows}


# --- the document ---


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            "when: {all_of: [claims]}}",
            "when: {all_of: [quotes]}}",
            '"quotes" is asserted by "quotes", which is not before "supported"',
        ),
        (
            "when: {none_of: [harmful]}\n",
            "when: {none_of: [claims]}\n",
            '"claims" is a check of grounded, asked only if this holds',
        ),
        (
            "{code: quotes,",
            "{code: insult,",
            '"insult" is a name of the whole response’s checks too',
        ),
        ("{code: quotes,", "{code: comment,", '"comment" is the comment on the response'),
        (
            "when: {all_of: [off_topic]}",
            "when: {all_of: [comment]}",
            '"comment" belongs in the "needs" of a require alone',
        ),
        ("code: tone", "code: response", '"response" is a field of every form'),
        (
            "when: {all_of: [harmful]}\n",
            "when: {all_of: [harmful], none_of: [harmful]}\n",
            "checks.harm.when: no answers meet it",
        ),
        (
            "when: {none_of: [harmful]}\n",
            "when: {all_of: [harmful], none_of: [harmful]}\n",
            "dimensions.grounded.when: no answers meet it",
        ),
        (
            "when: {all_of: [claims], none_of: [supported]}",
            "when: {all_of: [claims, quotes], none_of: [supported]}",
            'with "claims" no rule gives the score',
        ),
        (
            "effect: force, score: 2, when: {all_of: [supported]}",
            "effect: rank_below, when: {all_of: [supported]}",
            "a score that the answers give goes with no",
        ),
    ],
)
def test_an_impossible_condition_of_a_check_is_refused_with_its_place(
    was: str, now: str, said: str
) -> None:
    assert was in TEXT
    with pytest.raises(DocumentError) as refused:
        document.read(TEXT.replace(was, now, 1))
    assert said in str(refused.value)
    assert all(fault.startswith("line ") for fault in refused.value.faults)


def test_the_document_is_proved_and_written_as_it_was_read() -> None:
    assert [*findings(ANSWERS)] == []
    assert document.parse(document.dump(ANSWERS)) == ANSWERS
    assert "shared" not in str(document.dump(ANSWERS))
    helpful = replace(ANSWERS.dimension("helpful"), rules=())
    assert replace(ANSWERS, dimensions=(helpful,)).dimensions[0].shared == ()


def test_a_comment_that_a_rule_needs_is_a_fact_and_no_check() -> None:
    helpful = ANSWERS.dimension("helpful")
    assert helpful.needs_comment
    assert helpful.facts[-1] == "comment"
    assert "comment" not in [check.code for check in (*helpful.checks, *helpful.shared)]
    assert "comment" in helpful.facts_of_answers({"comment": "yes"})
    assert "comment" not in helpful.facts_of_answers({"comment": ""})


def test_the_whole_response_has_no_scale() -> None:
    whole = ANSWERS.whole_response
    assert (list(whole.scores), whole.lowest <= whole.highest) == ([], True)
    assert list(replace(whole, title="Other").scores) == []
    assert whole.faults == frozenset().union(*(part.faults for part in ANSWERS.dimensions))


def test_the_proof_takes_no_answer_that_is_not_asked() -> None:
    """Without its condition, `quotes` could be ticked though nothing is claimed."""
    clash = TEXT.replace(
        "when: {all_of: [supported]}, reason",
        "when: {any_of: [supported, quotes]}, reason",
    )
    document.read(clash)
    with pytest.raises(DocumentError, match='"quotes" rule none forces 0 and all 2'):
        document.read(clash.replace(", when: {all_of: [supported]}}\n    rules", "}\n    rules"))


# --- the rules ---

SAID = st.fixed_dictionaries(
    {
        "harmful": st.sampled_from(["", "yes", "no"]),
        "claims": st.sampled_from(["", "yes", "no"]),
        "supported": st.sampled_from(["", "yes", "no"]),
        "quotes": st.sampled_from(["", "yes"]),
    }
)


@given(SAID)
@settings(max_examples=54, deadline=None)
def test_a_check_that_is_not_asked_asserts_nothing_and_is_not_missing(
    said: Mapping[str, str],
) -> None:
    facts = GROUNDED.facts_of_answers(said)
    answered = [code for code, answer in said.items() if answer and code != "quotes"]
    verdict = judge(GROUNDED, facts, answered=answered)
    claims, supported = said["claims"], said["supported"]
    assert ("claims" in facts) == (claims == "yes")
    assert ("supported" in facts) == (claims == supported == "yes")
    assert ("quotes" in facts) == (claims == supported == said["quotes"] == "yes")
    assert isinstance(verdict, Verdict)
    assert verdict.applies == (said["harmful"] != "yes")
    if verdict.applies:
        assert ("harmful" in verdict.missing) == (said["harmful"] == "")
        assert ("claims" in verdict.missing) == (claims == "")
        assert ("supported" in verdict.missing) == (claims == "yes" and supported == "")
    if said["harmful"] == "no" and claims and (claims == "no" or supported):
        assert verdict.automatic_score == (0 if claims == "no" else 2 if supported == "yes" else 1)


EMPTY = document.parse(
    made_rubrics.document(
        [made_rubrics.detected("empty"), made_rubrics.tick("rude")],
        [
            made_rubrics.rule("alone", "exclude", {"all_of": ["empty"]}, against=["rude"]),
            made_rubrics.rule("none", "force", {"all_of": ["empty"]}, score=1),
            made_rubrics.rule("kind", "cap", {"none_of": ["harmful", "rude"]}, score=4),
            made_rubrics.rule("apart", "exclude", {"all_of": ["off"]}, against=["odd"]),
        ],
    )
    | {
        "checks": [
            *(made_rubrics.question(code, code, "") for code in ("harmful", "skip")),
            *(made_rubrics.tick(code) for code in ("off", "odd")),
        ]
    }
)
"""An empty response excludes all that is ticked of it in the row, not what is asked of it whole."""


def asked_unless_skipped() -> Dimension:
    (dimension,) = EMPTY.dimensions
    return replace(EMPTY, dimensions=(replace(dimension, when=SKIP),)).dimensions[0]


SKIP = Condition(none_of=("skip",))


def test_no_row_answers_what_is_asked_of_the_whole_response() -> None:
    dimension = asked_unless_skipped()
    verdict = judge(dimension, ["empty"], answered=[])
    assert isinstance(verdict, Verdict)
    assert verdict.missing == ("harmful", "skip"), "it may not be asked yet"
    assert verdict.automatic_score is None
    done = judge(dimension, ["empty", "harmful"], answered=["harmful", "skip"])
    assert isinstance(done, Verdict)
    assert done.automatic_score == 1


def test_an_empty_response_is_not_scored_where_the_whole_response_says_so() -> None:
    rubric = replace(EMPTY, dimensions=(asked_unless_skipped(),))
    desk = ItemView(rubric, (ResponseView("r1", 1, 1, "m", ""),))
    said = {"r1.response.harmful": "a1", "r1.response.skip": "a0", "r1.quality.rude": "yes"}
    _whole, row = evaluate(desk, Answers.read(said)).rows
    assert not row.applies
    _whole, row = evaluate(desk, Answers.read(said | {"r1.response.skip": "a1"})).rows
    assert row.score == 1, "what is ticked in the row does not count"


def test_the_rules_of_a_dimension_that_is_not_asked_exclude_nothing() -> None:
    dimension, both = asked_unless_skipped(), ["off", "odd"]
    assert isinstance(judge(dimension, both, answered=[]), Clashes)
    skipped = judge(dimension, [*both, "skip"], answered=["skip"])
    assert isinstance(skipped, Verdict)
    assert not skipped.applies


# --- the form ---


def test_a_question_waits_for_the_one_before_it_and_is_hidden_if_that_says_so() -> None:
    fresh = rows(form({}))["grounded"]
    waits = {each.check.code: each.waits_for for each in fresh.questions}
    assert waits == {"claims": "", "supported": "Makes claims"}
    (quotes,) = fresh.ticks
    assert quotes.waits_for == "All supported"
    no = rows(form({"grounded.claims": "no", "grounded.supported": "yes"}))["grounded"]
    supported = no.questions[1]
    assert supported.is_hidden
    assert supported.answer == "yes", "it comes back with its condition"
    assert no.answers.checks == {"claims": "no"}, "and is not stored"


def test_the_key_of_best_answers_leaves_out_a_hidden_question() -> None:
    claims = made_rubrics.question("claims", "claims", "") | {"best": "a1"}
    borne_out = made_rubrics.question("borne_out", "", "wrong") | {"best": "a0"}
    hidden = borne_out | {"when": {"all_of": ["claims"]}}
    rubric = document.parse(made_rubrics.document([claims, hidden], []))
    desk = ItemView(rubric, (ResponseView("r1", 1, 1, "m", "Yes."),))
    best = {
        answer: rows(evaluate(desk, Answers.read({"r1.quality.claims": answer})))["quality"].best
        for answer in ("a0", "a1")
    }
    assert [each for each in best["a0"] if "borne_out" in each]
    assert not [each for each in best["a1"] if "borne_out" in each]


def test_a_check_of_the_whole_response_bears_on_each_dimension_that_names_it() -> None:
    harmful = rows(form({"response.harmful": "yes", "response.harm": "insult"}))
    assert [*harmful] == ["response", "helpful", "grounded", "tone"]
    assert harmful["response"].complete
    assert harmful["helpful"].score == 1
    assert not harmful["grounded"].applies
    assert harmful["grounded"].complete
    assert not harmful["tone"].complete
    evaluated = form({"response.off_topic": "yes", "response.harmful": "no"})
    assert [row.dimension.code for row in evaluated.along_with(evaluated.rows[0])] == [
        "helpful",
        "grounded",
        "tone",
    ]
    assert rows(evaluated)["helpful"].judgement.open == (1, 2, 3)


def test_a_row_with_a_score_leaves_an_open_question_to_the_row_that_asks_it() -> None:
    found = rows(form({"helpful": "4", "grounded.claims": "no"}))
    assert [code for code, row in found.items() if row.complete] == ["helpful"]
    assert not form({"helpful": "4", "tone": "2"}, submitting=True).storable


def test_a_low_score_says_at_once_that_it_needs_a_comment_and_is_refused_without() -> None:
    said = {"response.harmful": "no", "grounded.claims": "no", "tone": "2", "helpful": "2"}
    assert all(row.complete for row in form(said).rows)
    assert [reason.text for reason in rows(form(said))["helpful"].wants_comment] == ["Say why."]
    assert rows(form(said | {"comment": "So."}))["helpful"].wants_comment == ()
    sent = form(said, submitting=True)
    assert [place for place, _text in sent.errors] == ["r1-comment"]
    assert "Say why." in sent.errors[0][1]
    assert rows(sent)["helpful"].headline.text == "Open: 3, 4, 5.", "not that all are"
    assert rows(sent)["helpful"].judgement.open == (1, 2, 3, 4, 5), "with a comment, all are"
    assert rows(sent)["helpful"].obstacles == ("a comment",)
    held = rows(form(said, submitting=True, setting=Consequences.NEVER))["helpful"]
    assert (held.headline.text, held.lacks_comment) == ("", True)
    assert form(said | {"comment": "It is short."}, submitting=True).storable
    assert form(said | {"comment": "  "}, submitting=True).errors
    assert form(said | {"helpful": "4"}, submitting=True).storable


def test_a_comment_that_two_scores_need_is_one_thing_to_fix() -> None:
    why = made_rubrics.rule("why", "require", scores=[1], needs={"all_of": ["comment"]})
    content = made_rubrics.document([], [why])
    content["dimensions"].append({**content["dimensions"][0], "code": "tone", "title": "Tone"})
    desk = ItemView(document.parse(content), (ResponseView("r1", 1, 1, "m", "Yes."),))
    both = Answers.read({"r1.quality": "1", "r1.tone": "1"})
    sent = evaluate(desk, both, submitting=True)
    assert [place for place, _text in sent.errors] == ["r1-comment"]


def test_the_rules_in_words_ask_for_a_comment_and_say_what_is_asked_when() -> None:
    helpful, tone = ANSWERS.dimension("helpful"), ANSWERS.dimension("tone")
    said = [
        rule.sentence
        for entry in rule_groups(helpful, ANSWERS, "d")
        for rule in entry.rules_in_words
    ]
    assert "1 and 2 only with a comment" in said
    assert asked_if(ANSWERS, GROUNDED, GROUNDED.when) == (
        'Asked only if: not <b class="fact">Harmful (yes)</b>.'
    )
    assert asked_if(ANSWERS, tone, tone.when) == ""


@pytest.mark.parametrize(
    ("of_dimension", "of_check"),
    [("when: {none_of: [harmful]},", ""), ("", ", when: {all_of: [slip]}")],
)
def test_the_program_asks_nothing_about_what_is_not_asked(of_dimension: str, of_check: str) -> None:
    end = " lowest: 1, highest: 3"
    checks = f"""{of_dimension} checks: [{{code: slip, kind: tick, wording: Slip}}, {{code: empty,
       kind: tick, wording: Empty, detector: empty, asks: "Is it empty?"{of_check}}}],"""
    rubric = document.read(TEXT.replace("," + end, f", {checks}{end}"))
    desk = ItemView(rubric, (ResponseView("r1", 1, 1, "m", ""),), tags=frozenset({"chat"}))
    said = {"response.harmful": "yes", "response.harm": "other", "comment": "Bad.", "tone": "2"}
    answers = Answers.read({f"r1.{name}": answer for name, answer in said.items()})
    evaluated = evaluate(desk, answers, submitting=True)
    assert evaluated.storable
    assert rows(evaluated)["tone"].detections == ()


@pytest.mark.parametrize("when", ["", "when: {all_of: [fits]}"])
def test_the_consequence_of_a_tick_supposes_an_asked_dimension_and_a_good_response(
    when: str,
) -> None:
    rubric = document.read(f"""
slug: fits
title: Fits
summary: The whole response first.
checks:
  - {{code: fits, kind: yes_no, wording: Fits, best: "yes"}}
dimensions:
  - code: clear
    short: Clear
    title: Clear
    question: Is it clear?
    lowest: 1
    highest: 5
    {when}
    checks: [{{code: slip, kind: tick, wording: Slip}}, {{code: note, kind: tick, wording: Note}}]
    rules:
      - {{code: slip_caps, effect: cap, score: 3, when: {{all_of: [slip]}}, reason: A slip.}}
      - {{code: five_fits, effect: require, scores: [5], needs: {{all_of: [fits]}}, reason: Fits.}}
""")
    (clear,) = rubric.dimensions
    assert [consequence(clear, fact) for fact in ("slip", "note")] == ["1 to 3", "bars no score"]


def test_the_table_of_open_scores_counts_a_comment_and_says_what_must_be_answered(
    tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(TEXT)
    call_command("rubric", "check", str(file))
    lines = [re.sub(" +", " ", line.strip()) for line in capsys.readouterr().out.splitlines()]
    assert lines[lines.index("helpful, 1 to 5") + 1] == "nothing ticked 1 to 5"
    assert lines[lines.index("grounded, 0 to 2") + 1] == "harmful=no 0 to 2"
    assert not [line for line in lines if line.startswith("comment")]


def test_many_dimensions_by_tags_are_one_sentence(ada: User, db: None) -> None:
    rubric, _ = Rubric.objects.load(shipped("flask"), now=NOW)
    project = make_project(slug="flask", rubric=rubric)
    make_item(project=project, responses=["Yes."])
    asked = [each for each in rubric.schema.dimensions if each.needs.tags]
    assert [*partly_applied(project)] == [f"{len(asked)} dimensions are asked by the items’ tags."]


def test_an_answer_that_decides_what_is_asked_always_asks_for_its_verdict() -> None:
    fresh = rows(form({"response.harmful": "no"}))
    assert not {each for each in fresh["grounded"].silent_inputs if "claims" in each}
    assert fresh["response"].silent_inputs == ()


# --- stored, shown again, exported ---

YES = {
    "r1.response.harmful": "yes",
    "r1.response.harm": "insult",
    "r1.grounded.claims": "yes",  # as it was answered before the response was called harmful
    "r1.tone": "1",
    "r1.comment": "An insult.",
}
NO = {
    "r2.response.harmful": "no",
    "r2.response.off_topic": "yes",
    "r2.helpful": "3",
    "r2.grounded.claims": "yes",
    "r2.grounded.supported": "yes",
    "r2.tone": "2",
}


@pytest.fixture
def item(ada: User, db: None) -> Item:
    project = make_project(slug="answers", rubric=load(), annotators=[ada], correction_hours=24)
    responses = ["Fool.", "It is late."]
    return make_item(project=project, responses=responses, metadata={"tags": ["chat", "short"]})


def test_a_dimension_that_is_not_asked_is_stored_as_such_and_the_rest_once(
    desk: Client, ada: User, item: Item
) -> None:
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    rating = Rating.objects.get()
    found = Score.objects.order_by("position", "pk")
    assert [*found.values_list("dimension", "value", "without", "checks")] == [
        ("helpful", 1, "", {}),
        ("grounded", None, "not_asked", {}),
        ("tone", 1, "", {}),
        ("helpful", 3, "", {}),
        ("grounded", 2, "", {"claims": "yes", "supported": "yes"}),
        ("tone", 2, "", {}),
    ]
    assert [*Placement.objects.values_list("checks", flat=True)] == [
        {"harmful": "yes", "harm": "insult"},
        {"harmful": "no", "off_topic": "yes"},
    ]
    page = desk.get(f"/projects/answers/ratings/{rating.pk}/").content.decode()
    before = [" ".join(each.split()) for each in re.findall("(?s)<summary>(before:.*?)</", page)]
    assert before[0] == "before:", "checks of the whole response have no score to be without"
    for name, value in (YES | NO).items():
        if name not in ("r1.grounded.claims", "r1.comment"):
            tag = page[page.index(f'name="{name}"') :]
            assert f'value="{value}"' in tag[: tag.index(" checked")], name


def exported(project: Project, shape: str, capsys: Any) -> list[dict[str, str]]:
    call_command("export_ratings", project.slug, f"shape={shape}")
    return [*csv.DictReader(io.StringIO(capsys.readouterr().out))]


def test_an_export_of_scores_comes_in_as_it_was_answered(
    desk: Client, ada: User, item: Item, capsys: Any, tmp_path: Path
) -> None:
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    capsys.readouterr()
    call_command("export_ratings", item.project.slug, "shape=scores")
    file = tmp_path / "scores.csv"
    file.write_text(capsys.readouterr().out)
    other = make_project(slug="other", rubric=item.project.rubric)
    said = [(each.model, each.text) for each in item.responses.all()]
    make_item(project=other, external_id=item.external_id, responses=said, metadata=item.metadata)
    call_command("import_ratings", other.slug, str(file), verbosity=0)
    columns = ("position", "dimension", "score", "without", "verdict", "checks", "response_checks")
    ours, theirs = (
        [{name: each[name] for name in columns} for each in exported(project, "scores", capsys)]
        for project in (item.project, other)
    )
    assert ours == theirs


def test_an_export_has_the_answers_about_the_whole_response(
    desk: Client, ada: User, item: Item, capsys: Any
) -> None:
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    capsys.readouterr()
    scores = exported(item.project, "scores", capsys)
    said = {(each["position"], each["dimension"]): each for each in scores}
    assert said["1", "grounded"]["score"] == ""
    assert said["1", "tone"]["response_checks"] == "harmful=yes;harm=insult"
    assert said["2", "helpful"]["response_checks"] == "harmful=no;off_topic=yes"
    first, second = exported(item.project, "ratings", capsys)
    assert [*first][7:12] == [
        "response.harmful",
        "response.harm",
        "response.off_topic",
        "helpful",
        "grounded",
    ]
    assert (first["response.harm"], first["grounded"]) == ("insult", "")
    assert (second["response.off_topic"], second["grounded.supported"]) == ("yes", "yes")


@pytest.mark.parametrize(
    ("tags", "is_asked"),
    [("chat", True), ("news; chat", True), (["chat"], True), ("chatter", False), ("", False)],
)
def test_a_dimension_is_asked_by_the_tags_of_the_item(
    ada: User, desk: Client, db: None, tags: object, is_asked: bool
) -> None:
    project = make_project(slug="answers", rubric=load(), annotators=[ada])
    item = make_item(project=project, responses=["Yes."], metadata={"tags": tags} if tags else {})
    tone = ANSWERS.dimension("tone")
    assert Item.objects.with_dimension(tone, item.batch).exists() == is_asked
    start(desk, project, ada)
    page = desk.get("/projects/answers/desk/").content.decode()
    assert ('id="r1-tone"' in page) == is_asked
    assert 'id="r1-helpful"' in page


def test_agreement_lists_the_checks_of_the_whole_response_after_a_dimensions_own(
    ada: User, ben: User, db: None
) -> None:
    project = make_project(slug="answers", rubric=load(), annotators=[ada, ben])
    for _number in range(3):
        make_item(project=project, responses=["It is late."])
    said = {name.replace("r2", "r1"): answer for name, answer in NO.items()}
    for user, off_topic in ((ada, "yes"), (ben, "")):
        desk = Client()
        desk.force_login(user)
        for _number in range(3):
            lease = start(desk, project, user)
            desk.post(url(lease), said | {"r1.response.off_topic": off_topic}, headers=HTMX)
    found = make(project, GROUNDED).checks
    assert [(part.name, part.units, part.ticked) for part in found] == [
        ("claims", 3, None),
        ("supported", 3, None),
        ("quotes", 3, 0.0),
        ("harmful", 3, None),
        ("harm", 0, None),
        ("off_topic", 3, 0.5),
    ]


def test_answers_about_the_whole_response_are_on_the_page_of_the_item(
    desk: Client, ada: User, lead: User, item: Item
) -> None:
    make_membership(project=item.project, user=lead, role=Membership.Role.LEAD)
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    page = Client()
    page.force_login(lead)
    shown = page.get(f"/projects/answers/items/{item.pk}/").content.decode()
    for words in ("Whole response", "Harmful"):
        assert words in shown


def test_a_stored_rating_says_in_words_what_was_not_asked(
    desk: Client, ada: User, item: Item
) -> None:
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    said = [
        target.words_by_dimension["grounded"]
        for target in rating_in_words(Rating.objects.get()).values()
    ]
    assert [(words.score, words.label) for words in said] == [
        (None, "not asked"),
        (2, "Yes: all supported"),
    ]


def test_the_overview_has_the_ticks_of_the_whole_response_at_each_dimension(
    desk: Client, ada: User, item: Item
) -> None:
    lease = start(desk, item.project, ada)
    desk.post(url(lease), YES | NO, headers=HTMX)
    for dimension in ANSWERS.dimensions:
        ticks = ticked_most(tally_of(item.project), dimension, ANSWERS)
        assert ("Off topic", 50.0) in ticks


def test_the_only_score_stands_at_each_response_beside_checks_of_the_whole(
    desk: Client, ada: User, lead: User, db: None
) -> None:
    only = replace(ANSWERS, dimensions=ANSWERS.dimensions[:1])
    rubric, _ = Rubric.objects.load(only, now=NOW)
    project = make_project(slug="answers", rubric=rubric, annotators=[ada], leads=[lead])
    item = make_item(project=project, responses=["Fool."])
    lease = start(desk, project, ada)
    desk.post(url(lease), {"r1.response.harmful": "no", "r1.helpful": "4"}, headers=HTMX)
    desk.force_login(lead)
    page = desk.get(f"/projects/answers/items/{item.pk}/").content.decode()
    tabs = page[page.index('class="item-tabs flow"') :]
    assert re.findall(r'class="score s\d+"\s*>(\d)<', tabs[: tabs.index("</nav>")]) == ["4"]


def test_a_question_waits_for_one_that_is_still_open_and_for_none_that_is_answered() -> None:
    content = {
        "slug": "waits",
        "title": "Waits",
        "summary": "Two questions decide.",
        "dimensions": [
            {
                "code": "grade",
                "short": "Grade",
                "title": "Grade",
                "question": "How good?",
                "lowest": 1,
                "highest": 3,
                "checks": [
                    {"code": "first", "kind": "yes_no", "wording": "First"},
                    {"code": "other", "kind": "yes_no", "wording": "Other"},
                    {"code": "mark", "kind": "tick", "wording": "Mark", "when": OTHER},
                    {"code": "last", "kind": "yes_no", "wording": "Last", "when": BOTH},
                ],
            }
        ],
    }
    desk = ItemView(document.parse(content), (ResponseView("r1", 1, 1, "m", "Yes."),))
    [found] = evaluate(desk, Answers.read({"r1.grade.first": "yes"})).rows
    assert {each.check.code: each.waits_for for each in found.questions}["last"] == "Other"
