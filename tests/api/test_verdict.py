"""Programs judge checks by a published rubric, and get what the command says."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command

from annotators.models import User
from tasks.api.verdict import VerdictAnswer
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import make_project, make_rubric

pytestmark = pytest.mark.django_db

QUALITY = {"rubric": "response-quality", "version": 1, "dimension": "quality"}
NOTHING: dict[str, Any] = {"items": [[{"checks": []}]]}


@pytest.fixture
def caller(lead: User) -> Caller:
    """Reads only, in a project with another rubric."""
    make_rubric()
    project = make_project(rubric=make_rubric(slug="dialogue"), leads=[lead])
    return api_client(lead, project)


def by_command(*items: Any) -> list[Any]:
    """What `manage.py rubric judge --item` answers to lines of standard input."""
    out = StringIO()
    text = "".join(f"{json.dumps(item)}\n" for item in items)
    with mock.patch("sys.stdin", TextIOWrapper(BytesIO(text.encode()))):
        call_command("rubric", "judge", "response-quality", "quality", "--item", stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def error_in(caller: Caller, **body: Any) -> dict[str, Any]:
    response = caller.post("verdict", QUALITY | body)
    assert response.status_code == 422, response.content
    [error] = response.json()["errors"]
    return error


def test_items_get_the_verdicts_of_the_command_in_their_order(caller: Caller) -> None:
    """Scores are forced, checks clash, and two targets contradict a rule between them."""
    items = [
        [{"checks": ["instructions_missed", "harmless"], "answered": ["comprehensive"]}],
        [{"checks": ["nonsensical"]}, {"checks": ["helpful", "unhelpful"]}],
        [{"checks": ["empty", "language_error"]}],
        [{"checks": ["repeats_itself"], "score": 5}, {"checks": ["helpful"], "score": 5}],
    ]
    answer = caller.post("verdict", QUALITY | {"items": items}).json()
    assert answer["items"] == by_command(*items)
    typed = VerdictAnswer.model_validate(answer)
    assert typed.model_dump(mode="json", exclude_unset=True) == answer
    [[missing], [forced, clash], [excluded], _two] = [item["targets"] for item in answer["items"]]
    assert (missing["missing"] != [], forced["forced"], clash["clauses"]) == (True, 1, ["RQ-08"])
    assert excluded["excluded"] == ["language_error"]
    assert answer["items"][3]["out_of_order"][0]["clause"] == "RQ-11"
    assert answer["rubric"] == {"slug": "response-quality", "version": 1}


def test_without_a_version_the_newest_one_judges(caller: Caller) -> None:
    body = {"rubric": "response-quality", "dimension": "quality"} | NOTHING
    assert caller.post("verdict", body).json()["rubric"]["version"] == 1


@cases(
    "body, pointer",
    [
        ({"rubric": "no-such"} | NOTHING, "/rubric"),
        ({"version": 9} | NOTHING, "/rubric"),
        ({"dimension": "colour"} | NOTHING, "/dimension"),
        ({}, "/items"),
        ({"items": []}, "/items"),
        ({"items": [[]] * 1_001}, "/items"),
        ({"items": [[{"checks": []}] * 50] * 101}, ""),
        ({"items": [[{"checks": [], "score": "3"}]]}, "/items/0/0/score"),
        ({"items": [[{"checks": [], "blank": True}]]}, "/items/0"),
        ({"items": [[{"check": []}]]}, "/items/0/0/checks"),
    ],
)
def test_a_body_that_cannot_be_judged_is_refused_with_a_pointer(
    caller: Caller, body: Any, pointer: str
) -> None:
    response = caller.post("verdict", QUALITY | body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == pointer


def test_an_unknown_check_is_named_with_its_place_and_the_checks_there_are(
    caller: Caller,
) -> None:
    error = error_in(caller, items=[[], [{"checks": ["harmles"]}]])
    assert error["pointer"] == "/items/1"
    assert "harmles" in error["value"]
    assert "harmless" in error["allowed"]


def test_an_unknown_question_and_a_score_off_the_scale_are_faults(caller: Caller) -> None:
    error = error_in(caller, items=[[{"checks": [], "answered": ["colour"]}]])
    assert error["allowed"].endswith("found colour")
    error = error_in(caller, items=[[{"checks": [], "score": 9}]])
    assert "from 1 to 7" in error["allowed"]
