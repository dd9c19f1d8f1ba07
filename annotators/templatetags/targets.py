"""`{% response %}` and `{% panel %}`: what is asked of a target, from memory where nothing has been said yet.

To draw a row takes a millisecond or more, and with every next item all of them are drawn. As long as nothing
is said of a target, its part of the page is the same in every item but for a few texts. Such a part is drawn
once in a process, from a target that holds nothing of any item, with gaps for those texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from rubrics.models import Rubric
from rubrics.schema import Clashes, Verdict
from tasks.sheet import Row, ShownResponse, TargetSheet

register = template.Library()

# No text from the database or a form holds this character, so that none can be taken for a gap.
MARK = "\0"
GAP = re.compile(f"{MARK}(\\w+){MARK}")


@dataclass(frozen=True)
class Untouched:
    """A target of which nothing has been said, by all that its looks hang on."""

    page: str
    language: str | None
    rubric: int
    key: str
    count: int
    blank: bool
    rows: tuple[tuple[str, Verdict | Clashes, bool], ...]
    lines: int
    context: dict[str, Any] = field(compare=False)


@register.simple_tag(takes_context=True)
def response(context: template.Context) -> SafeString:
    """The context's `target`, a response: its text, and all that is asked of it."""
    return _target(context, "annotators/response.html")


@register.simple_tag(takes_context=True)
def panel(context: template.Context) -> SafeString:
    """The rows of the context's `target`."""
    return _target(context, "annotators/panel.html")


@register.simple_tag(takes_context=True)
def line(context: template.Context, number: int) -> str:
    """A line of the persona, counted from 1."""
    return str(context["persona"][number - 1])


def _target(context: template.Context, page: str) -> SafeString:
    target: TargetSheet = context["target"]
    rubric: Rubric = context["rubric"]
    persona: list[str] = context["item"].persona
    texts = {
        "verdict_url": reverse("annotators:verdict", args=[context["project"].slug, context["lease"].pk]),
        "text": target.shown.text if isinstance(target.shown, ShownResponse) else "",
    }
    count = len(context["sheet"].responses)
    blank = isinstance(target.shown, ShownResponse) and target.shown.blank
    known = {"rubric": rubric, "count": count, "blank": blank}
    if settings.DEBUG or rubric.status != Rubric.Status.PUBLISHED or not is_untouched(target):
        return mark_safe(  # noqa: S308 - a template's output
            get_template(page).render({**known, **texts, "target": target, "persona": persona})
        )
    parts = _parts(
        Untouched(
            page,
            get_language(),
            rubric.pk,
            target.key,
            count,
            blank,
            tuple([(row.name, row.judgement, row.none_of_these is not None) for row in target.rows]),
            len(persona),
            {**known, "target": target},
        )
    )
    lines = {f"line{number}": text for number, text in enumerate(persona, start=1)}
    return mark_safe(_filled(parts, {**texts, **lines}))  # noqa: S308 - as above, and texts that are escaped


def is_untouched(target: TargetSheet) -> bool:
    """Whether a target stands as it first stood: nothing said of it, seen in it, or complained of."""
    looked_up = any(fact.claim or fact.outcome or fact.sources for fact in target.facts)
    return not (target.comment or looked_up) and all(map(_is_untouched, target.rows))


def _is_untouched(row: Row) -> bool:
    return (
        row.untouched
        and not (row.facts or row.errors or row.detections or row.mistakes)
        and not (row.none_of_these and row.none_of_these.checked)
        and not any(mark.checked for question in row.questions for mark in question.marks)
    )


@lru_cache(maxsize=512)
def _parts(untouched: Untouched) -> tuple[str, ...]:
    """What is drawn of a target, and the names of the gaps between: text, name, text, name, …, text."""
    target: TargetSheet = untouched.context["target"]
    # Whatever a template may show of it, it is nothing of this item.
    shown = target.shown.bare
    bare = replace(target, shown=shown, rows=tuple(replace(row, target=shown) for row in target.rows))
    gaps = {
        "target": bare,
        "verdict_url": f"{MARK}verdict_url{MARK}",
        "text": f"{MARK}text{MARK}",
        "persona": [f"{MARK}line{number}{MARK}" for number in range(1, untouched.lines + 1)],
    }
    return tuple(GAP.split(get_template(untouched.page).render({**untouched.context, **gaps})))


def _filled(parts: tuple[str, ...], texts: Mapping[str, str]) -> str:
    filled = list(parts)
    escaped = {name: escape(text) for name, text in texts.items()}
    filled[1::2] = [escaped[name] for name in parts[1::2]]
    return "".join(filled)
