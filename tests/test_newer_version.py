"""A newer version of a rubric: projects stay on theirs, their leads learn of it, and what was begun
is judged as it was begun."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.document import parse
from rubrics.models import Rubric
from tasks.models import Lease, Project, Rating
from tests.desk_steps import HTMX, page, start, url
from tests.factories import NOW, make_item, make_project

pytestmark = pytest.mark.django_db

# What version 2 bars: a response that is short has no grammar errors.
EXCLUSION = {
    "code": "short_is_fluent",
    "clause": "X-1",
    "effect": "exclude",
    "when": {"all_of": ["short"]},
    "against": ["grammar_errors"],
    "reason": "A short response has no grammar errors. Keep one: {ticked}.",
}
BOTH = {"r1.quality.short": "yes", "r1.quality.grammar_errors": "yes"}


def load(*rules: dict[str, Any]) -> Rubric:
    """The next version of a rubric with two ticks and these rules."""
    small: dict[str, Any] = {
        "slug": "small",
        "title": "Small",
        "summary": "How good is it?",
        "dimensions": [
            {
                **{"code": "quality", "short": "Q", "title": "Quality", "question": "How good?"},
                **{"unit": "response", "lowest": 1, "highest": 3},
                "levels": [
                    {"score": score, "label": label, "definition": f"{label}."}
                    for score, label in ((3, "Good"), (2, "Fair"), (1, "Bad"))
                ],
                "checks": [
                    {"code": "short", "kind": "tick", "wording": "Short"},
                    {"code": "grammar_errors", "kind": "tick", "wording": "Errors"},
                ],
                "rules": list(rules),
            }
        ],
    }
    rubric, is_new = Rubric.objects.load(parse(small), now=NOW)
    assert is_new
    return rubric


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """Of version 1 of a small rubric: ada rates in it, and lea leads it."""
    project = make_project(slug="eggs", rubric=load(), annotators=[ada], leads=[lead], wanted=1)
    make_item(project=project, responses=["two moon"])
    return project


def words(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def begin_draft(desk: Client, project: Project, ada: User) -> Lease:
    """An item that ada has begun, with both ticks."""
    lease = start(desk, project, ada)
    desk.post(url(lease, "draft"), BOTH | page(), headers=HTMX)
    return lease


def test_the_overview_says_that_a_newer_version_is_there(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    assert "is there, for new projects" not in words(client.get("/projects/eggs/"))
    load(EXCLUSION)
    shown = client.get("/projects/eggs/")
    assert "Small, version 1 · version 2 is there, for new projects ·" in words(shown)
    assert 'href="/rubrics/small/2/"' in shown.content.decode()
    project.refresh_from_db()
    assert project.rubric.version == 1


def test_a_project_of_the_newest_version_is_told_of_none(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    make_project(slug="new", rubric=load(EXCLUSION), leads=[lead])
    assert "is there, for new projects" not in words(client.get("/projects/new/"))


def test_a_draft_begun_under_a_version_is_judged_by_it(
    desk: Client, project: Project, ada: User
) -> None:
    lease = begin_draft(desk, project, ada)
    load(EXCLUSION)
    shown = desk.get("/projects/eggs/desk/").content.decode()
    assert "has no grammar errors" not in shown
    desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(2), headers=HTMX)
    [score] = Rating.objects.get().scores.all()
    assert (score.value, score.checks) == (2, {"short": "yes", "grammar_errors": "yes"})


def test_a_rating_given_under_a_version_is_corrected_under_it(
    desk: Client, project: Project, ada: User
) -> None:
    lease = begin_draft(desk, project, ada)
    desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(2), headers=HTMX)
    load(EXCLUSION)
    rating = Rating.objects.get()
    address = f"/projects/eggs/ratings/{rating.pk}/"
    assert "has no grammar errors" not in desk.get(address).content.decode()
    desk.post(
        f"{address}correct/", BOTH | {"r1.quality": "1", "revision": "1"} | page(), headers=HTMX
    )
    [score] = Rating.objects.get(revision=2).scores.all()
    assert (score.value, score.checks) == (1, {"short": "yes", "grammar_errors": "yes"})


def test_a_project_of_the_newer_version_refuses_what_that_version_bars(
    desk: Client, project: Project, ada: User
) -> None:
    """So that the tests above show what they say."""
    newer = make_project(slug="new", rubric=load(EXCLUSION), annotators=[ada])
    make_item(project=newer, responses=["two moon"])
    lease = start(desk, newer, ada)
    answer = desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(), headers=HTMX)
    assert "A short response has no grammar errors" in answer.content.decode()
    assert not Rating.objects.exists()
