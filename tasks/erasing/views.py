"""Pages on which an admin deletes a project whole, or takes a passage out of an item.

Both ask for the password again, because nothing of it can be taken back.
"""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods

from config.web.decorators import admins_only
from config.web.requests import Request
from tasks.lead_pages.led import led, led_with
from tasks.models import Item, Project

from .forms import EraseProjectForm, RedactForm
from .passages import redact
from .project_rows import MOST_RATINGS, erase_project


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
@reauthentication_required
@led
def erase(request: Request, project: Project) -> HttpResponse:
    """Delete a project with all that is in it, once its title is typed in."""
    form = EraseProjectForm(project, request.POST if request.method == "POST" else None)
    ratings = project.ratings.count()
    is_too_large = ratings > MOST_RATINGS
    if not is_too_large and form.is_valid():
        erase_project(project)
        messages.success(request, _("“%(title)s” is deleted.") % {"title": project})
        return redirect("annotators:home")
    context = {
        "project": project,
        "form": form,
        "ratings": ratings,
        "decisions": project.decisions.count(),
        "is_too_large": is_too_large,
    }
    return render(request, "tasks/erasing/project.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
@reauthentication_required
@led_with(Item)
def redact_item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Take a passage out of an item, with a reason."""
    item = get_object_or_404(Item, project=project, pk=pk)
    form = RedactForm(item, request.POST if request.method == "POST" else None)
    if form.is_valid():
        count = redact(item, form.cleaned_data["passage"])
        words = ngettext("Removed in %d text.", "Removed in %d texts.", count)
        messages.success(request, words % count)
        return redirect("tasks:item", project.slug, pk)
    context = {"project": project, "item": item, "form": form}
    return render(request, "tasks/erasing/passage.html", context)
