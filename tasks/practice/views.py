"""A lead's pages on practice: who has passed, whom to let in, and which examples people miss."""

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.lead_pages.led import led, led_with
from tasks.models import Admission, Membership, PracticeAnswer, PracticeRound, Project

from .forms import LetInForm
from .round_end import end_of


@require_safe
@led
def practice(request: Request, project: Project) -> HttpResponse:
    """Show each annotator's rounds and admission, and the examples that people miss."""
    rounds = PracticeRound.objects.filter(project=project).prefetch_related("answers")
    members = project.memberships.filter(role=Membership.Role.ANNOTATOR)
    annotators = set(members.values_list("user", flat=True))
    # Those who were removed have their rounds here, too.
    people = get_user_model().objects.filter(Q(pk__in=annotators) | Q(practice_rounds__in=rounds))
    admissions = Admission.objects.in_project(project)
    rows = []
    for person in people.order_by("username").distinct():
        rounds_of_person = [round_ for round_ in rounds if round_.annotator_id == person.pk]
        row = {
            "user": person,
            "rounds": rounds_of_person,
            "admission": admissions.get(person.pk),
            "rates": person.pk in annotators,
        }
        rows.append(row)
    missed = PracticeAnswer.objects.by_example(project)
    context = {"project": project, "members": rows, "missed": missed}
    return render(request, "tasks/practice/practice.html", context)


@redirect_get_to("tasks:practice", "slug")
@led
def let_in(request: Request, project: Project, user: int) -> HttpResponse:
    """Let someone rate who has not passed, with a reason."""
    annotators = project.memberships.filter(role=Membership.Role.ANNOTATOR)
    member = annotators.select_related("user").filter(user=user).first()
    form = LetInForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Write the reason, then press “Let in”."))
    elif member and Admission.objects.admit(  # else the page says who does not rate
        project,
        member.user,
        Admission.How.LET_IN,
        by=request.user,
        reason=form.cleaned_data["reason"],
        now=timezone.now(),
    ):
        messages.success(request, _("%(name)s can rate now.") % {"name": member.user})
    return redirect("tasks:practice", project.slug)


@require_safe
@led_with(PracticeRound)
def practice_round(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show each answer of a round beside its example."""
    rounds = project.practice_rounds.select_related("project", "rubric", "annotator")
    end = end_of(get_object_or_404(rounds, pk=pk))
    context = {**vars(end), "project": project}
    return render(request, "tasks/practice/practice_round.html", context)
