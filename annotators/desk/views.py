"""The rating desk: one item at a time, with its rubric.

GET shows the item that the annotator has a lease on, or a button to start. If the item has a
warning, GET shows only the warning, and the page has no texts until they are opened. Every other
step is a POST that looks up the annotator's own lease, in whatever status. So a second click or a
late answer still finds its rating. Long after the end of a lease its texts are not shown any more.
"""

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

from config.web.decorators import View, redirect_get_to
from config.web.requests import Request
from tasks.answers.submission import Submission
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.models import Concern, Lease, Notice, Project, Rating
from tasks.queue.allocation import submit_and_take_next, take_next
from tasks.queue.live_leases import live_lease
from tasks.queue.submitting import submit_lease

from .corpus import check_again
from .desk_page import show_item, show_next
from .drafts import save_draft
from .form_steps import (
    answer_corpus,
    answer_draft,
    answer_texts,
    answer_verdict,
    answer_whole_text,
    leave,
    save_and_evaluate,
)
from .forms import ConcernForm
from .loading import DeskItem, load_lease
from .recovered_forms import answer_recovered_form

step = redirect_get_to("annotators:desk", "slug")
STAYS_CLOSED = gettext_lazy(
    "We did not open that item: you have reached today’s limit of items with a "
    "warning. Someone else gets it now. If you had entered something, it is saved "
    "for when the item comes back to you."
)
ASKED_AFTER = 10  # items skipped in a row


def with_lease(view: View) -> View:
    """Give the view the annotator's own item instead of a slug and a lease; else answer 404."""

    @wraps(view)
    def answer(request: Request, slug: str, lease: int) -> HttpResponse:
        return view(load_lease(request, slug, lease))

    return answer


def unless_covered(view: View) -> View:
    """Show only the warning while it covers the item's texts."""

    @wraps(view)
    def answer(desk_item: DeskItem) -> HttpResponse:
        if desk_item.lease.is_covered:
            return show_item(desk_item)
        return view(desk_item)

    return answer


def unless_over(view: View) -> View:
    """If the lease ended long ago or the item was dropped, save the form and say so."""

    @wraps(view)
    def answer(desk_item: DeskItem) -> HttpResponse:
        if not (desk_item.lease.is_long_over(desk_item.now) or desk_item.lease.is_dropped):
            return view(desk_item)
        evaluated = desk_item.form.evaluated()
        return show_item(desk_item, evaluated, save_draft(desk_item, evaluated))

    return answer


@require_safe
def desk(request: Request, slug: str) -> HttpResponse:
    """Show the item that the annotator has a lease on, or what else there is to do."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    lease = live_lease(request.user, project, timezone.now())
    return show_next(request, project, lease)


@step
def start(request: Request, slug: str) -> HttpResponse:
    """Take the next item."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    request.user.set_first_time_zone(request.POST.get("zone", ""))
    project.introduce(request.user, request.POST.get("introduced", ""))
    Notice.objects.mark_begun(request.user, project.pk, now=timezone.now())
    lease = _take_next(project, request)
    if request.htmx:
        return show_next(request, project, lease)
    return redirect("annotators:desk", slug=slug)


@step
@with_lease
@unless_over
def uncover(desk_item: DeskItem) -> HttpResponse:
    """Show the texts of an item with a warning.

    If the annotator has opened as many such items today as a day allows, give the item back and
    take the next one.
    """
    lease = desk_item.lease
    now = desk_item.now
    if not lease.uncover(now=now):
        lease.release(now=now)
        return _go_on(desk_item, notice=str(STAYS_CLOSED))
    lease.renew_if_due(now=now)
    if desk_item.request.htmx:
        return show_item(desk_item)
    return redirect("annotators:desk", slug=lease.project.slug)


@step
@with_lease
@unless_over
@unless_covered
def verdict(desk_item: DeskItem) -> HttpResponse:
    """Judge the form as it is now.

    With `?row=` and HTMX, answer only what changed; otherwise the whole page.
    """
    desk_item.lease.renew_if_due(now=desk_item.now)
    return answer_verdict(desk_item)


@step
@with_lease
@unless_covered
def draft(desk_item: DeskItem) -> HttpResponse:
    """Save the form as a draft, and confirm it or leave for the last rating.

    If the item was rated meanwhile, and the form says something else, say so.
    """
    return answer_draft(desk_item)


@step
def submit(request: Request, slug: str, lease: int) -> HttpResponse:
    """Store the rating, also of someone who was removed with the item on their desk."""
    desk_item = load_lease(request, slug, lease, to_submit=True)
    if desk_item.lease.annotator_is_member:
        return _submit(desk_item)
    return _submit_as_removed(desk_item)


@unless_covered
def _submit(desk_item: DeskItem) -> HttpResponse:
    """Store the rating and take the next item, or show the form with its errors."""
    lease = desk_item.lease
    evaluated = save_and_evaluate(desk_item, submitting=True)
    if lease.status == Lease.Status.SUBMITTED:
        if conflict := save_draft(desk_item, evaluated):
            return show_item(desk_item, evaluated, conflict)
        return _go_on(desk_item, notice=_notice_of(lease, lease.rating))
    if not evaluated.storable:
        # Status 200, as Django's own forms do: browsers log any other status as a failure.
        return show_item(desk_item, evaluated, save_draft(desk_item, evaluated))
    submission = desk_item.form.submission(evaluated)
    submission = replace(submission, sent_by=desk_item.header.version)
    rating, following = _store(desk_item, submission)
    if rating.fingerprint == submission.fingerprint:
        check_again(lease, evaluated, desk_item.now)
    elif conflict := save_draft(desk_item, evaluated):  # another window was quicker
        return show_item(desk_item, evaluated, conflict)
    if following and not desk_item.request.htmx:
        messages.success(desk_item.request, _("Saved. The next item is here."))
    return _go_on(desk_item, notice=_notice_of(lease, rating), following=following)


@step
@with_lease
def skip(desk_item: DeskItem) -> HttpResponse:
    """Give the item back with a reason, and take the next one."""
    form = ConcernForm(desk_item.request.POST)
    if not form.is_valid():
        return _refuse_concern(desk_item, form)
    reason = form.cleaned_data["reason"]
    note = form.cleaned_data["note"]
    is_first_press = desk_item.lease.status == Lease.Status.LIVE
    desk_item.lease.skip(reason=reason, note=note, now=desk_item.now)
    skipped = Concern.objects.skipped_in_a_row(desk_item.lease.project, desk_item.request.user)
    if is_first_press and skipped == ASKED_AFTER:
        messages.info(
            desk_item.request,
            _("You skipped ten items in a row. Is something wrong with them?"),
            extra_tags=desk_item.urls["flag_url"],
        )
    return _go_on(desk_item)


@step
@with_lease
def flag(desk_item: DeskItem) -> HttpResponse:
    """Flag the item for the lead. It stays on the desk with everything entered."""
    form = ConcernForm(desk_item.request.POST)
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        note = form.cleaned_data["note"]
        desk_item.lease.flag(reason=reason, note=note, now=desk_item.now)
        form = ConcernForm()
    if form.errors:
        return _refuse_concern(desk_item, form)
    if desk_item.request.htmx:
        return _concern(desk_item, form)
    return redirect("annotators:desk", slug=desk_item.lease.project.slug)


@step
@with_lease
def renew(desk_item: DeskItem) -> HttpResponse:
    """Renew the lease while the annotator is active.

    Answer 204, or 409 with an explanation if the item is not theirs any more.
    """
    lease = desk_item.lease
    if lease.renew(now=desk_item.now):
        return HttpResponse(status=204)
    context = {"project": lease.project, "lease": lease}
    return render(desk_item.request, "annotators/desk/ended.html", context, status=409)


@require_safe
@with_lease
@unless_over
@unless_covered
def corpus(desk_item: DeskItem) -> HttpResponse:
    """Show a page of a model's responses in the batch."""
    return answer_corpus(desk_item)


@redirect_get_to("annotators:desk", "slug", but=WHOLE_TEXT)
@with_lease
def texts(desk_item: DeskItem) -> HttpResponse:
    """Show the item's texts in another view, or by GET all of one."""
    if desk_item.request.method == "POST":
        return _texts(desk_item)
    return answer_whole_text(desk_item)


@unless_over
@unless_covered
def _texts(desk_item: DeskItem) -> HttpResponse:
    """Show the item's texts in the requested view, and remember it.

    Everything entered stays in the form.
    """
    request = desk_item.request
    lease = desk_item.lease
    lease.choose_view(request.POST.get("show", ""))
    if not request.htmx:
        return redirect("annotators:desk", slug=lease.project.slug)
    return answer_texts(desk_item)


def _submit_as_removed(desk_item: DeskItem) -> HttpResponse:
    """Store a complete rating as an extra one. Nothing else is there for its annotator."""
    evaluated = desk_item.form.evaluated(submitting=True)
    if not evaluated.storable:
        raise Http404
    submission = desk_item.form.submission(evaluated)
    rating = submit_lease(desk_item.lease, submission, now=desk_item.now)
    if rating.fingerprint != submission.fingerprint:  # sent again, and different
        raise Http404
    notice = _notice_of(desk_item.lease, rating)
    if desk_item.header.is_recovered:
        return answer_recovered_form(desk_item, notice=notice)
    messages.success(desk_item.request, notice)
    return leave(desk_item.request, "/")


def _store(desk_item: DeskItem, submission: Submission) -> tuple[Rating, Lease | None]:
    """Store the rating and take the next item, unless nobody is there to rate it."""
    lease = desk_item.lease
    goes_on = lease.project.is_introduced_to(desk_item.request.user)
    if goes_on and not desk_item.header.is_recovered:
        return submit_and_take_next(lease, submission, now=desk_item.now)
    with transaction.atomic():  # rolls back if it is refused
        return submit_lease(lease, submission, now=desk_item.now), None


def _notice_of(lease: Lease, rating: Rating) -> str:
    """Return what to say of a rating that came late, or "" of others."""
    if rating.extra_because == Rating.Extra.DROPPED:
        return _(
            "The lead has dropped this item: nobody rates it any more. Your rating is saved as "
            "your work, and counts in no figure."
        )
    if rating.kind == Rating.Kind.EXTRA:
        text = _("Your rating is saved as an extra one: %(why)s. It is still stored and exported.")
        return text % {"why": rating.why_extra}
    if rating.submitted_at > lease.expires_at:
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


def _go_on(
    desk_item: DeskItem, *, notice: str = "", following: Lease | None = None
) -> HttpResponse:
    """Show the next item.

    `following`: the next item, if it was taken already.
    """
    request = desk_item.request
    lease = desk_item.lease
    if desk_item.header.is_recovered:  # another page sent the form, and shows something else
        return answer_recovered_form(desk_item, notice=notice)
    following = following or _take_next(lease.project, request)
    if request.htmx or notice:
        return show_next(request, lease.project, following, notice=notice)
    return redirect("annotators:desk", slug=lease.project.slug)


def _refuse_concern(desk_item: DeskItem, concern_form: ConcernForm) -> HttpResponse:
    """Show the concern's form with its errors.

    Under HTMX the answer has nothing else, so that the rating stays as it is.
    """
    if not desk_item.request.htmx:
        return show_item(desk_item, concern=concern_form)
    return retarget(reswap(_concern(desk_item, concern_form), "outerHTML"), "#concern")


def _concern(desk_item: DeskItem, concern_form: ConcernForm) -> HttpResponse:
    context = {
        **desk_item.urls,
        "flags": desk_item.lease.flags(),
        "is_unfolded": bool(concern_form.errors),
        "oob": not concern_form.errors,
        "concern": concern_form.render(),
    }
    return render(desk_item.request, "annotators/desk/concern.html#concern", context)
