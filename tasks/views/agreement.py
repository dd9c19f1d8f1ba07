"""The page on which a lead sees how well annotators agree, and its tables as CSV."""

from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.downloads import download
from config.web.requests import Request
from tasks.agreement.drawing import drawn
from tasks.agreement.results import result
from tasks.agreement.tables import TABLES, csv_of
from tasks.forms.agreement import AgreementForm
from tasks.models import Project

from .led import led


@require_safe
@led
def agreement(request: Request, project: Project) -> HttpResponse:
    """Show the figures of one dimension of a project to its leads."""
    return _page(request, project, AgreementForm(project.rubric.schema, request.GET))


@require_safe
@led
def agreement_table(request: Request, project: Project, table: str) -> HttpResponseBase:
    """Download a table of the page, or show the page with what cannot be chosen."""
    form = AgreementForm(project.rubric.schema, request.GET)
    if table not in TABLES:
        raise Http404(f"no table {table}; there are {', '.join(TABLES)}")
    if not form.is_valid():
        return _page(request, project, form)
    found = result(project, form.chosen, timezone.now(), first=form.first)
    about = {
        "dimension": form.chosen.code,
        "revisions": "first" if form.first else "current",
        "rubric": project.rubric.slug,
        "rubric_version": project.rubric.version,
    }
    written = csv_of(table, found, form.compared_by, about)
    name = f"{project.slug}-agreement-{form.chosen.code}-{table}.csv"
    return download(request, name, "text/csv; charset=utf-8", iter([written]))


def _page(request: Request, project: Project, form: AgreementForm) -> HttpResponse:
    found = result(project, form.chosen, timezone.now(), first=form.first)
    context: dict[str, Any] = {
        "project": project,
        "rubric": project.rubric,
        "form": form,
        "dimension": form.chosen,
        **drawn(found, form.chosen, form.compared_by),
    }
    return render(request, "tasks/agreement.html", context)
