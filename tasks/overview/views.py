"""The overview of a project, for its leads."""

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from tasks.agreement.forms import AgreementForm
from tasks.exporting.csv_files import csv_lines
from tasks.exporting.options import CONTENT_TYPES, Format
from tasks.lead_pages.led import led
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Project
from tasks.overview.page import overview_of


@require_safe
@led
def overview(request: Request, project: Project) -> HttpResponse:
    """Show how far a project is and what needs its lead; by HTMX, the part that changes."""
    form = AgreementForm(project.rubric.schema, request.GET)
    now = timezone.now()
    names = ModelNames(request, project)
    template = "tasks/overview/project.html#live" if request.htmx else "tasks/overview/project.html"
    context = {
        "project": project,
        "form": form,
        "dimension": form.chosen,
        "may_move": bool(project.newer_version) and not project.is_begun(now),
        **overview_of(project, form.chosen, now, names),
    }
    return render(request, template, context)


@require_safe
@led
def days(request: Request, project: Project) -> HttpResponseBase:
    """Download the ratings of each day."""
    numbers = project.workdays.ratings_by_day()
    lines = csv_lines(("day", "ratings"), numbers.items())
    return download(
        request, f"{project.slug}-ratings-per-day.csv", CONTENT_TYPES[Format.CSV], lines
    )
