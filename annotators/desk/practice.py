"""Practice: a round of examples at the desk, each with its answer after one's own.

Nothing here is a lease, a draft or a rating. A step names its example by the round's number and the
place in it, so a page that was left behind finds what it is about.
"""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.models import Membership, PracticeRound, Project
from tasks.practice import Lesson, end_of
from tasks.rating_form.form import RatingForm
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm

from .loading import Opened
from .pages import DESK, answer_corpus, answer_row, answer_texts_of_unsaved, form_context, leave
from .text_views import look_at

PAGE = "annotators/practice/example.html"
step = redirect_get_to("../")  # the page of the example


class Practised(Opened):
    """An example of a round, as its annotator has it open."""

    def __init__(self, request: Request, lesson: Lesson) -> None:
        super().__init__(request, lesson.lease)
        self.lesson = lesson

    @cached_property
    def urls(self) -> dict[str, str]:
        """The URLs of the steps of this example."""
        there = [self.lesson.round.project.slug, self.lesson.round.number, self.lesson.place]
        return {
            f"{step}_url": reverse(f"annotators:practice_{step}", args=there)
            for step in ("verdict", "submit", "texts", "corpus", "disagree")
        } | {"page_url": reverse("annotators:practice_example", args=there)}

    @cached_property
    def view(self) -> ItemView:
        """The example as the page shows it."""
        return self.lesson.view

    @cached_property
    def form(self) -> RatingForm:
        """The form that the page sent."""
        return self.lesson.form(self.request.POST.dict())


def with_example(view: Callable[[Practised], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view an example of one's own round; answer 404 for others.

    An example that waits for one before it, or that a round which ended left out, leads back to the
    round.
    """

    @wraps(view)
    def answer(request: Request, slug: str, number: int, place: int) -> HttpResponse:
        round_ = own_round(request, slug, number)
        try:
            lesson = Lesson(round_, place)
        except IndexError:
            raise Http404 from None
        if lesson.answer is None and not is_member(round_):
            raise Http404
        if lesson.answer is None and (round_.ended_at or place != round_.next_place):
            return leave(request, reverse("annotators:practice_round", args=[slug, number]))
        return view(Practised(request, lesson))

    return answer


def own_round(request: Request, slug: str, number: int) -> PracticeRound:
    """Return a round of the user. Raise Http404 if there is none."""
    rounds = PracticeRound.objects.loaded()
    if request.method == "POST":  # who was removed may read on
        rounds = rounds.filter(
            project__memberships__user=request.user,
            project__memberships__role=Membership.Role.ANNOTATOR,
        )
    found = get_object_or_404(rounds, project__slug=slug, annotator=request.user, number=number)
    found.annotator = request.user
    return found


def is_member(round_: PracticeRound) -> bool:
    """Return True if its annotator still rates in the project: others see no further example."""
    return Project.objects.rated_by(round_.annotator).filter(pk=round_.project_id).exists()


@require_safe
def practice(request: Request, slug: str) -> HttpResponse:
    """Show what practice is in a project, one's rounds, and the button to begin or go on."""
    project = get_object_or_404(
        Project.objects.rated_by(request.user).select_related("rubric"), slug=slug
    )
    rounds = list(PracticeRound.objects.of(request.user, project).prefetch_related("answers"))
    if not (rounds or project.offers_practice):
        raise Http404
    context = {
        "project": project,
        "rounds": rounds,
        "standing": PracticeRound.objects.standing(request.user, project),
        "minutes": PracticeRound.objects.median_minutes([project.rubric_id]).get(project.rubric_id),
    }
    return render(request, "annotators/practice/practice.html", context)


@redirect_get_to("annotators:practice", "slug")
def practice_start(request: Request, slug: str) -> HttpResponse:
    """Begin a round, or go on with the one that is open."""
    project = get_object_or_404(
        Project.objects.rated_by(request.user).select_related("rubric"), slug=slug
    )
    if not project.offers_practice:
        raise Http404
    round_ = PracticeRound.objects.begin(request.user, project, now=timezone.now())
    return redirect("annotators:practice_round", slug, round_.number)


@require_safe
def practice_round(request: Request, slug: str, number: int) -> HttpResponse:
    """Go to the next example of a round, or show how it ended."""
    round_ = own_round(request, slug, number)
    if round_.ended_at is None and not is_member(round_):
        raise Http404
    if round_.ended_at is None and round_.next_place:
        return redirect("annotators:practice_example", slug, number, round_.next_place)
    if not round_.is_finished:
        messages.info(
            request,
            _("That round has ended: the project uses another version of the rubric now."),
        )
        return redirect("annotators:practice", slug)
    project = round_.project
    context = end_of(round_) | {
        "project": project,
        "standing": PracticeRound.objects.standing(request.user, project),
        "is_member": Project.objects.rated_by(request.user).filter(pk=project.pk).exists(),
    }
    return render(request, "annotators/practice/end.html", context)


@require_safe
@with_example
def practice_example(opened: Practised) -> HttpResponse:
    """Show the example: the form, or, once answered, how the answer compares."""
    if opened.lesson.answer:
        return _compared(opened)
    return _page(opened, opened.first_evaluated())


@step
@with_example
def practice_verdict(opened: Practised) -> HttpResponse:
    """Judge the form as it is now: the row that changed, or the whole page."""
    request, evaluated = opened.request, opened.form.evaluated()
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return _page(opened, evaluated)
    return answer_row(opened, evaluated, row, preview=True)


@step
@with_example
def practice_submit(opened: Practised) -> HttpResponse:
    """Store the answer, once, and show how it compares; or show the form with its errors."""
    request, lesson = opened.request, opened.lesson
    evaluated = opened.form.evaluated(submitting=True)
    if not (evaluated.storable or lesson.answer):
        return _page(opened, evaluated)
    said = lesson.answer_of(opened.form)
    if lesson.answer is None:
        lesson.round.answer(said, now=timezone.now())
    if lesson.answer and lesson.answer.answers != said.answers:
        messages.info(request, _("You have answered this example before. That answer stays."))
    return _compared(opened) if request.htmx else redirect(opened.urls["page_url"])


# Neither remembers anything: the lease is not stored.
practice_texts = redirect_get_to("../", but=WHOLE_TEXT)(with_example(answer_texts_of_unsaved))
practice_corpus = require_safe(with_example(answer_corpus))


@step
@with_example
def practice_disagree(opened: Practised) -> HttpResponse:
    """Store that the annotator sees an example otherwise, and tell the leads."""
    if opened.lesson.answer:
        opened.lesson.answer.disagree(now=timezone.now())
    return redirect(opened.urls["page_url"])


def _page(opened: Practised, evaluated: EvaluatedForm) -> HttpResponse:
    asked = opened.request.POST if opened.request.method == "POST" else None
    return _render(opened, form_context(opened, evaluated, asked=asked))


def _compared(opened: Practised) -> HttpResponse:
    context = {
        **opened.urls,
        "project": opened.lease.project,
        "lease": opened.lease,
        "item": opened.lease.item,
        "desk": opened.view,
        "look": look_at(opened.view, opened.lease.view),
        "compared": opened.lesson.compared,
        "elsewhere": opened.lesson.named.example.elsewhere,
        "answer": opened.lesson.answer,
    }
    return _render(opened, context)


def _render(opened: Practised, context: dict[str, Any]) -> HttpResponse:
    request = opened.request
    round_ = opened.lesson.round
    context |= {"practice": opened.lesson, "round": round_, "rubric": round_.rubric}
    return render(request, f"{DESK}#main" if request.htmx else PAGE, context)
