"""Practice in files: its own export, the manifest of every export, one's own data, and in no other
file."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from tasks.exporting.export import Export
from tasks.exporting.options import Options, Shape
from tasks.models import Admission, Project
from tests.factories import NOW, make_item, make_practice, make_project, make_rating, make_user
from tests.practising import require

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Ada has rated and practised, Ben has practised only."""
    ada, ben, lea = (make_user(name=name) for name in ("ada", "ben", "lea"))
    made = make_project(slug="eggs", annotators=[ada, ben], leads=[lea])
    make_rating(item=make_item(project=made, responses=["One."]), annotator=ada)
    return require(made)


def rows(project: Project, **options: Any) -> list[dict[str, str]]:
    export = Export(project, Options(**options), now=NOW)
    return list(csv.DictReader(io.StringIO(b"".join(export).decode())))


def practise(project: Project) -> None:
    for name, score, minutes in (("ben", 6, 0), ("ada", 4, 5)):
        person, now = User.objects.get(username=name), NOW + timedelta(minutes=minutes)
        make_practice(project=project, annotator=person, now=now, score=score)


def test_an_answer_is_a_row_with_what_it_missed(project: Project) -> None:
    practise(project)
    first, second = rows(project, shape=Shape.PRACTICE)
    assert first["annotator"] == "ben"
    assert (first["round"], first["score"], first["exact"], first["within_one"]) == tuple("1600")
    assert (first["missed"], second["missed"]) == ("RQ-12", "")
    assert second["exact"] == "1"
    assert json.loads(first["answers"])["r1.quality"] == "6"
    assert [row["annotator"] for row in rows(project, shape=Shape.PRACTICE, annotators=("ada",))]


def test_pseudonyms_are_those_of_the_ratings_and_newcomers_have_their_own(
    project: Project,
) -> None:
    practise(project)
    found = rows(project, shape=Shape.PRACTICE, pseudonyms=True)
    assert [row["annotator"] for row in found] == ["newcomer-1", "rater-1"]


@pytest.mark.parametrize("shape", [shape for shape in Shape if shape is not Shape.PRACTICE])
def test_no_other_file_sees_practice(project: Project, shape: Shape) -> None:
    for pseudonyms in (False, True):
        before = rows(project, shape=shape, pseudonyms=pseudonyms)
        practise(project)
        assert rows(project, shape=shape, pseudonyms=pseudonyms) == before
        project.practice_rounds.all().delete()


def test_the_manifest_says_who_was_admitted_and_how(project: Project) -> None:
    ben, lea = (User.objects.get(username=name) for name in ("ben", "lea"))
    Admission.objects.admit(project, ben, "let_in", by=lea, reason="Knows it.", now=NOW)
    export = Export(project, Options(), now=NOW)
    list(export)
    found = json.loads(export.manifest())["admissions"]
    assert [(each["annotator"], each["how"]) for each in found] == [
        ("ada", "rated"),
        ("ben", "let_in"),
    ]
    assert (found[1]["by"], found[1]["reason"]) == ("lea", "Knows it.")
    hidden = Export(project, Options(pseudonyms=True), now=NOW)
    list(hidden)
    text = hidden.manifest().decode()
    assert not [name for name in ("ada", "ben", "lea", "Knows it.") if f'"{name}"' in text]


def test_own_data_has_the_answers_of_practice(client: Client, project: Project) -> None:
    practise(project)
    client.force_login(User.objects.get(username="ben"))
    content = client.get("/work/own-data.csv").getvalue().decode()
    [row] = [each for each in csv.DictReader(io.StringIO(content)) if each["record"] == "practice"]
    assert (row["project"], row["score"], row["clause"]) == ("eggs", "6", "RQ-12")
    assert row["item"].startswith("quality.4.")
