"""Decisions: a lead settles the final score of a response, and the export has it."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import (
    Barred,
    CaseChanged,
    Choice,
    decide_case,
    store_first_locked,
    take_decision_back,
)
from tasks.cases.rating_views import ratings_of
from tasks.exporting.options import Shape
from tasks.importing.after_import import take_back as take_file_back
from tasks.models import Item, Project, Rating, Score, ScoreDecision
from tasks.models.dropping import decide_dropped
from tasks.models.roles import Role
from tasks.queue.submitting import correct_rating
from tests.exports import objects_of
from tests.factories import (
    NOW,
    imported_rating,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_user,
    rubric_columns,
)
from tests.made_rubrics import scale, scales

from .panel_steps import (
    address_of,
    fields_of,
    hidden_fields,
    history_of,
    page_after,
    panel_address,
)

pytestmark = pytest.mark.django_db
DECIDE = "decide-quality"


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in ("ada", "ben", "cem")]
    return make_project(slug="eggs", annotators=people, leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project=project, external_id="moons", responses=[("heron", "Two.")])


def rate(item: Item, name: str, value: int, *ticks: str) -> Rating:
    """Rate the response, with the best answer to each question and these ticks."""
    annotator = User.objects.get(username=name)
    rating = make_rating(item=item, annotator=annotator, values={1: value})
    for score in rating.scores.all():
        score.checks |= dict.fromkeys(ticks, "yes")
        score.save(update_fields=["checks"])
    return rating


@pytest.fixture
def ratings(item: Item) -> list[Rating]:
    """Two people who differ."""
    return [rate(item, "ada", 4), rate(item, "ben", 7)]


def case_of(item: Item) -> Case:
    response = item.responses.get()
    (case,) = cases_of(item, response.pk, ratings_of(item))
    return case


def settle(item: Item, lead: User, choice: Choice) -> ScoreDecision:
    case = case_of(item)
    return decide_case(case, choice, version=case.version, by=lead, now=NOW)


def exported(project: Project, **options: Any) -> dict[str, Any]:
    (row,) = objects_of(project, shape=Shape.ITEMS, **options)
    names = ("final", "final_source", "changed_since", "decided_by", "cause", "reason")
    return {name: row[name] for name in names}


# --- deciding ---


def test_an_adopted_answer_is_final_with_its_cause_and_reason(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    assert exported(project)["final_source"] == "open"
    decision = settle(
        item, lead, Choice(ratings[1].annotator_id, None, "slip", "Ada read past the list.")
    )
    assert (decision.adopted, decision.value, decision.revision) == (ratings[1], 7, 1)
    assert exported(project) == {
        "final": 7,
        "final_source": "decision",
        "changed_since": 0,
        "decided_by": "lea",
        "cause": "slip",
        "reason": "Ada read past the list.",
    }


def test_an_export_with_pseudonyms_does_not_say_who_decided(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None, "slip", "Ben read past the list."))
    row = exported(project, pseudonyms=True)
    assert (row["decided_by"], row["reason"], row["cause"]) == (None, None, "slip")


def test_a_score_that_nobody_gave_goes_with_the_checks_that_most_ticked(
    item: Item, lead: User, project: Project
) -> None:
    project.change(wanted=3)
    for name in ("ada", "ben"):
        rate(item, name, 3, "language_error")
    rate(item, "cem", 7)
    decision = settle(item, lead, Choice(None, 4, "judgement", "In between."))
    assert (decision.value, decision.checks["language_error"]) == (4, "yes")


def test_a_score_that_nobody_gave_may_go_with_the_checks_of_one_person(
    item: Item, lead: User, ratings: list[Rating]
) -> None:
    Item.objects.update(wanted=3)
    rate(item, "cem", 3, "language_error")
    decision = settle(item, lead, Choice(None, 2, "slip", "Two errors."))
    assert (decision.value, decision.checks["language_error"]) == (2, "yes")


def test_a_score_that_the_rules_bar_under_all_checks_is_refused(item: Item, lead: User) -> None:
    for name in ("ada", "ben"):
        rate(item, name, 3, "language_error")
    with pytest.raises(Barred) as barred:
        settle(item, lead, Choice(None, 7, "judgement", "Fine."))
    assert barred.value.reasons[0].text
    assert not ScoreDecision.objects.exists()


def test_an_answer_that_breaks_a_rule_is_not_adopted(item: Item, lead: User) -> None:
    broken = rate(item, "ada", 7, "language_error")
    whole = rate(item, "ben", 3, "language_error")
    with pytest.raises(Barred):
        settle(item, lead, Choice(broken.annotator_id, None))
    assert settle(item, lead, Choice(whole.annotator_id, None)).value == 3


def test_a_decision_is_revised_and_taken_back_and_each_revision_stays(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    settle(item, lead, Choice(ratings[1].annotator_id, None))
    assert exported(project)["final"] == 7
    case = case_of(item)
    take_decision_back(case, version=case.version, by=lead, now=NOW)
    assert exported(project)["final_source"] == "open"
    assert case_of(item).decision is None
    sources = ScoreDecision.objects.order_by("revision").values_list("source", "value")
    assert list(sources) == [("answer", 4), ("answer", 7), ("withdrawn", None)]


# --- what comes meanwhile ---


def test_the_second_of_two_decisions_is_refused(
    item: Item, lead: User, ratings: list[Rating]
) -> None:
    page = case_of(item)
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    with pytest.raises(CaseChanged):
        decide_case(
            page, Choice(ratings[1].annotator_id, None), version=page.version, by=lead, now=NOW
        )
    assert ScoreDecision.objects.get().value == 4


def test_a_rating_that_comes_before_a_decision_is_seen_first(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    page = case_of(item)
    Item.objects.update(wanted=3)
    rate(item, "cem", 7)
    with pytest.raises(CaseChanged):
        decide_case(
            page, Choice(ratings[1].annotator_id, None), version=page.version, by=lead, now=NOW
        )


def test_a_rating_that_comes_after_a_decision_marks_it_and_changes_nothing(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    Item.objects.update(wanted=3)
    rate(item, "cem", 7)
    row = exported(project)
    assert (row["final"], row["final_source"], row["changed_since"]) == (4, "decision", 1)
    assert case_of(item).has_changed


def test_the_database_holds_one_decision_a_revision(
    item: Item, lead: User, ratings: list[Rating]
) -> None:
    decision = settle(item, lead, Choice(ratings[0].annotator_id, None))
    decision.pk = None
    with pytest.raises(IntegrityError, match="numbered"), transaction.atomic():
        decision.save(force_insert=True)


def test_a_decision_on_a_dropped_item_is_kept_and_comes_back_with_it(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    assert exported(project, dropped=True)["final"] is None
    decide_dropped(item, False, why="Mended.", by=lead, now=NOW)
    assert exported(project)["final"] == 4


def test_a_batch_a_project_and_a_file_with_a_decision_are_not_removed(
    lead: User,
) -> None:
    project = make_project(slug="sheet", leads=[lead], wanted=1, imported="counted")
    item = make_item(project=project, responses=["Two."])
    rating = imported_rating(item=item, by="Dora", values={1: 4})
    assert rating.file
    assert (item.batch.is_untouched, project.is_unopened) == (True, True)
    assert not rating.file.is_rated_from
    settle(item, lead, Choice(case_of(item).answers[0].person, None))
    assert (item.batch.is_untouched, project.is_unopened) == (False, False)
    assert rating.file.is_rated_from
    assert not take_file_back(rating.file, now=NOW)


def test_a_mark_that_an_annotator_keeps_for_themselves_changes_no_case(
    item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    rating = ratings[0]
    assert rating.lease
    same = replace(make_submission(lease=rating.lease, values={1: 4}), not_sure=True)
    assert correct_rating(rating, same, based_on=1, now=NOW).revision == 2
    assert not case_of(item).has_changed
    other = make_submission(lease=rating.lease, values={1: 5})
    correct_rating(rating, other, based_on=2, now=NOW)
    assert case_of(item).has_changed


# --- the page ---


def post(client: Client, item: Item, dimension: str = "quality", **entered: str) -> str:
    return page_after(client, item, f"decide-{dimension}", **entered)


def take_back(client: Client, item: Item) -> str:
    sent = hidden_fields(client.get(address_of(item)).content.decode())
    sent |= {"act": DECIDE, "take_back": "on"}
    return unescape(client.post(panel_address(item), sent, follow=True).content.decode())


def sent_from(client: Client, item: Item, **entered: str) -> dict[str, str]:
    """Return what the panel would send from the page as it is now."""
    page = client.get(address_of(item)).content.decode()
    return hidden_fields(page) | fields_of(DECIDE, entered)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def test_a_lead_decides_on_the_page_of_an_item(
    here: Client, item: Item, ratings: list[Rating]
) -> None:
    page = unescape(here.get(f"/projects/eggs/items/{item.pk}/").content.decode())
    assert "open: people differ" in page
    page = post(here, item, choice=str(ratings[1].annotator_id), cause="slip", reason="Read again.")
    assert "The decision is saved." in page
    assert "by decision" in page
    [entry] = history_of(page)
    assert entry.startswith("Decision 7 an answer · a slip you, ")
    assert entry.endswith("Read again.")
    page = take_back(here, item)
    assert "The decision is taken back." in page
    assert "open: people differ" in page


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        ({}, "Choose an answer, or another score."),
        ({"choice": "anew"}, "Enter a score of the scale."),
        ({"choice": "anew", "score": "9"}, "Enter a score of the scale."),
        ({"choice": "anew", "score": "5"}, "Say why"),
        ({"choice": "0"}, "This answer does not count any more."),
        ({"choice": "anew", "score": "x"}, "Enter a whole number."),
    ],
)
def test_a_decision_that_lacks_something_says_what_and_keeps_the_rest(
    here: Client, item: Item, ratings: list[Rating], entered: dict[str, str], message: str
) -> None:
    page = post(here, item, cause="judgement", **entered)
    assert message in page
    assert '<option value="judgement" selected>' in page
    assert not ScoreDecision.objects.exists()


def test_an_unclear_rubric_needs_a_reason(here: Client, item: Item, ratings: list[Rating]) -> None:
    choice = str(ratings[0].annotator_id)
    assert "Say why" in post(here, item, choice=choice, cause="rubric")
    post(here, item, choice=choice, cause="rubric", reason="RQ-12 says nothing of lists.")
    assert ScoreDecision.objects.get().cause == "rubric"


def test_a_barred_score_says_which_rule_bars_it(here: Client, item: Item) -> None:
    for name in ("ada", "ben"):
        rate(item, name, 3, "language_error")
    page = post(here, item, choice="anew", score="7", reason="Fine.")
    assert "You can’t give 7:" in page
    assert not ScoreDecision.objects.exists()


def test_a_case_that_changed_keeps_what_was_entered_and_takes_the_next_press(
    here: Client, item: Item, lead: User, ratings: list[Rating]
) -> None:
    sent = sent_from(here, item, choice=str(ratings[1].annotator_id), reason="Mine.")
    settle(item, lead, Choice(ratings[0].annotator_id, None))
    page = here.post(panel_address(item), sent).content.decode()
    assert "came meanwhile" in page
    assert "Mine." in page
    here.post(panel_address(item), sent | hidden_fields(page))
    assert list(ScoreDecision.objects.values_list("revision", "value")) == [(1, 4), (2, 7)]


def test_a_lead_of_another_project_decides_nothing(
    client: Client, item: Item, lead: User, ratings: list[Rating]
) -> None:
    other = make_user(name="eve")
    make_project(slug="other", leads=[other])
    client.force_login(other)
    choice = str(ratings[0].annotator_id)
    sent = fields_of(DECIDE, {"version": case_of(item).version, "choice": choice})
    assert client.post(panel_address(item), sent).status_code == 404
    client.force_login(lead)
    client.post(panel_address(item), sent)
    assert ScoreDecision.objects.get().decided_by == lead


def test_a_score_beside_an_adopted_answer_is_not_dropped_in_silence(
    here: Client, item: Item, ratings: list[Rating]
) -> None:
    page = post(here, item, choice=str(ratings[0].annotator_id), score="5")
    assert "Choose “Another score”, or leave this field empty." in page
    assert not ScoreDecision.objects.exists()


def test_a_dropped_item_takes_no_decision_and_says_why(
    here: Client, item: Item, lead: User, ratings: list[Rating]
) -> None:
    sent = sent_from(here, item, choice=str(ratings[0].annotator_id))
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    page = here.post(panel_address(item), sent, follow=True).content.decode()
    assert "The item was dropped meanwhile." in page
    assert not ScoreDecision.objects.exists()


def test_a_decision_that_was_taken_back_says_by_whom(
    here: Client, item: Item, lead: User, ratings: list[Rating]
) -> None:
    post(here, item, choice=str(ratings[1].annotator_id))
    make_membership(project=item.project, user=make_user(name="max"), role=Role.LEAD)
    here.force_login(User.objects.get(username="max"))
    take_back(here, item)
    here.force_login(lead)
    decision, withdrawal = history_of(here.get(address_of(item)).content.decode())
    assert decision.startswith("Decision 7 an answer you, ")
    assert withdrawal.startswith("Decision taken back max, ")


def test_a_correction_that_says_the_same_in_a_case_is_in_nobodys_way(
    here: Client, item: Item, ratings: list[Rating]
) -> None:
    sent = sent_from(here, item, choice=str(ratings[0].annotator_id))
    assert ratings[0].lease
    same = make_submission(lease=ratings[0].lease, values={1: 4}, comment="One word more.")
    corrected = correct_rating(ratings[0], same, based_on=1, now=NOW)
    assert corrected.revision == 2
    here.post(panel_address(item), sent)
    assert ScoreDecision.objects.get().adopted == corrected


def test_an_answer_that_changed_is_told_once_and_decided_by_the_next_press(
    here: Client, item: Item, ratings: list[Rating]
) -> None:
    sent = sent_from(here, item, choice=str(ratings[0].annotator_id))
    assert ratings[0].lease
    other = make_submission(lease=ratings[0].lease, values={1: 5})
    correct_rating(ratings[0], other, based_on=1, now=NOW)
    page = here.post(panel_address(item), sent).content.decode()
    assert "came meanwhile" in page
    assert page.count('class="errorlist') == 1
    here.post(panel_address(item), sent | hidden_fields(page))
    assert ScoreDecision.objects.get().value == 5


# --- without a score ---


@pytest.fixture
def without_scores(lead: User) -> Item:
    """An item that two people rated in a dimension which may not be applicable."""
    whole = scale("whole", "Whole", 1, ["Bad", "", "Good"], blank="Not applicable")
    rubric = Rubric.objects.load(parse(scales(whole)), now=NOW)[0]
    people = [make_user(name=name) for name in ("ada", "ben")]
    project = make_project(slug="eggs", annotators=people, leads=[lead], rubric=rubric, wanted=2)
    item = make_item(project=project, responses=["Two."])
    for person in people:
        make_rating(item=item, annotator=person, values={1: 2})
    return item


@pytest.mark.parametrize(
    ("without", "badges", "words"),
    [
        ("blank", [("∅", 0)], "all gave the same"),
        ("not_asked", [], "all gave the same: not asked"),
    ],
)
def test_a_dimension_that_nobody_scored_says_why(
    without_scores: Item, without: str, badges: list[tuple[str, int]], words: str
) -> None:
    Score.objects.update(value=None, without=without)
    case = case_of(without_scores)
    assert (case.badges, case.source_in_words) == (badges, words)


def test_not_applicable_needs_a_reason_unless_somebody_said_so(
    here: Client, without_scores: Item
) -> None:
    page = post(here, without_scores, choice="blank", dimension="whole")
    assert "Say why" in page
    post(here, without_scores, choice="blank", reason="It has no scene.", dimension="whole")
    decision = ScoreDecision.objects.get()
    assert (decision.value, decision.without) == (None, "blank")


# --- the file of decisions ---


def test_the_file_of_decisions_has_the_last_one_of_each_case_or_all(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None, "slip", "Read again."))
    settle(item, lead, Choice(None, 6, "judgement", "In between."))
    (last,) = objects_of(project, shape=Shape.DECISIONS)
    assert (last["final"], last["source"], last["revision"], last["annotator"]) == (
        *(6, "anew", 2),
        None,
    )
    first, second = objects_of(project, shape=Shape.DECISIONS, revisions=True)
    assert (first["final"], first["source"], first["annotator"]) == (4, "answer", "ada")
    assert "helpful=entirely" in first["checks"].split(";")
    assert second == last


def test_a_score_from_before_the_answers_keeps_no_decision_out_of_the_file(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[0].annotator_id, None, "slip", "Read again."))
    store_first_locked(case_of(item), Choice(None, 6), by=make_user(), now=NOW)
    (row,) = objects_of(project, shape=Shape.DECISIONS)
    assert (row["final"], row["source"]) == (4, "answer")
    every = objects_of(project, shape=Shape.DECISIONS, revisions=True)
    assert [row["source"] for row in every] == ["answer", "first"]


def test_the_file_of_decisions_has_pseudonyms_and_no_reasons_then(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    settle(item, lead, Choice(ratings[1].annotator_id, None, "slip", "Ben is right."))
    (row,) = objects_of(project, shape=Shape.DECISIONS, pseudonyms=True)
    assert (row["annotator"], row["decided_by"], row["reason"]) == ("rater-2", None, None)


def test_a_decision_stays_when_the_project_moves_to_another_version(
    project: Project, item: Item, lead: User, ratings: list[Rating]
) -> None:
    columns = rubric_columns("response-quality")
    newer = Rubric.objects.create(
        **{**columns, "version": 2, "slug": "response-quality", "published_at": NOW}
    )
    Project.objects.filter(pk=project.pk).update(rubric=newer)
    moved = Project.objects.get(pk=project.pk)
    settle(Item.objects.get(pk=item.pk), lead, Choice(ratings[0].annotator_id, None, "slip"))
    (row,) = objects_of(moved, shape=Shape.ITEMS)
    assert (row["final"], row["rubric_version"], row["decided_version"]) == (4, 1, 2)
