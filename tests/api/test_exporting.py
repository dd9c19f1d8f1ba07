"""A program gets the same exports as the command writes, if its token may read their names."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command
from django.http import QueryDict

from annotators.models import User
from tasks.api.exports import ExportManifest
from tasks.exporting import streaming
from tasks.models import Project
from tests.api.calling import Caller, api_client
from tests.factories import make_batch, make_item, make_project, make_rating

EXPORT = "projects/eggs/export"


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """At /projects/eggs/: lea leads, and ada rated an item in each of two batches."""
    project = make_project(slug="eggs", leads=[lead], annotators=[ada])
    for name in ("one", "two"):
        batch = make_batch(project=project, name=name)
        make_rating(item=make_item(batch=batch, responses=[("heron", "Two.")]), annotator=ada)
    return project


@pytest.fixture
def informed(lead: User, project: Project) -> Caller:
    """Has a token that may name people and models."""
    return api_client(lead, project, names_people=True, names_models=True)


def refusal(response: Any, status: int) -> Any:
    assert response.status_code == status
    return response.json()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "shape=items&batches=one",
        "shape=ratings&batches=one&batches=two&texts=on&delimiter=tab",
        "format=jsonl&pseudonyms=on&annotators=rater-1",
        "shape=wide&models=heron&since=2020-01-01&until=",
        "format=parquet",
    ],
)
def test_an_export_has_the_bytes_of_the_command(
    informed: Caller, project: Project, tmp_path: Path, query: str
) -> None:
    file = tmp_path / "file"
    call_command("export_ratings", "eggs", query, output=file)
    response = informed.get(f"{EXPORT}?{query}")
    assert response.status_code == 200
    shape, kind = QueryDict(query).get("shape", "scores"), QueryDict(query).get("format", "csv")
    assert f'filename="eggs-{shape}.{kind}"' in response.headers["Content-Disposition"]
    sent = response.getvalue()
    assert sent == file.read_bytes()
    manifest = informed.value(f"{EXPORT}/manifest?{query}")
    assert manifest["sha256"] == sha256(sent).hexdigest()
    assert {*manifest} <= {*ExportManifest.model_fields}
    ExportManifest.model_validate(manifest)
    by_command = json.loads((tmp_path / "file.manifest.json").read_text())
    assert manifest | {"taken_at": ""} == by_command | {"taken_at": ""}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("colour=red", "colour"),
        ("zip=on", "zip"),
        ("texts=off", "texts"),
        ("shape=words", "shape"),
        ("format=doc", "format"),
        ("batches=three", "batches"),
        ("since=yesterday", "since"),
        ("since=2026-02-02&until=2026-02-01", "until"),
        ("shape=items&kinds=extra", "kinds"),
        ("items=spread%3Dx", "items"),
    ],
)
def test_a_wrong_option_is_refused_by_its_parameter(
    informed: Caller, query: str, parameter: str
) -> None:
    for address in (EXPORT, f"{EXPORT}/manifest"):
        [error] = refusal(informed.get(f"{address}?{query}"), 422)["errors"]
        assert error["parameter"] == parameter


def test_a_token_that_may_not_name_models_gets_no_export(lead: User, project: Project) -> None:
    caller = api_client(lead, project, names_people=True, name="nightly")
    for address in (EXPORT, f"{EXPORT}/manifest"):
        detail = refusal(caller.get(f"{address}?pseudonyms=on"), 403)["detail"]
        assert "the token “nightly” may not" in detail
        assert "“Names of models”" in detail


def test_a_token_that_may_not_name_people_gets_an_export_with_pseudonyms(
    lead: User, project: Project
) -> None:
    caller = api_client(lead, project, names_models=True)
    assert "“Names of people”" in refusal(caller.get(EXPORT), 403)["detail"]
    file = caller.get(f"{EXPORT}?pseudonyms=on").getvalue().decode()
    assert "rater-1" in file
    assert "ada" not in file


def test_a_filter_by_annotator_does_not_tell_who_a_pseudonym_is(
    lead: User, project: Project, ada: User
) -> None:
    caller = api_client(lead, project, names_models=True)
    for query in ("annotators=ada", "annotators=nobody", "annotators=rater-1"):
        refusal(caller.get(f"{EXPORT}?pseudonyms=on&{query}"), 403)
    response = caller.get(f"{EXPORT}?pseudonyms=on&items=annotator%3D{ada.pk}")
    assert refusal(response, 422)["errors"][0]["parameter"] == "items"


def test_more_exports_than_a_process_makes_at_once_are_told_to_come_later(
    informed: Caller,
) -> None:
    for _number in range(streaming.MOST_AT_ONCE):
        assert streaming._places.acquire(blocking=False)
    try:
        response = informed.get(EXPORT)
    finally:
        for _number in range(streaming.MOST_AT_ONCE):
            streaming._places.release()
    assert "Try again in 30 seconds" in refusal(response, 429)["detail"]
    assert response.headers["Retry-After"] == "30"


def test_an_export_for_a_worker_or_too_large_for_a_request_is_refused(informed: Caller) -> None:
    with mock.patch.object(streaming, "MOST_ROWS_AT_ONCE", 1):
        [error] = refusal(informed.get(f"{EXPORT}?format=xlsx"), 422)["errors"]
    assert error["parameter"] == "format"
    with mock.patch.object(streaming, "MOST_ROWS", 1):
        [error] = refusal(informed.get(EXPORT), 422)["errors"]
    assert "manage.py export_ratings eggs" in error["allowed"]
