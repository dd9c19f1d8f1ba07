"""Pages on which a lead fills a project, sees its progress and downloads the ratings.

Every look-up starts from `Project.objects.led_by(request.user)`, so anyone else gets a 404.
"""

from collections.abc import Iterator
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from config.web.decorators import redirect_get_to
from config.web.downloads import download
from config.web.people import User
from config.web.requests import Request
from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.options import Format
from tasks.exporting.streaming import MOST_ROWS, Busy, streamed
from tasks.forms.projects import ExportForm, MemberForm, NewProjectForm, UploadForm
from tasks.importing.batch_writer import Load, UploadRefused
from tasks.importing.gathering import Gathered
from tasks.importing.loading import SPOKEN, BadLines, load_batch
from tasks.importing.uploads import was_too_large
from tasks.models import BadRows, Batch, Membership, Project
from tasks.models.items import BatchFigures

CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: "application/jsonl",
    Format.PARQUET: "application/vnd.apache.parquet",
}


@require_safe
def project(request: Request, slug: str) -> HttpResponse:
    """Show a project to its leads."""
    return _page(request, get_object_or_404(Project.objects.led_by(request.user), slug=slug))


@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: Request) -> HttpResponse:
    """Open a project. Whoever opens it leads it."""
    if not Project.objects.may_be_made_by(request.user):
        raise PermissionDenied
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        made = Project.objects.start(**form.cleaned_data, by=request.user, now=timezone.now())
        return redirect("tasks:project", slug=made.slug)
    return render(request, "tasks/new_project.html", {"form": form})


@redirect_get_to("tasks:project", "slug")
def upload(request: Request, slug: str) -> HttpResponse:
    """Load a file as a new batch, or show the page again with the rows that are wrong."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = UploadForm(request.POST, request.FILES, too_large=was_too_large(request))
    if form.is_valid():
        try:
            loaded = _load(form, project, by=request.user)
        except UploadRefused as refused:
            form.add_error("file", refused.message.worded(SPOKEN))
        else:
            messages.success(request, _said_of(loaded))
            return redirect("tasks:project", slug=slug)
    return _page(request, project, upload=form)


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


@require_safe
def ratings(request: Request, slug: str) -> HttpResponseBase:
    """Download an export, or show the page again with the reason why there is none."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = ExportForm(request.GET, project=project)
    if not form.is_valid():
        return _page(request, project, export=form)
    export = Export(project, form.options(), now=timezone.now())
    name, zipped = f"{project.slug}-{export.file_name}", "zip" in request.GET
    blocks: Iterator[bytes] = iter(())
    try:
        if request.method != "HEAD":
            client = request.META.get("gunicorn.socket")
            blocks = streamed(export, name, zipped=zipped, client=client)
    except Refused as refused:
        form.refuse(refused)
        return _page(request, project, export=form)
    except Busy:
        form.refuse(Refused("", _("Others export right now. Try again in a minute.")))
        response = _page(request, project, export=form)
        response.status_code, response.headers["Retry-After"] = 503, "60"
        return response
    if zipped:
        return download(request, f"{name}.zip", "application/zip", blocks)
    return download(request, name, CONTENT_TYPES[export.options.format], blocks)


@redirect_get_to("tasks:project", "slug")
def add_member(request: Request, slug: str) -> HttpResponse:
    """Give someone a role in the project."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, project, member=form)
    person, role = form.cleaned_data["name"], form.cleaned_data["role"]
    if project.admit(person, role=role):
        said = _("%(name)s is now %(role)s in this project.")
    else:
        said = _("%(name)s is %(role)s in this project already.")
    messages.success(request, said % {"name": person, "role": Membership.Role(role).label})
    return redirect("tasks:project", slug=slug)


def _page(
    request: Request,
    project: Project,
    *,
    upload: UploadForm | None = None,
    member: MemberForm | None = None,
    export: ExportForm | None = None,
) -> HttpResponse:
    for form in (upload, member, export):
        if form:
            form.show_error()
    # Django drops the model's default order from an aggregating query, so order it explicitly.
    batches = project.batches.order_by("position").progress()
    context: dict[str, Any] = {
        "project": project,
        "rubric": project.rubric,
        "batches": batches,
        "concerns": project.concerns.undecided().count(),
        "total": BatchFigures.of(batches),
        "members": project.memberships.select_related("user").order_by("user__username", "role"),
        "upload": upload or UploadForm(),
        "bad_rows": BadRows.objects.kept_for(request.user, project, timezone.now()),
        "most_rows": MOST_ROWS,
        "export": export or ExportForm(project=project),
        "member": member or MemberForm(),
    }
    return render(request, "tasks/project.html", context)


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
