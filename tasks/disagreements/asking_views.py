"""Ask the annotators of a case's answers, by their letters."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from config.web.requests import Request
from tasks.cases.ask_form import ALL, AskForm, ask_panel, naming_of, subject_of
from tasks.cases.asking import Obstacle, ask
from tasks.cases.case import Case, cases_of
from tasks.cases.history import history_of_case
from tasks.cases.rating_views import RatingView, ratings_of
from tasks.lead_pages.led import settled
from tasks.models import CaseEntry, Project


@require_http_methods(["GET", "HEAD", "POST"])
@settled
def ask_case(request: Request, project: Project, token: str) -> HttpResponse:
    """Ask about a case, or show the form alone."""
    entries = CaseEntry.objects.filter(project=project).select_related("item__batch")
    entry = get_object_or_404(entries, token=token)
    entry.item.project = project
    ratings = ratings_of(entry.item)
    case = _case_of(entry, ratings)
    if case.is_hidden_from(request.user):
        return redirect(_case_address(request))  # the talk would tell what people answered
    data = request.POST if request.method == "POST" else None
    panel = ask_panel(case, ratings, data=data)
    if panel.ask_form and panel.ask_form.is_valid():
        refusals = _ask(request, case, ratings, panel.ask_form)
        if not refusals:
            messages.success(request, _("The question is sent."))
            return redirect(_case_address(request))
        panel.ask_form.add_error("to", " ".join(refusals))
    context = {"project": project, "case": case, "panel": panel, "token": token}
    context["case_address"] = _case_address(request)
    naming = naming_of(case, request.user, shows_people=not project.as_adjudicator)
    context["history"] = history_of_case(case, naming, now=timezone.now())
    return render(request, "tasks/disagreements/ask.html", context)


def _case_of(entry: CaseEntry, ratings: Sequence[RatingView]) -> Case:
    """Return the case of an entry as it is now. Raise Http404 if there is none."""
    for case in cases_of(entry.item, entry.target, ratings):
        if case.dimension.code == entry.dimension:
            return case
    raise Http404


def _case_address(request: Request) -> str:
    """Return the address of the case, in the queue that one came from."""
    path = request.path.removesuffix("ask/")
    query = request.GET.urlencode()
    return f"{path}?{query}" if query else path


def _ask(
    request: Request, case: Case, ratings: Sequence[RatingView], ask_form: AskForm
) -> list[str]:
    """Ask who was chosen, and return why some were not asked."""
    chosen = ask_form.cleaned_data["to"]
    letters = {}
    for answer in case.answers:
        if chosen in (answer.letter, ALL):
            letters[answer.rating.pk] = answer.letter
    views = [view for view in ratings if view.rating.pk in letters]
    obstacles = ask(
        subject_of(case), views, ask_form.cleaned_data["text"], by=request.user, now=timezone.now()
    )
    refusals = []
    for rating, obstacle in obstacles.items():
        is_known = chosen == ALL and obstacle is not Obstacle.CORRECTED
        if not is_known:  # else the page has said so
            refusals.append(refusal_in_words(letters[rating], obstacle))
    return refusals


def refusal_in_words(letter: str, obstacle: Obstacle) -> str:
    """Return why the annotator of an answer was not asked."""
    words = {"letter": letter, "why": obstacle.label}
    return _("Answer %(letter)s can’t be asked about: %(why)s.") % words
