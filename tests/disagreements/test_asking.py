"""Questions to annotators about their ratings: who can be asked, what waits, and what ends it."""

from __future__ import annotations

from functools import partial

import pytest

from annotators.models import User
from tasks.cases.asking import Obstacle, ask, obstacles_to
from tasks.cases.deciding import take_decision_back
from tasks.cases.rating_views import ratings_of
from tasks.models import (
    Batch,
    CaseEntry,
    Item,
    Membership,
    Notice,
    Project,
    Question,
    Rating,
    ReturnedRating,
)
from tasks.queue.submitting import Outdated
from tests.disagreements.asked import (
    LATER,
    ask_about,
    case_of,
    correct,
    decide,
    make_case_item,
    subject_of,
    view_of,
)
from tests.factories import (
    imported_rating,
    make_project,
)
from tests.waiting import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    return make_case_item(project, ada=ada, ben=ben)


def test_a_question_about_a_case_comes_back_to_its_annotator_alone(
    item: Item, ada: User, lead: User
) -> None:
    assert ask_about(item, lead, "ada") == {}
    returned = ReturnedRating.objects.get()
    place = view_of(item, "ada").targets[item.responses.get(position=1).pk].target.place
    assert (returned.annotator, returned.reason, returned.place) == (ada, "Why?", place)
    assert Notice.objects.get(kind="returned").user == ada
    question = Question.objects.get()
    assert (question.rating, question.dimension) == (returned.rating, "quality")
    assert (question.asked_by, question.asked_at) == (lead, LATER)
    token = CaseEntry.objects.get(response=question.response).token
    assert returned.reasons == [[f"case {token}", "Why?"]]


def test_questions_about_two_cases_wait_beside_each_other(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada", text="Why a 2?")
    ask_about(item, lead, "ada", text="Why a 3?", number=2)
    assert ReturnedRating.objects.get().reason == "Why a 2?\nWhy a 3?"
    assert Question.objects.waiting().count() == 2


def test_an_asked_case_is_known_by_its_question_until_the_reply(item: Item, lead: User) -> None:
    def asked() -> set[int]:
        keys = CaseEntry.objects.waiting_keys(item.project)
        return set(CaseEntry.objects.filter(pk__in=keys).values_list("response", flat=True))

    assert asked() == set()
    ask_about(item, lead, "ada")
    assert asked() == {item.responses.get(position=1).pk}
    correct(item, "ada")
    assert asked() == set()


def test_a_question_to_somebody_who_left_keeps_no_case_from_the_open_ones(
    item: Item, lead: User, ada: User
) -> None:
    response = item.responses.get(position=1)
    cases = CaseEntry.objects.filter(response=response)
    ask_about(item, lead, "ada")
    assert not cases.open_in(item.project).exists()
    item.project.change_roles(ada, ())
    assert cases.open_in(item.project).exists()


def test_all_are_asked_at_once_and_nobody_twice_about_the_same(item: Item, lead: User) -> None:
    ada = view_of(item, "ada").rating.pk
    ask_about(item, lead, "ada")
    assert ask_about(item, lead, "ben", "ada") == {ada: Obstacle.ASKED}
    assert sorted(Question.objects.values_list("annotator__username", flat=True)) == ["ada", "ben"]


def leave(item: Item) -> None:
    Membership.objects.filter(user__username="ada").delete()


def lock_account(item: Item) -> None:
    User.objects.filter(username="ada").update(is_active=False)


def close_batch(item: Item) -> None:
    Batch.objects.update(status="closed")
    item.batch.refresh_from_db()


def pause_project(item: Item) -> None:
    item.project.status = Project.Status.PAUSED


@pytest.mark.parametrize(
    ("happens", "obstacle"),
    [
        (leave, Obstacle.LEFT),
        (lock_account, Obstacle.LEFT),
        (close_batch, Obstacle.CLOSED),
        (pause_project, Obstacle.CLOSED),
    ],
)
def test_nobody_is_asked_who_cannot_answer(
    item: Item, lead: User, happens: object, obstacle: Obstacle
) -> None:
    happens(item)  # type: ignore[operator]
    ada = view_of(item, "ada").rating.pk
    assert ask_about(item, lead, "ada") == {ada: obstacle}
    assert not Question.objects.exists()
    assert not ReturnedRating.objects.exists()


def test_an_imported_rating_has_nobody_to_ask(item: Item) -> None:
    imported = imported_rating(item=item, by="cem", values={1: 4})
    obstacles = obstacles_to(subject_of(item), ratings_of(item))
    assert obstacles == {imported.pk: Obstacle.IMPORTED}


def test_a_rating_that_was_corrected_meanwhile_gets_no_question(item: Item, lead: User) -> None:
    before = view_of(item, "ada")
    correct(item, "ada")
    refused = ask(subject_of(item), [before], "Why?", by=lead, now=LATER)
    assert refused == {before.rating.pk: Obstacle.CORRECTED}
    assert not Question.objects.exists()


def test_a_decision_takes_the_questions_about_its_case_back(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada", "ben", text="Why a 2?")
    ask_about(item, lead, "ada", text="Why a 3?", number=2)
    decide(item, lead)
    withdrawn = Question.objects.filter(withdrawn_at=LATER)
    assert list(withdrawn.values_list("text", flat=True)) == ["Why a 2?", "Why a 2?"]
    waiting = ReturnedRating.objects.get(settled_at=None)
    assert (waiting.annotator.username, waiting.reason) == ("ada", "Why a 3?")


def test_a_decision_taken_back_asks_nothing_again(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada")
    decide(item, lead)
    case = case_of(item)
    take_decision_back(case, version=case.version, by=lead, now=LATER)
    assert not Question.objects.waiting().exists()


@pytest.mark.django_db(transaction=True)
def test_a_question_and_a_correction_at_once_lose_neither(item: Item, lead: User) -> None:
    view = view_of(item, "ada")
    subject = subject_of(item)

    def ask_ada() -> object:
        return ask(subject, [view], "Why?", by=lead, now=LATER)

    def correct_hers() -> object:
        try:
            return correct(item, "ada")
        except Outdated as refused:
            return refused

    outcomes = at_once([partial(ask_ada), partial(correct_hers)])
    question = Question.objects.first()
    revisions = Rating.objects.revisions_of(view.rating)
    if question is None:  # the correction came first
        assert {view.rating.pk: Obstacle.CORRECTED} in outcomes
        assert revisions.count() == 2
    else:
        assert (question.replied_at is not None) is (revisions.count() == 2)
