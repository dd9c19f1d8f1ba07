"""Own ratings: list them, and open one to correct it or to read it.

A rating that can't be corrected any more says why. A correction uses the form that the rating was
made on, and shows the earlier answers at every row. It is stored as a new revision. Until then it
is saved as a draft, like every form.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotators.accounts.login import carried_over_log_in
from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.history import own_page
from tasks.models import Draft, Lease, Outdated, Project, Rating, ReadOnly, Seat
from tasks.rating_form.compare import Difference, annotate_with_earlier, differences, fixed
from tasks.rating_form.form import RatingForm, desk_of, first_sheet, sheet_of
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import Sheet

from . import drafts
from .corpus import look_again
from .form_responses import answer_verdict, form_context, leave, saved
from .forms import CorrectionForm, DraftVersionForm, RatingsForm
from .urls_of import addresses

PAGE = "annotators/ratings/rating.html"
step = redirect_get_to("annotators:rating", "slug", "pk")
work_of_ones_own = carried_over_log_in(
    lambda user, slug, pk: Rating.objects.by(user).filter(project__slug=slug, pk=pk).exists()
)


@dataclass(frozen=True, slots=True)
class Revision:
    """A later revision, with its differences from the one before."""

    rating: Rating
    differences: tuple[Difference, ...]


@require_safe
def ratings(request: Request, slug: str) -> HttpResponse:
    """List one's own ratings in a project, newest first; filter by the words in `q`."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    asked = RatingsForm(request.GET).asked
    page = own_page(
        project, request.user, words=asked.words, before=asked.before, now=timezone.now()
    )
    rated, _items = Seat.objects.progress(request.user, project)
    context = {"project": project, "page": page, "asked": asked, "rated": rated}
    return render(request, "annotators/ratings/ratings.html", context)


@require_safe
def last(request: Request, slug: str) -> HttpResponse:
    """Redirect to the last rating, or to the empty list if there is none."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    newest = Rating.objects.first_of(request.user, project).first()
    if newest is None:
        return redirect("annotators:ratings", slug=slug)
    return redirect("annotators:rating", slug=slug, pk=newest.pk)


@require_safe
def rating(request: Request, slug: str, pk: int) -> HttpResponse:
    """Show the latest revision of a rating; `pk` may be that of any revision."""
    return _show(request, _own(request, slug, pk))


@work_of_ones_own
@step
def verdict(request: Request, slug: str, pk: int) -> HttpResponse:
    """Judge the correction as it is now.

    Meanwhile the annotator's lease on the item at the desk is renewed.
    """
    held = _own(request, slug, pk)
    Lease.objects.keep_held(held.project, request.user, now=timezone.now())
    return answer_verdict(request, held, _show_again)


@work_of_ones_own
@step
def draft(request: Request, slug: str, pk: int) -> HttpResponse:
    """Save a draft of the correction, or leave it for the desk.

    A correction without changes is discarded on leaving, and one that is given up at once.
    """
    held = _own(request, slug, pk)
    Lease.objects.keep_held(held.project, request.user, now=timezone.now())
    writing = DraftVersionForm(request.POST)
    if writing.gives_up:
        Draft.objects.discard(held.item, request.user)
        return leave(request, addresses(held)["page_url"])
    form = RatingForm(desk_of(held), request.POST)
    if writing.leaves and not differences(form.sheet(), _stands(held, form.desk)):
        if writing.writing is not None:
            Draft.objects.discard(held.item, request.user, writing=writing.writing)
        return leave(request, addresses(held)["back_url"])
    return saved(request, held, _show_again)


@work_of_ones_own
@step
def correct(request: Request, slug: str, pk: int) -> HttpResponse:
    """Store a new revision.

    Answer 409 if another revision was stored meanwhile, or if none is accepted any more. The page
    then shows the form next to the stored rating, and the form is saved as a draft.
    """
    held = _own(request, slug, pk)
    based_on = CorrectionForm(request.POST)
    form = RatingForm(desk_of(held), request.POST)
    sheet = form.sheet(submitting=True)
    if conflict := drafts.find_conflict(DraftVersionForm(request.POST).writing, held, form, sheet):
        return _show(request, held, form.desk, sheet, conflict=conflict)
    latest = held.corrects
    assert latest is not None
    if based_on.is_valid() and sheet.storable:
        now = timezone.now()
        try:
            revised = latest.correct(
                form.submission(sheet), based_on=based_on.cleaned_data["revision"], now=now
            )
        except (Outdated, ReadOnly):  # _show finds out which
            held = _own(request, slug, pk)
        else:
            look_again(held, sheet, now)
            return _stored(request, slug, held, revised)
    # Not stored: save what was entered.
    drafts.save_draft(request, held, form, sheet, now=timezone.now())
    return _show(request, held, form.desk, sheet, sent=True)


def _own(request: Request, slug: str, pk: int) -> Lease:
    """Return the lease of one's own rating, with its latest revision and its draft.

    `pk` may be that of any revision. Raise Http404 if there is no such rating.
    """
    asked = Rating.objects.by(request.user).filter(project__slug=slug, pk=pk).first()
    revisions = list(Rating.objects.revisions_of(asked)) if asked else []
    lease = next((each.lease_id for each in revisions if each.lease_id), None)
    held = Lease.objects.of(request.user, slug, lease) if lease else None
    if held is None or not held.is_members:
        raise Http404
    held.corrects = revisions[-1]
    held.corrects.project, held.corrects.item = held.project, held.item
    held.corrects.first_pk, held.corrects.first_said_at = revisions[0].pk, revisions[0].submitted_at
    if held.draft is not None and held.draft.corrects_id not in (None, held.corrects.pk):
        held.draft = None  # of an older revision, corrected since
    return held


def _stands(held: Lease, on_desk: ItemView) -> Sheet:
    """Return the form filled with the latest revision."""
    assert held.corrects is not None
    return sheet_of(held.corrects, on_desk)


def _stored(request: Request, slug: str, held: Lease, revised: Rating) -> HttpResponse:
    before = held.corrects
    assert before is not None
    said = _(
        "The correction is stored as revision %(number)s; what you had said before stays beside it."
    )
    if revised.pk == before.pk:
        said = _("Nothing was changed, and the rating stands as it was.")
        Draft.objects.discard(before.item, request.user)
    notice = said % {"number": revised.revision}
    if told := drafts.answer_resent_form(request, held, stored=notice):
        return told
    if request.htmx:
        return _show(request, _own(request, slug, revised.pk), notice=notice)
    messages.success(request, notice)
    return redirect("annotators:rating", slug=slug, pk=revised.pk)


def _show_again(
    request: Request,
    held: Lease,
    on_desk: ItemView,
    sheet: Sheet,
    conflict: drafts.Obstacle | None,
) -> HttpResponse:
    return _show(request, held, on_desk, sheet, conflict=conflict)


def _show(
    request: Request,
    held: Lease,
    on_desk: ItemView | None = None,
    sheet: Sheet | None = None,
    *,
    conflict: drafts.Obstacle | None = None,
    sent: bool = False,
    notice: str = "",
) -> HttpResponse:
    """Render the rating as a page, or only its main part for HTMX.

    `sent`: the form was submitted to be stored.
    """
    if sheet and (told := drafts.answer_resent_form(request, held, obstacle=conflict)):
        return told
    latest = held.corrects
    assert latest is not None
    on_desk = on_desk or desk_of(held)
    stands = _stands(held, on_desk)
    asked = request.POST if sheet else held.entered
    sheet = sheet or first_sheet(held, on_desk)
    read_only = latest.why_read_only(timezone.now())
    outdated = sent and CorrectionForm(request.POST).is_outdated(latest.revision)
    stopped = sent and (outdated or bool(read_only))
    begun = differences(sheet, stands) if stopped or (held.draft and not sent) else ()
    shown = fixed(stands) if read_only else annotate_with_earlier(sheet, stands)
    context = form_context(held, on_desk, shown, asked=asked)
    context |= {
        "rating": latest,
        "revisions": _history(latest, on_desk),
        "read_only": read_only,
        "outdated": outdated,
        "begun": begun,
        "conflict": conflict,
        "notice": notice,
    }
    name = f"{PAGE}#main" if request.htmx and not request.htmx.boosted else PAGE
    return render(request, name, context, status=409 if conflict or stopped else 200)


def _history(latest: Rating, on_desk: ItemView) -> list[Revision]:
    """Return the later revisions, newest first, each compared with the one before."""
    if latest.revision == 1:
        return []
    said = [(each, sheet_of(each, on_desk)) for each in Rating.objects.revisions_of(latest)]
    return [
        Revision(newer, differences(sheet, before))
        for (_older, before), (newer, sheet) in pairwise(said)
    ][::-1]
