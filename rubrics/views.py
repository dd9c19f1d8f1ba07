"""The page of a rubric, and the part of it that stands beside an item on the desk."""

from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from config.web.cached_html import render_cached

from .by_clause import by_clause
from .models import Rubric
from .page import parts_of, table_of


@require_safe
def rubric(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Show one published version in full. Clause ids are anchors."""
    found = get_object_or_404(Rubric, slug=slug, version=version)
    changes = found.since(found.older)
    return render(request, "rubrics/rubric.html", page_of(found) | {"changes": changes})


def page_of(rubric: Rubric) -> dict[str, Any]:
    """Return the context of the page of a rubric, which may be one that is not stored."""
    parts = parts_of(rubric.schema)
    return {
        "rubric": rubric.schema,
        "parts": parts,
        "table": table_of(parts),
        "by_clause": by_clause(rubric.schema, parts),
        "version": rubric,
    }


@require_safe
def beside(
    request: HttpRequest, slug: str, version: int, digest: str, *, with_examples: bool = True
) -> HttpResponse:
    """Show the scales in words, as the desk fetches them. Practice has them without examples.

    The address names the content, so a browser that has it never asks again. An address of other
    content, such as of a language chosen since, is answered but not cached.
    """
    found = get_object_or_404(Rubric, slug=slug, version=version)
    return answer_beside(found, digest, with_examples=with_examples)


def answer_beside(rubric: Rubric, digest: str, *, with_examples: bool = True) -> HttpResponse:
    """Return the scales in words, to be cached if they are what the address names."""
    html = beside_html(rubric, with_examples=with_examples)
    cached = "private, max-age=31536000, immutable" if _digest(html) == digest else "no-store"
    return HttpResponse(html, headers={"Cache-Control": cached})


def beside_url(rubric: Rubric, *, with_examples: bool = True) -> str:
    """Return the address of the scales in words, in the active language."""
    name = "rubrics:beside" if with_examples else "rubrics:beside_practice"
    digest = _digest(beside_html(rubric, with_examples=with_examples))
    return reverse(name, args=[rubric.slug, rubric.version, digest])


def beside_html(rubric: Rubric, *, with_examples: bool, is_plain: bool = False) -> SafeString:
    """Return the scales in words, as they stand beside an item.

    A script shows a part at a time; in a plain page all of them are in sight.
    """
    version = {"slug": rubric.slug, "version": rubric.version}  # a draft has a slug of its own
    shown = {"with_examples": with_examples, "is_plain": is_plain}
    return render_cached("rubrics/beside.html", schema=rubric.schema, **shown, **version)


def _digest(html: str) -> str:
    return sha256(html.encode()).hexdigest()[:16]
