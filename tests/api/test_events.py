"""A call waits for something new in a project, and is told what kind of thing it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from tasks.api import events
from tasks.importing.after_import import take_back
from tasks.models import Batch, Item, Project, RatingFile, Upload
from tasks.models.dropping import decide_dropped
from tests.api.calling import Caller, api_client
from tests.factories import (
    imported_rating,
    make_batch,
    make_decision,
    make_item,
    make_project,
    make_rating,
)

# Only what is committed is new.
pytestmark = pytest.mark.django_db(transaction=True)

EVENTS = "projects/eggs/events"


@pytest.fixture(autouse=True)
def _quickly() -> Iterator[None]:
    with mock.patch.object(events, "EVERY", 0.01):
        yield


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """At /projects/eggs/: lea leads, ada rates; an item wants one rating, in a batch of its own."""
    project = make_project(slug="eggs", leads=[lead], annotators=[ada], wanted=1)
    make_item(batch=make_batch(project=project, name="first"), external_id="one")
    return project


@pytest.fixture
def item(project: Project) -> Item:
    return project.items.get()


class Waiting:
    """A program that waits for events again and again."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.cursor = caller.value(EVENTS)["cursor"]

    def ask(self, wait: int = 0) -> list[tuple[str, int, str]]:
        """The kinds, numbers and names of what is new."""
        answer = self.caller.value(f"{EVENTS}?since={self.cursor}&wait={wait}")
        self.cursor = answer["cursor"]
        return [(event["kind"], event["number"], event["name"]) for event in answer["events"]]


@pytest.fixture
def waiting(lead: User, project: Project) -> Waiting:
    return Waiting(api_client(lead, project))


def test_the_first_call_waits_for_nothing(lead: User, project: Project, ada: User) -> None:
    make_rating(item=project.items.get(), annotator=ada)
    assert api_client(lead, project).value(EVENTS)["events"] == []


def test_a_rating_that_finishes_its_batch_is_told_once(
    waiting: Waiting, item: Item, ada: User
) -> None:
    make_item(project=item.project)
    make_rating(item=item, annotator=ada)
    assert waiting.ask() == [("rating", 1, ""), ("batch_finished", 1, "first")]
    assert waiting.ask() == []


def test_a_rating_of_a_batch_that_goes_on_finishes_nothing(
    waiting: Waiting, item: Item, ada: User
) -> None:
    make_item(batch=item.batch)
    make_rating(item=item, annotator=ada)
    assert waiting.ask() == [("rating", 1, "")]


def test_a_batch_that_takes_more_is_finished_once_it_is_called_complete(
    waiting: Waiting, item: Item, ada: User
) -> None:
    Batch.objects.filter(pk=item.batch_id).update(complete=False)
    waiting.ask()
    make_rating(item=item, annotator=ada)
    assert waiting.ask() == [("rating", 1, "")]
    item.batch.call_complete()
    assert waiting.ask() == [("batch_finished", 1, "first")]


def test_a_decision_is_told(waiting: Waiting, item: Item, lead: User) -> None:
    make_decision(item, by=lead)
    assert waiting.ask() == [("decision", 1, "")]
    assert waiting.ask() == []


def test_ratings_that_stop_to_count_are_told(waiting: Waiting, item: Item, lead: User) -> None:
    decide_dropped(item, True, why="twice", by=lead, now=timezone.now())
    assert waiting.ask() == [("counting", 1, "")]


def test_a_removed_batch_and_a_file_taken_back_are_told_by_name(
    waiting: Waiting, item: Item
) -> None:
    imported_rating(item=item, by="Dora", values={1: 4})
    assert waiting.ask() == [("rating", 1, "")]
    assert take_back(RatingFile.objects.get(), now=timezone.now())
    assert Batch.objects.get(name="first").remove()
    assert waiting.ask() == [("file_removed", 1, "sheet.csv"), ("batch_removed", 1, "first")]


def test_the_end_of_work_on_one_s_file_is_told_and_that_of_another_s_is_not(
    waiting: Waiting, project: Project, lead: User, ada: User
) -> None:
    def upload(by: User) -> Upload:
        return Upload.objects.create(
            project=project,
            uploader=by,
            file_name=f"of {by}",
            asked="import",
            stored_at=timezone.now(),
        )

    uploads = [upload(lead), upload(ada)]
    assert waiting.ask() == []
    for stored in uploads:
        stored.done()
    assert waiting.ask() == [("job", 1, "of lea")]
    assert waiting.ask() == []


def test_nothing_of_another_project_is_told(waiting: Waiting, lead: User, ada: User) -> None:
    other = make_project(slug="ham", leads=[lead], annotators=[ada], wanted=1)
    rating = make_rating(item=make_item(project=other), annotator=ada)
    make_decision(rating.item, by=lead)
    assert waiting.ask() == []


# --- waiting ---


def slept(then: Callable[[], object]) -> Any:
    """Something that happens while a call sleeps, which has no connection then."""

    def sleep(_seconds: float) -> None:
        assert connection.connection is None
        then()
        connections.close_all()

    return mock.patch.object(events, "sleep", sleep)


def once(act: Callable[[], object]) -> Callable[[], None]:
    """Return what does something at the first of several sleeps.

    A call sleeps again while transactions of other tests are open (`wait_for_others`).
    """
    acts = [act]

    def do() -> None:
        if acts:
            acts.pop()()
        time.sleep(0.01)

    return do


def test_a_call_waits_without_a_connection_until_something_comes(
    waiting: Waiting, item: Item, ada: User
) -> None:
    with slept(once(lambda: make_rating(item=item, annotator=ada))):
        assert waiting.ask(wait=25)[0] == ("rating", 1, "")


def moments(*seconds: int) -> Any:
    """The times that a call sees on its clock, one look after the other."""
    return mock.patch.object(events, "monotonic", side_effect=seconds)


def test_a_call_that_waited_in_vain_has_an_empty_answer(waiting: Waiting) -> None:
    sleeps: list[int] = []
    with moments(0, 6, 12, 24, 25), slept(lambda: sleeps.append(1)):
        assert waiting.ask(wait=25) == []
    assert len(sleeps) == 3


def test_a_look_costs_three_queries(waiting: Waiting) -> None:
    address = f"{EVENTS}?since={waiting.cursor}"
    numbers = []
    for looks in ([0, 25], [0, 1, 2, 25]):
        with moments(*looks), CaptureQueriesContext(connection) as queries:
            waiting.caller.value(address, waits=False)
        numbers.append(len(queries))
    assert numbers[1] - numbers[0] == 6


def test_more_calls_than_a_process_lets_wait_are_told_to_come_later(
    waiting: Waiting, item: Item, ada: User, lead: User
) -> None:
    address = f"{EVENTS}?since={waiting.cursor}"
    with events._place():
        response = waiting.caller.get(address)
        assert response.status_code == 429
        assert response.headers["Retry-After"] == "5"
        assert waiting.ask(wait=0) == []
        make_rating(item=item, annotator=ada)
        assert waiting.ask(wait=25) != []  # what is new is told to everybody
    with slept(once(lambda: make_decision(item, by=lead))):
        assert waiting.ask(wait=25) == [("decision", 1, "")]
