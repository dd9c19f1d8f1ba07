"""Responses to a form that is judged or saved, at the desk and in a correction."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from config.web.requests import Request
from tasks.models import Lease, ReturnedRating
from tasks.rating_form.form import RatingForm, desk_of
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import Sheet

from . import drafts
from .corpus import corpora, record_corpora
from .forms import DraftVersionForm
from .text_views import look_at
from .urls_of import addresses

# Renders the page again that sent a form.
Show = Callable[["Request", Lease, ItemView, Sheet, drafts.Obstacle | None], HttpResponse]

PAGE = "annotators/desk/desk.html"


def answer_verdict(request: Request, held: Lease, show: Show) -> HttpResponse:
    """Save the form, and answer a verdict: the row asked for, or the whole page by `show`."""
    now = timezone.now()
    form = RatingForm(desk_of(held), request.POST)
    sheet = form.sheet()
    if record_corpora(held, sheet, now, first=True):
        form = RatingForm(desk_of(held), request.POST)
        sheet = form.sheet()
    conflict = drafts.save_draft(request, held, form, sheet, now=now)
    row = sheet.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return show(request, held, form.desk, sheet, conflict)
    # All corpora when the candidate sets appear; one, with its figures, when it is answered.
    some = None if sheet.sets_appear else {row.target.key} if row.corpus else ()
    context = form_context(held, form.desk, sheet, asked=request.POST, corpora_of=some)
    context |= {"row": row, "others": sheet.along_with(row), "conflict": conflict, "form": form}
    return render(request, f"{PAGE}#live", context, status=409 if conflict else 200)


def saved(request: Request, held: Lease, show: Show) -> HttpResponse:
    """Save the form; confirm it, show both versions, or go where the annotator wants.

    A merged form is shown on a page loaded anew.
    """
    writing = DraftVersionForm(request.POST)
    joins = (
        writing.joins
        and held.draft is not None
        and held.draft_revision == writing.cleaned_data["join"]
    )
    form = RatingForm(
        desk_of(held), request.POST, held.draft.answers if joins and held.draft else None
    )
    sheet = form.sheet()
    conflict = drafts.save_draft(request, held, form, sheet, now=timezone.now())
    if conflict and (writing.was_kept or not request.htmx):
        return show(request, held, form.desk, sheet, conflict)
    if writing.leaves and not conflict:
        return leave(request, addresses(held)["back_url"])
    if not request.htmx or (joins and not conflict):
        return leave(request, addresses(held)["page_url"])
    context = {"conflict": conflict}
    return render(request, "annotators/drafts/draft.html", context, status=409 if conflict else 200)


def leave(request: Request, where: str) -> HttpResponse:
    return HttpResponseClientRedirect(where) if request.htmx else redirect(where)


def form_context(
    lease: Lease,
    on_desk: ItemView,
    sheet: Sheet,
    *,
    asked: Mapping[str, str] | None = None,
    corpora_of: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return the context of the templates that show a form, of a lease or of a correction.

    `corpora_of`: show the corpora of these candidate sets' models; None for all.
    """
    project, revised = lease.project, lease.corrects or lease.revises
    returned = (
        ReturnedRating.objects.filter(rating=revised, mended_at=None).first() if revised else None
    )
    return {
        "project": project,
        "rubric": project.rubric,
        "lease": lease,
        "item": lease.item,
        "desk": on_desk,
        "sheet": sheet,
        "look": look_at(on_desk, project.view, asked),
        "corpora": corpora(lease, on_desk, corpora_of if sheet.shows_sets else ()),
        "returned_reason": returned.reason if returned else "",
        "draft_writer": secrets.token_hex(8),
        **addresses(lease),
    }
