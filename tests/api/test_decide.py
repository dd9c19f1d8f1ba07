"""Programs read a case and decide it, unless it changed or the rules bar the score."""

from __future__ import annotations

from typing import Any

import pytest

from annotators.models import User
from tasks.models import Item, Project, Rating, ScoreDecision
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import make_item, make_project, make_rating, make_rubric

pytestmark = pytest.mark.django_db

CASE = "projects/eggs/case?item=moons&target=1&dimension=quality"
DECISIONS = "projects/eggs/decisions"
MOONS = {"item": "moons", "target": 1, "dimension": "quality"}


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="eggs", leads=[lead], wanted=5)


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project=project, external_id="moons", responses=[("heron", "Two.")])


@pytest.fixture
def ratings(item: Item) -> list[Rating]:
    """Two people who differ: 4 and 7."""
    return [make_rating(item=item, values={1: value}) for value in (4, 7)]


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project, may_write=True)


def seen(caller: Caller) -> dict[str, Any]:
    """The case as it is now, named with its version."""
    return MOONS | {"version": caller.value(CASE)["version"]}


def errors_in(response: Any, status: int) -> list[dict[str, Any]]:
    assert response.status_code == status, response.content
    errors: list[dict[str, Any]] = response.json()["errors"]
    return errors


def test_a_case_has_the_answers_that_count_and_no_name(
    caller: Caller, ratings: list[Rating]
) -> None:
    case = caller.value(CASE)
    assert [
        (answer["rating"], answer["score"])
        for answer in sorted(case["counted_answers"], key=lambda answer: answer["rating"])
    ] == [(ratings[0].pk, 4), (ratings[1].pk, 7)]
    assert case["counted_answers"][0]["check_answers"]["helpful"] == "entirely"
    assert case["decision"] is None


def test_where_one_decides_before_the_answers_a_program_decides_nothing(
    caller: Caller, project: Project, ratings: list[Rating]
) -> None:
    body = seen(caller) | {"score": 5, "cause": "judgement", "reason": "In between."}
    project.change(decides_first=True)
    response = caller.post(DECISIONS, body)
    assert response.status_code == 409
    assert "Decide this case on its page." in response.json()["detail"]
    assert not ScoreDecision.objects.exists()


def test_a_score_is_decided_with_its_cause_and_reason(
    caller: Caller, lead: User, ratings: list[Rating]
) -> None:
    body = seen(caller) | {"score": 5, "cause": "judgement", "reason": "In between."}
    response = caller.post(DECISIONS, body)
    assert response.status_code == 200, response.content
    assert response.json()["decision"]["score"] == 5
    assert response.json()["version"] == seen(caller)["version"]
    decision = ScoreDecision.objects.get()
    assert (decision.source, decision.value, decision.cause) == ("anew", 5, "judgement")
    assert (decision.reason, decision.decided_by) == ("In between.", lead)


def test_the_answer_of_a_rating_is_adopted(caller: Caller, ratings: list[Rating]) -> None:
    response = caller.post(DECISIONS, seen(caller) | {"adopted_rating": ratings[1].pk})
    assert response.json()["decision"]["adopted_rating"] == ratings[1].pk
    decision = ScoreDecision.objects.get()
    assert (decision.source, decision.value, decision.adopted) == ("answer", 7, ratings[1])


def test_a_decision_is_taken_back(caller: Caller, ratings: list[Rating]) -> None:
    caller.post(DECISIONS, seen(caller) | {"adopted_rating": ratings[1].pk})
    response = caller.post(f"{DECISIONS}/take-back", seen(caller))
    assert response.json()["decision"] is None
    sources = ScoreDecision.objects.values_list("source", flat=True)
    assert list(sources) == ["answer", "withdrawn"]
    again = caller.post(f"{DECISIONS}/take-back", seen(caller))
    assert again.status_code == 409


def test_a_case_that_changed_is_not_decided_and_both_versions_are_shown(
    caller: Caller, item: Item, ratings: list[Rating]
) -> None:
    body = seen(caller) | {"adopted_rating": ratings[1].pk}
    late = make_rating(item=item, values={1: 6})
    response = caller.post(DECISIONS, body)
    [error] = errors_in(response, 409)
    assert error["value"] == body["version"]
    assert error["allowed"] == seen(caller)["version"]
    assert f"6 (rating {late.pk})" in response.json()["detail"]
    assert not ScoreDecision.objects.exists()


def test_a_score_that_the_rules_bar_is_refused_with_the_rule(caller: Caller, item: Item) -> None:
    for _person in range(2):
        rating = make_rating(item=item, values={1: 3})
        score = rating.scores.get()
        score.checks |= {"language_error": "yes"}
        score.save(update_fields=["checks"])
    body = seen(caller) | {"score": 7, "reason": "Fine."}
    [error] = errors_in(caller.post(DECISIONS, body), 422)
    assert (error["pointer"], error["value"]) == ("/score", 7)
    assert error["allowed"].startswith("You can’t give 7: ")
    assert "RQ-" in error["advice"]
    assert not ScoreDecision.objects.exists()


@cases(
    "sent, pointer",
    [
        ({"score": 5}, "/reason"),
        ({"score": 4, "cause": "rubric"}, "/reason"),
        ({"score": 9}, "/score"),
        ({"blank": True}, "/blank"),
        ({}, "/score"),
        ({"adopted_rating": 0}, "/adopted_rating"),
        ({"score": 4, "cause": "chance"}, "/cause"),
        ({"score": 4, "item": "suns"}, "/item"),
        ({"score": 4, "target": 2}, "/target"),
        ({"score": 4, "dimension": "colour"}, "/dimension"),
    ],
)
def test_a_decision_that_the_page_refuses_is_a_422(
    caller: Caller, ratings: list[Rating], sent: dict[str, Any], pointer: str
) -> None:
    errors = errors_in(caller.post(DECISIONS, seen(caller) | sent), 422)
    assert errors[0]["pointer"].startswith(pointer)
    assert not ScoreDecision.objects.exists()


def test_a_case_of_a_dropped_item_is_a_409(
    caller: Caller, item: Item, ratings: list[Rating]
) -> None:
    body = seen(caller) | {"score": 4}
    Item.objects.update(dropped=True)
    assert caller.post(DECISIONS, body).status_code == 409


def test_a_candidate_set_is_named_as_the_token_reads_its_model(lead: User) -> None:
    """By a number, unless the token names models."""
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), leads=[lead])
    make_item(project=project, external_id="x", responses=[("gull", "a"), ("gull", "b")])
    query = "item=x&dimension=diversity&target="
    hidden, open_ = api_client(lead, project), api_client(lead, project, names_models=True)
    refused = [
        caller.get(f"projects/talk/case?{query}{model}").json()["errors"][0]["parameter"]
        for caller, model in [(hidden, "gull"), (hidden, "Model 1"), (open_, "gull")]
    ]
    assert refused == ["target"] * 3  # nobody has rated it


def test_the_reason_of_a_decision_is_read_by_a_token_with_names(
    lead: User, caller: Caller, project: Project, ratings: list[Rating]
) -> None:
    caller.post(DECISIONS, seen(caller) | {"adopted_rating": ratings[1].pk, "reason": "A slip."})
    assert caller.value(CASE)["decision"]["reason"] == ""
    named = api_client(lead, project, names_people=True)
    assert named.value(CASE)["decision"]["reason"] == "A slip."
