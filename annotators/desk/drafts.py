"""Drafts at the desk: save a form before it is submitted, and report conflicts.

A form is saved with every verdict and after every text.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from django.http import HttpResponse
from django.shortcuts import render

from config.web.requests import Request
from tasks.models import Draft, DraftVersion, Lease, Rating, ReadOnly
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import RatingForm, first_sheet, sheet_of
from tasks.rating_form.view_models import Sheet

from .forms import DraftVersionForm
from .urls_of import addresses

# Form fields that are not answers. A draft stores them in columns of their own.
BESIDE = ("seen", "active_seconds")
CONTROLS = ("draft_writer", "draft_number")
ATTEMPTS = 5  # to save a draft while other pages save the same answers


@dataclass(frozen=True, slots=True)
class DraftConflict:
    """A draft that another page saved after this page was shown."""

    there: Draft
    differences: tuple[Difference, ...]
    draft_url: str  # saves this page's form over the draft, or merged with it
    page_url: str  # shows the draft

    @property
    def of_both(self) -> list[str]:
        """Things that both versions answer, but differently."""
        return [each.about for each in self.differences if each.here and each.there]

    @property
    def said_here(self) -> list[str]:
        """This page's answers that are lost if the annotator chooses the other version."""
        return [each.about for each in self.differences if each.here]

    @property
    def said_there(self) -> list[str]:
        """The other version's answers that are lost if the annotator chooses this page."""
        return [each.about for each in self.differences if each.there]

    @property
    def gains(self) -> bool:
        """True if a merge would add anything to this page's form."""
        return any(not each.here for each in self.differences)


@dataclass(frozen=True, slots=True)
class RatingConflict:
    """The stored rating of an item for which a page sent something else."""

    rating: Rating  # as it is now
    first: Rating  # as it was submitted
    differences: tuple[Difference, ...]
    read_only: str  # why the rating can't be corrected; "" if it can
    draft_url: str  # starts a correction with this page's form
    rating_url: str  # shows the rating; "" if the annotator no longer rates in the project
    page_url: str  # where to go on
    kept_as: str  # the key under which a browser saves the fields, with the page's own name
    sent: tuple[tuple[str, str], ...]  # the fields of this page
    came_back: bool = False  # the rating was to be mended, and can't be changed any more
    is_kept: bool = False  # what was sent is saved as a draft


# Why a form that was sent can't be saved or stored.
Obstacle: TypeAlias = DraftConflict | RatingConflict


def save_draft(
    request: Request, held: Lease, form: RatingForm, sheet: Sheet, *, now: datetime
) -> Obstacle | None:
    """Save the form as a draft, or return the obstacle that prevents it."""
    sent = DraftVersionForm(request.POST)
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
        # Both say the same: this page goes on from that revision.
        writing = replace(writing, based_on=held.draft_revision)
    raise RuntimeError(
        f"{ATTEMPTS} times in a row another page wrote the same draft of {held.item} first"
    )


def answer_resent_form(
    request: Request, held: Lease, *, obstacle: Obstacle | None = None, stored: str | None = None
) -> HttpResponse | None:
    """Answer a form that the browser saved and resent from another page.

    The answer shows the obstacle, or confirms the form with the message `stored`. Without either,
    it says that the form could not be stored and is saved as a draft. Return None for a form that
    its own page sends.
    """
    if not DraftVersionForm(request.POST).was_kept:
        return None
    context = {
        **addresses(held),
        "lease": held,
        "item": held.item,
        "kept": obstacle,
        "stored": stored,
    }
    return render(request, "annotators/drafts/kept.html", context, status=409 if obstacle else 200)


def find_conflict(
    writing: DraftVersion | None, held: Lease, form: RatingForm, sheet: Sheet
) -> DraftConflict | None:
    """Return the conflict if a submit would ignore a draft that its page was not shown."""
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
) -> RatingConflict | None:
    """Return the stored rating if it conflicts with the form, else None.

    The form may come from another window, or from a page that was gone back to. `rated` is the
    rating to compare with, by default that of the lease.

    There is no conflict if a revision of the rating says the same, or a draft of a correction
    does. Nor is there one if the same page submitted the rating after it sent this form.
    """
    rated = rated or Rating.objects.filter(lease=held.pk).select_related("lease").first()
    writing = DraftVersionForm(request.POST).writing
    if rated is None or (writing and rated.lease and rated.lease.was_submitted_after(writing)):
        return None
    revisions = list(Rating.objects.revisions_of(rated))
    if not any(each.lease_id for each in revisions):
        return None  # not made at a desk, so no page shows it
    whole = form.sheet(submitting=True)
    if whole.storable and form.submission(whole).fingerprint in {
        each.fingerprint for each in revisions
    }:
        return None  # the same, apart from blanks and line ends
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
) -> RatingConflict | None:
    """Return the conflict with a returned rating that can't be changed any more, or None.

    There is no conflict if the rating already says what was sent. Otherwise the form is saved as
    a draft with the rating, like a correction that came too late.
    """
    found = differences(sheet, sheet_of(refused.rating, form.desk))
    if not found:
        return None
    revisions = list(Rating.objects.revisions_of(refused.rating))
    there = _beside(request, held, form, revisions[0], revisions, found, now)
    is_kept = DraftVersionForm(request.POST).writing is not None
    is_kept = is_kept and save_draft(request, held, form, sheet, now=now) is None
    return replace(there, read_only=str(refused), came_back=True, is_kept=is_kept)


def _beside(
    request: Request,
    held: Lease,
    form: RatingForm,
    rated: Rating,
    revisions: list[Rating],
    found: tuple[Difference, ...],
    now: datetime,
) -> RatingConflict:
    """Return the form that was sent, compared with the latest revision of the rating."""
    correction = copy(held)
    latest = correction.corrects = revisions[-1]
    latest.project, latest.item = held.project, held.item
    latest.first_pk, latest.first_said_at = revisions[0].pk, revisions[0].submitted_at
    there = addresses(correction)
    sent = {**form.sent, **{name: request.POST.get(name, "") for name in (*BESIDE, *CONTROLS)}}
    return RatingConflict(
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


def _conflict_of(held: Lease, form: RatingForm, sheet: Sheet) -> DraftConflict | None:
    """Return both versions, or None if they say the same."""
    if held.draft is None:
        return None
    found = differences(sheet, first_sheet(held, form.desk))
    where = addresses(held)
    return (
        DraftConflict(held.draft, found, where["draft_url"], where["page_url"]) if found else None
    )
