"""An export of one moment, and on its way to a browser: chosen on the page, of limited size, and
few at a time."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
from datetime import timedelta
from hashlib import sha256
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.test import Client

from annotators.models import User
from config.web.refused_writes import WritesRefused
from tasks.exporting import export as exporting, streaming
from tasks.exporting.export import Export, is_larger, snapshot
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of
from tasks.exporting.options import Options, Shape
from tasks.models import Project

from ..exports import (
    rows_of,
    text_of,
)
from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_membership,
    make_project,
    make_rating,
)
from ..waiting import elsewhere
from ..worker import work

PATH = "/projects/p/ratings.csv"


@pytest.fixture
def project(lead: User, ada: User, ben: User) -> Project:
    """With a rating by each of its annotators, of different batches and models."""
    project = make_project(slug="p", leads=[lead], annotators=[ada, ben])
    for name, annotator in (("first", ada), ("second", ben)):
        item = make_item(
            batch=make_batch(project=project, name=name),
            external_id=f"of {annotator}",
            responses=[(f"model of {name}", f"=text of {name}")],
        )
        make_rating(item=item, annotator=annotator)
    return project


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in, and asked for the models' names."""
    client.force_login(lead)
    client.post(f"/projects/{project.slug}/models/", {"models": "shown"})
    return client


def rows(response: Any) -> list[dict[str, str]]:
    text = response.getvalue().decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def errors(response: Any) -> list[str]:
    found = re.findall(r'<ul class="errorlist[^>]*>(.*?)</ul>', response.content.decode(), re.S)
    return [html.unescape(re.sub(r"<[^>]+>", "", each)).strip() for each in found]


# --- of one moment ---


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shape", [Shape.SCORES, Shape.RATINGS, Shape.ITEMS])
def test_an_export_is_of_one_moment_though_ratings_come_meanwhile(
    project: Project, ada: User, monkeypatch: pytest.MonkeyPatch, shape: Shape
) -> None:
    real = exporting.select

    def and_then_a_rating_comes(*arguments: Any) -> Any:
        selection = real(*arguments)
        new = make_item  # with metadata that the header does not have
        elsewhere(
            lambda: make_rating(item=new(project=project, metadata={"later": "x"}), annotator=ada)
        )
        return selection

    before = text_of(project, shape=shape)
    monkeypatch.setattr(exporting, "select", and_then_a_rating_comes)
    export = Export(project, Options(shape=shape), now=NOW)
    assert b"".join(export).decode() == before
    assert export.rows == 2
    monkeypatch.undo()
    after = text_of(project, shape=shape)
    assert after.count("\n") > before.count("\n")
    assert "meta.later" in after


def test_an_export_that_was_begun_is_not_refused_any_more(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    work()
    begun = export_of(project, Options(items="spread=0"), now=NOW)
    assert not is_larger(begun, 100)
    old = NOW - timedelta(minutes=2)
    monkeypatch.setattr("tasks.exporting.filters.missing_since", lambda *_: old)
    assert list(begun)
    with pytest.raises(Refused, match="is as of"):
        export_of(project, Options(items="spread=0"), now=NOW)


@pytest.mark.django_db(transaction=True)
def test_an_export_changes_nothing(project: Project) -> None:
    with pytest.raises(WritesRefused, match="read-only transaction"), snapshot():
        Project.objects.update(title="x")
    Project.objects.update(title="x")


# --- chosen on the page ---


@pytest.mark.parametrize(
    "query",
    [
        "batches=second",
        "annotators=ben",
        "models=model+of+second",
        "models=%0D%0Anone%0D%0Amodel+of+second",
        "kinds=counted&annotators=ben",
        "since=2026-03-02&until=2026-03-02&batches=second",
    ],
)
def test_a_part_is_chosen_by_a_plain_form(here: Client, project: Project, query: str) -> None:
    if "none" in query:
        make_item(project=project, responses=[("none", "x")])
    assert [row["item"] for row in rows(here.get(f"{PATH}?{query}"))] == ["of ben"]


def test_shape_and_format_are_chosen_and_name_the_file(here: Client, project: Project) -> None:
    response = here.get(f"{PATH}?shape=ratings&format=jsonl&texts=on&pseudonyms=on")
    assert response.headers["Content-Type"] == "application/jsonl"
    assert response.headers["Content-Disposition"] == 'attachment; filename="p-ratings.jsonl"'
    lines = [json.loads(line) for line in response.getvalue().splitlines()]
    assert [(line["annotator"], line["response"]) for line in lines] == [
        ("rater-1", "=text of first"),
        ("rater-2", "=text of second"),
    ]


def test_a_name_that_is_none_is_told_at_its_field(here: Client) -> None:
    response = here.get(f"{PATH}?models=nobody&since=2026-03-01")
    assert response.status_code == 200
    assert errors(response) == [
        "There is no “nobody” in this project. There are: model of first, model of second."
    ]
    page = response.content.decode()
    assert "<details open" in page
    assert re.findall(r'name="(\w+)"[^>]* autofocus', page) == ["models"]
    assert 'value="2026-03-01"' in page
    assert "<details open" not in here.get("/projects/p/export/").content.decode()


@pytest.mark.parametrize(
    "query", ["batches=third", "annotators=eve", "kinds=x", "since=soon", "shape=x", "format=x"]
)
def test_an_export_that_is_asked_for_wrongly_is_not_made(here: Client, query: str) -> None:
    response = here.get(f"{PATH}?{query}")
    assert response.headers["Content-Type"].startswith("text/html")
    assert len(errors(response)) == 1
    assert response.content.decode().count(" autofocus") <= 1


def test_an_option_that_a_shape_lacks_is_refused_in_words(here: Client) -> None:
    response = here.get(f"{PATH}?shape=items&revisions=on")
    assert errors(response) == ["This can’t be chosen for the file “items”."]


def test_the_file_comes_with_dictionary_and_manifest_in_a_zip(
    here: Client, project: Project
) -> None:
    response = here.get(f"{PATH}?batches=second&exact=on&zip=on")
    assert response.headers["Content-Disposition"] == 'attachment; filename="p-scores.csv.zip"'
    archive = ZipFile(io.BytesIO(response.getvalue()))
    assert archive.testzip() is None
    file = archive.read("p-scores.csv")
    assert file.decode() == text_of(project, batches=("second",))
    manifest = json.loads(archive.read("p-scores.csv.manifest.json"))
    assert (manifest["rows"], manifest["options"]) == (1, "batches=second")
    assert manifest["sha256"] == sha256(file).hexdigest()
    dictionary = archive.read("p-scores.csv.columns.csv").decode()
    assert dictionary.startswith("name,type,meaning\nproject,text,")
    assert archive.namelist()[0] == "p-scores.csv"


# --- limits ---


def test_a_larger_file_is_left_to_a_command_that_the_page_names(
    here: Client, project: Project, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    monkeypatch.setattr(streaming, "MOST_ROWS", 2)
    assert len(rows(here.get(PATH))) == 2
    monkeypatch.setattr(streaming, "MOST_ROWS", 1)
    response = here.get(f"{PATH}?annotators=ada&annotators=ben&exact=on&pseudonyms=on")
    (error,) = errors(response)
    assert error.startswith("This file has more than 1 rows.")
    program, command, *arguments = shlex.split(error.partition("write it by ")[2][:-1])
    assert (program, command, arguments[-2:]) == (
        "manage.py",
        "export_ratings",
        ["-o", "p-scores.csv"],
    )
    call_command(command, *arguments[:-2])
    assert capfdbinary.readouterr().out.decode() == text_of(project, pseudonyms=True)
    assert len(rows(here.get(f"{PATH}?annotators=ada"))) == 1


@pytest.mark.django_db(transaction=True)
def test_only_a_few_exports_are_sent_at_a_time(here: Client) -> None:
    first, second = here.get(PATH), here.get(PATH)
    third = here.get(PATH)
    assert third.status_code == 503
    assert third.headers["Retry-After"] == "60"
    assert errors(third) == ["Others export right now. Try again in a minute."]
    assert here.head(PATH).status_code == 200
    first.close()  # nothing of it was read
    assert len(rows(here.get(PATH))) == 2
    second.close()


@pytest.mark.django_db(transaction=True)
def test_a_place_is_free_again_after_every_end(here: Client) -> None:
    other = here.get(PATH)
    for query in ("", "models=nobody", "zip=on", "shape=items"):
        response = here.get(f"{PATH}?{query}")
        assert response.status_code == 200
        response.getvalue()
    here.head(PATH)
    begun = here.get(f"{PATH}?zip=on")
    blocks = iter(begun)
    assert [next(blocks), next(blocks)] > [b"", b""]
    begun.close()
    assert here.get(PATH).status_code == 200
    other.close()


def test_a_client_that_takes_nothing_is_cut_off_after_a_minute(here: Client) -> None:
    class Socket:
        waits: Any = None

        def settimeout(self, seconds: float) -> None:
            self.waits = seconds

    client = Socket()
    given: dict[str, Any] = {"gunicorn.socket": client}
    here.get(PATH, **given).getvalue()
    assert client.waits == streaming.SEND_SECONDS == 60


def test_the_page_offers_members_and_batches_and_no_one_else_s(
    here: Client, project: Project, lead: User
) -> None:
    make_membership(project=make_project(), user=lead)
    make_batch(name="elsewhere")
    page = here.get("/projects/p/export/").content.decode()
    for name, values in (("batches", ["first", "second"]), ("annotators", ["ada", "ben"])):
        assert re.findall(rf'name="{name}" value="([^"]+)"', page) == values
    assert len(rows_of(project)) == 2
