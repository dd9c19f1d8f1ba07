"""Pages on which a lead starts a project and stops it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.forms.projects import NewProjectForm, StatusForm
from tasks.models import Project

from .led import led


@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: Request) -> HttpResponse:
    """Open a project. Whoever opens it leads it."""
    if not Project.objects.may_be_made_by(request.user):
        raise PermissionDenied
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        made = form.make(by=request.user, now=timezone.now())
        if made.title != form.cleaned_data["title"]:  # sent before, and changed by way of "back"
            messages.warning(
                request,
                _("This form has made the project “%(title)s” before. Open “New project” for more.")
                % {"title": made.title},
            )
        return redirect("tasks:project", slug=made.slug)
    return render(request, "tasks/new_project.html", {"form": form})


@redirect_get_to("tasks:project", "slug")
@led
def status(request: Request, project: Project) -> HttpResponse:
    """Pause, close, open or archive a project."""
    form = StatusForm(request.POST)
    if form.is_valid():
        chosen = form.cleaned_data["status"]
        if chosen == StatusForm.ARCHIVED:
            project.archive(now=timezone.now())
        else:
            project.change_status(chosen)
        messages.success(
            request, _("The project is %(status)s.") % {"status": project.status_in_words}
        )
    else:
        messages.error(request, _("Choose one of the buttons, such as pause or close."))
    return redirect("tasks:project", slug=project.slug)
