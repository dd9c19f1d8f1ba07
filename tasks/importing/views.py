"""The upload of items: the file, what it holds before any of it is stored, and its import."""

from pathlib import PurePath
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import DatabaseError, transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from config.web.decorators import redirect_get_to, takes_files
from config.web.requests import Request, download
from rubrics.judging.detectors import is_empty
from tasks.importing.columns.layouts import LAYOUTS, OWN, examples
from tasks.importing.report import ItemExample, UploadReport
from tasks.importing.upload_choices import choices_of
from tasks.importing.uploading import report_of
from tasks.item_pages.texts import ItemTexts, RenderedText, as_html, item_texts
from tasks.lead_pages.file_form import FileForm
from tasks.lead_pages.led import led, led_with
from tasks.models import Batch, Item, Project, Upload
from tasks.models.loads import is_alone
from tasks.models.uploads import Content, Work
from tasks.new_projects.forms import NewProjectForm

from .after_import import take_back
from .forms import ChoicesForm
from .new_uploads import store_upload


class ExampleView(NamedTuple):
    """An item of a file, as annotators will see it."""

    label: str
    item_texts: ItemTexts
    response_texts: list[RenderedText | None]  # None is empty


@takes_files(lambda user, slug: Project.objects.led_by(user).filter(slug=slug).exists())
@require_http_methods(["GET", "HEAD", "POST"])
@led
def upload(request: Request, project: Project) -> HttpResponse:
    """Take a file of items, and lead to its own page."""
    form = FileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_valid():
        by, now = request.user, timezone.now()
        return redirect(store_upload(form.sent_files, project, by=by, now=now).address)
    uploads = Upload.objects.of(request.user, timezone.now())
    context = {"project": project, "form": form, "uploads": uploads.filter(project=project)}
    context["examples"] = [(name, LAYOUTS[name].label) for name in examples()]
    return render(request, "tasks/importing/upload.html", context)


@takes_files(Project.objects.may_be_made_by)
@redirect_get_to("tasks:new_project")
def from_sheet(request: Request) -> HttpResponse:
    """Take a file that needs no project until it is imported."""
    if not Project.objects.may_be_made_by(request.user):
        raise PermissionDenied
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        by, now = request.user, timezone.now()
        return redirect(store_upload(form.sent_files, None, by=by, now=now).address)
    context = {"form": NewProjectForm(), "sheet": form}
    return render(request, "tasks/new_projects/new_project.html", context)


@require_safe
def example(request: Request) -> HttpResponseBase:
    """Download an example of the shape that `?shape=` names, else of our own."""
    file = examples().get(request.GET.get("shape", OWN))
    if file is None:
        raise Http404
    return download(request, file.name, "text/plain; charset=utf-8", iter([file.read_bytes()]))


@require_http_methods(["GET", "HEAD", "POST"])
@led_with(Upload)
def uploaded(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show what a file holds. Read it anew with other choices, import it, or delete it."""
    uploads = Upload.objects.of(request.user, timezone.now())
    return _page(request, get_object_or_404(uploads, pk=pk, project=project), project)


@require_http_methods(["GET", "HEAD", "POST"])
def upload_alone(request: Request, pk: int) -> HttpResponse:
    """Do as `uploaded`, for a file that has no project yet."""
    upload = get_object_or_404(Upload.objects.of(request.user, timezone.now()), pk=pk)
    if upload.project:
        return redirect(upload.address)
    try:
        return _page(request, upload, None)
    except (ObjectDoesNotExist, DatabaseError) as error:
        if Upload.objects.filter(pk=pk).exists():
            raise
        raise Http404 from error  # deleted meanwhile


def _page(request: Request, upload: Upload, project: Project | None) -> HttpResponse:
    act = request.POST.get("act")
    if act == "cancel":
        upload.cancel()
        return redirect(upload.address)
    if upload.asked:  # a worker has it
        return _work_page(request, upload, project)
    if act == "delete" and not upload.is_imported:
        upload.delete()
        messages.success(request, _("%(file)s is deleted.") % {"file": upload.file_name})
        return redirect("tasks:upload", project.slug) if project else redirect("annotators:home")
    if act == "take_back" and upload.is_imported:
        return _take_back(request, upload)
    report = report_of(upload)
    form = ChoicesForm(upload, report, request.POST if act else None)
    if act in ("read", "import") and form.is_valid() and not upload.is_imported:
        return _ask(request, upload, report, form)
    if request.htmx:  # the page of a file that a worker had
        return HttpResponseClientRefresh()
    examples = []
    if report.items:
        examples = [_example_view(example, upload) for example in report.items.examples]
    context = {
        "project": project,
        "upload": upload,
        "report": report,
        "form": form,
        "examples": examples,
    }
    return render(request, "tasks/importing/uploaded.html", context)


def _work_page(request: Request, upload: Upload, project: Project | None) -> HttpResponse:
    waits = False
    if project:
        with transaction.atomic():
            waits = not is_alone(project.pk)
    report = report_of(upload)
    context = {"project": project, "upload": upload, "report": report, "waits": waits}
    return render(request, "tasks/importing/upload_work.html", context)


def _ask(
    request: Request, upload: Upload, report: UploadReport, choices_form: ChoicesForm
) -> HttpResponse:
    """Have a worker import a file as its page says it, or else read it as the lead chose."""
    is_import = request.POST["act"] == "import"
    if is_import and report.is_importable and not choices_form.reads_otherwise:
        upload.choices |= choices_form.names
        upload.ask(Work.IMPORT)
        return redirect(upload.address)
    if is_import and choices_form.reads_otherwise:
        messages.info(request, _("You changed how the file is read. Look at it again."))
    upload.choices = choices_form.choices.as_json()
    upload.project = choices_form.project
    upload.ask(Work.READ)
    return redirect(upload.address)


def _take_back(request: Request, upload: Upload) -> HttpResponse:
    """Take an import back, with the project if it was made for it and nobody else is in it."""
    batch, file, project = upload.batch, upload.rating_file, upload.project
    assert project
    is_gone = batch.remove() if batch else file and take_back(file, now=timezone.now())
    if not is_gone:
        messages.error(request, _("Someone has worked with this import since, so it stays."))
        return redirect(upload.address)
    name = {"name": batch or upload.file_name}
    messages.success(request, _("The import of “%(name)s” is taken back.") % name)
    is_bare = not (project.batches.exists() or project.has_others(request.user))
    if choices_of(upload).is_new and is_bare and project.remove():
        return redirect("annotators:home")
    return redirect("tasks:upload", project.slug)


@require_safe
def faults(request: Request, pk: int, slug: str | None = None) -> HttpResponseBase:
    """Download all that is wrong with a file as CSV: line, column, value, reason, advice."""
    uploads = Upload.objects.of(request.user, timezone.now())
    upload = get_object_or_404(uploads, pk=pk, project__slug=slug)
    name = f"{PurePath(upload.file_name).stem}.faults.csv"
    return download(request, name, "text/csv; charset=utf-8", upload.read(Content.FAULTS))


def _example_view(example: ItemExample, upload: Upload) -> ExampleView:
    """Return the texts of an item as its page shows them."""
    batch = Batch(warning=choices_of(upload).warning)
    fields = example.model_dump(exclude={"label", "responses"})
    responses = [None if is_empty(text) else as_html(text) for text in example.responses]
    return ExampleView(example.label, item_texts(Item(batch=batch, **fields)), responses)
