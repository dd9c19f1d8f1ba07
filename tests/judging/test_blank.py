"""The answer without a score: "Not applicable". It is complete, stored, exported and counted."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from hypothesis import given, strategies as st

from annotators.models import User
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging import rules
from rubrics.judging.kinds import Without
from rubrics.judging.scales import blank_key
from rubrics.judging.verdict import TargetState
from rubrics.views import rubric_text_url
from tasks.agreement.results import result
from tasks.exporting.options import Shape
from tasks.models import Draft, Project, Rating, Score
from tasks.models.stored_figures import whole_tally
from tasks.queue.submitting import submit_lease
from tasks.rating_form.compare import differences
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.item_view import ItemView, ResponseView
from tests.agreement.spelt_out import had
from tests.cases import cases
from tests.desk_steps import HTMX, page, start, url
from tests.evaluated_forms import evaluate, row
from tests.exports import rows_of
from tests.factories import (
    NOW,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
    written,
)
from tests.made_rubrics import rule, tick
from tests.number_rubrics import load, rubric_of, scale

SENSIBLE = {
    **scale(1, 5, "sensible", at_1="Never", at_5="Always"),
    "blank": "Not applicable",
    "checks": [
        {"code": "clear", "kind": "yes_no", "wording": "Clear"},
        tick("empty_talk"),
        tick("odd"),
    ],
    "rules": [
        rule("empty_is_1", "force", {"all_of": ["empty_talk"]}, score=1),
        rule("not_both", "exclude", {"all_of": ["odd"]}, against=["empty_talk"]),
        rule("odd_ones_last", "rank_below", {"all_of": ["odd"]}, score=1),
        rule("twins_alike", "advise", between="twins"),
    ],
}
SENSIBLE_DIMENSION = rubric_of(SENSIBLE).dimensions[0]


def form(fields: dict[str, str], *, submitting: bool = True) -> EvaluatedForm:
    """The form of two responses, the same but for punctuation; `fields` without the dimension."""
    texts = ("They met.", "They met!")
    shown = tuple(
        ResponseView(f"r{place}", place, place, f"model-{place}", text)
        for place, text in enumerate(texts, start=1)
    )
    desk = ItemView(rubric_of(SENSIBLE), shown)
    named = {name.replace(".", ".sensible.", 1): said for name, said in fields.items()}
    named = {f"{name}.sensible" if "." not in name else name: said for name, said in named.items()}
    return evaluate(desk, named, submitting=submitting)


# --- the row ---


def test_not_applicable_completes_a_row_with_open_questions() -> None:
    evaluated = form({"r1": "-", "r2": "-", "r2.clear": "no"})
    assert evaluated.storable
    for key, checks in (("r1", {}), ("r2", {"clear": "no"})):
        found = row(evaluated, f"{key}-sensible")
        assert (found.score, found.without, found.input_value) == (None, "blank", "Not applicable")
        assert found.answers.checks == checks
    assert [target.picked for target in evaluated.targets] == [("∅",), ("∅",)]


def test_without_it_the_open_question_and_the_score_are_missing() -> None:
    errors = " ".join(text for _place, text in form({"r1": "-", "r2.odd": "yes"}).errors)
    assert "Response A" not in errors
    assert "Response B, Sensible, Clear: Not answered yet." in errors
    assert "No score yet." in errors


def test_answers_that_clash_bar_it_too() -> None:
    evaluated = form({"r1": "-", "r2": "-", "r1.odd": "yes", "r1.empty_talk": "yes"})
    assert not evaluated.storable
    assert not row(evaluated, "r1-sensible").complete
    assert row(evaluated, "r2-sensible").complete


def test_a_score_that_a_rule_forces_does_not_replace_it() -> None:
    forced = {"r1.empty_talk": "yes", "r1.clear": "yes"}
    assert row(form(forced), "r1-sensible").score == 1
    found = row(form({**forced, "r1": "-"}), "r1-sensible")
    assert (found.score, found.without, found.is_automatic) == (None, "blank", False)
    assert found.headline.text == "Open: 1."


def test_not_applicable_needs_no_verdict_unless_a_score_is_forced() -> None:
    assert "r1-sensible--" in row(form({}, submitting=False), "r1-sensible").silent_inputs
    forced = row(form({"r1.empty_talk": "yes"}, submitting=False), "r1-sensible")
    assert "r1-sensible--" not in forced.silent_inputs


def test_a_score_given_after_it_is_judged_as_if_it_had_never_been() -> None:
    """So one that lacks an answer asks for its verdict."""
    assert row(form({"r1": "-"}, submitting=False), "r1-sensible").silent_inputs == (
        "r1-sensible--",
    )
    answered = row(form({"r1": "-", "r1.clear": "yes"}, submitting=False), "r1-sensible")
    assert answered.silent_inputs == (
        *(f"r1-sensible-{score}" for score in range(1, 6)),
        "r1-sensible--",
    )


def test_twins_are_remarked_on_only_where_both_have_a_score() -> None:
    both = {"r1.clear": "yes", "r2.clear": "yes", "r1": "3"}
    assert form({**both, "r2": "4"}).remarks_between
    assert not form({**both, "r2": "-"}).remarks_between


FACTS = st.sets(st.sampled_from(["odd", "empty_talk", "clear"])).map(frozenset)


@given(others=st.lists(st.tuples(FACTS, st.none() | st.integers(1, 5)), max_size=3), blank=FACTS)
def test_a_target_without_a_score_changes_nothing_for_the_others(
    others: list[tuple[frozenset[str], int | None]], blank: frozenset[str]
) -> None:
    judged = [TargetState(str(at), *each) for at, each in enumerate(others)]
    without = TargetState("blank", blank, without=Without.BLANK)
    alone = rules.judge_item(SENSIBLE_DIMENSION, judged)
    beside = rules.judge_item(SENSIBLE_DIMENSION, [*judged, without])
    assert beside.judgements[:-1] == alone.judgements
    assert beside.out_of_order == alone.out_of_order


def test_two_versions_of_a_form_differ_by_it() -> None:
    one, other = (form({"r1": said}, submitting=False) for said in ("-", "3"))
    [found] = differences(one, other)
    assert (found.about, found.current, found.other) == (
        "Response A, Sensible",
        "Not applicable",
        "3",
    )


# --- the document ---


@cases(
    ("lowest", "highest", "blank", "expected"),
    [
        (1, 5, "Not applicable", "-"),
        (0, 100, "Not applicable", "-"),
        (-2, 2, "Not applicable", ""),
        (1, 5, "", ""),
    ],
)
def test_a_minus_is_its_key_where_no_score_has_one(
    lowest: int, highest: int, blank: str, expected: str
) -> None:
    said = {"blank": blank} if blank else {}
    [dimension] = rubric_of({**scale(lowest, highest), **said}).dimensions
    assert blank_key(dimension) == expected


@cases(
    ("check", "said"),
    [
        (tick("without"), 'exports have a column "scale.without" then'),
        (tick("odd", key="-"), '"-" belongs to the desk'),
    ],
)
def test_a_check_may_not_use_what_not_applicable_uses(check: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        rubric_of({**scale(1, 5), "blank": "Not applicable", "checks": [check]})
    assert said in str(caught.value)


def test_the_command_judges_a_target_without_a_score(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "minutes.yaml"
    file.write_text(written(rubric_of(SENSIBLE)), encoding="utf-8")
    lines = tmp_path / "lines"
    lines.write_text('[{"checks": ["odd"]}, {"checks": [], "score": "-"}]\n')
    with lines.open() as asked:
        monkeypatch.setattr("sys.stdin", asked)
        call_command("rubric", "judge", str(file), "sensible", "--item")
    answer = json.loads(capsys.readouterr().out)
    assert [target["open"] for target in answer["targets"]] == [[1, 2, 3, 4, 5]] * 2


# --- stored and shown ---


@pytest.fixture
def minutes(ada: User, lead: User) -> Project:
    """An item of one response: how sensible, and how long from -2 to 2."""
    rubric = load(SENSIBLE, {**scale(-2, 2, "length"), "blank": "Cannot be said"})
    people = [ada, make_user(name="ben")]
    project = make_project(slug="minutes", rubric=rubric, annotators=people, leads=[lead], wanted=2)
    make_item(project=project, external_id="one", responses=["They met."])
    return project


def send(desk: Client, project: Project, ada: User, step: str, **fields: str) -> str:
    lease = start(desk, project, ada)
    sent = {f"r1.{name}": said for name, said in fields.items()} | page()
    address = f"{url(lease, step)}?row=r1-sensible"
    return " ".join(desk.post(address, sent, headers=HTMX).content.decode().split())


@pytest.mark.django_db
@cases(("value", "without"), [(None, ""), (3, "blank"), (None, "forgotten")])
def test_the_database_keeps_a_value_or_the_reason_why_there_is_none(
    value: int | None, without: str
) -> None:
    project = make_project()
    lease = make_lease(item=make_item(project=project), annotator=make_user())
    submit_lease(lease, make_submission(lease=lease), now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Score.objects.update(value=value, without=without)


def test_not_applicable_is_saved_in_the_draft_and_comes_back_with_the_page(
    desk: Client, minutes: Project, ada: User
) -> None:
    html = send(desk, minutes, ada, "verdict", sensible="-")
    assert "data-complete" in html
    assert Draft.objects.get().answers == {"r1.sensible": "-"}
    html = " ".join(desk.get("/projects/minutes/desk/").content.decode().split())
    [shown] = [part for part in html.split("<input ")[1:] if 'id="r1-sensible--"' in part]
    assert " checked" in shown.split(">")[0]
    assert 'aria-keyshortcuts="-"' in shown.split(">")[0]


def test_a_dimension_that_has_none_refuses_it(desk: Client, talk: Project, ada: User) -> None:
    lease = start(desk, talk, ada)
    html = desk.post(url(lease, "submit"), {"r1.quality": "-"} | page(), headers=HTMX).content
    assert "“-” is not possible" in html.decode()


def rated(desk: Client, project: Project, ada: User) -> Rating:
    send(desk, project, ada, "submit", sensible="-", length="2")
    return Rating.objects.get()


def test_not_applicable_is_stored_exported_corrected_and_visible_to_leads(
    desk: Client, minutes: Project, ada: User, lead: User
) -> None:
    rating = rated(desk, minutes, ada)
    kept = rating.scores.order_by("dimension").values_list("dimension", "value", "without")
    assert [*kept] == [("length", 2, ""), ("sensible", None, "blank")]
    exported = {line["dimension"]: line for line in rows_of(minutes)}
    assert [exported["sensible"][name] for name in ("score", "without")] == ["", "blank"]
    assert [exported["length"][name] for name in ("score", "without")] == ["2", ""]
    [line] = rows_of(minutes, shape=Shape.RATINGS)
    assert (line["sensible"], line["sensible.without"], line["length"]) == ("", "blank", "2")
    own = desk.get("/work/own-data.csv").getvalue().decode()
    assert ",sensible,,blank," in own
    address = f"/projects/minutes/ratings/{rating.pk}/"
    assert "Not applicable" in desk.get("/projects/minutes/ratings/").content.decode()
    html = " ".join(desk.get(address).content.decode().split())
    assert "– Not applicable" in html
    desk.force_login(lead)
    html = desk.get(f"/projects/minutes/items/{rating.item.pk}/").content.decode()
    assert "Not applicable" in html
    html = " ".join(desk.get("/projects/minutes/items/").content.decode().split())
    assert '<span class="score s0">∅</span>' in html
    desk.force_login(ada)
    sent = {"revision": "1", "r1.sensible": "4", "r1.sensible.clear": "yes", "r1.length": "-"}
    desk.post(f"{address}correct/", sent)
    corrected = Score.objects.filter(rating__revision=2).order_by("dimension")
    assert [*corrected.values_list("value", "without")] == [(None, "blank"), (4, "")]


def test_the_page_of_the_rubric_says_what_it_is(desk: Client, minutes: Project) -> None:
    version = minutes.rubric.version
    for address in (f"/rubrics/minutes/{version}/", rubric_text_url(minutes.rubric)):
        html = " ".join(desk.get(address).content.decode().split())
        assert html.count("no score. No rule bars it, and questions may stay open.") == 2
        assert "<b>Cannot be said</b>" in html


# --- figures ---


def rate(project: Project, name: str, person: User, said: int | None) -> None:
    """A rating of the item's only response: a score of how sensible it is, or none."""
    lease = make_lease(item=project.items.get(external_id=name), annotator=person)
    submission = make_submission(lease=lease)
    scores = [
        replace(each, value=said, without="" if said else "blank")
        if each.dimension == "sensible"
        else each
        for each in submission.scores
    ]
    submit_lease(lease, replace(submission, scores=tuple(scores)), now=NOW)


@pytest.fixture
def study(minutes: Project, ada: User) -> Project:
    """Seven items by two people: five with scores by both, one by one of them, one by none."""
    ben = User.objects.get(username="ben")
    for name, (one, other) in zip(
        ("one", "two", "three", "four", "five", "six", "seven"),
        ((1, 1), (2, 2), (3, 4), (5, 5), (2, 3), (4, None), (None, None)),
        strict=True,
    ):
        if name != "one":
            make_item(project=minutes, external_id=name, responses=["They met."])
        rate(minutes, name, ada, one)
        rate(minutes, name, ben, other)
    return minutes


def test_figures_of_items_are_of_scores_and_final_is_everyones(study: Project) -> None:
    lines = {
        line["item"]: [line[name] for name in ("n", "mean", "median", "majority", "final")]
        for line in rows_of(study, shape=Shape.ITEMS)
        if line["dimension"] == "sensible"
    }
    assert lines["two"] == ["2", "2", "2", "2", "2"]
    assert lines["six"] == ["1", "4", "4", "4", ""]
    assert lines["seven"] == ["0", "", "", "", ""]


def test_final_waits_for_nobody_where_an_item_wants_fewer_but_not_for_a_blank(
    study: Project,
) -> None:
    study.items.update(wanted=1)
    finals = {
        line["item"]: line["final"]
        for line in rows_of(study, shape=Shape.ITEMS)
        if line["dimension"] == "sensible"
    }
    assert (finals["two"], finals["six"]) == ("2", "")


def test_agreement_is_of_scores_and_applying_is_one_more_check(study: Project) -> None:
    figures = result(study, SENSIBLE_DIMENSION, NOW).result
    assert (figures.overall.units, figures.overall.ratings) == (5, 10)
    [applies] = [each for each in figures.checks if each.name == "applies?"]
    assert (applies.units, applies.ratings) == (7, 14)
    assert applies.ticked == pytest.approx(11 / 14)
    # Krippendorff, nominal: 2 of 14 coincidences differ; 11 and 3 values, so 33 of 91 by chance.
    alpha = 1 - (2 / 14) / (2 * 11 * 3 / (14 * 13))
    assert had(applies.figures["alpha-nominal"]).value == pytest.approx(alpha)
    plain = result(study, replace(SENSIBLE_DIMENSION, code="length", blank=""), NOW).result
    assert [each.name for each in plain.checks] == ["clear", "empty_talk", "odd"]


def test_the_pages_of_the_lead_show_scores_and_blanks_apart(
    desk: Client, study: Project, lead: User
) -> None:
    desk.force_login(lead)
    result(study, SENSIBLE_DIMENSION, NOW)
    html = " ".join(desk.get("/projects/minutes/agreement/").content.decode().split())
    assert "Applies <small" in html
    html = " ".join(desk.get("/projects/minutes/").content.decode().split())
    assert '<span>Not applicable</span>: <span dir="auto">Model 1</span> (3) </p>' in html
    tally = whole_tally(study)
    assert tally.blanks("sensible") == {"model-1": 3}
    assert tally.by_model("sensible") == {"model-1": Counter({2: 3, 1: 2, 3: 2, 4: 2, 5: 2})}
