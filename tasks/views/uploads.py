"""Pages on which a lead adds items to a project."""

from pathlib import PurePath
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from config.web.downloads import download
from config.web.people import User
from config.web.requests import Request
from tasks.forms.projects import UploadForm
from tasks.importing.batch_writer import Load, UploadRefused
from tasks.importing.gathering import Gathered
from tasks.importing.loading import SPOKEN, BadLines, load_batch
from tasks.models import BadRows, Batch, Project

from .led import led


@require_http_methods(["GET", "HEAD", "POST"])
@led
def upload(request: Request, project: Project) -> HttpResponse:
    """Load a file as a new batch, or show the form with the rows that are wrong."""
    form = UploadForm()
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            loaded = _load(form, project, by=request.user)
        except UploadRefused as refused:
            form.add_error("file", refused.message.worded(SPOKEN))
        else:
            messages.success(request, _said_of(loaded))
            # Rows that were left out are listed on this page.
            return redirect("tasks:upload" if loaded.bad else "tasks:items", slug=project.slug)
    context = {
        "project": project,
        "upload": form,
        "bad_rows": BadRows.objects.kept_for(request.user, project, timezone.now()),
    }
    return render(request, "tasks/upload.html", context)


def _load(form: UploadForm, project: Project, *, by: User) -> Load:
    """Load the form's file, and store its bad rows for the uploader even if the upload fails."""
    now = timezone.now()
    file = form.cleaned_data["file"]
    faults = Gathered()
    with TemporaryFile() as bad_rows:

        def keep(number: int, batch: Batch | None) -> None:
            BadRows.objects.store(
                bad_rows,
                project=project,
                file_name=file.name,
                number=number,
                shown=_worded(faults),
                batch=batch,
                by=by,
                now=now,
            )

        try:
            with transaction.atomic():
                loaded = load_batch(
                    project,
                    file.file,
                    file_name=file.name,
                    batch_name=form.cleaned_data["batch"],
                    warning=form.cleaned_data["warning"],
                    encoding=form.cleaned_data["encoding"],
                    by=by,
                    now=now,
                    report=faults.add,
                    take_good=form.cleaned_data["take_good"],
                    bad_rows=bad_rows,
                    most_bad=2 * settings.UPLOAD_LIMIT,
                )
                keep(loaded.bad, loaded.batch)
        except UploadRefused as refused:
            keep(refused.count if isinstance(refused, BadLines) else 0, None)
            raise
    return loaded


def _worded(faults: Gathered) -> list[dict[str, Any]]:
    """Return the table of faults, in the language of the request."""
    shown: list[dict[str, Any]] = []
    for kind in faults.kinds:
        for error in kind.samples:
            shown.append(
                {
                    "line": error.line,
                    "column": error.column,
                    "value": error.value,
                    "reason": error.reason.worded(SPOKEN),
                    "advice": error.advice.worded(SPOKEN),
                }
            )
        shown[-1]["rest"] = kind.rest(SPOKEN)
    if faults.others:
        shown[-1]["others"] = faults.rest(SPOKEN)
    return shown


def _said_of(loaded: Load) -> str:
    said = ngettext(
        "Batch “%(batch)s” is loaded: %(count)s item.",
        "Batch “%(batch)s” is loaded: %(count)s items.",
        loaded.items,
    ) % {"batch": loaded.batch, "count": loaded.items}
    if loaded.bad:
        said += " " + ngettext(
            "%(count)s row was left out.", "%(count)s rows were left out.", loaded.bad
        ) % {"count": loaded.bad}
    return said


@require_safe
def bad_rows(request: Request, slug: str, pk: int) -> HttpResponseBase:
    """Download the rows that an upload left out, if the lead uploaded it.

    The file has the upload's format, and says what is wrong with each row.
    """
    kept = get_object_or_404(
        BadRows,
        project__in=Project.objects.led_by(request.user),
        project__slug=slug,
        uploader=request.user,
        pk=pk,
    )
    name = PurePath(kept.file_name)
    return download(
        request, f"{name.stem}.bad{name.suffix}", "application/octet-stream", kept.blocks()
    )
