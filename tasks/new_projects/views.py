"""The page on which a lead opens a project."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from config.web.requests import Request
from tasks.lead_pages.file_form import FileForm
from tasks.models import Project

from .forms import NewProjectForm


@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: Request) -> HttpResponse:
    """Open a project. Whoever opens it leads it."""
    if not Project.objects.may_be_made_by(request.user):
        raise PermissionDenied
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    twin = None
    now = timezone.now()
    if form.is_valid() and "another" not in request.POST:
        twin = form.twin(by=request.user, now=now)
    if form.is_valid() and not twin:
        made = form.make(by=request.user, now=now)
        if made.title != form.cleaned_data["title"]:  # sent before, and changed by way of "back"
            warning = _(
                "You already created “%(title)s” with this form. "
                "To create another project, open “New project”."
            )
            messages.warning(request, warning % {"title": made.title})
        return redirect("tasks:project", slug=made.slug)
    context = {"form": form, "sheet": FileForm(), "twin": twin}
    return render(request, "tasks/new_projects/new_project.html", context)
