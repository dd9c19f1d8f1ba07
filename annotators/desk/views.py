"""The rating desk: one item at a time, with its rubric.

GET shows the item that the annotator has a lease on, or a button to start. If the item has a
warning, GET shows only the warning, and the page has no texts until they are opened. Every other
step is a POST that looks up the annotator's own lease, in whatever status. So a second click or a
late answer still finds its rating.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import reswap, retarget

from annotators.accounts.login import carried_over_log_in
from annotators.models import User
from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.models import Lease, Outdated, Project, Rating, ReadOnly, Workday
from tasks.models.queue.availability import outlook
from tasks.rating_form.form import RatingForm, desk_of, first_sheet
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import Sheet

from . import drafts, notices
from .corpus import corpus_page, look_again, record_corpora
from .form_responses import PAGE, answer_verdict, form_context, leave, saved
from .forms import ConcernForm, CorpusForm, DraftVersionForm, StartForm, unbound_concern
from .progress import Progress
from .text_views import look_at
from .urls_of import addresses

step = redirect_get_to("annotators:desk", "slug")
work_of_ones_own = carried_over_log_in(
    lambda user, slug, lease: Lease.objects.of(user, slug, lease) is not None
)
CAME_BACK = gettext_lazy(
    "This item came back to you to be mended. If you cannot, flag it and say why."
)


@require_safe
def desk(request: Request, slug: str) -> HttpResponse:
    """Show the item that the annotator has a lease on, or what else there is to do."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    return _show(request, project, Lease.objects.held_by(request.user, project, timezone.now()))


@step
def start(request: Request, slug: str) -> HttpResponse:
    """Lend the next item."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    request.user.adopt_time_zone(StartForm(request.POST).time_zone)
    lease = Lease.objects.take_next(project, request.user, now=timezone.now())
    if request.htmx:
        return _show(request, project, lease)
    return redirect("annotators:desk", slug=slug)


@step
def open_texts(request: Request, slug: str, lease: int) -> HttpResponse:
    """Show the texts of an item with a warning.

    If the annotator has opened as many such items today as a day allows, return the item and lend
    the next one.
    """
    held = _own_lease(request.user, slug, lease)
    now = timezone.now()
    if not held.open(now=now):
        held.release(now=now)
        return _next(request, held, now, notice=str(notices.STAYS_CLOSED))
    held.renew_if_due(now=now)
    if request.htmx:
        return _show(request, held.project, held)
    return redirect("annotators:desk", slug=slug)


@work_of_ones_own
@step
def verdict(request: Request, slug: str, lease: int) -> HttpResponse:
    """Judge the form as it is now.

    With `?row=` and HTMX, answer only what changed; otherwise the whole page.
    """
    held = _own_lease(request.user, slug, lease)
    if held.is_covered:
        return _show(request, held.project, held)
    held.renew_if_due(now=timezone.now())
    return answer_verdict(request, held, _show_again)


@work_of_ones_own
@step
def draft(request: Request, slug: str, lease: int) -> HttpResponse:
    """Save the form as a draft, and confirm it or leave for the last rating.

    Answer 409 with both versions if another page saved the draft meanwhile.
    """
    return saved(request, _own_lease(request.user, slug, lease), _show_again)


@work_of_ones_own
@step
def submit(request: Request, slug: str, lease: int) -> HttpResponse:
    """Store the rating and lend the next item, or show the form with its errors."""
    held = _own_lease(request.user, slug, lease)
    if held.is_covered:
        return _show(request, held.project, held)
    now = timezone.now()
    form = RatingForm(desk_of(held), request.POST)
    sheet = form.sheet(submitting=True)
    if held.status == Lease.Status.SUBMITTED:
        notice = notices.of_storing(held, held.rating)
        said_before = _submitted_before(request, held, form, sheet)
        told = said_before or drafts.answer_resent_form(request, held, stored=notice)
        return told or _next(request, held, now, notice=notice)
    if conflict := drafts.find_conflict(DraftVersionForm(request.POST).writing, held, form, sheet):
        return _show(request, held.project, held, form.desk, sheet, conflict=conflict)
    if not sheet.storable:
        elsewhere = drafts.save_draft(request, held, form, sheet, now=now)
        # Status 200, as Django's own forms do: browsers log any other status as a failure.
        return _show(request, held.project, held, form.desk, sheet, conflict=elsewhere)
    # A returned rating may be closed by now: record its corpus answers only once it is stored.
    if held.revises_id is None:
        # A transaction of its own: an answer about a corpus is independent of the rating, and no
        # lock waits for the other's.
        record_corpora(held, sheet, now)
    return _store(request, held, form, sheet, now)


@work_of_ones_own
@step
def skip(request: Request, slug: str, lease: int) -> HttpResponse:
    """Give the item back with a reason, and lend the next one."""
    held = _own_lease(request.user, slug, lease)
    form = ConcernForm(request.POST)
    if form.is_valid() and held.revises_id is not None:
        form.add_error(None, CAME_BACK)
    if form.errors:
        return _refuse_concern(request, held, form)
    now = timezone.now()
    held.skip(reason=form.cleaned_data["reason"], note=form.cleaned_data["note"], now=now)
    return _next(request, held, now)


@work_of_ones_own
@step
def flag(request: Request, slug: str, lease: int) -> HttpResponse:
    """Flag the item for the lead. It stays on the desk with everything entered."""
    held = _own_lease(request.user, slug, lease)
    form = ConcernForm(request.POST)
    if form.is_valid():
        held.flag(
            reason=form.cleaned_data["reason"], note=form.cleaned_data["note"], now=timezone.now()
        )
        form = ConcernForm()
    if form.errors:
        return _refuse_concern(request, held, form)
    if request.htmx:
        return _concern(request, held, form)
    return redirect("annotators:desk", slug=slug)


@step
def renew(request: Request, slug: str, lease: int) -> HttpResponse:
    """Renew the lease while the annotator is active.

    Answer 204, or 409 with an explanation if the item is not theirs any more.
    """
    held = _own_lease(request.user, slug, lease)
    if held.is_members and held.renew(now=timezone.now()):
        return HttpResponse(status=204)
    return render(
        request, "annotators/desk/ended.html", {"project": held.project, "lease": held}, status=409
    )


@require_safe
def corpus(request: Request, slug: str, lease: int, key: str) -> HttpResponse:
    """Show a page of a model's responses in the batch.

    `key` is the name that the lease gave the model.
    """
    held = _own_lease(request.user, slug, lease)
    if held.is_covered:
        return redirect("annotators:desk", slug=slug)
    asked = CorpusForm(request.GET).asked
    on_desk = desk_of(held)
    shown = next((shown for shown in on_desk.sets if shown.corpus_key == key), None)
    if shown is None:
        return _show(request, held.project, held, status=404)
    page = corpus_page(held, on_desk, shown, asked.page, asked.query)
    name = "annotators/desk/corpus.html#page" if request.htmx else "annotators/desk/corpus.html"
    return render(request, name, {"project": held.project, "lease": held, "corpus": page})


@require_safe
def texts(request: Request, slug: str, lease: int) -> HttpResponse:
    """Show the item's texts in the requested view.

    Everything entered stays in the form.
    """
    held = _own_lease(request.user, slug, lease)
    if held.is_covered or not request.htmx:
        return redirect("annotators:desk", slug=slug)
    on_desk = desk_of(held)
    context = {
        **addresses(held),
        "item": held.item,
        "desk": on_desk,
        "look": look_at(on_desk, held.project.view, request.GET),
    }
    return render(request, "annotators/desk/texts.html", context)


def _store(
    request: Request, held: Lease, form: RatingForm, sheet: Sheet, now: datetime
) -> HttpResponse:
    """Store a complete form and go on, or show the conflict that came up meanwhile."""
    sent, said = DraftVersionForm(request.POST), form.submission(sheet)
    if sent.writing is not None:
        said = replace(said, writer=sent.writing.writer, number=sent.writing.number)
    try:
        if held.is_members and not sent.was_kept:  # a resent form asks for no next item
            rating, following = Lease.objects.submit_and_take_next(held, said, now=now)
        else:
            with transaction.atomic():  # rolls back if it is refused
                rating, following = held.submit(said, now=now), None
    except Outdated as newer:  # a returned rating was mended in another window
        held.release(now=now)
        return _submitted_before(request, held, form, sheet, newer.rating) or _as_it_was(
            request, held, now
        )
    except ReadOnly as refused:  # closed meanwhile, or no longer asked for
        held.release(now=now)
        if stands := drafts.not_mended(request, held, form, sheet, refused, now=now):
            return _show(request, held.project, held, form.desk, sheet, conflict=stands)
        return _as_it_was(request, held, now, why=str(refused))
    before = None
    if rating.fingerprint == said.fingerprint:
        look_again(held, sheet, now)
    else:  # another window was quicker
        before = _submitted_before(request, held, form, sheet)
    notice = notices.of_storing(held, rating)
    if told := before or drafts.answer_resent_form(request, held, stored=notice):
        return told
    if not held.is_members:
        return _to_start(request)
    return _go_on(request, held.project, following, notice=notice)


def _as_it_was(request: Request, held: Lease, now: datetime, *, why: str = "") -> HttpResponse:
    """Go on from a returned rating that already says what was sent, or can't be changed.

    `why`: why it can't be changed any more.
    """
    return drafts.answer_resent_form(request, held, stored=why) or _next(
        request, held, now, notice=why
    )


def _submitted_before(
    request: Request, held: Lease, form: RatingForm, sheet: Sheet, rated: Rating | None = None
) -> HttpResponse | None:
    """Show the form again if the lease's rating (or `rated`) says something else."""
    otherwise = drafts.submitted_otherwise(
        request, held, form, sheet, now=timezone.now(), rated=rated
    )
    return (
        _show(request, held.project, held, form.desk, sheet, conflict=otherwise)
        if otherwise
        else None
    )


def _refuse_concern(request: Request, held: Lease, form: ConcernForm) -> HttpResponse:
    """Show the concern's form with its errors.

    Under HTMX the answer has nothing else, so that the rating stays as it is.
    """
    if not request.htmx:
        return _show(request, held.project, held, concern=form)
    return retarget(reswap(_concern(request, held, form), "outerHTML"), "#concern")


def _concern(request: Request, held: Lease, form: ConcernForm) -> HttpResponse:
    context = {
        "project": held.project,
        "lease": held,
        "flags": held.flags(),
        "is_open": bool(form.errors),
        "oob": not form.errors,
        "concern": form.render(),
    }
    return render(request, "annotators/desk/concern.html#concern", context)


def _next(request: Request, held: Lease, now: datetime, *, notice: str = "") -> HttpResponse:
    """Lend the next item, or go to the start page if the annotator no longer rates here."""
    if not held.is_members:
        return _to_start(request)
    following = Lease.objects.take_next(held.project, request.user, now=now)
    return _go_on(request, held.project, following, notice=notice)


def _go_on(
    request: Request, project: Project, following: Lease | None, *, notice: str = ""
) -> HttpResponse:
    if request.htmx or notice:
        return _show(request, project, following, notice=notice)
    return redirect("annotators:desk", slug=project.slug)


def _to_start(request: Request) -> HttpResponse:
    return leave(request, "/")


def _own_lease(user: User, slug: str, pk: int) -> Lease:
    lease = Lease.objects.of(user, slug, pk)
    if lease is None:
        raise Http404
    return lease


def _show(
    request: Request,
    project: Project,
    lease: Lease | None,
    on_desk: ItemView | None = None,
    sheet: Sheet | None = None,
    *,
    concern: ConcernForm | None = None,
    conflict: drafts.Obstacle | None = None,
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the desk as a page, or only its main part for HTMX."""
    if lease and sheet and (told := drafts.answer_resent_form(request, lease, obstacle=conflict)):
        return told
    now = timezone.now()
    if lease is None:
        context: dict[str, Any] = asdict(outlook(project, request.user, now))
    elif lease.is_covered:
        context = {"rubric": project.rubric}
    else:
        on_desk = on_desk or desk_of(lease)
        asked = request.POST if sheet else lease.entered  # of this item, not of the one before it
        sheet = sheet or first_sheet(lease, on_desk)
        context = form_context(lease, on_desk, sheet, asked=asked)
        # The page shows both versions, so it may save over the stored draft.
        context["conflict"] = conflict
    if lease is not None:
        context["is_open"] = concern is not None
        context["concern"] = concern.render() if concern else unbound_concern(get_language())
    pace = lease.pace if lease is not None else None
    pace = pace or Workday.objects.pace(request.user, project, now)
    context |= {"project": project, "lease": lease, "notice": notice, "progress": Progress.of(pace)}
    name = f"{PAGE}#main" if request.htmx and not request.htmx.boosted else PAGE
    status = 409 if conflict else status
    return render(request, name, context, status=status)


def _show_again(
    request: Request,
    held: Lease,
    on_desk: ItemView,
    sheet: Sheet,
    conflict: drafts.Obstacle | None,
) -> HttpResponse:
    return _show(request, held.project, held, on_desk, sheet, conflict=conflict)
