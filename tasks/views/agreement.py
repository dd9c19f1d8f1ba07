"""The page on which a lead sees how well annotators agree."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.requests import Request
from tasks.agreement.drawing import drawn
from tasks.agreement.results import result
from tasks.forms.agreement import AgreementForm
from tasks.models import Project


@require_safe
def agreement(request: Request, slug: str) -> HttpResponse:
    """Show the figures of one dimension of a project to its leads."""
    led = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(led, slug=slug)
    form = AgreementForm(project.rubric.schema, request.GET)
    found = result(project, form.chosen, timezone.now(), first=form.first)
    context: dict[str, Any] = {
        "project": project,
        "rubric": project.rubric,
        "form": form,
        "dimension": form.chosen,
        **drawn(found, form.chosen, form.compared_by),
    }
    return render(request, "tasks/agreement.html", context)
