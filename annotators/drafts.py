"""What is entered at the desk, kept before it is submitted: with every verdict, and after every text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from config.http import Request
from tasks.models import Draft, Lease
from tasks.rating_form import RatingForm, first_sheet
from tasks.sheet import Sheet
from tasks.sheet.comparison import Difference, differences

from .addresses import addresses
from .forms import WritingForm

# Fields of the form that say nothing of the item.
BESIDE = ("seen", "active_seconds")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A draft that was written elsewhere since this page was shown. `draft_url`: where this page's may be
    saved over it; `page_url`: where it is."""

    there: Draft
    differences: tuple[Difference, ...]
    draft_url: str
    page_url: str


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
    where = addresses(held)
    return Conflict(held.draft, found, where["draft_url"], where["page_url"]) if found else None
