"""The rating desk: one item at a time, with its rubric.

GET shows the item that the annotator has a lease on, or a button to start. If the item has a
warning, GET shows only the warning, and the page has no texts until they are opened. Every other
step is a POST that looks up the annotator's own lease, in whatever status. So a second click or a
late answer still finds its rating. Long after the end of a lease its texts are not shown any more.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import reswap, retarget

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.models import Concern, Lease, Notice, Project, Rating
from tasks.queue.allocation import submit_and_take_next, take_next
from tasks.queue.held import held_by
from tasks.queue.submitting import submit_lease
from tasks.submission import Submission

from .corpus import check_again
from .drafts import save_draft
from .forms import ConcernForm
from .loading import Opened, own_lease
from .pages import (
    answer_corpus,
    answer_draft,
    answer_kept,
    answer_texts,
    answer_verdict,
    answer_whole,
    judged_form,
    leave,
    show,
    show_next,
)

step = redirect_get_to("annotators:desk", "slug")
STAYS_CLOSED = gettext_lazy(
    "We did not open that item: you have reached today’s limit of items with a "
    "warning. Someone else gets it now. If you had entered something, it is saved "
    "for when the item comes back to you."
)
ASKED_AFTER = 10  # items skipped in a row


def with_lease(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the annotator's own item instead of a slug and a lease; else answer 404."""

    @wraps(view)
    def answer(request: Request, slug: str, lease: int) -> HttpResponse:
        return view(own_lease(request, slug, lease))

    return answer


def unless_covered(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show only the warning while it covers the item's texts."""

    @wraps(view)
    def answer(opened: Opened) -> HttpResponse:
        return show(opened) if opened.lease.is_covered else view(opened)

    return answer


def unless_over(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """If the lease ended long ago or the item was dropped, save the form and say so."""

    @wraps(view)
    def answer(opened: Opened) -> HttpResponse:
        if not (opened.lease.is_long_over(opened.now) or opened.lease.is_dropped):
            return view(opened)
        evaluated = opened.form.evaluated()
        return show(opened, evaluated, save_draft(opened, evaluated))

    return answer


@require_safe
def desk(request: Request, slug: str) -> HttpResponse:
    """Show the item that the annotator has a lease on, or what else there is to do."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    held = held_by(request.user, project, timezone.now())
    return show_next(request, project, held)


@step
def start(request: Request, slug: str) -> HttpResponse:
    """Take the next item."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    request.user.adopt_time_zone(request.POST.get("zone", ""))
    project.introduce(request.user, request.POST.get("introduced", ""))
    Notice.objects.mark_taken_up(request.user, project.pk, now=timezone.now())
    lease = _take_next(project, request)
    if request.htmx:
        return show_next(request, project, lease)
    return redirect("annotators:desk", slug=slug)


@step
@with_lease
@unless_over
def open_texts(opened: Opened) -> HttpResponse:
    """Show the texts of an item with a warning.

    If the annotator has opened as many such items today as a day allows, give the item back and
    take the next one.
    """
    lease, now = opened.lease, opened.now
    if not lease.open(now=now):
        lease.release(now=now)
        return _go_on(opened, notice=str(STAYS_CLOSED))
    lease.renew_if_due(now=now)
    if opened.request.htmx:
        return show(opened)
    return redirect("annotators:desk", slug=lease.project.slug)


@step
@with_lease
@unless_over
@unless_covered
def verdict(opened: Opened) -> HttpResponse:
    """Judge the form as it is now.

    With `?row=` and HTMX, answer only what changed; otherwise the whole page.
    """
    opened.lease.renew_if_due(now=opened.now)
    return answer_verdict(opened)


@step
@with_lease
@unless_covered
def draft(opened: Opened) -> HttpResponse:
    """Save the form as a draft, and confirm it or leave for the last rating.

    If the item was rated meanwhile, and the form says something else, say so.
    """
    return answer_draft(opened)


@step
def submit(request: Request, slug: str, lease: int) -> HttpResponse:
    """Store the rating, also of someone who was removed with the item on their desk."""
    opened = own_lease(request, slug, lease, to_submit=True)
    return _submit(opened) if opened.lease.annotator_is_member else _submit_as_removed(opened)


@unless_covered
def _submit(opened: Opened) -> HttpResponse:
    """Store the rating and take the next item, or show the form with its errors."""
    lease, evaluated = opened.lease, judged_form(opened, submitting=True)
    if lease.status == Lease.Status.SUBMITTED:
        if rated := save_draft(opened, evaluated):
            return show(opened, evaluated, rated)
        return _go_on(opened, notice=_notice_of(lease, lease.rating))
    if not evaluated.storable:
        # Status 200, as Django's own forms do: browsers log any other status as a failure.
        return show(opened, evaluated, save_draft(opened, evaluated))
    said = replace(opened.form.submission(evaluated), sent_by=opened.header["version"])
    rating, following = _store(opened, said)
    if rating.fingerprint == said.fingerprint:
        check_again(lease, evaluated, opened.now)
    elif rated := save_draft(opened, evaluated):  # another window was quicker
        return show(opened, evaluated, rated)
    if following and not opened.request.htmx:
        messages.success(opened.request, _("Saved. The next item is here."))
    return _go_on(opened, notice=_notice_of(lease, rating), following=following)


@step
@with_lease
def skip(opened: Opened) -> HttpResponse:
    """Give the item back with a reason, and take the next one."""
    form = ConcernForm(opened.request.POST)
    if not form.is_valid():
        return _refuse_concern(opened, form)
    reason, note = form.cleaned_data["reason"], form.cleaned_data["note"]
    is_first_press = opened.lease.status == Lease.Status.LIVE
    opened.lease.skip(reason=reason, note=note, now=opened.now)
    skipped = Concern.objects.skipped_in_a_row(opened.lease.project, opened.request.user)
    if is_first_press and skipped == ASKED_AFTER:
        messages.info(
            opened.request,
            _("You skipped ten items in a row. Is something wrong with them?"),
            extra_tags=opened.urls["flag_url"],
        )
    return _go_on(opened)


@step
@with_lease
def flag(opened: Opened) -> HttpResponse:
    """Flag the item for the lead. It stays on the desk with everything entered."""
    form = ConcernForm(opened.request.POST)
    if form.is_valid():
        reason, note = form.cleaned_data["reason"], form.cleaned_data["note"]
        opened.lease.flag(reason=reason, note=note, now=opened.now)
        form = ConcernForm()
    if form.errors:
        return _refuse_concern(opened, form)
    if opened.request.htmx:
        return _concern(opened, form)
    return redirect("annotators:desk", slug=opened.lease.project.slug)


@step
@with_lease
def renew(opened: Opened) -> HttpResponse:
    """Renew the lease while the annotator is active.

    Answer 204, or 409 with an explanation if the item is not theirs any more.
    """
    lease = opened.lease
    if lease.renew(now=opened.now):
        return HttpResponse(status=204)
    context = {"project": lease.project, "lease": lease}
    return render(opened.request, "annotators/desk/ended.html", context, status=409)


@require_safe
@with_lease
@unless_over
@unless_covered
def corpus(opened: Opened) -> HttpResponse:
    """Show a page of a model's responses in the batch."""
    return answer_corpus(opened)


@redirect_get_to("annotators:desk", "slug", but=WHOLE_TEXT)
@with_lease
def texts(opened: Opened) -> HttpResponse:
    """Show the item's texts in another view, or by GET all of one."""
    return _texts(opened) if opened.request.method == "POST" else answer_whole(opened)


@unless_over
@unless_covered
def _texts(opened: Opened) -> HttpResponse:
    """Show the item's texts in the requested view, and remember it.

    Everything entered stays in the form.
    """
    request, lease = opened.request, opened.lease
    lease.choose_view(request.POST.get("show", ""))
    if not request.htmx:
        return redirect("annotators:desk", slug=lease.project.slug)
    return answer_texts(opened)


def _submit_as_removed(opened: Opened) -> HttpResponse:
    """Store a complete rating as an extra one. Nothing else is there for its annotator."""
    evaluated = opened.form.evaluated(submitting=True)
    if not evaluated.storable:
        raise Http404
    said = opened.form.submission(evaluated)
    rating = submit_lease(opened.lease, said, now=opened.now)
    if rating.fingerprint != said.fingerprint:  # sent again, and different
        raise Http404
    notice = _notice_of(opened.lease, rating)
    if opened.header["kept"]:
        return answer_kept(opened, stored=notice)
    messages.success(opened.request, notice)
    return leave(opened.request, "/")


def _store(opened: Opened, submission: Submission) -> tuple[Rating, Lease | None]:
    """Store the rating and take the next item, unless nobody is there to rate it."""
    lease = opened.lease
    goes_on = lease.project.is_introduced_to(opened.request.user)
    if goes_on and not opened.header["kept"]:
        return submit_and_take_next(lease, submission, now=opened.now)
    with transaction.atomic():  # rolls back if it is refused
        return submit_lease(lease, submission, now=opened.now), None


def _notice_of(held: Lease, rating: Rating) -> str:
    """Return what to say of a rating that came late, or "" of others."""
    if rating.extra_because == Rating.Extra.DROPPED:
        return _(
            "The lead has dropped this item: nobody rates it any more. Your rating is saved as "
            "your work, and counts in no figure."
        )
    if rating.kind == Rating.Kind.EXTRA:
        said = _("Your rating is saved as an extra one: %(why)s. It is still stored and exported.")
        return said % {"why": rating.why_extra}
    if rating.submitted_at > held.expires_at:
        return _(
            "Your rating is saved and counts. Your time for the item was over, "
            "but a place was still free."
        )
    return ""


def _take_next(project: Project, request: Request) -> Lease | None:
    """Take the next item, unless the annotator has the introduction to read first."""
    if not project.is_introduced_to(request.user):
        return None
    return take_next(project, request.user, now=timezone.now())


def _go_on(opened: Opened, *, notice: str = "", following: Lease | None = None) -> HttpResponse:
    """Show the next item.

    `following`: the next item, if it was taken already.
    """
    request, lease = opened.request, opened.lease
    if opened.header["kept"]:  # another page sent the form, and shows something else
        return answer_kept(opened, stored=notice)
    following = following or _take_next(lease.project, request)
    if request.htmx or notice:
        return show_next(request, lease.project, following, notice=notice)
    return redirect("annotators:desk", slug=lease.project.slug)


def _refuse_concern(opened: Opened, form: ConcernForm) -> HttpResponse:
    """Show the concern's form with its errors.

    Under HTMX the answer has nothing else, so that the rating stays as it is.
    """
    if not opened.request.htmx:
        return show(opened, concern=form)
    return retarget(reswap(_concern(opened, form), "outerHTML"), "#concern")


def _concern(opened: Opened, form: ConcernForm) -> HttpResponse:
    context = {
        **opened.urls,
        "flags": opened.lease.flags(),
        "is_open": bool(form.errors),
        "oob": not form.errors,
        "concern": form.render(),
    }
    return render(opened.request, "annotators/desk/concern.html#concern", context)
