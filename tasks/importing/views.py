"""The pages of uploads: a file comes in, and its page says what it holds.

The state of an upload decides what its page shows and does: a worker has the file, or it is
imported, or its lead still chooses how it is read. Workers read and import files
(`upload_worker.py`); the views only leave work to them.
"""

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
from tasks.importing.report import ItemExample
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
    form = FileForm()
    if request.method == "POST":
        form = FileForm(request.POST, request.FILES)
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
    """Show the page of an upload, or do what a button of it says."""
    uploads = Upload.objects.of(request.user, timezone.now())
    upload = get_object_or_404(uploads, pk=pk, project=project)
    upload.project = project  # with all that the page shows of it
    return _answer(request, upload)


@require_http_methods(["GET", "HEAD", "POST"])
def upload_alone(request: Request, pk: int) -> HttpResponse:
    """Do as `uploaded`, for a file that has no project yet."""
    upload = get_object_or_404(Upload.objects.of(request.user, timezone.now()), pk=pk)
    if upload.project:
        return redirect(upload.address)
    try:
        return _answer(request, upload)
    except (ObjectDoesNotExist, DatabaseError) as error:
        if Upload.objects.filter(pk=pk).exists():
            raise
        raise Http404 from error  # deleted meanwhile


def _answer(request: Request, upload: Upload) -> HttpResponse:
    """Do what the button says that was pressed, if the upload's state has it; else show the page.

    A button of an earlier state does nothing: its page was left open.
    """
    button = request.POST.get("act", "")
    if button == "cancel":
        upload.cancel()
        return redirect(upload.address)
    if upload.asked:
        return _show_work(request, upload)
    if upload.is_imported:
        if button == "take_back":
            return _take_back(request, upload)
        return _show_file(request, upload, ChoicesForm(upload, report_of(upload)))
    if button == "delete":
        return _delete(request, upload)
    form = ChoicesForm(upload, report_of(upload), request.POST if button else None)
    if button in ("read", "import") and form.is_valid():
        return _leave_to_worker(request, upload, form, is_import=button == "import")
    return _show_file(request, upload, form)


def _show_work(request: Request, upload: Upload) -> HttpResponse:
    """Show how far a worker is with a file. The page fetches itself anew by htmx."""
    waits = False
    if upload.project:
        with transaction.atomic():
            waits = not is_alone(upload.project.pk)
    context = {
        "project": upload.project,
        "upload": upload,
        "report": report_of(upload),
        "waits": waits,
    }
    return render(request, "tasks/importing/upload_work.html", context)


def _show_file(request: Request, upload: Upload, choices_form: ChoicesForm) -> HttpResponse:
    """Show what a file holds and how it is read, or what became of it."""
    if request.htmx:  # from the page of the worker, who is done: the browser loads this one
        return HttpResponseClientRefresh()
    report = choices_form.report
    examples = []
    if report.items:
        examples = [_example_view(example, upload) for example in report.items.examples]
    context = {
        "project": upload.project,
        "upload": upload,
        "report": report,
        "form": choices_form,
        "examples": examples,
    }
    return render(request, "tasks/importing/uploaded.html", context)


def _delete(request: Request, upload: Upload) -> HttpResponse:
    """Delete a file that is not imported."""
    upload.delete()
    messages.success(request, _("%(file)s is deleted.") % {"file": upload.file_name})
    if upload.project is None:
        return redirect("annotators:home")
    return redirect("tasks:upload", upload.project.slug)


def _leave_to_worker(
    request: Request, upload: Upload, choices_form: ChoicesForm, *, is_import: bool
) -> HttpResponse:
    """Have a worker import a file as its page says it, or else read it as the lead chose."""
    is_read_otherwise = choices_form.reads_otherwise
    if is_import and choices_form.report.is_importable and not is_read_otherwise:
        upload.ask(Work.IMPORT, choices=upload.choices | choices_form.names)
        return redirect(upload.address)
    if is_import and is_read_otherwise:
        messages.info(request, _("You changed how the file is read. Look at it again."))
    upload.project = choices_form.project
    upload.ask(Work.READ, choices=choices_form.choices.as_json())
    return redirect(upload.address)


def _take_back(request: Request, upload: Upload) -> HttpResponse:
    """Take an import back, with the project if it was made for it and nobody else is in it."""
    project = upload.project
    assert project
    if not _is_removed(upload):
        messages.error(request, _("Someone has worked with this import since, so it stays."))
        return redirect(upload.address)
    name = {"name": upload.batch or upload.file_name}
    messages.success(request, _("The import of “%(name)s” is taken back.") % name)
    is_bare = not (project.batches.exists() or project.has_others(request.user))
    if choices_of(upload).is_new and is_bare and project.remove():
        return redirect("annotators:home")
    return redirect("tasks:upload", project.slug)


def _is_removed(upload: Upload) -> bool:
    """Remove the batch or the ratings of an import. Return False if somebody worked with them."""
    if upload.batch:
        return upload.batch.remove()
    assert upload.rating_file
    return take_back(upload.rating_file, now=timezone.now())


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
