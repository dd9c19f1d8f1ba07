"""The overview of a project, and its ratings per day as a file."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.downloads import download
from config.web.requests import Request
from tasks.exporting.writing import csv_lines
from tasks.forms.agreement import OverviewForm
from tasks.models import Project
from tasks.overview.page import overview_of

from .led import led


@require_safe
@led
def overview(request: Request, project: Project) -> HttpResponse:
    """Show how far a project is and what needs its lead; by HTMX, the part that changes."""
    form = OverviewForm(project.rubric.schema, request.GET)
    context = {
        "project": project,
        "form": form,
        "dimension": form.chosen,
        **overview_of(project, form.chosen, timezone.now()),
    }
    template = "tasks/project.html#live" if request.htmx else "tasks/project.html"
    return render(request, template, context)


@require_safe
@led
def days(request: Request, project: Project) -> HttpResponseBase:
    """Download the ratings of each day."""
    lines = csv_lines(("day", "ratings"), project.workdays.ratings_by_day().items())
    name = f"{project.slug}-ratings-per-day.csv"
    return download(request, name, "text/csv; charset=utf-8", lines)
