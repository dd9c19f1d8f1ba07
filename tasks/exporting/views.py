"""Pages on which a lead exports the ratings of a project.

`export` shows the form with a preview, `ratings` is the file. Both read the same query, so that the
address of the page is the address of the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.template.defaultfilters import truncatechars
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from tasks.exporting import workbook
from tasks.exporting.filters import Refused, look_up
from tasks.exporting.options import CONTENT_TYPES, Format, Options, Shape, in_notebook
from tasks.exporting.preview import preview_of
from tasks.exporting.row_counts import Precision, counts_of
from tasks.exporting.streaming import (
    MOST_CELLS_AT_ONCE,
    MOST_ROWS,
    MOST_ROWS_AT_ONCE,
    Busy,
    is_for_worker,
    streamed,
)
from tasks.item_pages.forms import ItemFilterForm
from tasks.lead_pages.led import led
from tasks.lead_pages.model_names import ModelNames
from tasks.models import ItemEntry, Project, StoredExport

from .forms import ExportForm, export_of

LONGEST_CELL = 40  # characters of a cell in the preview
USUAL = "shape=scores&format=csv&zip=on"


@require_safe
@led
def export(request: Request, project: Project) -> HttpResponse:
    """Show an export before it is made: everything, or the items of a list in the address."""
    names = ModelNames(request, project)
    if "shape" in request.GET:
        return export_page(request, names, ExportForm(project, names.are_visible, request.GET))
    sent = QueryDict(USUAL, mutable=True)
    if ItemFilterForm.is_sent(request.GET):
        sent["items"] = request.GET.urlencode()
        listed = ItemFilterForm(project, request.GET, shows_models=names.are_visible)
        if listed.is_valid():
            sent["items"] = listed.export_query
            if listed.wanted.state == ItemEntry.State.DROPPED:
                sent["dropped"] = "on"
    return export_page(request, names, ExportForm(project, names.are_visible, sent))


@require_safe
@led
def ratings(request: Request, project: Project) -> HttpResponseBase:
    """Download an export, or show the form again with the reason why there is none."""
    names = ModelNames(request, project)
    form = ExportForm(project, names.are_visible, request.GET)
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
        response.status_code = 503
        response.headers["Retry-After"] = "60"
        return response
    if is_zipped:
        return download(request, f"{name}.zip", "application/zip", blocks)
    return download(request, name, CONTENT_TYPES[export.options.format], blocks)


def export_page(
    request: Request, model_names: ModelNames, export_form: ExportForm, *, for_worker: bool = False
) -> HttpResponse:
    """Show an export before it is made. `for_worker`: a request would take too long to make it."""
    items = QueryDict(export_form["items"].value() or "")
    listed = None
    if items:
        listed = ItemFilterForm(model_names.project, items, shows_models=model_names.are_visible)
    preview = None
    if export_form.is_valid() and not (listed and listed.errors):
        try:
            preview = _preview(model_names, export_form.options())
        except Refused as refused:
            export_form.refuse(refused)
    counts = preview.rows_by_shape if preview else {}
    context = {
        "project": model_names.project,
        "export": export_form,
        "shows_models": model_names.are_visible,
        "listed": listed,
        "shapes": [(radio, counts.get(radio.data["value"])) for radio in export_form["shape"]],
        "stored": StoredExport.objects.of(request.user, model_names.project, timezone.now()),
    }
    if preview:
        context |= vars(preview)
    if for_worker:
        context["for_worker"] = True
    return render(request, "tasks/exporting/export.html", context)


def _brief(cell: str) -> str:
    """Return the beginning of a cell. Most cells are short, and there are hundreds."""
    return cell if len(cell) <= LONGEST_CELL else truncatechars(cell, LONGEST_CELL)


@dataclass(frozen=True)
class Preview:
    """An export before it is made, by the names in its template."""

    rows_by_shape: Mapping[Shape, int]
    certainty: Precision
    number: int
    size: float  # bytes
    heads: list[str]
    cell_rows: list[list[str]]
    descriptions: Sequence[tuple[str, str, str]]  # name, type, meaning
    command: str
    notebook: str
    is_too_large: bool
    most_rows: int
    for_worker: bool


def _preview(model_names: ModelNames, options: Options) -> Preview:
    """Return the first rows of an export, the number of its rows, and how else to make it."""
    project = model_names.project
    export = export_of(project, options, now=timezone.now())
    options = export.options
    counts = counts_of(export, look_up(project, options, export.listed))
    preview = preview_of(export)
    columns = preview.selection.columns
    number = counts.by_shape[options.shape]
    heads = [model_names.hidden_in(head) for head in preview.heads]
    order = _column_order(heads, model_names)
    descriptions = []
    for position in order:
        column = columns[position]
        descriptions.append((heads[position], column.type, column.meaning))
    rows = []
    for row in preview.cell_rows:
        rows.append([_brief(model_names.hidden_in(row[position])) for position in order])
    is_workbook = options.format is Format.XLSX
    most = workbook.MOST_ROWS if is_workbook else MOST_ROWS
    takes_long = number > MOST_ROWS_AT_ONCE or number * len(columns) > MOST_CELLS_AT_ONCE
    name = f"{project.slug}-{export.file_name}"
    return Preview(
        rows_by_shape=counts.by_shape,
        certainty=counts.certainty,
        number=number,
        size=preview.bytes_a_row * number,
        heads=[heads[position] for position in order],
        cell_rows=rows,
        descriptions=descriptions,
        command=export.command(name),
        notebook=in_notebook(options, name, {column.name: column.type for column in columns}),
        is_too_large=number > most,
        most_rows=most,
        for_worker=is_workbook and takes_long,
    )


def _column_order(heads: list[str], model_names: ModelNames) -> list[int]:
    """Return the positions of the columns in the order of the page.

    In a wide file the order of the columns would tell hidden models by their alphabet.
    """

    def sort_key(position: int) -> str:
        names_hidden_model = not model_names.are_visible and "/" in heads[position]
        return heads[position] if names_hidden_model else ""

    return sorted(range(len(heads)), key=sort_key)
