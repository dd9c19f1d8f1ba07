"""A draft of a rubric is tried: on the whole desk, and beside its editor. Nothing is stored."""

from __future__ import annotations

import copy
import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from annotators.models import User
from rubrics.models import RubricDraft
from rubrics.shipped import GALLERY, SLUGS, content
from tasks.models import CorpusAnswer, Draft, Item, Lease, Rating
from tests.cases import cases
from tests.checkers import look
from tests.desk_keys import log_in
from tests.desk_steps import HTMX
from tests.factories import NOW, make_project, make_rubric

pytestmark = pytest.mark.django_db
STORED = (Lease, Draft, Rating, CorpusAnswer, Item)


def scale(code: str, **entries: Any) -> dict[str, Any]:
    levels = [{"score": score, "label": f"L{score}", "definition": f"D{score}"} for score in (1, 3)]
    known = {"code": code, "short": code, "title": code.title(), "question": f"{code}?"}
    return {**known, "lowest": 1, "highest": 3, "levels": levels, **entries}


def example(score: int, response: str, *checks: str) -> dict[str, Any]:
    return {"score": score, "response": response, "checks": list(checks), "why": "So."}


MADE_UP = {"code": "made_up", "kind": "tick", "wording": "Makes something up"}
SUPPORT = {"code": "support", "kind": "yes_no", "wording": "Every claim has support"} | {
    "answers": [
        {"code": "yes", "wording": "yes"},
        {"code": "no", "wording": "no", "sets": "unsupported"},
    ]
}
CAP = {"code": "cap", "clause": "F-03", "effect": "cap", "score": 2, "reason": "It can mislead."}
FAITHFUL = scale("faithful", checks=[MADE_UP, SUPPORT], rules=[CAP | {"when": {"all_of": ["made_up"]}}])
FAITHFUL["levels"][0]["examples"] = [example(1, "It is made of cheese.", "made_up", "unsupported")]
FAITHFUL["levels"][1]["examples"] = [example(3, "It has two moons.", "made_up")]
FLUENT = scale("fluent")
FLUENT["levels"][1]["examples"] = [example(3, "Well put.")]
CLAUSES = [{"id": "F-03", "source": "No fact is made up."}]
SUMMARIES = {"clauses": CLAUSES, "slug": "summaries", "title": "Summaries", "summary": "Of news."} | {
    "dimensions": [FAITHFUL, FLUENT]
}


def start(lead: User, document: Any = SUMMARIES) -> RubricDraft:
    return RubricDraft.objects.start(copy.deepcopy(document), by=lead, now=NOW)


@pytest.fixture
def draft(client: Client, lead: User) -> RubricDraft:
    """Two scales, which only an example contradicts. Its maker, lea, has logged in."""
    client.force_login(lead)
    return start(lead)


def to(draft: RubricDraft, number: int = 1, step: str = "") -> str:
    return f"/rubric-drafts/{draft.pk}/try/{number}/{step}"


def words(response: Any) -> str:
    shown = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(shown))


def test_x(client, draft):
    assert draft.examined.findings == (), draft.examined
    print(words(client.get(to(draft))))
    r = client.get(to(draft, 1, "panel/"))
    print(r.content.decode())
    print(words(client.get(to(draft, 1, "panel/?dimension=fluent"), headers=HTMX)))
    assert 0
