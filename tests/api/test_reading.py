"""What a program reads of a project: rubric, batches, items, decisions, agreement and people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from rubrics.documents import document
from tasks.api.decisions import DecisionRow
from tasks.exporting.options import Shape
from tasks.models import Batch, Item, Membership, Project, ScoreDecision
from tasks.models.dropping import decide_dropped
from tests.api.calling import Caller, api_client
from tests.exports import objects_of
from tests.factories import (
    NOW,
    make_batch,
    make_decision,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_talk,
    make_user,
)
from tests.worker import work

# A list that is followed has what is committed.
committed = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(lead: User, ada: User, ben: User) -> Project:
    """At /projects/eggs/: lea leads, ada and ben rate; two items of two models, wanting two."""
    project = make_project(slug="eggs", leads=[lead], annotators=[ada, ben], wanted=2)
    batch = make_batch(project=project, name="first", warning="Blood.", file_name="eggs.jsonl")
    for name in ("one", "two"):
        make_item(
            batch=batch,
            external_id=name,
            responses=[("heron", f"{name} by heron"), ("wren", f"{name} by wren")],
            metadata={"topic": "moons", "n": 3},
            system="Be brief.",
        )
    return project


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project)


@pytest.fixture
def informed(lead: User, project: Project) -> Caller:
    """Has a token that may name people and models."""
    return api_client(lead, project, names_people=True, names_models=True)


def value(caller: Caller, address: str) -> Any:
    return caller.value(f"projects/eggs/{address}")


def rows(caller: Caller, address: str) -> Any:
    return value(caller, address)["data"]


def item_of(project: Project, name: str) -> Item:
    return project.items.get(external_id=name)


# --- rubric ---


def test_a_rubric_is_the_document_whose_digest_a_manifest_has(
    caller: Caller, project: Project
) -> None:
    rubric = value(caller, "rubric")
    assert (rubric["slug"], rubric["version"]) == (project.rubric.slug, project.rubric.version)
    assert rubric["digest"] == project.rubric.digest
    assert document.parse(rubric["document"]) == project.rubric.schema


# --- batches ---


def test_a_batch_says_how_far_it_is(caller: Caller, project: Project, ada: User, ben: User) -> None:
    for person in (ada, ben):
        make_rating(item=item_of(project, "one"), annotator=person)
    Batch.objects.update(created_at=NOW)
    assert rows(caller, "batches") == [
        {
            "key": project.batches.get().pk,
            "name": "first",
            "status": "open",
            "complete": True,
            "rank": 0,
            "priority": 0,
            "items": 2,
            "finished": 1,
            "ratings": 2,
            "wanted": 4,
            "dropped_items": 0,
            "warning": "Blood.",
            "file": "eggs.jsonl",
            "created_at": NOW.isoformat().replace("+00:00", "Z"),
        }
    ]


# --- items ---


def test_an_item_says_how_far_it_is_and_has_its_metadata(
    caller: Caller, project: Project, ada: User
) -> None:
    make_rating(item=item_of(project, "one"), annotator=ada)
    first, second = rows(caller, "items")
    assert (first["id"], first["batch"], first["state"]) == ("one", "first", "begun")
    assert (first["ratings"], first["wanted"], first["dropped"]) == (1, 2, False)
    assert first["metadata"] == {"topic": "moons", "n": 3}
    assert (second["id"], second["state"], second["ratings"]) == ("two", "untouched", 0)


def test_a_dropped_item_says_when_and_to_whom_may_read_names_why(
    caller: Caller, informed: Caller, project: Project, lead: User
) -> None:
    now = timezone.now()
    decide_dropped(item_of(project, "two"), True, why="Ben saw it.", by=lead, now=now)
    item = rows(caller, "items")[1]
    assert (item["state"], item["dropped"], item["dropped_because"]) == ("dropped", True, None)
    assert item["dropped_at"]
    assert rows(informed, "items")[1]["dropped_because"] == "Ben saw it."


def test_an_item_has_texts_if_they_are_asked_for(caller: Caller, project: Project) -> None:
    [item, _other] = rows(caller, "items")
    assert item["texts"] is None
    assert [response["text"] for response in item["responses"]] == [None, None]
    [item, _other] = rows(caller, "items?texts=true")
    assert item["texts"] == {
        "persona": [],
        "system": "Be brief.",
        "context": "",
        "messages": [{"role": "user", "text": "How many moons has Mars?"}],
        "reference": "",
        "source": "",
    }
    texts = [response["text"] for response in item["responses"]]
    assert texts == ["one by heron", "one by wren"]


def test_a_page_with_texts_has_a_hundred_items_at_most(caller: Caller) -> None:
    response = caller.get("projects/eggs/items?texts=true&limit=101")
    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert (error["parameter"], error["value"]) == ("limit", 101)


def test_an_item_names_models_only_if_the_token_may(caller: Caller, informed: Caller) -> None:
    def models(who: Caller) -> list[str]:
        return [response["model"] for response in rows(who, "items")[0]["responses"]]

    assert models(informed) == ["heron", "wren"]
    assert sorted(models(caller)) == ["Model 1", "Model 2"]


# --- decisions ---


@pytest.fixture
def decided(project: Project, lead: User, ada: User) -> ScoreDecision:
    """Lea took ada's answer for the first response of "one"."""
    rating = make_rating(item=item_of(project, "one"), annotator=ada)
    decision = make_decision(rating.item, by=lead)
    decision.source, decision.adopted = ScoreDecision.Source.ANSWER, rating
    decision.save()
    return decision


@committed
def test_a_decision_has_the_columns_of_the_export(
    informed: Caller, project: Project, decided: ScoreDecision
) -> None:
    [row] = rows(informed, "decisions")
    assert {*row} == {*DecisionRow.model_fields}
    DecisionRow.model_validate(row)
    assert row.pop("id") == decided.pk
    [exported] = objects_of(project, shape=Shape.DECISIONS)
    names = [name for name in exported if name != "project" and not name.startswith("meta.")]
    assert row == {name: exported[name] for name in names}
    assert (row["source"], row["annotator"], row["decided_by"]) == ("answer", "ada", "lea")


@committed
def test_a_decision_names_nobody_if_the_token_may_not(
    caller: Caller, decided: ScoreDecision
) -> None:
    [row] = rows(caller, "decisions")
    assert (row["annotator"], row["decided_by"], row["reason"]) == ("rater-1", None, None)
    assert row["model"] in ("Model 1", "Model 2")
    assert row["target"] == "1"


@committed
def test_a_decision_on_a_candidate_set_names_no_model(lead: User) -> None:
    talk = make_talk(annotators=[])
    make_membership(project=talk, user=lead, role=Membership.Role.LEAD)
    decision = make_decision(Item.objects.earliest("pk"), by=lead)
    decision.response, decision.model = None, "gull"
    decision.save()
    [row] = api_client(lead, talk).value("projects/talk/decisions")["data"]
    assert (row["target"], row["model"]) == ("Model 1", "Model 1")


@committed
def test_the_decisions_since_a_call_come_once_each_and_the_last_of_each_case_alone(
    caller: Caller, project: Project, lead: User
) -> None:
    def decide(name: str, revision: int) -> int:
        item = item_of(project, name)
        decision = make_decision(item, by=lead, dimension=f"d{revision}")
        ScoreDecision.objects.filter(pk=decision.pk).update(dimension="quality", revision=revision)
        return decision.pk

    address = "projects/eggs/decisions"
    first = [decide("one", 1), decide("two", 1)]
    page = caller.value(f"{address}?limit=1")
    seen = [row["id"] for row in page["data"]]
    page = caller.value(page["next"])
    assert seen + [row["id"] for row in page["data"]] == first
    page = caller.value(f"{address}?since={page['cursor']}")
    assert page["data"] == []
    decide("one", 2)
    last = decide("one", 3)
    page = caller.value(f"{address}?since={page['cursor']}")
    assert [row["id"] for row in page["data"]] == [last]
    assert caller.value(f"{address}?since={page['cursor']}")["data"] == []
    assert [row["id"] for row in caller.value(address)["data"]] == [first[1], last]


@committed
def test_a_decision_whose_key_was_taken_before_the_call_and_used_after_it_comes(
    caller: Caller, project: Project, lead: User
) -> None:
    address = "projects/eggs/decisions"
    model = make_decision(item_of(project, "one"), by=lead)
    known = connection.get_connection_params()
    cursor = caller.value(address)["cursor"]
    with psycopg.connect(**{name: known[name] for name in ("dbname", "host", "user")}) as other:
        taken = other.execute("SELECT nextval('tasks_scoredecision_id_seq')").fetchone()
        make_decision(item_of(project, "two"), by=lead)
        page = caller.value(f"{address}?since={cursor}")
        assert [row["item"] for row in page["data"]] == ["two"]
        other.execute(
            """INSERT INTO tasks_scoredecision (id, project_id, item_id, rubric_id, dimension,
              response_id, model, revision, source, value, checks, reason, seen, decided_by_id,
              decided_at)
            SELECT %s, project_id, item_id, rubric_id, dimension, response_id, model, 2, source,
              value, checks, reason, seen, decided_by_id, decided_at
            FROM tasks_scoredecision WHERE id = %s""",
            [*(taken or ()), model.pk],
        )
        other.commit()
    page = caller.value(f"{address}?since={page['cursor']}")
    assert [row["id"] for row in page["data"]] == [*(taken or ())]


# --- agreement ---


@pytest.fixture
def rated(project: Project, ada: User, ben: User) -> Project:
    """Ada and ben rated both items, and differ on one."""
    for name, by_ada, by_ben in (("one", 2, 5), ("two", 3, 3)):
        for person, score in ((ada, by_ada), (ben, by_ben)):
            make_rating(item=item_of(project, name), annotator=person, values={1: score, 2: score})
    return project


def test_agreement_is_not_ready_before_the_worker_has_made_it(caller: Caller) -> None:
    report = value(caller, "agreement")
    assert (report["dimension"], report["figures"], report["made_at"]) == ("quality", None, None)


def test_agreement_has_the_figures_of_the_page(
    client: Client, informed: Caller, rated: Project, lead: User
) -> None:
    work()
    report = value(informed, "agreement")
    figures = report["figures"]
    main = figures["overall"]["figures"][figures["main"]]
    assert figures["main"] == "alpha-ordinal"
    assert main["low"] <= main["value"] <= main["high"]
    client.force_login(lead)
    page = client.get("/projects/eggs/agreement/overall.csv").getvalue().decode()
    assert f"alpha-ordinal,{main['value']},{main['low']},{main['high']}," in page
    assert [(pair["first"], pair["second"]) for pair in figures["of_pairs"]] == [("ada", "ben")]
    assert {part["name"] for part in figures["models"]} == {"heron", "wren"}
    target = figures["furthest"][0]
    scores = [{"annotator": "ada", "score": 2}, {"annotator": "ben", "score": 5}]
    assert (target["item"], target["scores_of_people"]) == ("one", scores)
    assert report["lacks_since"] is None


def test_agreement_names_nobody_and_no_model_if_the_token_may_not(
    caller: Caller, rated: Project
) -> None:
    work()
    figures = value(caller, "agreement")["figures"]
    assert figures["annotators"] == ["rater-1", "rater-2"]
    assert [(pair["first"], pair["second"]) for pair in figures["of_pairs"]] == [
        ("rater-1", "rater-2")
    ]
    assert {part["name"] for part in figures["models"]} == {"Model 1", "Model 2"}
    assert all(target["model"].startswith("Model ") for target in figures["furthest"])


def test_agreement_is_pseudonymous_where_leads_see_no_names(
    informed: Caller, rated: Project
) -> None:
    Project.objects.update(names_annotators=False)
    work()
    assert value(informed, "agreement")["figures"]["annotators"] == ["rater-1", "rater-2"]


def test_an_unknown_dimension_is_refused_by_its_parameter(caller: Caller) -> None:
    response = caller.get("projects/eggs/agreement?dimension=taste")
    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert (error["parameter"], error["value"]) == ("dimension", "taste")


# --- people ---


def test_people_say_what_they_are_and_did(
    informed: Caller, project: Project, ada: User, ben: User
) -> None:
    now = timezone.now()
    make_rating(item=item_of(project, "one"), annotator=ada, now=now - timedelta(minutes=2))
    make_lease(item=item_of(project, "two"), annotator=ben, now=now)
    project.admit(ben, role=Membership.Role.ADJUDICATOR)
    make_membership(project=project, user=make_user(name="cleo", is_active=False))
    people = {person["name"]: person for person in rows(informed, "people")}
    assert list(people) == ["ada", "ben", "lea", "cleo"]
    assert [person["state"] for person in people.values()] == ["active", "rating", None, "inactive"]
    assert people["ben"]["roles"] == ["annotator", "adjudicator"]
    assert (people["ada"]["rated"], people["ada"]["left"]) == (1, 1)


def test_people_have_pseudonyms_if_the_token_may_not_name_them(
    caller: Caller, project: Project, ben: User
) -> None:
    make_rating(item=item_of(project, "one"), annotator=ben)
    assert [person["name"] for person in rows(caller, "people")] == [None, "rater-1", None]


# --- all lists ---


LISTS: dict[str, Callable[[Project], object]] = {
    "batches": lambda project: make_batch(project=project),
    "items": lambda project: make_item(project=project),
    "people": lambda project: make_membership(project=project, user=make_user()),
}


@pytest.mark.parametrize("name", LISTS)
def test_pages_have_every_row_once_whatever_comes_meanwhile(
    caller: Caller, project: Project, name: str
) -> None:
    for _number in range(2):
        LISTS[name](project)
    whole = len(caller.rows(f"projects/eggs/{name}"))
    page = value(caller, f"{name}?limit=2")
    number = len(page["data"])
    LISTS[name](project)
    while page["next"]:
        page = caller.value(page["next"])
        number += len(page["data"])
    assert number == whole + 1


@pytest.mark.parametrize("name", [*LISTS, "items?texts=true"])
def test_a_list_takes_as_many_queries_for_ten_rows_as_for_few(
    caller: Caller, project: Project, name: str
) -> None:
    add = LISTS[name.partition("?")[0]]
    numbers = []
    for _number in range(2):
        for _row in range(4):
            add(project)
        value(caller, name)
        with CaptureQueriesContext(connection) as queries:
            value(caller, name)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


@committed
def test_decisions_take_as_many_queries_for_three_as_for_one(
    caller: Caller, project: Project, lead: User
) -> None:
    numbers = []
    for name in ("one", "two"):
        make_decision(item_of(project, name), by=lead)
        value(caller, "decisions")
        with CaptureQueriesContext(connection) as queries:
            value(caller, "decisions")
        # Without those of the test itself, which waits until other tests' transactions are over.
        statements = [query["sql"] for query in queries]
        numbers.append(sum("(pg_current_snapshot())" not in sql for sql in statements))
    assert numbers[0] == numbers[1] <= 10
