"""The queue of disagreements: which cases it has, in which state and order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotators.models import User
from tasks.disagreements.queue import CaseQueue, QueueFilter
from tasks.models import CaseEntry, CaseOpening, Item, Project, Question, Score
from tasks.models.case_kinds import CaseState
from tasks.models.dropping import decide_dropped
from tasks.models.list_renewal import renew_entry
from tasks.models.open_cases import OpenCases, open_cases
from tests.factories import NOW, make_item, make_project, make_rating, make_user

from .rated_items import case_of, correct, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in ("ada", "ben", "cem")]
    return make_project(slug="eggs", annotators=people, leads=[lead], wanted=2)


def rated(project: Project, name: str, *values: int, ticks: str = "") -> Item:
    """Return an item that people rated, with its case in the queue; all but the last tick."""
    item = make_item(project=project, external_id=name, responses=[("heron", "Two.")])
    for number, value in enumerate(values):
        annotator = User.objects.get(username=("ada", "ben", "cem")[number])
        rating = make_rating(item=item, annotator=annotator, values={1: value})
        if ticks and number < len(values) - 1:
            score = rating.scores.get()
            score.checks |= {ticks: "yes"}
            score.save(update_fields=["checks"])
    item.refresh_from_db()
    item.project = project
    renew_entry(item)
    return item


def queue(project: Project, user: User, **wanted: object) -> CaseQueue:
    return CaseQueue(project, user, QueueFilter(**wanted), NOW)  # type: ignore[arg-type]


def names(project: Project, user: User, **wanted: object) -> list[str]:
    page = queue(project, user, **wanted).page()
    return [entry.item.external_id for entry in page.entries]


def numbers(project: Project, user: User, **wanted: object) -> dict[str, int]:
    of_queue = queue(project, user, **wanted).numbers
    return {state: getattr(of_queue, state) for state in CaseState.values}


def test_the_widest_case_comes_first_and_what_does_not_differ_not_at_all(
    project: Project, lead: User
) -> None:
    rated(project, "near", 6, 7)
    rated(project, "wide", 4, 7)
    rated(project, "two", 5, 7)
    assert names(project, lead) == ["wide", "two"]
    assert open_cases(project) == OpenCases(2)


def test_a_changed_threshold_rewrites_nothing(project: Project, lead: User) -> None:
    rated(project, "near", 6, 7)
    before = list(CaseEntry.objects.values())
    project.change_thresholds({"quality": 1})
    assert names(project, lead) == ["near"]
    assert list(CaseEntry.objects.values()) == before


def test_a_check_of_the_leads_list_makes_a_case_of_equal_scores(
    project: Project, lead: User
) -> None:
    rated(project, "checks", 3, 3, ticks="language_error")
    assert names(project, lead) == []
    project.change(disputed_checks=["quality:language_error"])
    assert names(project, lead) == ["checks"]
    assert names(project, lead, check="quality:language_error") == ["checks"]
    assert names(project, lead, check="quality:nonsensical") == []


def test_a_score_beside_an_answer_without_one_is_a_case(project: Project, lead: User) -> None:
    item = rated(project, "blank", 6, 6)
    Score.objects.filter(rating__annotator__username="ben").update(value=None, without="blank")
    renew_entry(item)
    assert names(project, lead) == ["blank"]


def test_states_follow_from_ratings_questions_and_decisions(project: Project, lead: User) -> None:
    opened = rated(project, "open", 4, 7)
    decided = rated(project, "decided", 4, 7)
    changed = rated(project, "changed", 4, 7)
    settled = rated(project, "settled", 4, 7)
    asked = rated(project, "asked", 4, 7)
    incomplete = rated(project, "incomplete", 4, 7)
    for item in (decided, changed):
        settle(item, lead)
    correct(changed, "ada", 5)
    correct(settled, "ada", 7)
    case = case_of(asked)
    Question.objects.create(
        project=project,
        item=asked,
        annotator=User.objects.get(username="ada"),
        rating=case.answers[0].rating,
        dimension=case.dimension.code,
        response_id=case.target,
        text="Why?",
        asked_at=NOW,
    )
    Item.objects.filter(pk=incomplete.pk).update(wanted=3)
    for state in CaseState.values:
        assert names(project, lead, state=state) == [state], state
    assert numbers(project, lead) == dict.fromkeys(CaseState.values, 1)
    Question.objects.update(withdrawn_at=NOW)
    assert names(project, lead) == [asked.external_id, opened.external_id]


def test_a_case_with_more_ratings_wanted_is_complete_as_soon_as_they_are_not(
    project: Project, lead: User
) -> None:
    item = rated(project, "item", 4, 7)
    Item.objects.filter(pk=item.pk).update(wanted=3)
    assert numbers(project, lead)["incomplete"] == 1
    Item.objects.filter(pk=item.pk).update(wanted=2)
    assert numbers(project, lead)["open"] == 1


def test_a_dropped_item_has_no_case_and_its_decision_comes_back_with_it(
    project: Project, lead: User
) -> None:
    item = rated(project, "item", 4, 7)
    settle(item, lead)
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    assert not CaseEntry.objects.exists()
    decide_dropped(item, False, why="Mended.", by=lead, now=NOW)
    assert names(project, lead, state="decided") == ["item"]


def test_cases_are_filtered_by_batch_model_size_seen_and_mine(project: Project, lead: User) -> None:
    item = rated(project, "wide", 4, 7)
    rated(project, "seen", 3, 7, ticks="nonsensical")
    assert names(project, lead, batch=item.batch_id) == ["wide"]
    assert names(project, lead, model="heron") == ["seen", "wide"]
    assert names(project, lead, model="gull") == []
    assert names(project, lead, spread=4) == ["seen"]
    assert names(project, lead, seen=True) == ["seen"]
    assert names(project, lead, seen=False) == ["wide"]
    seen = queue(project, lead).numbers
    assert (seen.open, seen.seen, seen.concluded) == (2, 1, 1)
    settle(item, lead)
    assert names(project, lead, state="decided", is_mine=True) == ["wide"]
    assert names(project, make_user(), state="decided", is_mine=True) == []


def test_a_case_that_another_has_open_comes_last(project: Project, lead: User) -> None:
    for name, value in (("first", 3), ("second", 4), ("third", 5)):
        rated(project, name, value, 7)
    token = CaseEntry.objects.get(item__external_id="first").token
    CaseOpening.objects.note(project, make_user(), token, now=NOW)
    page = queue(project, lead).page()
    assert [entry.item.external_id for entry in page.entries] == ["second", "third", "first"]
    assert page.open_elsewhere == {token}
    late = CaseQueue(project, lead, QueueFilter(), NOW + timedelta(minutes=11))
    first = late.first()
    assert first
    assert first.token == token


def test_pages_go_forward_and_back_over_all_cases(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.disagreements.queue.ON_A_PAGE", 2)
    for number, value in enumerate((3, 4, 5, 4, 3)):
        rated(project, f"item-{number}", value, 7)
    whole = queue(project, lead)
    order = ["item-4", "item-0", "item-3", "item-1", "item-2"]
    first = whole.page()
    second = whole.page(after=first.after)
    third = whole.page(after=second.after)
    pages = (first, second, third)
    assert [entry.item.external_id for page in pages for entry in page.entries] == order
    assert (first.before, third.after) == ("", "")
    assert whole.page(before=third.before).entries == second.entries
    assert [entry.item.external_id for entry in whole.page(last=True).entries] == order[-2:]
    assert whole.page(after="nonsense").entries == first.entries
    entry = second.entries[0]
    after = whole.neighbour(entry.sort_key)
    before = whole.neighbour(entry.sort_key, is_before=True)
    assert after
    assert before
    names_by_token = {
        entry.token: entry.item.external_id for page in pages for entry in page.entries
    }
    assert (names_by_token[after.token], names_by_token[before.token]) == ("item-1", "item-0")
