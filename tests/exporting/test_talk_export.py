"""The file of talk: questions to annotators about their ratings, with the replies."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotators.models import User
from tasks.cases.asking import Subject, ask
from tasks.exporting.filters import Refused
from tasks.exporting.options import Shape
from tasks.models import Item, Project
from tasks.models.dropping import decide_dropped
from tests.disagreements.asked import (
    LATER,
    ask_about,
    correct,
    decide,
    make_case_item,
    view_of,
)
from tests.exports import objects_of, rows_of, text_of
from tests.factories import NOW, make_batch, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    item = make_case_item(project, ada=ada, ben=ben)
    Item.objects.filter(pk=item.pk).update(external_id="moons")
    return item


def talk(project: Project, **options: Any) -> list[dict[str, Any]]:
    return objects_of(project, shape=Shape.TALK, **options)


def own_questions(client: Client, person: User) -> list[dict[str, str]]:
    client.force_login(person)
    content = client.get("/work/own-data.csv").getvalue().decode()
    records = csv.DictReader(io.StringIO(content))
    return [record for record in records if record["record"] == "question"]


def test_a_question_has_a_row_with_its_reply_and_the_score_that_was_kept(
    project: Project, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada", text="Why a 2?")
    (waiting,) = talk(project)
    assert (waiting["question"], waiting["reply"], waiting["outcome"]) == ("Why a 2?", None, None)
    correct(item, "ada", value=2, reply="It is wrong.")
    (row,) = talk(project)
    names = ("item", "unit", "target", "dimension", "annotator", "revision", "asked_by")
    assert [row[name] for name in names] == [
        *("moons", "response", "1", "quality", "ada", 1, "lea"),
    ]
    assert row["asked_at"].startswith("2026-03-02T10:00")
    assert row["replied_at"].startswith("2026-03-02T11:00")
    assert (row["reply"], row["outcome"], row["reply_revision"]) == ("It is wrong.", "kept", 2)


def test_a_reply_with_another_score_says_changed_only_where_it_was_asked_about(
    project: Project, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada")
    ask_about(item, lead, "ada", number=2)
    ask(Subject(item), [view_of(item, "ada")], "And all of it?", by=lead, now=LATER)
    assert [row["unit"] for row in talk(project)] == ["response", "response", "item"]
    second = view_of(item, "ada").rating.scores.get(response__position=2).value
    correct(item, "ada", value=5)
    rating = view_of(item, "ada").rating
    rating.scores.filter(response__position=2).update(value=second)
    assert [row["outcome"] for row in talk(project)] == ["changed", "kept", "changed"]


def test_a_question_that_a_decision_withdrew_says_so(
    project: Project, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada")
    decide(item, lead)
    (row,) = talk(project)
    assert row["outcome"] == "withdrawn"
    assert row["withdrawn_at"]


def test_talk_has_pseudonyms_and_names_nobody_who_asked_then(
    project: Project, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ben")
    (row,) = talk(project, pseudonyms=True)
    assert (row["annotator"], row["asked_by"], row["question"]) == ("rater-2", None, "Why?")
    assert talk(project, pseudonyms=True, annotators=("rater-1",)) == []


def test_talk_takes_the_filters_of_other_files(project: Project, item: Item, lead: User) -> None:
    other = make_batch(project=project, name="other")
    ask_about(item, lead, "ada", "ben")
    assert [row["annotator"] for row in talk(project)] == ["ada", "ben"]
    assert [row["annotator"] for row in talk(project, annotators=("ben",))] == ["ben"]
    assert talk(project, batches=(other.name,)) == []
    assert talk(project, since=NOW.date()) == talk(project, until=NOW.date()) == talk(project)
    assert talk(project, items="state=finished") == talk(project)
    assert talk(project, items="state=untouched") == []
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    assert talk(project) == []
    assert [row["dropped"] for row in talk(project, dropped=True)] == [1, 1]
    for option in ("revisions", "texts", "open_median"):
        with pytest.raises(Refused, match="file “talk”"):
            talk(project, **{option: True})


def test_the_command_and_the_page_make_the_same_file(
    client: Client, capfdbinary: Any, project: Project, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada")
    call_command("export_ratings", "eggs", "shape=talk")
    assert capfdbinary.readouterr().out.decode() == text_of(project, shape=Shape.TALK)
    client.force_login(lead)
    page = client.get("/projects/eggs/ratings.csv?shape=talk")
    assert page.getvalue().decode() == text_of(project, shape=Shape.TALK)
    shown = client.get("/projects/eggs/export/?shape=talk").content.decode()
    assert "one line per question about a rating, with its reply" in shown


def test_own_data_has_the_questions_to_a_person_and_their_replies(
    client: Client, project: Project, item: Item, ada: User, ben: User, lead: User
) -> None:
    ask_about(item, lead, "ada", text="Why a 2?")
    correct(item, "ada", value=2, reply="It is wrong.")
    (row,) = own_questions(client, ada)
    place = view_of(item, "ada").targets[item.responses.get(position=1).pk].target.place
    assert (row["item"], row["position"], row["dimension"]) == ("moons", str(place), "quality")
    assert (row["question"], row["reply"], row["revision"]) == ("Why a 2?", "It is wrong.", "1")
    assert row["asked_at"] < row["replied_at"]
    assert "lea" not in row.values()
    assert own_questions(client, ben) == []


def test_no_other_file_has_talk(project: Project, item: Item, lead: User) -> None:
    ask_about(item, lead, "ada", text="Tell me why.")
    for shape in Shape:
        has_talk = "Tell me why." in str(rows_of(project, shape=shape))
        assert has_talk == (shape is Shape.TALK)
