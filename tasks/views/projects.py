"""Pages on which a lead starts a project, sees its batches and its people, and stops it.

Every look-up starts from `Project.objects.led_by(request.user)`, so anyone else gets a 404.
"""

from itertools import chain

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.decorators import redirect_get_to
from config.web.downloads import download
from config.web.requests import Request
from tasks.exporting.writing import csv_line, defuse
from tasks.forms.projects import MemberForm, NewProjectForm, StatusForm
from tasks.models import Membership, Project

NO_WORK = (0, 0, None)


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


@require_safe
def people(request: Request, slug: str) -> HttpResponse:
    """Show who is in a project, and a form to add someone."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    return _people(request, project, MemberForm())


@redirect_get_to("tasks:people", "slug")
def add_member(request: Request, slug: str) -> HttpResponse:
    """Give someone a role in the project."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _people(request, project, form)
    person, role = form.cleaned_data["name"], form.cleaned_data["role"]
    if project.admit(person, role=role):
        said = _("%(name)s is now %(role)s in this project.")
    else:
        said = _("%(name)s is %(role)s in this project already.")
    messages.success(request, said % {"name": person, "role": Membership.Role(role).label})
    return redirect("tasks:people", slug=slug)


@redirect_get_to("tasks:people", "slug")
def remove_member(request: Request, slug: str, pk: int) -> HttpResponse:
    """Take a role from someone. Their work stays."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    member = project.memberships.select_related("user").filter(pk=pk).first()
    if member is None:  # pressed twice
        return redirect("tasks:people", slug=slug)
    role = Membership.Role(member.role)
    if not project.dismiss(member.user, role=role):
        messages.error(request, _("A project needs a lead: add another one first."))
    else:
        said = _("%(name)s is no longer %(role)s here. All ratings stay.")
        messages.success(request, said % {"name": member.user, "role": role.label})
    still_leads = Project.objects.led_by(request.user).filter(pk=project.pk).exists()
    return redirect("tasks:people", slug=slug) if still_leads else redirect("/")


@require_safe
def hours(request: Request, slug: str) -> HttpResponseBase:
    """Download what each person worked on each day, for their payment."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    rows = (
        (day, defuse(name), rated, seconds, f"{seconds / 3600:.2f}")
        for day, name, rated, seconds in project.workdays.hours()
    )
    lines = chain([("day", "annotator", "ratings", "active_seconds", "hours")], rows)
    blocks = (csv_line(map(str, line)).encode() for line in lines)
    return download(request, f"{project.slug}-hours.csv", "text/csv; charset=utf-8", blocks)


def _people(request: Request, project: Project, form: MemberForm) -> HttpResponse:
    form.show_error()
    members = project.memberships.select_related("user").order_by("user__username", "role")
    work = project.workdays.sums()
    rows = []
    for each in members:
        is_annotator = each.role == Membership.Role.ANNOTATOR
        rated, seconds, last = work.get(each.user_id, NO_WORK) if is_annotator else NO_WORK
        rows.append((each, rated, seconds / 3600, last))
    context = {"project": project, "members": rows, "member_form": form}
    return render(request, "tasks/people.html", context)


@redirect_get_to("tasks:project", "slug")
def status(request: Request, slug: str) -> HttpResponse:
    """Pause, close, open or archive a project."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
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
    return redirect("tasks:project", slug=slug)
