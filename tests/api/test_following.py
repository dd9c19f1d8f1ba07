"""Ratings and scores are listed page by page, and asked for what is new since: exactly once."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from tasks.api.feeds import Feed
from tasks.api.ratings import RatingRow
from tasks.api.scores import ScoreRow
from tasks.importing.after_import import let_count, point, take_back
from tasks.models import Item, Project, Rating, RatingFile, RatingsChange, Score
from tasks.models.dropping import decide_dropped
from tasks.queue.submitting import correct_rating
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import (
    imported_rating,
    make_batch,
    make_item,
    make_project,
    make_rating,
    make_submission,
    make_talk,
    make_user,
)
from tests.waiting import at_once

# Each rating is committed by itself.
pytestmark = pytest.mark.django_db(transaction=True)

RATINGS, SCORES = "projects/eggs/ratings", "projects/eggs/scores"


@pytest.fixture
def ada() -> User:
    """Rates."""
    return make_user(name="ada")


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """At /projects/eggs/: lea leads, ada rates, and each item gets many ratings."""
    return make_project(slug="eggs", leads=[lead], annotators=[ada], wanted=9)


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project)


def rated(project: Project, number: int = 1, *, by: User | None = None) -> list[Rating]:
    """Items of the project with one rating each."""
    ratings = []
    for _number in range(number):
        item = make_item(project=project, responses=["Two."])
        ratings.append(make_rating(item=item, annotator=by or User.objects.get(username="ada")))
    return ratings


class Follower:
    """A program that asks a list for what is new, again and again."""

    def __init__(self, caller: Caller, address: str, limit: int = 100) -> None:
        self.caller = caller
        self.address = f"{address}?limit={limit}"
        self.cursor = ""
        self.removed: list[Any] = []

    def ask(self, *, waits: bool = True) -> list[Any]:
        """All that is new since the last time; with `waits`, once others are through."""
        address = f"{self.address}&since={self.cursor}" if self.cursor else self.address
        rows: list[Any] = []
        self.removed = []
        following: str | None = address
        while following:
            page = self.caller.value(following, waits=waits)
            rows += page["data"]
            self.removed += page["removed"]
            self.cursor = page["cursor"]
            following = page["next"]
        return rows

    def keys(self, *, waits: bool = True) -> list[int]:
        return [row["rating"] for row in self.ask(waits=waits)]


@pytest.fixture
def follower(caller: Caller) -> Follower:
    """Has asked once, when nothing was there."""
    follower = Follower(caller, RATINGS, limit=2)
    assert follower.ask() == []
    return follower


# --- pages ---


@pytest.mark.parametrize("address", [RATINGS, SCORES])
def test_pages_have_every_row_once_whatever_comes_meanwhile(
    caller: Caller, project: Project, address: str
) -> None:
    first = [rating.pk for rating in rated(project, 5)]
    page = caller.value(f"{address}?limit=2")
    seen = [row["rating"] for row in page["data"]]
    while page["next"]:
        rated(project)
        page = caller.value(page["next"])
        seen += [row["rating"] for row in page["data"]]
    assert seen == first


def test_pages_of_scores_may_end_within_a_rating(caller: Caller, project: Project) -> None:
    item = make_item(project=project, responses=["a", "b", "c", "d", "e"])
    make_rating(item=item, annotator=User.objects.get(username="ada"))
    make_rating(item=item)
    keys = [row["id"] for row in Follower(caller, SCORES, limit=3).ask()]
    assert len(keys) == 10
    assert keys == sorted(set(keys))


@cases("limit", [0, -1, 1001, "x", 1.5])
def test_a_page_has_1_to_1000_rows(caller: Caller, limit: object) -> None:
    response = caller.get(f"{RATINGS}?limit={limit}")
    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "limit"


def test_a_misspelt_parameter_is_refused_with_those_there_are(caller: Caller) -> None:
    [error] = caller.get(f"{RATINGS}?Since=x").json()["errors"]
    assert error["allowed"] == "one of limit, since"


# --- what is new ---


def test_nothing_comes_twice_and_nothing_is_missing(follower: Follower, project: Project) -> None:
    for number in (3, 1, 0, 4):
        expected = [rating.pk for rating in rated(project, number)]
        assert follower.keys() == expected


def test_a_rating_that_was_numbered_first_and_committed_last_comes_once(
    follower: Follower, project: Project
) -> None:
    """Two open transactions: the second one takes its numbers later, and is through first."""
    [early] = rated(project)
    [late] = rated(project)
    known = connection.get_connection_params()
    where = {name: known[name] for name in ("dbname", "host", "user")}
    assert follower.keys() == [early.pk, late.pk]
    item = make_item(project=project, responses=["Two."])
    copied = """
        INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind,
          revision, comment, asked, elapsed_seconds, started_at, submitted_at)
        SELECT project_id, %s, %s, rubric_id, 0, 'extra', 1, '', '{}', 1, now(), now()
        FROM tasks_rating WHERE id = %s RETURNING id"""
    people = [make_user().pk, make_user().pk]
    with psycopg.connect(**where) as one, psycopg.connect(**where) as two:
        [first] = one.execute(copied, [item.pk, people[0], early.pk]).fetchone() or (0,)
        [second] = two.execute(copied, [item.pk, people[1], early.pk]).fetchone() or (0,)
        assert first < second
        two.commit()
        assert follower.keys(waits=False) == []  # held back: an earlier one is open
        one.commit()
    assert follower.keys() == [first, second]
    assert follower.keys() == []


def test_a_key_that_was_taken_before_the_call_and_used_after_it_comes(
    follower: Follower, project: Project
) -> None:
    """An import takes its keys before it stores anything."""
    [model] = rated(project)
    assert follower.keys() == [model.pk]
    item, person = make_item(project=project), make_user()
    known = connection.get_connection_params()
    with psycopg.connect(**{name: known[name] for name in ("dbname", "host", "user")}) as one:
        [key] = one.execute("SELECT nextval('tasks_rating_id_seq')").fetchone() or (0,)
        [later] = rated(project)
        assert key < later.pk
        assert follower.keys() == [later.pk]
        one.execute(
            """INSERT INTO tasks_rating (id, project_id, item_id, annotator_id, rubric_id, attempt,
              kind, revision, comment, asked, elapsed_seconds, started_at, submitted_at)
            SELECT %s, project_id, %s, %s, rubric_id, 0, 'extra', 1, '', '{}', 1, now(), now()
            FROM tasks_rating WHERE id = %s""",
            [key, item.pk, person.pk, model.pk],
        )
        one.commit()
    assert follower.keys() == [key]
    assert follower.keys() == []


def test_a_rating_in_a_savepoint_comes_once(follower: Follower, project: Project) -> None:
    with transaction.atomic():
        [first] = rated(project)
        with transaction.atomic():
            [second] = rated(project)
    assert follower.keys() == [first.pk, second.pk]
    assert follower.keys() == []


def test_ratings_by_many_at_once_come_once_each(
    follower: Follower, project: Project, ada: User
) -> None:
    items = [make_item(project=project, responses=["Two."]) for _number in range(24)]
    people = [make_user() for _number in range(4)]
    seen: list[int] = []

    def rate(person: User) -> int:
        for item in items:
            make_rating(item=Item.objects.get(pk=item.pk), annotator=person)
        return 0

    def follow() -> int:
        for _number in range(40):
            seen.extend(follower.keys(waits=False))
        return 0

    at_once([*[lambda person=person: rate(person) for person in people], follow])
    seen += follower.keys()
    assert len(seen) == len(set(seen)) == 96
    assert set(seen) == set(Rating.objects.values_list("pk", flat=True))


# --- what is revised, and what stopped to count ---


def corrected(rating: Rating, value: int) -> Rating:
    lease = rating.lease
    assert lease
    submission = make_submission(lease=lease, values={1: value})
    return correct_rating(rating, submission, based_on=rating.revision, now=timezone.now())


def test_a_correction_comes_with_the_revision_that_it_replaces(
    follower: Follower, project: Project
) -> None:
    [rating] = rated(project)
    other = rated(project)
    assert len(follower.ask()) == 2
    revised = corrected(rating, 3)
    old, new = follower.ask()
    assert (old["rating"], old["counts"], old["not_counted_because"]) == (
        rating.pk,
        False,
        "revised",
    )
    assert (new["rating"], new["supersedes"], new["counts"]) == (revised.pk, rating.pk, True)
    assert follower.ask() == []
    whole = Follower(follower.caller, RATINGS).keys()
    assert whole == [other[0].pk, revised.pk]


def test_a_rating_that_was_revised_before_it_was_told_comes_as_it_is(
    follower: Follower, project: Project
) -> None:
    [rating] = rated(project)
    revised = corrected(rating, 3)
    assert follower.keys() == [revised.pk]


def test_ratings_of_a_dropped_item_come_again_and_once_more_when_it_is_taken_back(
    follower: Follower, project: Project, lead: User
) -> None:
    [rating, _other] = rated(project, 2)
    follower.ask()
    now = timezone.now()
    decide_dropped(rating.item, True, why="twice", by=lead, now=now)
    [row] = follower.ask()
    expected = (rating.pk, False, "dropped")
    assert (row["rating"], row["counts"], row["not_counted_because"]) == expected
    assert follower.ask() == []
    decide_dropped(rating.item, False, why="", by=lead, now=now)
    [row] = follower.ask()
    assert (row["rating"], row["counts"], row["not_counted_because"]) == (rating.pk, True, None)
    assert follower.ask() == []


def test_imported_ratings_come_again_when_they_count_or_not(
    follower: Follower, project: Project, ada: User
) -> None:
    item = make_item(project=project, responses=["Two."])
    imported = imported_rating(item=item, by="Dora", values={1: 4})
    rated(project)
    rows = follower.ask()
    assert [row["counts"] for row in rows if row["rating"] == imported.pk] == [False]
    let_count(project, Project.Imported.PLACES, now=timezone.now())
    [row] = follower.ask()
    assert (row["rating"], row["counts"]) == (imported.pk, True)
    assert imported.rater
    point(imported.rater, ada, now=timezone.now())
    [row] = follower.ask()
    assert (row["rating"], row["counts"]) == (imported.pk, True)
    Item.objects.filter(pk=item.pk).update(wanted=3)
    own = make_rating(item=Item.objects.get(pk=item.pk), annotator=ada)
    first, second = follower.ask()
    expected = (imported.pk, False, "rated_here")
    assert (first["rating"], first["counts"], first["not_counted_because"]) == expected
    assert (second["rating"], second["counts"]) == (own.pk, True)


def test_an_extra_rating_says_why_it_does_not_count(caller: Caller, project: Project) -> None:
    [rating] = rated(project)
    Rating.objects.filter(pk=rating.pk).update(kind="extra", extra_because="late")
    [row] = caller.value(RATINGS)["data"]
    assert (row["kind"], row["counts"], row["not_counted_because"]) == ("extra", False, "late")


def test_a_removed_batch_and_a_file_taken_back_come_as_one_line_each(
    follower: Follower, project: Project
) -> None:
    batch = make_batch(project=project, name="second")
    make_item(project=project, batch=batch)
    item = make_item(project=project, batch=make_batch(project=project, name="first"))
    imported_rating(item=item, by="Dora", values={1: 4, 2: 4})
    [row] = follower.ask()
    assert follower.removed == []
    assert batch.remove()
    file = RatingFile.objects.get()
    assert take_back(file, now=timezone.now())
    assert follower.ask() == []
    assert follower.removed == [
        {"kind": "batch", "key": batch.pk, "name": "second"},
        {"kind": "file", "key": row["file_key"], "name": "sheet.csv"},
    ]
    follower.ask()
    assert follower.removed == []


def test_a_submit_stores_no_change(project: Project) -> None:
    [rating] = rated(project)
    corrected(rating, 3)
    assert not RatingsChange.objects.exists()


# --- cursors ---


def test_a_cursor_of_another_list_or_project_is_refused(
    caller: Caller, follower: Follower, lead: User
) -> None:
    make_project(slug="ham", leads=[lead])
    everywhere = api_client(lead)
    for address in (SCORES, "projects/ham/ratings"):
        response = everywhere.get(f"{address}?since={follower.cursor}")
        assert response.status_code == 422
        assert "Take one of this list" in response.json()["detail"]


@cases("text", ["x", "%20", "eyJ9", "W10", "WzEsMl0", "é", "a" * 1000, "WzEsICJhIl0="])
def test_a_text_that_is_no_cursor_is_refused(caller: Caller, text: str) -> None:
    for address in (f"{RATINGS}?since={text}", f"projects?cursor={text}"):
        response = caller.get(address)
        assert response.status_code == 422
        [error] = response.json()["errors"]
        assert error["advice"].startswith("Take it from an answer as it is")


def restore() -> None:
    """Do to the table of the origin what a dump that is restored does: make it anew."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE tasks_databaseorigin RENAME TO before_the_restore")
        cursor.execute("CREATE TABLE tasks_databaseorigin AS SELECT * FROM before_the_restore")
        cursor.execute("DROP TABLE before_the_restore")


def test_a_cursor_from_before_a_restore_is_refused_with_a_sentence(
    caller: Caller, follower: Follower, lead: User
) -> None:
    for slug in ("h1", "h2"):
        make_project(slug=slug, leads=[lead])
    everywhere = api_client(lead)
    link = everywhere.value("projects?limit=1")["next"]
    restore()
    for response in (caller.get(f"{RATINGS}?since={follower.cursor}"), everywhere.get(link)):
        assert response.status_code == 422
        assert "The database was restored since" in response.json()["detail"]
    assert Follower(caller, RATINGS).ask() == []


# --- names, and what a row says ---


def test_a_row_is_of_the_type_that_the_document_says(caller: Caller, project: Project) -> None:
    item = make_item(project=project, responses=["Two."], metadata={"topic": "moons", "n": 3})
    make_rating(item=item)
    imported_rating(item=item, by="Dora", values={1: 4})
    for address, shape in ((RATINGS, RatingRow), (SCORES, ScoreRow)):
        page = caller.value(address)
        Feed[shape].model_validate(page, strict=False)  # type: ignore[valid-type]
        for row in page["data"]:
            assert set(row) == set(shape.model_fields)
            assert row["metadata"] == {"topic": "moons", "n": 3}


def test_people_and_models_have_names_only_if_that_was_ticked(
    lead: User, project: Project, ada: User
) -> None:
    item = make_item(project=project, responses=[("heron", "Two."), ("wren", "Many.")])
    make_rating(item=item, annotator=ada)
    imported_rating(item=item, by="Dora", values={1: 4})
    hidden = api_client(lead, project).value(SCORES)["data"]
    assert {row["annotator"] for row in hidden} == {"rater-1", "rater-2"}
    assert {row["model"] for row in hidden} == {"Model 1", "Model 2"}
    people = api_client(lead, project, names_people=True).value(SCORES)["data"]
    assert {row["annotator"] for row in people} == {"ada", "Dora"}
    assert {row["model"] for row in people} == {"Model 1", "Model 2"}
    models = api_client(lead, project, names_models=True).value(SCORES)["data"]
    assert {row["annotator"] for row in models} == {"rater-1", "rater-2"}
    assert {row["model"] for row in models} == {"heron", "wren"}


def test_a_row_keeps_its_names_when_people_and_models_come_and_go(
    caller: Caller, project: Project, ada: User
) -> None:
    old, new = make_batch(project=project), make_batch(project=project)
    item = make_item(batch=old, responses=[(f"heron {number}", "Two.") for number in range(4)])
    imported_rating(item=make_item(batch=old, responses=["Two."]), by="Dora", values={1: 4})
    make_rating(item=item, annotator=ada)
    known = {row["id"]: row for row in caller.rows(SCORES)}
    other = make_item(batch=new, responses=[(f"wren {number}", "Two.") for number in range(9)])
    make_rating(item=other)
    assert take_back(RatingFile.objects.get(), now=timezone.now())
    rows = caller.rows(SCORES)
    again = [row for row in rows if row["id"] in known]
    names = [(row["annotator"], row["model"]) for row in again]
    assert names == [(known[row["id"]]["annotator"], known[row["id"]]["model"]) for row in again]
    assert {row["annotator"] for row in rows} == {"rater-2", "rater-3"}
    assert len({row["model"] for row in rows}) == 13


def test_models_have_the_numbers_of_the_owners_pages(
    client: Client, lead: User, project: Project
) -> None:
    item = make_item(project=project, responses=[(f"heron {number}", "") for number in range(6)])
    client.force_login(lead)
    page = client.get(f"/projects/eggs/items/{item.pk}/").content.decode()
    [read] = api_client(lead, project).value("projects/eggs/items")["data"]
    on_page = re.findall(r'<span dir="auto">(Model \d)</span>', page)
    assert on_page == [response["model"] for response in read["responses"]]


def test_a_candidate_set_names_no_model(lead: User) -> None:
    talk = make_talk(annotators=[])
    talk.admit(lead, role="lead")
    item = Item.objects.filter(project=talk).earliest("pk")
    make_rating(item=item)
    of_set = {"unit": "candidate_set", "response": None, "model": "gull"}
    Score.objects.filter(pk=Score.objects.earliest("pk").pk).update(**of_set)
    rows = api_client(lead, talk).value("projects/talk/scores?limit=1000")["data"]
    sets = {(row["target"], row["model"]) for row in rows if row["unit"] == "candidate_set"}
    assert sets == {("Model 1", "Model 1")}


def test_a_page_takes_as_many_queries_for_three_rows_as_for_one(
    caller: Caller, project: Project
) -> None:
    numbers = []
    for _number in range(2):
        rated(project, 2)
        caller.value(SCORES)
        with CaptureQueriesContext(connection) as queries:
            caller.get(SCORES)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]
    assert numbers[0] <= 12
