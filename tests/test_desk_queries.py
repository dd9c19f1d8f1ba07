"""How many queries the desk makes: the same, whatever lies in the project and was rated before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.models import Lease, Project
from tests.factories import make_batch, make_item, make_project, make_rating, make_user
from tests.test_desk import FAULTLESS

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
# Statements that begin and end transactions are counted too.
SUBMIT_AND_NEXT = 8
VERDICT = 3  # and the draft in one


def small(ada: User) -> Project:
    """Two items, and nobody has rated anything."""
    project = make_project(annotators=[ada])
    for _ in range(2):
        make_item(project=project, batch=project.batches.first())
    return project


def large(ada: User) -> Project:
    """Three batches with six responses to each item; others and ada herself have rated many."""
    project = make_project(annotators=[ada], wanted=2)
    others = [make_user() for _ in range(2)]
    for batch in [make_batch(project=project) for _ in range(3)]:
        for number in range(6):
            item = make_item(
                batch=batch, responses=["One.", "Two moons.", "3?", "Four!", "Five it is.", "VI"]
            )
            for annotator in (others, [ada], [], [others[0]], [], [])[number]:
                make_rating(item=item, annotator=annotator)
    return project


@pytest.fixture(params=[small, large])
def lease(request: pytest.FixtureRequest, client: Client) -> Lease:
    """The lease that ada holds, in a session that has warmed up."""
    ada = make_user(name="ada")
    project = request.param(ada)
    client.force_login(ada)
    client.post(f"/projects/{project.slug}/desk/start/", headers=HTMX)
    lease = Lease.objects.get(annotator=ada, status=Lease.Status.LIVE)
    client.post(address(lease, "verdict"), {}, headers=HTMX)  # the rubric is read once in a process
    return lease


def address(lease: Lease, step: str) -> str:
    return f"/projects/{lease.project.slug}/desk/{lease.pk}/{step}/"


def faultless(lease: Lease) -> dict[str, str]:
    answers: dict[str, str] = {}
    for place in range(1, len(lease.responses) + 1):
        answers |= {f"r{place}.quality.{code}": value for code, value in FAULTLESS.items()}
        answers[f"r{place}.quality"] = "7"
    return answers


def queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        ask()
    return len(seen)


# As a page sends it.
PAGE = {"draft_writer": "0123456789abcdef", "draft_number": "1", "draft_revision": "0"}


def test_submit_and_next(client: Client, lease: Lease) -> None:
    answers = faultless(lease) | PAGE
    number = queries(lambda: client.post(address(lease, "submit"), answers, headers=HTMX))
    assert Lease.objects.get(pk=lease.pk).status == Lease.Status.SUBMITTED
    assert Lease.objects.filter(annotator=lease.annotator, status=Lease.Status.LIVE).exists()
    assert number == SUBMIT_AND_NEXT


def test_verdict(client: Client, lease: Lease) -> None:
    answers = faultless(lease) | PAGE
    where = f"{address(lease, 'verdict')}?row=r1-quality"
    assert queries(lambda: client.post(where, answers, headers=HTMX)) == VERDICT
