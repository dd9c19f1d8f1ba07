"""Pages of exports that a worker makes: the order, how far it is, and the file.

A workbook that takes longer than a request is ordered here and made by `worker`. Its lead finds it
on the page Export for some days.
"""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from config.web.decorators import redirect_get_to
from config.web.requests import Request, download
from tasks.exporting.filters import Refused
from tasks.exporting.options import CONTENT_TYPES, Format
from tasks.lead_pages.led import led, led_with
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Project, StoredExport
from tasks.models.stored_exports import MOST_WAITING

from .forms import ExportForm, OrderForm, export_of


@redirect_get_to("tasks:export", "slug")
@led
def order_export(request: Request, project: Project) -> HttpResponse:
    """Leave an export to a worker, or lead back to its page, which says what is wrong."""
    now = timezone.now()
    names = ModelNames(request, project)
    form = ExportForm(project, names.are_visible, OrderForm(request.POST).query)
    back = f"{reverse('tasks:export', args=[project.slug])}?{form.query}"
    if not form.is_valid():
        return redirect(back)
    options = form.options()
    try:
        export = export_of(project, options, now=now)
    except Refused:
        return redirect(back)
    order = StoredExport.objects.order(
        project,
        options=options.query,
        file_name=f"{project.slug}-{export.file_name}",
        is_zipped=form.cleaned_data["zip"],
        by=request.user,
        now=now,
    )
    if order is None:
        warning = _(
            "You wait for %(number)s files already. Cancel one of them, or try again later."
        )
        messages.warning(request, warning % {"number": MOST_WAITING})
        return redirect(back)
    return redirect("tasks:stored_export", slug=project.slug, pk=order.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@led_with(StoredExport)
def stored_export(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show how far a file is. On POST delete it, or cancel what no worker has begun."""
    order = _export_of_lead(request, project, pk)
    if request.method == "POST":
        with transaction.atomic():
            is_free = bool(StoredExport.objects.filter(pk=pk).free())
            if is_free:
                order.delete()
        if is_free:
            messages.success(request, _("%(file)s is deleted.") % {"file": order.file_name})
            return redirect("tasks:export", slug=project.slug)
        return redirect("tasks:stored_export", slug=project.slug, pk=pk)
    if request.htmx and not order.is_waiting:
        return HttpResponseClientRefresh()
    context = {"project": project, "export": order}
    return render(request, "tasks/exporting/stored_export.html", context)


@require_safe
@led_with(StoredExport)
def stored_file(request: Request, project: Project, pk: int) -> HttpResponseBase:
    """Download a file that a worker has made."""
    order = _export_of_lead(request, project, pk)
    if order.made_at is None:
        raise Http404
    if order.is_zipped:
        return download(request, f"{order.file_name}.zip", "application/zip", order.read_blocks())
    kind = CONTENT_TYPES[Format(order.file_name.rpartition(".")[2])]
    return download(request, order.file_name, kind, order.read_blocks())


def _export_of_lead(request: Request, project: Project, pk: int) -> StoredExport:
    exports = StoredExport.objects.of(request.user, project, timezone.now())
    return get_object_or_404(exports, pk=pk)
