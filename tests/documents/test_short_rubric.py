"""A rubric that leaves out what it may: its page, the desk, the lists and the export."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.models import Project, Rating
from tests.desk_steps import HTMX, page, start, url
from tests.exports import rows_of
from tests.factories import NOW, make_item, make_project

pytestmark = pytest.mark.django_db

SHORT: dict[str, Any] = {
    "slug": "short",
    "title": "Short",
    "summary": "One scale.",
    "dimensions": [
        {
            "code": "clarity",
            "short": "Clar.",
            "title": "Clarity",
            "question": "How clear?",
            "lowest": 1,
            "highest": 5,
            "levels": [{"score": 5, "label": "Clear"}],
            "checks": [
                {"code": "vague", "kind": "tick", "wording": "Vague"},
                {"code": "long", "kind": "tick", "wording": "Long", "key": "G"},
                {"code": "fine", "kind": "yes_no", "wording": "Fine"},
            ],
            "rules": [
                {
                    "code": "vague_caps",
                    "effect": "cap",
                    "score": 3,
                    "when": {"all_of": ["vague"]},
                    "reason": "Vague: at most 3.",
                },
                {
                    "code": "really",
                    "effect": "advise",
                    "scores": [2],
                    "reason": "Really a 2?",
                },
            ],
        }
    ],
}


@pytest.fixture
def short(ada: User) -> Project:
    """One item with one response, which ada rates by the short rubric."""
    rubric, _is_new = Rubric.objects.load(parse(SHORT), now=NOW)
    project = make_project(slug="short", rubric=rubric, annotators=[ada], leads=[ada], wanted=1)
    make_item(project=project, responses=["One."])
    return project


def letters_in(html: str) -> list[str]:
    return re.findall(
        r"<kbd[^>]*>\s*([A-Z])\s*</kbd>[^<]*(?:<span[^>]*>)?(?:Vague|Long|Fine)", html
    )


def test_the_page_of_the_rubric_shows_letters_and_no_heading_without_content(
    desk: Client, short: Project
) -> None:
    html = desk.get(f"/rubrics/{short.rubric.slug}/1/").content.decode()
    assert sorted(letters_in(html)) == ["E", "G", "I"]
    assert "Clause by clause" not in html
    assert 'class="clause"' not in html
    assert 'id="dimension-clarity-5"' in html


def test_the_desk_shows_every_score_its_letters_and_no_clause(
    desk: Client, short: Project, ada: User
) -> None:
    lease = start(desk, short, ada)
    html = desk.get("/projects/short/desk/").content.decode()
    assert sorted(letters_in(html)) == ["E", "G", "I"]
    for score in range(1, 6):
        assert f'id="r1-clarity-{score}"' in html
    answers = {"r1.clarity.vague": "yes", "r1.clarity.fine": "yes", "r1.clarity": "5"}
    refused = desk.post(url(lease), answers | page(), headers=HTMX).content.decode()
    assert "You can’t give 5: Vague: at most 3.</" in refused
    assert "()" not in refused
    assert 'class="clause"' not in refused


def test_a_rating_by_a_rubric_without_clauses_stores_and_exports_none(
    desk: Client, short: Project, ada: User
) -> None:
    lease = start(desk, short, ada)
    answers = {"r1.clarity.vague": "yes", "r1.clarity.fine": "no", "r1.clarity": "2"}
    asked = desk.post(url(lease), answers | page(), headers=HTMX).content.decode()
    assert "Really a 2?" in asked
    assert "()" not in asked
    seen = re.findall(r'name="(seen[^"]*)"[^>]*value="([^"]*)"', asked)
    desk.post(url(lease), answers | page(2) | dict(seen), headers=HTMX)
    (score,) = Rating.objects.get().scores.all()
    assert (score.value, score.clauses) == (2, [])
    (row,) = rows_of(short)
    assert (row["clause"], row["remarks"]) == ("", "Really a 2?")
    own = desk.get("/projects/short/ratings/").content.decode()
    assert "Clarity: <b>2</b>" in own
