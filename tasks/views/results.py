"""Pages of what came out of a project: its overview, how well annotators agree, and exports."""

from collections.abc import Iterator
from dataclasses import asdict
from shlex import join
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.template.defaultfilters import truncatechars
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from tasks.agreement.drawing import drawn
from tasks.agreement.measures import Json
from tasks.agreement.results import as_shown, lacking_since, last_result
from tasks.agreement.tables import TABLES, csv_of
from tasks.exporting import workbook
from tasks.exporting.filters import Refused, look_up
from tasks.exporting.options import Format, Options, Shape, arguments, in_notebook
from tasks.exporting.preview import counts_of, preview_of
from tasks.exporting.streaming import (
    MOST_CELLS_AT_ONCE,
    MOST_ROWS,
    MOST_ROWS_AT_ONCE,
    Busy,
    is_for_worker,
    streamed,
)
from tasks.exporting.writing import csv_lines
from tasks.forms.items import ItemFilterForm
from tasks.forms.results import AgreementForm, ExportForm, export_of
from tasks.freshness import Freshness
from tasks.model_names import ModelNames
from tasks.models import ItemEntry, Project, StoredExport
from tasks.overview.page import overview_of

from .led import led

LONGEST_CELL = 40  # characters of a cell in the preview
USUAL = {"shape": Shape.SCORES, "format": Format.CSV, "zip": "on"}
CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.JSONL: "application/jsonl",
    Format.PARQUET: "application/vnd.apache.parquet",
}


@require_safe
@led
def overview(request: Request, project: Project) -> HttpResponse:
    """Show how far a project is and what needs its lead; by HTMX, the part that changes."""
    form, now = AgreementForm(project.rubric.schema, request.GET), timezone.now()
    return render(
        request,
        "tasks/project.html#live" if request.htmx else "tasks/project.html",
        {
            "project": project,
            "may_move": bool(project.newer_version) and not project.is_begun(now),
            "form": form,
            "dimension": form.chosen,
            **overview_of(project, form.chosen, now, ModelNames(request, project)),
        },
    )


@require_safe
@led
def days(request: Request, project: Project) -> HttpResponseBase:
    """Download the ratings of each day."""
    return download(
        request,
        f"{project.slug}-ratings-per-day.csv",
        "text/csv; charset=utf-8",
        csv_lines(("day", "ratings"), project.workdays.ratings_by_day().items()),
    )


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
    found = _result(form, ModelNames(request, project))
    if found is None:
        return _agreement(request, project, form)
    about = {
        "dimension": form.chosen.code,
        "revisions": "first" if form.first else "current",
        **({"breaks": "out"} if form.sound else {}),
        "rubric": project.rubric.slug,
        "rubric_version": project.rubric.version,
    }
    return download(
        request,
        f"{project.slug}-agreement-{form.chosen.code}-{table}.csv",
        "text/csv; charset=utf-8",
        csv_of(table, found, form.compared_by, about),
    )


def _result(form: AgreementForm, names: ModelNames) -> Json | None:
    """Return the figures as last made, with models as their lead sees them."""
    found = last_result(names.project, form.chosen, first=form.first, sound=form.sound)
    return found and as_shown(found, names)


def _agreement(request: Request, project: Project, form: AgreementForm) -> HttpResponse:
    names = ModelNames(request, project)
    found = _result(form, names)
    return render(
        request,
        "tasks/agreement.html",
        {
            "project": project,
            "rubric": project.rubric,
            "form": form,
            "dimension": form.chosen,
            "shows_models": names.shown,
            "fresh": Freshness(lacking_since(project, found), timezone.now()),
            **(drawn(found, form.rubric, form.chosen, form.compared_by) if found else {}),
        },
    )


@require_safe
@led
def export(request: Request, project: Project) -> HttpResponse:
    """Show an export before it is made: everything, or the items of a list in the address."""
    names = ModelNames(request, project)
    if "shape" in request.GET:
        return export_page(request, names, ExportForm(names, request.GET))
    sent = {"items": request.GET.urlencode(), **USUAL}
    if not ItemFilterForm.is_sent(request.GET):
        return export_page(request, names, ExportForm(names, sent | {"items": ""}))
    listed = ItemFilterForm(project, request.GET, shows_models=names.shown)
    if listed.is_valid():
        sent["items"] = listed.export_query
        if listed.wanted.state == ItemEntry.State.DROPPED:
            sent["dropped"] = "on"
    return export_page(request, names, ExportForm(names, sent))


@require_safe
@led
def ratings(request: Request, project: Project) -> HttpResponseBase:
    """Download an export, or show the form again with the reason why there is none."""
    names = ModelNames(request, project)
    form = ExportForm(names, request.GET)
    if not form.is_valid():
        return export_page(request, names, form)
    is_zipped = form.cleaned_data["zip"]
    blocks: Iterator[bytes] = iter(())
    try:
        export = export_of(project, form.options(), now=timezone.now())
        name = f"{project.slug}-{export.file_name}"
        if is_for_worker(export):
            return export_page(request, names, form, for_worker=True)
        if request.method != "HEAD":
            blocks = streamed(
                export, name, is_zipped=is_zipped, client=request.META.get("gunicorn.socket")
            )
    except Refused as refused:
        form.refuse(refused)
        return export_page(request, names, form)
    except Busy:
        form.refuse(Refused("", _("Others export right now. Try again in a minute.")))
        response = export_page(request, names, form)
        response.status_code, response.headers["Retry-After"] = 503, "60"
        return response
    if is_zipped:
        return download(request, f"{name}.zip", "application/zip", blocks)
    return download(request, name, CONTENT_TYPES[export.options.format], blocks)


def export_page(
    request: Request, names: ModelNames, form: ExportForm, *, for_worker: bool = False
) -> HttpResponse:
    """Show an export before it is made. `for_worker`: a request would take too long to make it."""
    items = QueryDict(form["items"].value() or "")
    listed = ItemFilterForm(names.project, items, shows_models=names.shown) if items else None
    shown: dict[str, Any] = {}
    if form.is_valid() and not (listed and listed.errors):
        try:
            shown = _preview(names, form.options())
        except Refused as refused:
            form.refuse(refused)
    return render(
        request,
        "tasks/export.html",
        {
            "project": names.project,
            "export": form,
            "shows_models": names.shown,
            "listed": listed,
            "shapes": [
                (radio, shown.get("counts", {}).get(radio.data["value"])) for radio in form["shape"]
            ],
            "stored": StoredExport.objects.of(request.user, names.project, timezone.now()),
            **shown,
            **({"for_worker": True} if for_worker else {}),
        },
    )


def _brief(cell: str) -> str:
    """Return the beginning of a cell. Most cells are short, and there are hundreds."""
    return cell if len(cell) <= LONGEST_CELL else truncatechars(cell, LONGEST_CELL)


def _preview(names: ModelNames, options: Options) -> dict[str, Any]:
    """Return the first rows of an export, the number of its rows, and how else to make it."""
    project = names.project
    export = export_of(project, options, now=timezone.now())
    options = export.options
    counts, certainty = counts_of(export, look_up(project, options, export.listed))
    preview = preview_of(export)
    columns, rows = preview.selection.columns, counts[options.shape]
    is_workbook = options.format is Format.XLSX
    most = workbook.MOST_ROWS if is_workbook else MOST_ROWS
    heads = [names.hidden_in(head) for head in preview.heads]
    # In a wide file the order of the columns would tell hidden models by their alphabet.
    order = sorted(
        range(len(heads)), key=lambda at: heads[at] * (not names.shown and "/" in heads[at])
    )
    name = f"{project.slug}-{export.file_name}"
    command = ["manage.py", "export_ratings", project.slug, *arguments(asdict(options)), "-o", name]
    return {
        "counts": counts,
        "certainty": certainty,
        "number": rows,
        "size": preview.bytes_a_row * rows,
        "heads": [heads[at] for at in order],
        "rows": [[_brief(names.hidden_in(row[at])) for at in order] for row in preview.rows],
        "columns": [(heads[at], columns[at].type, columns[at].meaning) for at in order],
        "command": join(command),
        "notebook": in_notebook(options, name, {column.name: column.type for column in columns}),
        "is_too_large": rows > most,
        "most_rows": most,
        "for_worker": is_workbook
        and (rows > MOST_ROWS_AT_ONCE or rows * len(columns) > MOST_CELLS_AT_ONCE),
    }
