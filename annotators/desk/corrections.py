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
from tasks.answers.slot_answers import REPLY
from tasks.answers.submission import DraftVersion
from tasks.models import Draft, Lease, Project, Question, Rating
from tasks.models.progress import items_rated
from tasks.queue.submitting import Outdated, QuestionWaits, ReadOnly, correct_rating
from tasks.rating_form.compare import differences
from tasks.rating_form.evaluated_form import EvaluatedForm, FormError
from tasks.rating_form.stored_forms import evaluated_of

from .corpus import check_again
from .desk_page import show_item
from .drafts import save_draft
from .form_steps import answer_draft, answer_verdict, leave, save_and_evaluate
from .forms import CorrectionForm, RatingsForm
from .history import page_of_ratings
from .loading import Correction, load_rating
from .rating_page import show_correction, show_unstored_correction
from .recovered_forms import answer_recovered_form

STILL_ASKED = gettext_lazy(
    "Saved. You are still asked to check this rating: change it, or submit it as it is."
)
step = redirect_get_to("annotators:rating", "slug", "pk")


@require_safe
def ratings(request: Request, slug: str) -> HttpResponse:
    """List one's own ratings in a project, newest first; filter by words, or by "not sure"."""
    project = get_object_or_404(Project.objects.rated_by(request.user), slug=slug)
    query = RatingsForm(request.GET).query
    page = page_of_ratings(
        project,
        request.user,
        words=query.words,
        not_sure=query.not_sure,
        before=query.before,
        now=timezone.now(),
    )
    rated, _items = items_rated(request.user, [project])[project.pk]
    context = {"project": project, "page": page, "query": query, "rated": rated}
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
    return show_item(load_rating(request, slug, pk))


@step
def verdict(request: Request, slug: str, pk: int) -> HttpResponse:
    """Judge the correction as it is now."""
    return answer_verdict(_at_work(request, slug, pk))


@step
def draft(request: Request, slug: str, pk: int) -> HttpResponse:
    """Save a draft of the correction, or leave it for the desk.

    Leaving deletes a correction without changes. "Discard my changes" deletes any at once.
    """
    correction = _at_work(request, slug, pk)
    header = correction.header
    if header.discards:
        # The draft of the page, whatever its number.
        _discard(correction, header.version and replace(header.version, number=0))
        return leave(request, correction.urls["page_url"])
    before = evaluated_of(correction.corrected or correction.latest, correction.view)
    if header.leaves and not differences(correction.form.evaluated(), before):
        _discard(correction, header.version)
        return leave(request, correction.urls["back_url"])
    return answer_draft(correction)


@step
def correct(request: Request, slug: str, pk: int) -> HttpResponse:
    """Store a new revision.

    Answer 409 if another revision was stored meanwhile, or if none is accepted any more. The page
    then shows the form next to the stored rating, and the form is saved as a draft.
    """
    correction = load_rating(request, slug, pk)
    based_on = CorrectionForm(request.POST)
    evaluated = save_and_evaluate(correction, submitting=True)
    if based_on.is_valid() and evaluated.storable:
        submission = correction.form.submission(evaluated)
        submission = replace(submission, sent_by=correction.header.version)
        try:
            revised = correct_rating(
                correction.latest,
                submission,
                based_on=based_on.cleaned_data["revision"],
                reply=evaluated.reply.strip(),
                last_question=based_on.cleaned_data["question"],
                now=correction.now,
            )
        except QuestionWaits:
            correction = load_rating(request, slug, pk)
            evaluated = _with_question(correction, evaluated, based_on.cleaned_data["question"])
        except (Outdated, ReadOnly):
            correction = load_rating(request, slug, pk)  # its page says which
        else:
            check_again(correction.lease, evaluated, correction.now)
            return _stored(correction, revised, evaluated.reply.strip())
    save_draft(correction, evaluated)  # not stored: save what was entered
    if correction.header.is_recovered:
        return answer_recovered_form(correction)
    return show_unstored_correction(correction, evaluated)


def _at_work(request: Request, slug: str, pk: int) -> Correction:
    """Return one's own rating, and renew the lease on the item that waits at the desk.

    Its draft belongs to the revision that the page shows, which may not be the latest any more.
    """
    correction = load_rating(request, slug, pk)
    form = CorrectionForm(request.POST)
    if form.is_valid():
        revisions = correction.revisions[: form.cleaned_data["revision"]]
        correction.corrected = revisions[-1]
    Lease.objects.renew_live(correction.lease.project, request.user, now=correction.now)
    return correction


def _discard(correction: Correction, version: DraftVersion | None) -> None:
    """Delete the draft that the page wrote up to this version, and the one that it was shown."""
    if version:
        Draft.objects.discard(correction.lease.item_id, correction.lease.annotator_id, version)


def _with_question(
    correction: Correction, evaluated: EvaluatedForm, last_question: int
) -> EvaluatedForm:
    """Return the form with the error that a question waits: one that came since, or all."""
    waiting = Question.objects.waiting_on(correction.latest)
    error = _("Write a reply to the question, or change your answers.")
    if waiting.filter(pk__gt=last_question).exists():
        error = _("A question came meanwhile. Read it, then submit again.")
    return replace(evaluated, errors=(FormError(REPLY, error), *evaluated.errors))


def _stored(correction: Correction, revised: Rating, reply: str) -> HttpResponse:
    request = correction.request
    slug = correction.lease.project.slug
    notice = _("Corrected. Your first answers are kept.")
    if not CorrectionForm(request.POST).is_outdated(revised.revision):
        notice = _("Nothing changed. Your rating stays as it was.")
        _discard(correction, correction.header.version)
    elif revised.waits_for_revision:
        notice = str(STILL_ASKED)
    elif reply and revised.fingerprint == correction.latest.fingerprint:
        notice = _("Your reply is sent. Your answers stay as they were.")
    if correction.header.is_recovered:
        return answer_recovered_form(correction, notice=notice)
    if request.htmx:
        return show_correction(load_rating(request, slug, revised.pk), notice=notice)
    messages.success(request, notice)
    return redirect("annotators:rating", slug=slug, pk=revised.pk)
