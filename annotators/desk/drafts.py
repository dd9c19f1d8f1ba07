"""What is entered at the desk, kept before it is submitted: with every verdict, and after every
text."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from django.http import HttpResponse
from django.shortcuts import render

from config.web.requests import Request
from tasks.models import Draft, Lease, Rating, ReadOnly, Writing
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import RatingForm, first_sheet, sheet_of
from tasks.rating_form.view_models import Sheet

from .forms import WritingForm
from .urls_of import addresses

# Fields of the form that say nothing of the item.
BESIDE = ("seen", "active_seconds")
CONTROLS = ("draft_writer", "draft_number")
ATTEMPTS = 5  # at a draft that others, who say the same, write at the same time


@dataclass(frozen=True, slots=True)
class Conflict:
    """A draft that was written elsewhere since this page was shown. `draft_url`: where this page's
    may be saved over it, or put together with it; `page_url`: where it is."""

    there: Draft
    differences: tuple[Difference, ...]
    draft_url: str
    page_url: str

    @property
    def of_both(self) -> list[str]:
        """What both say something else of."""
        return [each.about for each in self.differences if each.here and each.there]

    @property
    def said_here(self) -> list[str]:
        """What goes where the other one is kept."""
        return [each.about for each in self.differences if each.here]

    @property
    def said_there(self) -> list[str]:
        """What goes where this one is kept."""
        return [each.about for each in self.differences if each.there]

    @property
    def gains(self) -> bool:
        """Whether both together are more than this page by itself."""
        return any(not each.here for each in self.differences)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The rating that an item has already, where a page says something else. `rating`: as it stands
    now; `first`: as it was submitted. `draft_url`: where this page's may be begun as a correction;
    `rating_url`: where the rating is, "" for who rates here no more; `page_url`: where one goes on.
    `sent`: the fields of this page, and `kept_as` the name by which a browser keeps them, the
    page's own included. `came_back`: it was to be mended, and may not be any more; `is_kept`: what
    was sent is a draft beside it."""

    rating: Rating
    first: Rating
    differences: tuple[Difference, ...]
    read_only: str
    draft_url: str
    rating_url: str
    page_url: str
    kept_as: str
    sent: tuple[tuple[str, str], ...]
    came_back: bool = False
    is_kept: bool = False


# What stands in the way of a form that was sent.
Obstacle: TypeAlias = Conflict | Submitted


def keep(
    request: Request, held: Lease, form: RatingForm, sheet: Sheet, *, now: datetime
) -> Obstacle | None:
    """Save what was sent. What stands in the way, if it was not saved."""
    sent = WritingForm(request.POST)
    writing = sent.writing
    if sent.was_kept and (rated := Rating.objects.of_another_lease(held)):
        return submitted_otherwise(request, held, form, sheet, now=now, rated=rated)
    if writing is None:
        return None
    for _attempt in range(ATTEMPTS):
        revision = Draft.objects.save_form(
            held,
            writing,
            {name: value for name, value in form.answers.items() if value and name not in BESIDE},
            seen=" ".join(sorted(sheet.seen)),
            active_seconds=form.cleaned_data.get("active_seconds"),
            now=now,
        )
        if revision == 0:
            return submitted_otherwise(request, held, form, sheet, now=now)
        if revision is not None:
            held.draft = Draft(revision=revision)
            return None
        held.draft = Draft.objects.open_of(held.item, request.user)
        if conflict := _conflict_of(held, form, sheet):
            return conflict
        # Both say the same: this page goes on from there.
        writing = replace(writing, based_on=held.draft_revision)
    raise RuntimeError(
        f"{ATTEMPTS} times in a row another page wrote the same draft of {held.item} first"
    )


def told_elsewhere(
    request: Request, held: Lease, *, obstacle: Obstacle | None = None, stored: str | None = None
) -> HttpResponse | None:
    """What became of a form that a browser had kept and sends from another page, which shows that:
    what stands in its way; or that it is stored, with what is to be said of that; or that it was to
    be stored and could not, and is saved. None of a form that its own page sends."""
    if not WritingForm(request.POST).was_kept:
        return None
    context = {
        **addresses(held),
        "lease": held,
        "item": held.item,
        "kept": obstacle,
        "stored": stored,
    }
    return render(request, "annotators/drafts/kept.html", context, status=409 if obstacle else 200)


def in_the_way(
    writing: Writing | None, held: Lease, form: RatingForm, sheet: Sheet
) -> Conflict | None:
    """The draft that a submit would pass over without its writer having been shown it."""
    if writing is None or held.draft is None or writing.overwrites(held.draft):
        return None
    return _conflict_of(held, form, sheet)


def submitted_otherwise(
    request: Request,
    held: Lease,
    form: RatingForm,
    sheet: Sheet,
    *,
    now: datetime,
    rated: Rating | None = None,
) -> Submitted | None:
    """The rating that the lease has (or `rated`, by a later one), and that does not say what was
    sent: from another window, or from a page gone back to. None where there is none; where this was
    said in one of its revisions, or is kept as the beginning of another; and where the page itself
    submitted it after this."""
    rated = rated or Rating.objects.filter(lease=held.pk).select_related("lease").first()
    writing = WritingForm(request.POST).writing
    if rated is None or (writing and rated.lease and rated.lease.was_submitted_after(writing)):
        return None
    revisions = list(Rating.objects.revisions_of(rated))
    if not any(each.lease_id for each in revisions):
        return None  # no one's work at a desk, and no page has it
    whole = form.sheet(submitting=True)
    if whole.storable and form.submission(whole).fingerprint in {
        each.fingerprint for each in revisions
    }:
        return None  # the same, whatever blanks and line ends it came with
    found = [differences(sheet, sheet_of(each, form.desk)) for each in revisions]
    begun = held.draft is not None and held.draft.lease_id != held.pk
    if not all(found) or (begun and not differences(sheet, first_sheet(held, form.desk))):
        return None
    return _beside(request, held, form, rated, revisions, found[-1], now)


def not_mended(
    request: Request,
    held: Lease,
    form: RatingForm,
    sheet: Sheet,
    refused: ReadOnly,
    *,
    now: datetime,
) -> Submitted | None:
    """The rating that a lease was to mend and that may be changed no more, where it does not say
    what was sent. That is kept with it, as a correction is that came too late."""
    found = differences(sheet, sheet_of(refused.rating, form.desk))
    if not found:
        return None
    revisions = list(Rating.objects.revisions_of(refused.rating))
    there = _beside(request, held, form, revisions[0], revisions, found, now)
    is_kept = WritingForm(request.POST).writing is not None
    is_kept = is_kept and keep(request, held, form, sheet, now=now) is None
    return replace(there, read_only=str(refused), came_back=True, is_kept=is_kept)


def _beside(
    request: Request,
    held: Lease,
    form: RatingForm,
    rated: Rating,
    revisions: list[Rating],
    found: tuple[Difference, ...],
    now: datetime,
) -> Submitted:
    """What was sent, beside the latest of the revisions of a rating."""
    correction = copy(held)
    latest = correction.corrects = revisions[-1]
    latest.project, latest.item = held.project, held.item
    latest.first_pk, latest.first_said_at = revisions[0].pk, revisions[0].submitted_at
    there = addresses(correction)
    sent = {**form.sent, **{name: request.POST.get(name, "") for name in (*BESIDE, *CONTROLS)}}
    return Submitted(
        rating=latest,
        first=rated,
        differences=found,
        read_only=latest.why_read_only(now),
        draft_url=there["draft_url"],
        rating_url=there["page_url"] if held.is_members else "",
        page_url=there["back_url"] if held.is_members else "/",
        kept_as=f"{addresses(held)['kept_as']}:{sent['draft_writer']}",
        sent=tuple(sent.items()),
    )


def _conflict_of(held: Lease, form: RatingForm, sheet: Sheet) -> Conflict | None:
    """Both versions; None where they say the same."""
    if held.draft is None:
        return None
    found = differences(sheet, first_sheet(held, form.desk))
    where = addresses(held)
    return Conflict(held.draft, found, where["draft_url"], where["page_url"]) if found else None
