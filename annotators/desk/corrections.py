"""Own ratings: list them, and open one to correct it or to read it.

A rating that can't be corrected any more says why. A correction uses the form that the rating was
made on, and shows the earlier answers at every row. It is stored as a new revision. Until then it
is saved as a draft, like every form.
"""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.history import own_page
from tasks.models import Draft, Lease, Project, Rating
from tasks.models.progress import items_rated
from tasks.queue.submitting import Outdated, ReadOnly, correct_rating
from tasks.rating_form.compare import differences
from tasks.rating_form.form import evaluated_of
from tasks.submission import DraftVersion

from .corpus import check_again
from .drafts import save_draft
from .forms import CorrectionForm, RatingsForm
from .loading import Correction, own_rating
from .pages import (
    answer_draft,
    answer_kept,
    answer_verdict,
    judged_form,
    leave,
    show,
    show_correction,
)

STILL_ASKED = gettext_lazy(
    "Saved. You are still asked to check this rating: change it, or submit it as it is."
)
step = redirect_get_to("annotators:rating", "slug", "pk")


@require_safe
def ratings(request: Request, slug: str) -> HttpResponse:
    """List one's own ratings in a project, newest first; filter by words, or by "not sure"."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    asked = RatingsForm(request.GET).asked
    page = own_page(
        project,
        request.user,
        words=asked["words"],
        not_sure=asked["not_sure"],
        before=asked["before"],
        now=timezone.now(),
    )
    rated, _items = items_rated(request.user, [project])[project.pk]
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
    return show(own_rating(request, slug, pk))


@step
def verdict(request: Request, slug: str, pk: int) -> HttpResponse:
    """Judge the correction as it is now."""
    return answer_verdict(_at_work(request, slug, pk))


@step
def draft(request: Request, slug: str, pk: int) -> HttpResponse:
    """Save a draft of the correction, or leave it for the desk.

    Leaving deletes a correction without changes. "Discard my changes" deletes any at once.
    """
    opened = _at_work(request, slug, pk)
    header = opened.header
    if header["discard"]:
        _discard(opened, replace(header["version"], number=0) if header["version"] else None)
        return leave(request, opened.urls["page_url"])
    before = evaluated_of(opened.corrected or opened.latest, opened.view)
    if header["leave"] and not differences(opened.form.evaluated(), before):
        _discard(opened, header["version"])
        return leave(request, opened.urls["back_url"])
    return answer_draft(opened)


@step
def correct(request: Request, slug: str, pk: int) -> HttpResponse:
    """Store a new revision.

    Answer 409 if another revision was stored meanwhile, or if none is accepted any more. The page
    then shows the form next to the stored rating, and the form is saved as a draft.
    """
    opened = own_rating(request, slug, pk)
    based_on, evaluated = CorrectionForm(request.POST), judged_form(opened, submitting=True)
    if based_on.is_valid() and evaluated.storable:
        said = opened.form.submission(evaluated)
        try:
            revised = correct_rating(
                opened.latest,
                replace(said, sent_by=opened.header["version"]),
                based_on=based_on.cleaned_data["revision"],
                now=opened.now,
            )
        except (Outdated, ReadOnly):
            opened = own_rating(request, slug, pk)  # its page says which
        else:
            check_again(opened.lease, evaluated, opened.now)
            return _stored(opened, revised)
    save_draft(opened, evaluated)  # not stored: save what was entered
    if opened.header["kept"]:
        return answer_kept(opened)
    return show_correction(opened, evaluated, sent=True)


def _at_work(request: Request, slug: str, pk: int) -> Correction:
    """Return one's own rating, and renew the lease on the item that waits at the desk.

    Its draft belongs to the revision that the page shows, which may not be the latest any more.
    """
    opened = own_rating(request, slug, pk)
    shown = CorrectionForm(request.POST)
    if shown.is_valid():
        opened.corrected = opened.revisions[: shown.cleaned_data["revision"]][-1]
    Lease.objects.keep_held(opened.lease.project, request.user, now=opened.now)
    return opened


def _discard(opened: Correction, version: DraftVersion | None) -> None:
    """Delete the draft that the page wrote up to this version, and the one that it was shown."""
    if version:
        Draft.objects.discard(opened.lease.item_id, opened.lease.annotator_id, version)


def _stored(opened: Correction, revised: Rating) -> HttpResponse:
    request, slug = opened.request, opened.lease.project.slug
    said = _("Corrected. Your first answers are kept.")
    if not CorrectionForm(request.POST).is_outdated(revised.revision):
        said = _("Nothing changed. Your rating stays as it was.")
        _discard(opened, opened.header["version"])
    elif revised.is_asked_for:
        said = str(STILL_ASKED)
    if opened.header["kept"]:
        return answer_kept(opened, stored=said)
    if request.htmx:
        return show_correction(own_rating(request, slug, revised.pk), notice=said)
    messages.success(request, said)
    return redirect("annotators:rating", slug=slug, pk=revised.pk)
