"""Practice: a round of examples at the desk, each with its answer after one's own.

Nothing here is a lease, a draft or a rating. A step names its example by the round's number and the
place in it, so a page that was left behind finds what it is about.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, wraps

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
from tasks.practice.practice_item import PracticeItem
from tasks.practice.round_end import end_of
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.form import RatingForm
from tasks.rating_form.item_view import ItemView

from .desk_page import DESK_PAGE
from .form_contexts import form_context
from .form_steps import answer_corpus, answer_texts_of_unsaved, answer_verdict_of_unsaved, leave
from .loading import DeskItem
from .text_views import text_views_of

PAGE = "annotators/practice/example.html"
step = redirect_get_to("../")  # the page of the example


class DeskExample(DeskItem):
    """An example of a round on its annotator's page."""

    def __init__(self, request: Request, practice_item: PracticeItem) -> None:
        super().__init__(request, practice_item.lease)
        self.practice_item = practice_item

    @cached_property
    def urls(self) -> dict[str, str]:
        """The URLs of the steps of this example."""
        item = self.practice_item
        args = [item.round.project.slug, item.round.number, item.place]
        urls = {"page_url": reverse("annotators:practice_example", args=args)}
        for action in ("verdict", "submit", "texts", "corpus", "disagree"):
            urls[f"{action}_url"] = reverse(f"annotators:practice_{action}", args=args)
        return urls

    @cached_property
    def view(self) -> ItemView:
        """The example as the page shows it."""
        return self.practice_item.view

    @cached_property
    def form(self) -> RatingForm:
        """The form that the page sent."""
        return self.practice_item.form(self.request.POST.dict())


def with_example(
    step_of_example: Callable[[DeskExample], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Give the view an example of one's own round; answer 404 for others.

    An example that waits for one before it, or that a round which ended left out, leads back to the
    round.
    """

    @wraps(step_of_example)
    def answer(request: Request, slug: str, number: int, place: int) -> HttpResponse:
        round_ = load_round(request, slug, number)
        try:
            practice_item = PracticeItem(round_, place)
        except IndexError:
            raise Http404 from None
        if practice_item.answer is None:
            if not is_member(round_):
                raise Http404
            if round_.ended_at or place != round_.next_place:
                return leave(request, reverse("annotators:practice_round", args=[slug, number]))
        return step_of_example(DeskExample(request, practice_item))

    return answer


def load_round(request: Request, slug: str, number: int) -> PracticeRound:
    """Return a round of the user. Raise Http404 if there is none."""
    rounds = PracticeRound.objects.loaded()
    if request.method == "POST":  # who was removed may read on
        rounds = rounds.filter(
            project__memberships__user=request.user,
            project__memberships__role=Membership.Role.ANNOTATOR,
        )
    round_ = get_object_or_404(rounds, project__slug=slug, annotator=request.user, number=number)
    round_.annotator = request.user
    return round_


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
    minutes = PracticeRound.objects.median_minutes([project.rubric_id])
    context = {
        "project": project,
        "rounds": rounds,
        "practice_progress": PracticeRound.objects.progress_of(request.user, project),
        "minutes": minutes.get(project.rubric_id),
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
    round_ = load_round(request, slug, number)
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
    context = {**vars(end_of(round_)), "project": project}
    context["practice_progress"] = PracticeRound.objects.progress_of(request.user, project)
    context["is_member"] = is_member(round_)
    return render(request, "annotators/practice/end.html", context)


@require_safe
@with_example
def practice_example(desk_example: DeskExample) -> HttpResponse:
    """Show the example: the form, or, once answered, how the answer compares."""
    if desk_example.practice_item.answer:
        return _show_comparison(desk_example)
    return _show_form(desk_example, desk_example.first_evaluated())


@step
@with_example
def practice_verdict(desk_example: DeskExample) -> HttpResponse:
    """Judge the form as it is now."""
    return answer_verdict_of_unsaved(desk_example, _show_form)


@step
@with_example
def practice_submit(desk_example: DeskExample) -> HttpResponse:
    """Store the answer, once, and show how it compares; or show the form with its errors."""
    request = desk_example.request
    practice_item = desk_example.practice_item
    evaluated = desk_example.form.evaluated(submitting=True)
    if not (evaluated.storable or practice_item.answer):
        return _show_form(desk_example, evaluated)
    answer = practice_item.answer_of(desk_example.form)
    if practice_item.answer is None:
        practice_item.round.answer(answer, now=timezone.now())
    if practice_item.answer and practice_item.answer.answers != answer.answers:
        messages.info(request, _("You have answered this example before. That answer stays."))
    if request.htmx:
        return _show_comparison(desk_example)
    return redirect(desk_example.urls["page_url"])


# Neither remembers anything: the lease is not stored.
practice_texts = redirect_get_to("../", but=WHOLE_TEXT)(with_example(answer_texts_of_unsaved))
practice_corpus = require_safe(with_example(answer_corpus))


@step
@with_example
def practice_disagree(desk_example: DeskExample) -> HttpResponse:
    """Store that the annotator sees an example otherwise, and tell the leads."""
    if desk_example.practice_item.answer:
        desk_example.practice_item.answer.disagree(now=timezone.now())
    return redirect(desk_example.urls["page_url"])


def _show_form(desk_example: DeskExample, evaluated: EvaluatedForm) -> HttpResponse:
    context = form_context(desk_example, evaluated, post=desk_example.post)
    return _render(desk_example, {**context, **desk_example.urls})


def _show_comparison(desk_example: DeskExample) -> HttpResponse:
    lease = desk_example.lease
    practice_item = desk_example.practice_item
    context = {
        **desk_example.urls,
        "project": lease.project,
        "lease": lease,
        "item": lease.item,
        "desk": desk_example.view,
        "look": text_views_of(desk_example.view, lease.view),
        "compared": practice_item.compared,
        "elsewhere": practice_item.example.example.elsewhere,
        "answer": practice_item.answer,
    }
    return _render(desk_example, context)


def _render(desk_example: DeskExample, context: Mapping[str, object]) -> HttpResponse:
    request = desk_example.request
    round_ = desk_example.practice_item.round
    of_round = {"practice": desk_example.practice_item, "round": round_, "rubric": round_.rubric}
    page = f"{DESK_PAGE}#main" if request.htmx else PAGE
    return render(request, page, {**context, **of_round})
