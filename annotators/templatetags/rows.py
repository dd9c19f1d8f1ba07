"""`{% row %}`: a row of the rating form, from memory where nothing has been said in it yet.

To draw a row takes a millisecond or more, and with every next item all of them are drawn. As long as nothing
is said in them they are the same for everyone, but for the address that they are judged at: those are drawn
once in a process, with a gap for the address.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from rubrics.models import Rubric
from rubrics.schema import Clashes, Verdict
from tasks.sheet import Row

register = template.Library()

PAGE = "annotators/row.html"
# Stands in for the address of a verdict; no project is named so, and no lease has this number.
GAP = {"slug": "-", "lease": 0}


@dataclass(frozen=True)
class Untouched:
    """A row in which nothing has been said, by all that its looks hang on."""

    language: str | None
    rubric: int
    name: str
    judgement: Verdict | Clashes
    asks_reason: bool
    context: dict[str, Any] = field(compare=False)


@register.simple_tag(takes_context=True)
def row(context: template.Context) -> SafeString:
    """The context's `row`, of the form for its `lease`, `project` and `rubric`."""
    shown: Row = context["row"]
    rubric: Rubric = context["rubric"]
    address = reverse("annotators:verdict", args=[context["project"].slug, context["lease"].pk])
    if settings.DEBUG or rubric.status != Rubric.Status.PUBLISHED or not is_untouched(shown):
        return _draw({"row": shown, "rubric": rubric, "verdict_url": address})
    parts = _parts(
        Untouched(
            get_language(),
            rubric.pk,
            shown.name,
            shown.judgement,
            shown.none_of_these is not None,
            {"row": shown, "rubric": rubric},
        )
    )
    return mark_safe(address.join(parts))  # noqa: S308 - parts of a template's output, and an address of ours


def is_untouched(shown: Row) -> bool:
    """Whether a row stands as it first stood: nothing said, seen by the program, or complained of, and no
    line of the item in it."""
    return (
        shown.untouched
        and not (shown.facts or shown.errors or shown.detections)
        and not (shown.none_of_these and shown.none_of_these.checked)
        and not any(question.marks for question in shown.questions)
    )


@lru_cache(maxsize=512)
def _parts(untouched: Untouched) -> tuple[str, ...]:
    gap = reverse("annotators:verdict", kwargs=GAP)
    return tuple(_draw({**untouched.context, "verdict_url": gap}).split(gap))


def _draw(context: dict[str, Any]) -> SafeString:
    return mark_safe(get_template(PAGE).render(context))  # noqa: S308 - as above
