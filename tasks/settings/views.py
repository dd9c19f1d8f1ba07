"""Pages on which a lead starts, sets up and stops a project."""

from copy import copy

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from config.web.decorators import redirect_get_to
from config.web.people import User
from config.web.requests import Request
from rubrics.models import Rubric
from tasks.importing.after_import import let_count
from tasks.lead_pages.led import led, led_with
from tasks.models import Batch, Project
from tasks.models.new_projects import duplicate_project
from tasks.new_projects.forms import DuplicateForm
from tasks.overview.cost import cost_of

from .batch_form import BatchForm
from .forms import SettingsForm, StatusForm


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
        message = _("The project is %(status)s.")
        messages.success(request, message % {"status": project.status_in_words})
    else:
        messages.error(request, _("Choose one of the buttons, such as pause or close."))
    return redirect("tasks:project", slug=project.slug)


@redirect_get_to("tasks:project", "slug")
@led
def move_rubric(request: Request, project: Project) -> HttpResponse:
    """Move a project in which rating has not begun to the newest version of its rubric."""
    if project.move_to_newest_rubric(now=timezone.now()):
        message = _("The project has “%(rubric)s” now.")
        messages.success(request, message % {"rubric": project.rubric})
    else:
        messages.error(request, _("Rating has begun, so the project stays on its version."))
    return redirect("tasks:project", slug=project.slug)


@redirect_get_to("tasks:settings", "slug")
@led
def offer_rubric(request: Request, project: Project) -> HttpResponse:
    """Make the project's rubric a template of new projects, or no longer."""
    title = {"title": project.rubric.title}
    offers = "offers" in request.POST
    if not _owns(project.rubric, request.user):
        messages.error(request, _("Only who published “%(title)s” can change that.") % title)
    else:
        project.rubric.offer(offers)
        message = _("New projects no longer start with “%(title)s”.")
        if offers:
            message = _("New projects can start with “%(title)s”.")
        messages.success(request, message % title)
    address = reverse("tasks:settings", args=[project.slug])
    return redirect(f"{address}#rubric")


def _owns(rubric: Rubric, user: User) -> bool:
    free_slug = Rubric.objects.free_slug(rubric.slug, user)
    return free_slug == rubric.slug


@require_http_methods(["GET", "HEAD", "POST"])
@led
def settings(request: Request, project: Project) -> HttpResponse:
    """Change the settings of a project, all of them or those of one group."""
    group = request.POST.get("group", "")
    sent = request.POST if request.method == "POST" else None
    form = SettingsForm(sent, instance=copy(project), group=group)
    if form.is_valid():
        changes = form.changes()
        imported = changes.pop("imported", "")
        project.change(**changes)
        if imported:
            let_count(project, imported, now=timezone.now())
        query = {"saved": form.group} if form.group else {}
        if not query:
            messages.success(request, _("The settings are saved."))
        address = reverse("tasks:settings", args=[project.slug], query=query)
        return redirect(f"{address}#{form.group}")
    return _settings(request, project, form, DuplicateForm())


@redirect_get_to("tasks:settings", "slug")
@led
def delete_project(request: Request, project: Project) -> HttpResponse:
    """Delete a project in which nobody has opened anything."""
    try:
        is_removed = project.remove()
    except IntegrityError:  # a file came in at this moment; it goes, too
        is_removed = project.remove()
    if not is_removed:
        messages.error(request, _("Someone has opened an item in it. Close or archive it instead."))
        return redirect("tasks:settings", slug=project.slug)
    messages.success(request, _("“%(title)s” is deleted.") % {"title": project})
    return redirect("annotators:home")


@redirect_get_to("tasks:settings", "slug")
@led
def duplicate(request: Request, project: Project) -> HttpResponse:
    """Create a project with the settings of this one."""
    form = DuplicateForm(request.POST)
    if not form.is_valid():
        return _settings(request, project, SettingsForm(instance=project), form)
    now = timezone.now()
    if "another" not in request.POST:
        twin = form.twin(by=request.user, now=now)
        if twin:
            return _settings(request, project, SettingsForm(instance=project), form, twin=twin)
    made = duplicate_project(project, **form.cleaned_data, by=request.user, now=now)
    messages.success(request, _("“%(title)s” has the same settings and people.") % {"title": made})
    return redirect("tasks:project", slug=made.slug)


def _settings(
    request: Request,
    project: Project,
    settings_form: SettingsForm,
    duplicate_form: DuplicateForm,
    *,
    twin: Project | None = None,
) -> HttpResponse:
    sent = {group.code: group for group in settings_form.groups}
    all_groups = SettingsForm(instance=project).groups
    groups = [sent.get(group.code, group) for group in all_groups]
    cost = cost_of(project)
    may_offer = _owns(project.rubric, request.user)
    may_move = bool(project.newer_version) and not project.is_begun(timezone.now())
    context = {
        "project": project,
        "form": settings_form,
        "groups": groups,
        "duplicate": duplicate_form,
        "twin": twin,
        "cost": cost,
        "may_delete": project.is_unopened,
        "may_offer": may_offer,
        "may_move": may_move,
    }
    return render(request, "tasks/settings/settings.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@led_with(Batch)
def batch(request: Request, project: Project, pk: int) -> HttpResponse:
    """Change a batch: when its turn comes, who may work on it. Call it complete, or remove it."""
    changed = get_object_or_404(project.batches, pk=pk)
    if request.POST.get("act") == "remove":
        if changed.remove():
            messages.success(request, _("Batch “%(batch)s” is removed.") % {"batch": changed})
            return redirect("tasks:items", slug=project.slug)
        messages.error(request, _("Someone has worked on the batch meanwhile. Close it instead."))
    if request.POST.get("act") == "complete":
        changed.call_complete()
        messages.success(request, _("Batch “%(batch)s” is complete.") % {"batch": changed})
        return redirect("tasks:items", slug=project.slug)
    sent = request.POST if "status" in request.POST else None
    form = BatchForm(sent, instance=changed)
    if form.is_valid():
        changed.change(**form.changes())
        messages.success(request, _("Batch “%(batch)s” is changed.") % {"batch": changed})
        return redirect("tasks:items", slug=project.slug)
    context = {"project": project, "batch": changed, "form": form}
    return render(request, "tasks/settings/batch.html", context)
