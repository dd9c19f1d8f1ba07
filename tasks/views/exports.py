"""Pages on which a lead exports the ratings of a project."""

from collections.abc import Iterator

from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.downloads import download
from config.web.requests import Request
from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.options import Format
from tasks.exporting.streaming import MOST_ROWS, Busy, streamed
from tasks.forms.items import ItemFilterForm
from tasks.forms.projects import ExportForm
from tasks.models import Project

from .led import led

CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: "application/jsonl",
    Format.PARQUET: "application/vnd.apache.parquet",
}


@require_safe
@led
def export(request: Request, project: Project) -> HttpResponse:
    """Show what can be exported: everything, or the items of a list that the address names."""
    listed = ItemFilterForm(project, request.GET, shows_models=True)
    items = listed.export_query if listed.is_valid() else request.GET.urlencode()
    return _form(request, project, ExportForm(project=project, initial={"items": items}))


@require_safe
@led
def ratings(request: Request, project: Project) -> HttpResponseBase:
    """Download an export, or show the form again with the reason why there is none."""
    form = ExportForm(request.GET, project=project)
    if not form.is_valid():
        return _form(request, project, form)
    export = Export(project, form.options(), now=timezone.now())
    name, zipped = f"{project.slug}-{export.file_name}", "zip" in request.GET
    blocks: Iterator[bytes] = iter(())
    try:
        if request.method != "HEAD":
            client = request.META.get("gunicorn.socket")
            blocks = streamed(export, name, zipped=zipped, client=client)
    except Refused as refused:
        form.refuse(refused)
        return _form(request, project, form)
    except Busy:
        form.refuse(Refused("", _("Others export right now. Try again in a minute.")))
        response = _form(request, project, form)
        response.status_code, response.headers["Retry-After"] = 503, "60"
        return response
    if zipped:
        return download(request, f"{name}.zip", "application/zip", blocks)
    return download(request, name, CONTENT_TYPES[export.options.format], blocks)


def _form(request: Request, project: Project, form: ExportForm) -> HttpResponse:
    items = QueryDict(form["items"].value() or "")
    context = {
        "project": project,
        "export": form,
        "most_rows": MOST_ROWS,
        "listed": ItemFilterForm(project, items, shows_models=True) if items else None,
    }
    return render(request, "tasks/export.html", context)
