"""The page of a rubric, and the part of it that stands beside an item on the desk.

The desk fetches the scales in words (`rubric_text`) by an address with their digest, so that a
browser keeps them. The editor shows drafts by the same functions.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import TypedDict

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from config.web.cached_html import render_cached

from .judging import schema
from .judging.kinds import Consequences
from .models import Rubric
from .pages.by_clause import ClauseRow, SourceText, by_clause
from .pages.rubric_page import PartView, ScaleTable, parts_of, table_of
from .versions import RubricVersion


@require_safe
def rubric(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Show one published version in full. Clause ids are anchors."""
    published = get_object_or_404(Rubric, slug=slug, version=version)
    changes = published.since(published.older)
    return render(request, "rubrics/rubric.html", {**page_of(published), "changes": changes})


class RubricPage(TypedDict):
    """The names in the templates of the page of a rubric."""

    rubric: schema.Rubric
    parts: list[PartView]
    table: ScaleTable
    by_clause: list[ClauseRow]
    version: RubricVersion


def page_of(
    rubric: RubricVersion,
    texts_by_clause: Mapping[str, Sequence[SourceText]] = MappingProxyType({}),
) -> RubricPage:
    """Return the context of the page of a rubric.

    `texts_by_clause` as for `by_clause`.
    """
    parts = parts_of(rubric.schema)
    return {
        "rubric": rubric.schema,
        "parts": parts,
        "table": table_of(parts),
        "by_clause": by_clause(rubric.schema, parts, texts_by_clause),
        "version": rubric,
    }


@require_safe
def rubric_text(
    request: HttpRequest,
    slug: str,
    version: int,
    digest: str,
    *,
    with_examples: bool = True,
    consequences: str = Consequences.ALWAYS,
) -> HttpResponse:
    """Show the scales in words, as the desk fetches them. Practice has them without examples.

    `consequences`: when the project shows what answers do to the scores.

    The address names the content, so a browser that has it never asks again. An address of other
    content, such as of a language chosen since, is answered but not cached.
    """
    published = get_object_or_404(Rubric, slug=slug, version=version)
    if consequences not in set(Consequences):
        raise Http404
    return answer_rubric_text(
        published, digest, with_examples=with_examples, consequences=consequences
    )


def answer_rubric_text(
    rubric: RubricVersion,
    digest: str,
    *,
    with_examples: bool = True,
    consequences: str = Consequences.ALWAYS,
) -> HttpResponse:
    """Return the scales in words, to be cached if they are what the address names."""
    html = rubric_text_html(rubric, with_examples=with_examples, consequences=consequences)
    cached = "no-store"
    if _digest(html) == digest:
        cached = "private, max-age=31536000, immutable"
    return HttpResponse(html, headers={"Cache-Control": cached})


def rubric_text_url(
    rubric: RubricVersion, *, with_examples: bool = True, consequences: str = Consequences.ALWAYS
) -> str:
    """Return the address of the scales in words, in the active language."""
    html = rubric_text_html(rubric, with_examples=with_examples, consequences=consequences)
    address = [rubric.slug, rubric.version, _digest(html)]
    if consequences != Consequences.ALWAYS:
        return reverse("rubrics:beside_due", args=[*address, str(consequences)])
    return reverse("rubrics:beside" if with_examples else "rubrics:beside_practice", args=address)


def rubric_text_html(
    rubric: RubricVersion,
    *,
    with_examples: bool,
    is_plain: bool = False,
    consequences: str = Consequences.ALWAYS,
) -> SafeString:
    """Return the scales in words, as they stand beside an item.

    A script shows a part at a time; in a plain page all of them are in sight.
    """
    return render_cached(
        "rubrics/beside.html",
        schema=rubric.schema,
        slug=rubric.slug,  # a draft has a slug of its own
        version=rubric.version,
        with_examples=with_examples,
        is_plain=is_plain,
        consequences=str(consequences),
    )


def _digest(html: str) -> str:
    return sha256(html.encode()).hexdigest()[:16]
