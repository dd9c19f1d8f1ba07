"""Pages for a project's settings, its batches, and the concerns that annotators raised.

Every look-up starts from `Project.objects.led_by(request.user)`, as in `projects`.
"""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.forms.projects import DuplicateForm
from tasks.forms.settings import BatchForm, DecisionForm, SettingsForm
from tasks.models import Concern, Project
from tasks.overview.cost import cost_of

CONCERNS_SHOWN = 50  # on a page


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Request, slug: str) -> HttpResponse:
    """Change the settings of a project."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = SettingsForm(request.POST if request.method == "POST" else None, instance=project)
    if form.is_valid():
        project.change(**form.over_present())
        messages.success(request, _("The settings are stored."))
        return redirect("tasks:settings", slug=slug)
    return _settings(request, project, form, DuplicateForm())


@redirect_get_to("tasks:settings", "slug")
def duplicate(request: Request, slug: str) -> HttpResponse:
    """Create a project with the settings of this one."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    form = DuplicateForm(request.POST)
    if not form.is_valid():
        form.show_error()
        return _settings(request, project, SettingsForm(instance=project), form)
    title = form.cleaned_data["title"]
    made = project.duplicate(title=title, by=request.user, now=timezone.now())
    messages.success(request, _("“%(title)s” has the same settings and people.") % {"title": made})
    return redirect("tasks:project", slug=made.slug)


def _settings(
    request: Request, project: Project, form: SettingsForm, duplicate: DuplicateForm
) -> HttpResponse:
    context = {
        "project": project,
        "form": form,
        "duplicate": duplicate,
        "cost": cost_of(project),
    }
    return render(request, "tasks/settings.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def batch(request: Request, slug: str, pk: int) -> HttpResponse:
    """Change a batch: when its turn comes, and who may work on it."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    changed = get_object_or_404(project.batches.select_related("project"), pk=pk)
    form = BatchForm(request.POST if request.method == "POST" else None, instance=changed)
    if form.is_valid():
        changed.change(**form.over_present())
        messages.success(request, _("Batch “%(batch)s” is changed.") % {"batch": changed})
        return redirect("tasks:items", slug=slug)
    return render(request, "tasks/batch.html", {"project": project, "batch": changed, "form": form})


@require_safe
def concerns(request: Request, slug: str) -> HttpResponse:
    """List the skips and flags, undecided ones first, newest first."""
    return _concerns(request, get_object_or_404(Project.objects.led_by(request.user), slug=slug))


@redirect_get_to("tasks:concerns", "slug")
def decide(request: Request, slug: str, pk: int) -> HttpResponse:
    """Decide what becomes of an item that was skipped or flagged."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    concern = get_object_or_404(project.concerns.select_related("item__batch"), pk=pk)
    form = DecisionForm(concern, request.POST)
    if not form.is_valid():
        return _concerns(request, project, refused=concern, form=form)
    concern.decide(
        Concern.Decision(form.cleaned_data["decision"]),
        answer=form.cleaned_data["answer"],
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _("%(item)s: decided.") % {"item": concern.item})
    return redirect(
        reverse("tasks:concerns", args=[slug], query={"page": request.GET.get("page", "1")})
    )


def _concerns(
    request: Request,
    project: Project,
    *,
    refused: Concern | None = None,
    form: DecisionForm | None = None,
) -> HttpResponse:
    rows = project.concerns.undecided_first().with_what_was_done()
    rows = rows.select_related("item__batch", "annotator", "decided_by").prefetch_related(
        "item__responses"
    )
    page = Paginator(rows, CONCERNS_SHOWN).get_page(request.GET.get("page"))
    return render(
        request,
        "tasks/concerns.html",
        {"project": project, "page": page, "refused": refused, "form": form},
    )
