"""A row in which nothing has been said comes from memory, and looks as if it were drawn anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.template import Context
from django.test import override_settings

from annotators.templatetags import rows
from rubrics.models import Rubric
from tasks.models import Lease, Project
from tasks.sheet import Desk, ShownResponse, ShownSet, evaluate
from tests.factories import rubric_document

SLUGS = ["response-quality", "dialogue"]


def desk(slug: str, *, query: str = "Why?", **fields: Any) -> Desk:
    """Three responses, of which two are one model's."""
    responses = tuple(
        ShownResponse(f"r{place}", place, place, model, text)
        for place, (model, text) in enumerate([("a", "One."), ("a", "Two."), ("b", "Three.")], start=1)
    )
    sets = (ShownSet("s1", "m1", "a", responses[:2], frozenset({"diversity"})),) if slug == "dialogue" else ()
    return Desk(rubric_document(slug), responses, sets, has_history=True, query=query, **fields)


def drawn(
    desk: Desk, answers: dict[str, str] | None = None, *, lease: int = 1, anew: bool = False
) -> list[str]:
    """Every row of the form, as the page has it."""
    slug = desk.rubric.slug
    rubric = Rubric(pk=SLUGS.index(slug) + 1, slug=slug, version=1, status="published")
    others = {"project": Project(slug="eggs"), "lease": Lease(pk=lease), "rubric": rubric}
    sheet = evaluate(desk, answers or {}, seen=["sets"])
    with override_settings(DEBUG=anew):
        return [str(rows.row(Context({**others, "row": row}))) for row in sheet.rows]


@pytest.fixture(autouse=True)
def _empty_memory() -> None:
    rows._parts.cache_clear()


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("asks_reasons", [False, True])
def test_it_looks_as_if_drawn_anew(slug: str, asks_reasons: bool) -> None:
    first = desk(slug, asks_reasons=asks_reasons)
    another = desk(slug, asks_reasons=asks_reasons, query="What then?")
    assert drawn(first, lease=1) == drawn(first, lease=1, anew=True)
    assert drawn(another, lease=2) == drawn(another, lease=2, anew=True)
    assert rows._parts.cache_info().hits > 0


def test_the_next_item_takes_its_rows_from_memory_with_its_own_address() -> None:
    first, second = drawn(desk("response-quality"), lease=41), drawn(desk("response-quality"), lease=42)
    assert rows._parts.cache_info().hits == 3
    assert "/eggs/desk/41/verdict/" in first[0]
    assert "/eggs/desk/42/verdict/" in second[0]
    assert "41" not in second[0].replace("/42/", "")


@pytest.mark.parametrize(
    "answers",
    [
        {"r1.quality": "4"},
        {"r1.quality.helpful": "entirely"},
        {"r1.quality.language_error": "yes"},
    ],
    ids=lambda answers: next(iter(answers)),
)
def test_what_has_been_said_is_drawn_and_leaves_no_trace_in_memory(answers: dict[str, str]) -> None:
    asked = desk("response-quality")
    before = drawn(asked)
    said = drawn(asked, answers)
    assert said == drawn(asked, answers, anew=True)
    assert said[0] != before[0]
    assert drawn(asked) == before


def test_that_no_reason_fits_has_been_said_too() -> None:
    asked = desk("dialogue", asks_reasons=True)
    before = drawn(asked)
    row = next(row for row in evaluate(asked, {}).rows if row.none_of_these)
    assert row.none_of_these
    answers = {row.none_of_these.name: "yes"}
    assert drawn(asked, answers) == drawn(asked, answers, anew=True)
    assert drawn(asked, answers) != before


def test_an_empty_response_is_seen_whatever_is_in_memory() -> None:
    asked = desk("response-quality")
    drawn(asked)
    blank = replace(asked, responses=(replace(asked.responses[0], text=" "), *asked.responses[1:]))
    assert drawn(blank) == drawn(blank, anew=True)
    assert drawn(blank)[0] != drawn(asked)[0]


def test_lines_of_one_persona_do_not_come_with_another_item() -> None:
    drawn(desk("dialogue", persona=("I keep bees.",)))
    shown = "".join(drawn(desk("dialogue", persona=("I never sleep.",))))
    assert "I never sleep." in shown
    assert "I keep bees." not in shown
