"""Pages on which a lead writes a rubric: a draft, part by part, until it is published."""

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from rubrics.models import Rubric, RubricDraft
from rubrics.page import score_lines, score_tables
from rubrics.views import answer_beside, page_of
from tasks.exporting.writing import csv_lines, defuse

from .led import edited


@require_safe
@edited
def draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show the first part of a draft."""
    return render(request, "tasks/rubrics/draft_base.html", {"draft": draft})


@require_safe
@edited
def draft_page(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show a draft as annotators would read it."""
    if (rubric := draft.as_rubric()) is None:
        raise Http404
    return render(request, "rubrics/rubric.html", page_of(rubric))


@require_safe
@edited
def draft_beside(request: Request, draft: RubricDraft, digest: str) -> HttpResponse:
    """Show the scales of a draft in words, as the desk fetches them."""
    if (rubric := draft.as_rubric()) is None:
        raise Http404
    return answer_beside(rubric, digest)


@require_safe
@edited
def draft_scores(request: Request, draft: RubricDraft, **as_csv: Any) -> HttpResponseBase:
    """Show or download which scores a draft leaves open, as it could be read last."""
    if (rubric := draft.as_rubric()) is None:
        raise Http404
    return _scores(request, rubric, "tasks/rubrics/scores.html", {"draft": draft}, **as_csv)


@require_safe
def scores(request: Request, slug: str, version: int, **as_csv: Any) -> HttpResponseBase:
    """Show or download which scores are open, to everyone who may read the rubric."""
    rubric = get_object_or_404(Rubric, slug=slug, version=version)
    return _scores(request, rubric, "rubrics/scores.html", {}, **as_csv)


def _scores(
    request: Request, version: Rubric, template: str, about: dict[str, Any], *, as_csv: bool = False
) -> HttpResponseBase:
    """Return a page, whose address may ask a row why a score is barred, or a file."""
    if as_csv:
        lines = ([*map(defuse, line)] for line in score_lines(version.schema))
        return download(
            request,
            f"{version.schema.slug}-{version.version}-open-scores.csv",
            "text/csv; charset=utf-8",
            csv_lines(("dimension", "facts", "open", "barred", "by"), lines),
        )
    asked = [request.GET.get(name) for name in ("dimension", "row", "score")]
    tables = score_tables(
        version.schema, asked, reverse("rubrics:rubric", args=[version.slug, version.version])
    )
    return render(
        request, template, about | {"version": version, "rubric": version.schema, "tables": tables}
    )
