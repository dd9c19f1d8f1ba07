"""The page on agreement, and its tables as files."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from tasks.agreement.drawing import page_figures
from tasks.agreement.page_result import PageResult, for_lead
from tasks.agreement.results import lacking_since, last_result
from tasks.agreement.tables import TABLES, csv_of
from tasks.exporting.options import CONTENT_TYPES, Format
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import led
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Project

from .forms import AgreementForm


@require_safe
@led
def agreement(request: Request, project: Project) -> HttpResponse:
    """Show the figures of one dimension of a project to its leads."""
    return _agreement(request, project, AgreementForm(project.rubric.schema, request.GET))


@require_safe
@led
def agreement_table(request: Request, project: Project, table: str) -> HttpResponseBase:
    """Download a table of the page, or show the page with what cannot be chosen."""
    form = AgreementForm(project.rubric.schema, request.GET)
    if table not in TABLES:
        raise Http404(f"no table {table}; there are {', '.join(TABLES)}")
    if not form.is_valid():
        return _agreement(request, project, form)
    result = _result(form, ModelNames(request, project))
    if result is None:
        return _agreement(request, project, form)
    about = {
        "dimension": form.chosen.code,
        "revisions": form.chosen_revisions,
    }
    if form.choice.sound:
        about["breaks"] = "out"
    about["rubric"] = project.rubric.slug
    about["rubric_version"] = str(project.rubric.version)
    name = f"{project.slug}-agreement-{form.chosen.code}-{table}.csv"
    lines = csv_of(table, result, form.compared_by, about)
    return download(request, name, CONTENT_TYPES[Format.CSV], lines)


def _result(agreement_form: AgreementForm, model_names: ModelNames) -> PageResult | None:
    """Return the figures as last made, with models as their lead sees them."""
    result = last_result(model_names.project, agreement_form.chosen, agreement_form.choice)
    return result and for_lead(result, model_names)


def _agreement(request: Request, project: Project, agreement_form: AgreementForm) -> HttpResponse:
    names = ModelNames(request, project)
    result = _result(agreement_form, names)
    context = {
        "project": project,
        "rubric": project.rubric,
        "form": agreement_form,
        "dimension": agreement_form.chosen,
        "shows_models": names.are_visible,
        "fresh": Freshness(lacking_since(project, result), timezone.now()),
    }
    if result:
        figures = page_figures(
            result, agreement_form.rubric, agreement_form.chosen, agreement_form.compared_by
        )
        context |= vars(figures)
    return render(request, "tasks/agreement/agreement.html", context)
