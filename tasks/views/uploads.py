"""The upload of items: the file, what it holds before any of it is stored, and its import."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from config.web.decorators import redirect_get_to
from config.web.requests import Request, download
from rubrics.detectors import is_empty
from rubrics.models import Rubric
from rubrics.shipped import SLUGS, shipped
from tasks.forms.projects import NewProjectForm
from tasks.forms.uploads import ChoicesForm, FileForm, UploadForm
from tasks.importing.columns.layouts import LAYOUTS, OWN, examples
from tasks.importing.uploading import Taken, do_now
from tasks.item_pages.texts import BESIDE, as_html, shown_texts
from tasks.models import Batch, Item, Project, Upload
from tasks.models.loads import is_alone
from tasks.models.uploads import DOUBLE_DROP, Content, Work
from tasks.overview.asked import not_asked

from .led import led, led_with


@require_http_methods(["GET", "HEAD", "POST"])
@led
def upload(request: Request, project: Project) -> HttpResponse:
    """Take a file. If nothing about it is doubtful, import it; else lead to its own page."""
    now = timezone.now()
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(project, *sent)
    if form.is_valid():
        file = form.cleaned_data["file"]
        whose = {"file_name": file.name, "by": request.user, "now": now}
        with transaction.atomic():
            choices = form.choices
            alike = Upload.objects.filter(project=project, choices=choices)
            if twin := alike.twin(file.file, **whose):
                return _to(twin)
            stored = Upload.objects.store(file.file, project=project, choices=choices, **whose)
        return _done(request, stored, Work.START)
    return render(
        request,
        "tasks/upload.html",
        {
            "project": project,
            "form": form,
            "uploads": Upload.objects.of(request.user, project, now),
            "examples": [(name, LAYOUTS[name].label) for name in examples()],
        },
    )


# config.middleware.Bodies asks before anything of the file is read.
upload.takes_files_from = (  # type: ignore[attr-defined]  # noted on the view, as Django does
    lambda user, slug: Project.objects.led_by(user).filter(slug=slug).exists()
)


@redirect_get_to("tasks:new_project")
def from_sheet(request: Request) -> HttpResponse:
    """Open a project for a file that people have rated, and look at the file."""
    if not Project.objects.may_be_made_by(request.user):
        raise PermissionDenied
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "tasks/new_project.html", {"form": NewProjectForm(), "sheet": form})
    with transaction.atomic():
        stored = _stored_sheet(request, form.cleaned_data["file"])
    return _to(stored) if stored.asked or stored.report else _done(request, stored, Work.READ)


def _stored_sheet(request: Request, file: Any) -> Upload:
    """Store a file in a project of its own, once, however often it was dropped just now."""
    now, name = timezone.now(), file.name or ""
    just_now = {"project__created_by": request.user, "project__created_at__gt": now - DOUBLE_DROP}
    uploads = Upload.objects.filter(**just_now)
    if twin := uploads.twin(file.file, file_name=name, by=request.user, now=now):
        return twin
    title = PurePath(name).stem[:200] or name
    if Project.objects.filter(created_by=request.user, title=title).exists():
        said = _("You have two projects “%(title)s” now. The settings of each can delete it.")
        messages.warning(request, said % {"title": title})
    project = Project.objects.start(
        title=title,
        # It stays only if the lead does not have one made from the columns.
        rubric=Rubric.objects.newest_of_each().filter(slug=SLUGS[0]).first()
        or Rubric.objects.load(shipped(SLUGS[0]), now=now)[0],
        wanted=1,
        by=request.user,
        now=now,
    )
    choices = dict.fromkeys(("batch", "warning", "encoding", "part"), "") | {"rubric": "made"}
    return Upload.objects.store(
        file.file, project=project, file_name=name, choices=choices, by=request.user, now=now
    )


from_sheet.takes_files_from = Project.objects.may_be_made_by  # type: ignore[attr-defined]  # likewise


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
    found = _own(request, project, pk)
    form = ChoicesForm(project, request.POST or None, initial=found.choices, report=found.report)
    match request.POST.get("act"):
        case "cancel":
            found.cancel()
            return _to(found)
        case _ if found.asked:  # a worker has it
            with transaction.atomic():
                waits = not is_alone(project.pk)
            context = {"project": project, "upload": found, "waits": waits}
            return render(request, "tasks/upload_work.html", context)
        case "delete":
            found.delete()
            messages.success(request, _("%(file)s is deleted.") % {"file": found.file_name})
            return redirect("tasks:upload", slug=project.slug)
        case "import" if found.is_importable and form.is_valid() and not form.reads_otherwise:
            found.choices |= form.name_and_warning
            return _done(request, found, Work.IMPORT)
        case "read" | "import" as act if form.is_valid() and not found.batch:
            found.choices = form.choices
            if act == "import":
                messages.info(request, _("You changed how the file is read. Look at it again."))
            return _done(request, found, Work.READ)
    if request.htmx:  # the page of a file that a worker had
        return HttpResponseClientRefresh()
    return render(
        request,
        "tasks/uploaded.html",
        {
            "project": project,
            "upload": found,
            "form": form,
            "shown": [_texts(each, found) for each in found.report.get("shown", [])],
        },
    )


@require_safe
@led_with(Upload)
def faults(request: Request, project: Project, pk: int) -> HttpResponseBase:
    """Download all that is wrong with a file as CSV: line, column, value, reason, advice."""
    found = _own(request, project, pk)
    name = f"{PurePath(found.file_name).stem}.faults.csv"
    return download(request, name, "text/csv; charset=utf-8", found.read(Content.FAULTS))


def _own(request: Request, project: Project, pk: int) -> Upload:
    return get_object_or_404(Upload.objects.of(request.user, project, timezone.now()), pk=pk)


def _to(upload: Upload) -> HttpResponse:
    return redirect("tasks:uploaded", slug=upload.project.slug, pk=upload.pk)


def _done(request: Request, upload: Upload, work: Work) -> HttpResponse:
    """Do work on a file or leave it to a worker; lead to the items, or to the file's page."""
    taken = do_now(upload, work, now=timezone.now())
    if taken is None:
        return _to(upload)
    messages.success(request, " ".join(_said_of(taken)))
    told = [
        *(sentence for each in taken if each for sentence in each.told),
        *(not_asked(upload.project, pk=taken.items.batch.pk) if taken.items else ()),
    ]
    for sentence in told:
        messages.info(request, sentence)
    slug = upload.project.slug
    if taken.ratings:
        return redirect("tasks:agreement", slug=slug)
    return _to(upload) if taken.bad else redirect("tasks:items", slug=slug)


def _said_of(taken: Taken) -> Iterator[str]:
    if taken.items:
        yield ngettext(
            "Batch “%(batch)s” is loaded: %(count)s item.",
            "Batch “%(batch)s” is loaded: %(count)s items.",
            taken.items.items,
        ) % {"batch": taken.items.batch, "count": intcomma(taken.items.items)}
    if taken.ratings:
        yield ngettext(
            "%(count)s rating is imported.",
            "%(count)s ratings are imported.",
            taken.ratings.ratings,
        ) % {"count": intcomma(taken.ratings.ratings)}
    if taken.bad:
        yield ngettext(
            "%(count)s row was left out.", "%(count)s rows were left out.", taken.bad
        ) % {"count": intcomma(taken.bad)}


def _texts(shown: dict[str, Any], upload: Upload) -> dict[str, Any]:
    """Return an item's texts as its page shows them."""
    names = ("external_id", "persona", "warning", *BESIDE, "messages", "metadata")
    batch = Batch(warning=upload.choices["warning"])
    return {
        "label": shown["label"],
        **shown_texts(Item(batch=batch, **{name: shown[name] for name in names})),
        "responses": ["" if is_empty(text) else as_html(text) for text in shown["responses"]],
    }
