"""The letters of a case's answers, and the score before they are shown."""

from __future__ import annotations

import pytest

from annotators.models import User
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Choice, decide_case, store_first_locked
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseEntry, Item, Project, ScoreDecision
from tasks.models.case_renewal import put_in_order
from tasks.models.list_renewal import renew_entry
from tests.factories import NOW, imported_rating, make_item, make_project, make_rating, make_user

pytestmark = pytest.mark.django_db

VALUES = {"ada": 4, "ben": 5, "cem": 6, "dee": 7}


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in VALUES]
    return make_project(
        slug="eggs", annotators=people, leads=[lead], wanted=4, imported=Project.Imported.COUNTED
    )


def rated(project: Project, number: int) -> Item:
    """Return an item that everybody rated, and somebody in a file, with its case in the queue."""
    item = make_item(project=project, external_id=f"item-{number}", responses=[("heron", "Two.")])
    for name, value in VALUES.items():
        make_rating(item=item, annotator=User.objects.get(username=name), values={1: value})
    imported_rating(item=item, by="Dora", values={1: 5}, line=number + 2)
    item.refresh_from_db()
    item.project = project
    renew_entry(item)
    return item


def case_of(item: Item) -> Case:
    (case,) = cases_of(item, item.responses.get().pk, ratings_of(item))
    return case


def test_the_letters_of_a_case_are_in_the_order_of_the_queue_and_tell_nobody(
    project: Project,
) -> None:
    orders = set()
    for number in range(6):
        item = rated(project, number)
        case = case_of(item)
        assert [answer.letter for answer in case.answers] == ["A", "B", "C", "D", "E"]
        entry = CaseEntry.objects.get(item=item)
        assert [answer.value for answer in case.answers] == entry.values
        orders.add(tuple(entry.values))
    assert len(orders) > 1


def test_an_imported_rater_who_is_an_account_has_the_letter_of_the_account(
    project: Project,
) -> None:
    item = make_item(project=project, responses=[("heron", "Two.")])
    make_rating(item=item, annotator=User.objects.get(username="ada"), values={1: 3})
    ben = User.objects.get(username="ben")
    imported_rating(item=item, by="Dora", values={1: 5}, account=ben)
    renew_entry(item)
    case = case_of(item)
    people = {answer.person for answer in case.answers}
    assert people == {ben.pk, User.objects.get(username="ada").pk}
    assert [answer.value for answer in case.answers] == CaseEntry.objects.get(item=item).values


def test_a_score_before_the_answers_decides_nothing_and_stays(project: Project, lead: User) -> None:
    item = rated(project, 1)
    case = case_of(item)
    store_first_locked(case, Choice(None, 1), by=lead, now=NOW)
    assert case_of(item).decision is None
    assert case_of(item).version == case.version
    adopted = next(answer for answer in case.answers if answer.value == 7)  # no rule bars it
    choice = Choice(adopted.person, None)
    decide_case(case, choice, version=case.version, by=lead, now=NOW)
    store_first_locked(case_of(item), Choice(None, 2), by=make_user(), now=NOW)
    renew_entry(item)
    decision = case_of(item).decision
    assert decision
    assert decision.value == adopted.value
    assert CaseEntry.objects.get(item=item).decision == CaseEntry.Decision.STANDS
    revisions = ScoreDecision.objects.order_by("revision").values_list("source", "value")
    assert list(revisions) == [("first", 1), ("answer", adopted.value), ("first", 2)]


def test_the_models_of_candidate_sets_stand_in_another_order_in_each_item() -> None:
    """Else a model would be known again by its place, though it has no name."""
    dimension = "quality"
    orders = set()
    for item in range(1, 9):
        entries = []
        for model in ("crane", "gull", "heron"):
            entries.append(CaseEntry(item_id=item, model=model, dimension=dimension, spread=3))
        put_in_order(entries, [dimension], seed=7)
        entries.sort(key=lambda entry: entry.place)
        orders.add(tuple(entry.model for entry in entries))
    assert len(orders) > 2
