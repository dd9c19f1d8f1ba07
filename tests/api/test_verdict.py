"""Programs judge checks by a published rubric, and get what the command says."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command

from annotators.models import User
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import make_project, make_rubric

pytestmark = pytest.mark.django_db

QUALITY = {"rubric": "response-quality", "version": 1, "dimension": "quality"}


@pytest.fixture
def caller(lead: User) -> Caller:
    """Reads only, in a project with another rubric."""
    make_rubric()
    project = make_project(rubric=make_rubric(slug="dialogue"), leads=[lead])
    return api_client(lead, project)


def by_command(*lines: Any, option: str) -> list[Any]:
    """What `manage.py rubric judge` answers to lines of standard input."""
    out = StringIO()
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    with mock.patch("sys.stdin", TextIOWrapper(BytesIO(text.encode()))):
        call_command("rubric", "judge", "response-quality", "quality", option, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def error_in(caller: Caller, **body: Any) -> dict[str, Any]:
    response = caller.post("verdict", QUALITY | body)
    assert response.status_code == 422, response.content
    [error] = response.json()["errors"]
    return error


def test_targets_get_the_verdicts_of_the_command_in_their_order(caller: Caller) -> None:
    """The last but one is forced, and the last one clashes."""
    targets = [
        {"checks": ["instructions_missed", "harmless", "helpful"], "answered": ["comprehensive"]},
        {"checks": ["harmless", "language_error"], "answered": None},
        {"checks": ["nonsensical"], "answered": None},
        {"checks": ["helpful", "unhelpful"], "answered": None},
    ]
    answer = caller.post("verdict", QUALITY | {"targets": targets}).json()
    expected = by_command(*targets, option="--jsonl")
    assert [verdict | {"excluded": verdict.get("excluded", [])} for verdict in expected[:3]] == (
        answer["targets"][:3]
    )
    assert answer["targets"][2]["forced"] == 1
    assert answer["targets"][3] == expected[3]
    assert answer["targets"][3]["clauses"]
    assert answer["rubric"] == {"slug": "response-quality", "version": 1}


def test_targets_of_an_item_are_judged_beside_one_another(caller: Caller) -> None:
    items = [[{"checks": ["repeats_itself"], "score": 5}, {"checks": ["helpful"], "score": 5}]] * 2
    answer = caller.post("verdict", QUALITY | {"items": items}).json()["items"]
    expected = by_command(*items, option="--item")
    assert [item["out_of_order"] for item in answer] == [item["out_of_order"] for item in expected]
    assert answer[0]["out_of_order"]
    for number in range(2):
        verdict, other = answer[1]["targets"][number], expected[1]["targets"][number]
        assert (verdict["open"], verdict["barred"]) == (other["open"], other["barred"])


def test_without_a_version_the_newest_one_judges(caller: Caller) -> None:
    body = {"rubric": "response-quality", "dimension": "quality", "targets": [{"checks": []}]}
    assert caller.post("verdict", body).json()["rubric"]["version"] == 1


@cases(
    "body",
    [
        {"rubric": "no-such", "targets": [{"checks": []}]},
        {"version": 9, "targets": [{"checks": []}]},
        {"dimension": "colour", "targets": [{"checks": []}]},
        {"targets": [{"checks": []}], "items": [[]]},
        {},
        {"targets": []},
        {"targets": [{"checks": []}] * 1_001},
        {"targets": [{"checks": [], "score": 3}]},
        {"items": [[{"checks": [], "score": 3.5}]]},
    ],
)
def test_a_body_that_cannot_be_judged_is_refused_with_a_pointer(caller: Caller, body: Any) -> None:
    response = caller.post("verdict", QUALITY | body)
    assert response.status_code == 422
    assert all("pointer" in error for error in response.json()["errors"])


def test_an_unknown_check_is_named_with_its_place_and_the_checks_there_are(
    caller: Caller,
) -> None:
    error = error_in(caller, targets=[{"checks": ["harmless"]}, {"checks": ["harmles"]}])
    assert error["pointer"] == "/targets/1"
    assert "harmles" in error["value"]
    assert "harmless" in error["allowed"]


def test_an_unknown_question_and_a_score_off_the_scale_are_faults(caller: Caller) -> None:
    error = error_in(caller, targets=[{"checks": [], "answered": ["colour"]}])
    assert error["allowed"].endswith("found colour")
    error = error_in(caller, items=[[{"checks": [], "score": 9}]])
    assert "from 1 to 7" in error["allowed"]
