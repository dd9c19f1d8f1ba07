"""What a lead does with a project: fills it, sees how far it is, takes the ratings home.

Every look-up starts from `Project.objects.led_by(request.user)`: to anyone else the project does not exist.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from config.http import Request

from .exporting import ratings_csv
from .forms import ExportForm, MemberForm, NewProjectForm, UploadForm
from .importing.loading import Loaded, Refused, load_batch
from .importing.readers import LineError
from .importing.uploads import was_too_large
from .models import Project
from .models.items import Progress

MOST_SHOWN = 1_000  # bad lines in the page's table


@require_GET
def project(request: Request, slug: str) -> HttpResponse:
    """A project as its leads see it."""
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
    return render(request, "tasks/new_project.html", {"form": form}, status=422 if form.is_bound else 200)


@require_POST
def upload(request: Request, slug: str) -> HttpResponse:
    """Load a file as a new batch; or the page again, with every line that stands against it."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = UploadForm(request.POST, request.FILES, too_large=was_too_large(request))
    bad_lines: list[LineError] = []

    def report(error: LineError) -> None:
        if len(bad_lines) < MOST_SHOWN:
            bad_lines.append(error)

    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            loaded = load_batch(
                project,
                file.file,
                file_name=file.name,
                batch_name=form.cleaned_data["batch"],
                by=request.user,
                now=timezone.now(),
                report=report,
            )
        except Refused as refused:
            form.add_error("file", str(refused))
        else:
            messages.success(request, _said_of(loaded))
            return redirect("tasks:project", slug=slug)
    return _page(request, project, upload=form, bad_lines=bad_lines, status=422)


@require_GET
def ratings(request: Request, slug: str) -> HttpResponseBase:
    """The ratings as CSV."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = ExportForm(request.GET)
    exact = form.is_valid() and form.cleaned_data["exact"]
    return StreamingHttpResponse(
        ratings_csv(project, defused=not exact),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{project.slug}-ratings.csv"',
            "Cache-Control": "no-store",
        },
    )


@require_POST
def add_member(request: Request, slug: str) -> HttpResponse:
    """Give someone a role in the project."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, project, member=form, status=422)
    person, role = form.cleaned_data["name"], form.cleaned_data["role"]
    if project.admit(person, role=role):
        said = _("%(name)s is now %(role)s in this project.")
    else:
        said = _("%(name)s is %(role)s in this project already.")
    messages.success(request, said % {"name": person, "role": role})
    return redirect("tasks:project", slug=slug)


def _page(
    request: Request,
    project: Project,
    *,
    upload: UploadForm | None = None,
    bad_lines: list[LineError] | None = None,
    member: MemberForm | None = None,
    status: int = 200,
) -> HttpResponse:
    batches = project.batches.progress(project.wanted)
    context: dict[str, Any] = {
        "project": project,
        "rubric": project.rubric,
        "batches": batches,
        "total": Progress.of(batches),
        "members": project.memberships.select_related("user").order_by("user__username", "role"),
        "upload": upload or UploadForm(),
        "bad_lines": bad_lines,
        "most_shown": MOST_SHOWN,
        "export": ExportForm(),
        "member": member or MemberForm(),
    }
    return render(request, "tasks/project.html", context, status=status)


def _said_of(loaded: Loaded) -> str:
    return ngettext(
        "Batch “%(batch)s” is loaded: %(count)s item.",
        "Batch “%(batch)s” is loaded: %(count)s items.",
        loaded.items,
    ) % {"batch": loaded.batch, "count": loaded.items}
