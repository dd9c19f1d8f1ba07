"""What is entered at the desk, kept before it is submitted: with every verdict, and after every text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.http import Request
from tasks.models import Draft, Lease
from tasks.rating_form import RatingForm, desk_of, first_sheet
from tasks.sheet import Sheet
from tasks.sheet.comparison import Difference, differences

from .forms import WritingForm

# Fields of the form that say nothing of the item.
BESIDE = ("seen", "active_seconds")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A draft that was written elsewhere since this page was shown."""

    there: Draft
    differences: tuple[Difference, ...]


@require_POST
def draft(request: Request, slug: str, lease: int) -> HttpResponse:
    """Keep the form as it stands, and say so. 409 with both versions where another page wrote it."""
    held = Lease.objects.of(request.user, slug, lease)
    if held is None:
        raise Http404
    form = RatingForm(desk_of(held), request.POST)
    conflict = keep(request, held, form, form.sheet(), now=timezone.now())
    if not request.htmx and not conflict:
        return redirect("annotators:desk", slug=slug)
    context = {"conflict": conflict, "lease": held, "project": held.project}
    return render(request, "annotators/draft.html", context, status=409 if conflict else 200)


def keep(request: Request, held: Lease, form: RatingForm, sheet: Sheet, *, now: datetime) -> Conflict | None:
    """Save what was sent. What stands in the way, if it was not saved."""
    writing = WritingForm(request.POST).writing
    while writing is not None:
        revision = Draft.objects.save_form(
            held,
            writing,
            {name: value for name, value in form.answers.items() if value and name not in BESIDE},
            seen=" ".join(sorted(sheet.seen)),
            active_seconds=form.cleaned_data.get("active_seconds"),
            now=now,
        )
        if revision is not None:
            held.draft = Draft(revision=revision)
            break
        held.draft = Draft.objects.open_of(held.item, request.user)
        if conflict := _conflict_of(held, form, sheet):
            return conflict
        # Both say the same: this page goes on from there.
        writing = replace(writing, based_on=held.draft_revision)
    return None


def in_the_way(request: Request, held: Lease, form: RatingForm, sheet: Sheet) -> Conflict | None:
    """The draft that a submit would pass over without its writer having been shown it."""
    writing = WritingForm(request.POST).writing
    if writing is None or held.draft is None or writing.overwrites(held.draft):
        return None
    return _conflict_of(held, form, sheet)


def _conflict_of(held: Lease, form: RatingForm, sheet: Sheet) -> Conflict | None:
    """Both versions; None where they say the same."""
    if held.draft is None:
        return None
    found = differences(sheet, first_sheet(held, form.desk))
    return Conflict(held.draft, found) if found else None
