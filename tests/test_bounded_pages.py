"""Each page answers within seconds of CPU, also for the worst document that a lead can send it."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from rubrics.models import RubricDraft
from tests.factories import NOW, make_project
from tests.made_rubrics import Content, document, rule, tick
from tests.test_bounded_work import ANSWERS, CAPS, LATER, TICKS, within

BARS = rule("r", "cap", {"any_of": ["y1"]}, score=2)


def documents() -> dict[str, Content]:
    """Documents that cost most: to prove, to tell the open scores of, to compare, to list."""
    many_scores = document([tick(code) for code in TICKS], CAPS, 1_000)
    many_scores["dimensions"][0]["levels"] = []
    return {
        "chained": document([*ANSWERS, *LATER], [BARS]),
        "scores": many_scores,
        "unknown": document(
            [tick(f"tick_number_{n}") for n in range(900)],
            [rule("r", "cap", {"any_of": [f"no_such_tick_{n}" for n in range(4_000)]}, score=2)],
        ),
    }


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    make_project(leads=[lead])
    client.force_login(lead)
    return client


PAGES = ["parts/about/", "parts/{part}/", "parts/{part}.checks/", "parts/{part}.rules/"]
PAGES += ["scores/", "publish/", "document/"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["chained", "scores"])
def test_a_page_of_a_draft_answers_in_time(here: Client, lead: User, name: str, page: str) -> None:
    content = documents()[name]
    draft = RubricDraft.objects.start(content, by=lead, now=NOW)
    part = content["dimensions"][0]["code"]
    address = f"/rubric-drafts/{draft.pk}/{page.format(part=part)}"
    answer = within(lambda: here.get(address, follow=True))
    assert answer.status_code == 200


def test_a_part_with_too_much_to_choose_from_leads_to_the_document(
    here: Client, lead: User
) -> None:
    draft = RubricDraft.objects.start(documents()["unknown"], by=lead, now=NOW)
    answer = here.get(f"/rubric-drafts/{draft.pk}/parts/quality.checks/")
    assert answer.headers["Location"] == f"/rubric-drafts/{draft.pk}/document/"
