"""Pages on which a lead writes a rubric: a draft, part by part, until it is published."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.web.requests import Request
from rubrics.models import RubricDraft
from rubrics.views import answer_beside, page_of

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
def draft_changes(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show in words what differs from the newest version."""
    if not (draft.shown and draft.published):
        raise Http404
    return render(request, "tasks/rubrics/changes.html", {"draft": draft})
