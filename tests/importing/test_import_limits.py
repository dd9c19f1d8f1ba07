"""How much work a file may be in a request, and how long a model's name."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotators.models import User
from tasks.models import Batch, Item, Project, Upload

from ..factories import make_project
from .import_steps import (
    Outcome,
    item,
    lines,
    load_uploads,
)

HEAD = "id,prompt,response\n"
COMMAND = "manage.py import_batch"


@pytest.fixture
def project(db: None, lead: User) -> Project:
    return make_project(slug="eggs", leads=[lead])


def upload(client: Client, lead: User, content: str, **fields: str) -> str:
    client.force_login(lead)
    file = SimpleUploadedFile("items.csv", content.encode())
    client.post("/projects/eggs/upload/", {"file": file} | fields)
    load_uploads()
    answer = client.get(Upload.objects.latest("pk").address)
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", " \r"])
@pytest.mark.parametrize("start", [HEAD, HEAD + "a,p,r\n", HEAD + 'a,p,"'])
def test_a_table_of_empty_lines_is_refused(project: Project, start: str, end: str) -> None:
    outcome = Outcome(project, (start + end * 10_002).encode())
    assert outcome.refused.startswith(
        "items.csv has more than 10,000 empty lines one after the other, near line 10,00"
    )
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("start", "empty", "name"), [(HEAD, ",,\n", "items.csv"), ("", "\n", "items.jsonl")]
)
def test_rows_of_empty_cells_and_empty_lines_of_json_are_refused_too(
    project: Project, start: str, empty: str, name: str
) -> None:
    outcome = Outcome(project, (start + empty * 10_002).encode(), name)
    assert "more than 10,000 empty lines one after the other" in outcome.refused
    assert not Batch.objects.exists()


def test_empty_lines_here_and_there_are_passed_over(project: Project) -> None:
    gap = "\r" * 9_999
    file = f'{HEAD}{gap}a,p,"r{gap}s"\n{gap}\nb,q,t\n'
    assert Outcome(project, file.encode()).loaded
    assert Item.objects.get(external_id="a").responses.get().text == f"r{gap}s"


def test_a_models_name_has_two_hundred_characters_at_most(project: Project) -> None:
    good, long = "m" * 200, "m" * 201
    several = [{"model": good, "text": "x"}, {"model": long, "text": "y"}]
    table = f"id,prompt,response,model\na,p,r,{good}\nb,q,s,{long}\n"
    entry = item(id="c", response=None, responses=several)
    (said,) = Outcome(project, table.encode()).said
    assert said.startswith('line 3: "model" is 201 characters long ("mmm')
    assert said.endswith("; use 200 at most")
    (said,) = Outcome(project, lines(entry), "items.jsonl").said
    assert said.startswith('line 1: "responses[1].model" is 201 characters long')
    assert Outcome(project, json.dumps([item(model=good)]).encode(), "items.json").loaded
