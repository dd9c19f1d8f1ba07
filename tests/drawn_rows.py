"""Targets of the form as the page draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template import Context
from django.test import override_settings

from annotators.desk.text_views import look_at
from annotators.models import User
from annotators.templatetags import desk_parts as tags
from rubrics.models import Rubric
from tasks.models import Item
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.item_view import ItemView, ShownResponse, ShownSet
from tests.factories import rubric_document

SLUGS = ["response-quality", "dialogue"]


def desk(slug: str, *texts: str, query: str = "Why?", **fields: Any) -> ItemView:
    """Three responses, of which two are one model's."""
    said = texts or ("One.", "Two.", "Three.")
    responses = tuple(
        ShownResponse(f"r{place}", place, place, model, text)
        for place, (model, text) in enumerate(zip("aab", said, strict=True), start=1)
    )
    sets = (
        (ShownSet("s1", "m1", "a", responses[:2], frozenset({"diversity"})),)
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
    rubric = Rubric(pk=SLUGS.index(slug) + 1, slug=slug, version=1, status="published")
    sheet = evaluate(desk, answers or {}, seen=["sets"])
    others = {
        "item": Item(persona=list(desk.persona)),
        "rubric": rubric,
        "sheet": sheet,
        "verdict_url": f"/eggs/desk/{lease}/verdict/",
        "user": user or User(),
        "look": look_at(desk, "text", look),
    }
    with override_settings(DEBUG=anew):
        return [
            str(tags.response(Context({**others, "target": target}))) for target in sheet.responses
        ] + [str(tags.panel(Context({**others, "target": target}))) for target in sheet.sets]
