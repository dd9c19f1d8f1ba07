"""Targets of the form as the page draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template import engines

from annotators.desk.text_views import text_views_of
from annotators.models import User
from config.web.cached_html import _render as remembered
from rubrics.models import Rubric
from tasks.rating_form.item_view import CandidateSetView, ItemView, ResponseView
from tests.evaluated_forms import evaluate
from tests.factories import rubric_document

SLUGS = ["response-quality", "dialogue"]


def desk(slug: str, *texts: str, query: str = "Why?", **fields: Any) -> ItemView:
    """Three responses, of which two are one model's."""
    said = texts or ("One.", "Two.", "Three.")
    responses = tuple(
        ResponseView(f"r{place}", place, place, model, text)
        for place, (model, text) in enumerate(zip("aab", said, strict=True), start=1)
    )
    sets = (
        (CandidateSetView("s1", "m1", "a", responses[:2], frozenset({"diversity"})),)
        if slug == "dialogue"
        else ()
    )
    return ItemView(rubric_document(slug), responses, sets, has_history=True, query=query, **fields)


def drawn(
    desk: ItemView,
    answers: dict[str, str] | None = None,
    *,
    lease: int = 1,
    user: User | None = None,
    look: Mapping[str, str] | None = None,
    anew: bool = False,
) -> list[str]:
    """Every target of the form, as the page has it."""
    slug = desk.rubric.slug
    rubric = Rubric(pk=SLUGS.index(slug) + 1, slug=slug, version=1)
    evaluated = evaluate(desk, answers or {}, seen=["sets"])
    context = {
        "rubric": rubric,
        "evaluated": evaluated,
        "desk": desk,
        "verdict_url": f"/eggs/desk/{lease}/verdict/",
        "texts_url": f"/eggs/desk/{lease}/texts/",
        "user": user or User(),
        "look": text_views_of(desk, "text", look),
    }
    if anew:
        remembered.cache_clear()
    places = range(len(evaluated.sets))
    tags = ["responses", *(f"panel evaluated.sets.{number}" for number in places)]
    drawn, *sets = (
        engines["django"].from_string("{% load desk_parts %}{% " + tag + " %}").render(context)
        for tag in tags
    )
    return [*drawn.split("<section")[1:], *sets]
