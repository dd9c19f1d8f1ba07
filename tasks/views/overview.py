"""The overview of a project, and its ratings per day as a file."""

import csv
import io

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.downloads import download
from config.web.requests import Request
from tasks.forms.agreement import OverviewForm
from tasks.models import Project
from tasks.overview.page import overview_of


@require_safe
def overview(request: Request, slug: str) -> HttpResponse:
    """Show how far a project is and what needs its lead; by HTMX, the part that changes."""
    led = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(led, slug=slug)
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
def days(request: Request, slug: str) -> HttpResponseBase:
    """Download the ratings of each day."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(("day", "ratings"))
    rows.writerows(project.workdays.ratings_by_day().items())
    name = f"{project.slug}-ratings-per-day.csv"
    return download(request, name, "text/csv; charset=utf-8", iter([file.getvalue().encode()]))
