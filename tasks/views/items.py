"""The items of a project: their upload, their list, and the page of one with all its ratings."""

from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from config.web.decorators import redirect_get_to
from config.web.people import User
from config.web.requests import Request, download
from tasks.forms.items import ItemFilterForm, ListForm, SendBackForm, ShownForm, UploadForm
from tasks.freshness import Freshness
from tasks.importing.batch_writer import Load, UploadRefused
from tasks.importing.loading import BadLines, load_batch
from tasks.importing.readers import name_of_bad_rows
from tasks.importing.rows import Gathered
from tasks.item_pages.listing import is_sort_key, listed_items, neighbours
from tasks.item_pages.side_by_side import Given, ratings_of, targets_of
from tasks.model_names import ModelNames
from tasks.models import BadRows, Batch, Item, Membership, Project, ReturnedRating
from tasks.models.item_list import MOST_COUNTED, missing_since
from tasks.overview.asked import not_asked
from tasks.overview.drawing import ramp
from tasks.text.render import rendering

from .led import led


@require_http_methods(["GET", "HEAD", "POST"])
@led
def upload(request: Request, project: Project) -> HttpResponse:
    """Load a file as a new batch, or show the form with the rows that are wrong."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(project, *sent)
    if form.is_valid():
        try:
            loaded = _load(form, project, by=request.user)
        except UploadRefused as refused:
            form.add_error("file", str(refused))
        else:
            messages.success(request, _said_of(loaded))
            for sentence in not_asked(project, pk=loaded.batch.pk):
                messages.info(request, sentence)
            # Rows that were left out are listed on this page.
            return redirect("tasks:upload" if loaded.bad else "tasks:items", slug=project.slug)
    return render(
        request,
        "tasks/upload.html",
        {
            "project": project,
            "upload": form,
            "bad_rows": BadRows.objects.stored_for(request.user, project, timezone.now()),
        },
    )


# config.middleware.Bodies asks before anything of the file is read.
upload.takes_files_from = (  # type: ignore[attr-defined]  # noted on the view, as Django does
    lambda user, slug: Project.objects.led_by(user).filter(slug=slug).exists()
)


def _load(form: UploadForm, project: Project, *, by: User) -> Load:
    """Load the form's file, and store its bad rows for the uploader even if the upload fails."""
    now = timezone.now()
    file = form.cleaned_data["file"]
    faults = Gathered()
    with TemporaryFile() as bad_rows:

        def keep(number: int, batch: Batch | None) -> None:
            BadRows.objects.store(
                bad_rows,
                project=project,
                file_name=file.name,
                number=number,
                shown=_worded(faults),
                batch=batch,
                by=by,
                now=now,
            )

        try:
            with transaction.atomic():
                loaded = load_batch(
                    project,
                    file.file,
                    file_name=file.name,
                    batch_name=form.cleaned_data["batch"],
                    warning=form.cleaned_data["warning"],
                    encoding=form.cleaned_data["encoding"],
                    part=form.cleaned_data["part"],
                    by=by,
                    now=now,
                    report=faults.add,
                    take_good=form.cleaned_data["take_good"],
                    bad_rows=bad_rows,
                    most_bad=2 * settings.UPLOAD_LIMIT,
                    limited=True,
                    keep=lambda load: keep(load.bad, load.batch),
                )
        except UploadRefused as refused:
            keep(refused.count if isinstance(refused, BadLines) else 0, None)
            raise
    return loaded


def _worded(faults: Gathered) -> list[dict[str, Any]]:
    """Return the table of faults, in the language of the request."""
    shown: list[dict[str, Any]] = []
    for kind in faults.kinds:
        shown += [
            {
                "line": error.line,
                "column": error.column,
                "value": error.value,
                "reason": error.reason,
                "advice": error.advice,
            }
            for error in kind.samples
        ]
        shown[-1]["rest"] = kind.rest
    if faults.others:
        shown[-1]["others"] = faults.rest
    return shown


def _said_of(loaded: Load) -> str:
    said = ngettext(
        "Batch “%(batch)s” is loaded: %(count)s item.",
        "Batch “%(batch)s” is loaded: %(count)s items.",
        loaded.items,
    ) % {"batch": loaded.batch, "count": loaded.items}
    if loaded.bad:
        said += " " + ngettext(
            "%(count)s row was left out.", "%(count)s rows were left out.", loaded.bad
        ) % {"count": loaded.bad}
    return said


@require_safe
@led
def bad_rows(request: Request, project: Project, pk: int) -> HttpResponseBase:
    """Download the rows that an upload left out, if the lead uploaded it.

    The file says what is wrong with each row. It has the upload's format, or that of JSON lines.
    """
    stored = get_object_or_404(BadRows, project=project, uploader=request.user, pk=pk)
    name = name_of_bad_rows(stored.file_name)
    return download(
        request, f"{name.stem}.bad{name.suffix}", "application/octet-stream", stored.blocks()
    )


@require_safe
@led
def items(request: Request, project: Project) -> HttpResponse:
    """List the items that the address asks for, with their scores, and how far each batch is."""
    names = ModelNames(request, project)
    form = ItemFilterForm(project, request.GET, shows_models=names.shown)
    batches = list(project.batches.with_progress())
    return render(
        request,
        "tasks/items.html",
        {
            "project": project,
            "form": form,
            "batches": batches,
            "total": {
                name: sum(getattr(each, name) for each in batches)
                for name in ("size", "item_count", "finished_count", "counted", "wanted")
            },
            "shows_models": form.shows_models,
            "ramp": ramp(form.shown),
            "from_list": form.query,
            **(_listed(request, form, names) if form.is_valid() else {}),
        },
    )


def _listed(request: Request, form: ItemFilterForm, names: ModelNames) -> dict[str, Any]:
    """Return a page of the list, and how fresh it is."""
    asked = ListForm(request.GET).asked
    if not is_sort_key(form.order, asked["after"] or asked["before"]):
        messages.error(request, _("The list has no such page. This is the first one."))
    page = listed_items(
        form.project,
        form.shown,
        names,
        wanted=form.wanted,
        sort=form.order,
        **asked,
    )
    if form.shows_models:
        form.offer_models(sorted(names.numbers))
    return {
        "page": page,
        "most_counted": MOST_COUNTED,
        "fresh": Freshness(missing_since(form.project, form.wanted), timezone.now()),
    }


@require_safe
@led
def item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show the texts of an item, and beside them what everyone said of one target."""
    return _show(request, get_object_or_404(project.items.select_related("batch"), pk=pk))


@redirect_get_to("tasks:item", "slug", "pk")
@led
def send_back(request: Request, project: Project, pk: int) -> HttpResponse:
    """Send a rating back to its annotator with a question."""
    shown = get_object_or_404(project.items.select_related("batch"), pk=pk)
    ratings = ratings_of(shown)
    form = SendBackForm(_open(shown, ratings), request.POST)
    if form.is_valid():
        asked = next(each for each in ratings if each.rating.pk == form.cleaned_data["rating"])
        if ReturnedRating.objects.send_back(
            asked.rating, form.cleaned_data["question"], cause="lead", now=timezone.now()
        ):
            messages.success(request, _("The rating goes back to %(name)s.") % {"name": asked.name})
            return _to(shown, request)
        form.add_error("rating", _("It was corrected just now: look at it again."))
    return _show(request, shown, form)


@redirect_get_to("tasks:items", "slug")
@led
def show_models(request: Request, project: Project) -> HttpResponse:
    """Show or hide the models' names to this lead, in this project, until they log out."""
    request.session[ModelNames(request, project).key] = request.POST.get("models") == "shown"
    form = ShownForm(request.POST)
    asked = form.cleaned_data if form.is_valid() else {}
    if (pk := asked.get("item")) and (there := project.items.filter(pk=pk).first()):
        return _to(there, request)
    return redirect(
        reverse(f"tasks:{asked.get('page') or 'items'}", args=[project.slug], query=request.GET)
    )


def _to(shown: Item, request: Request) -> HttpResponse:
    """Lead to an item, to the same target of it, in the list that one came from."""
    query = request.GET.copy()
    if target := request.POST.get("target"):
        query["target"] = target
    return redirect(reverse("tasks:item", args=[shown.project.slug, shown.pk], query=query))


def _open(shown: Item, ratings: list[Given]) -> list[tuple[int, str]]:
    """Return the ratings that can be sent back: their annotators still rate in the project.

    One that waits for an answer is left out, because a second question would replace the first.
    """
    if shown.project.status != Project.Status.OPEN or shown.batch.status != Batch.Status.OPEN:
        return []
    annotators = set(
        shown.project.memberships.filter(
            role=Membership.Role.ANNOTATOR,
            user__in={each.rating.annotator_id for each in ratings},
            user__is_active=True,
        ).values_list("user", flat=True)
    )
    return [
        (each.rating.pk, each.name)
        for each in ratings
        if each.rating.annotator_id in annotators and not each.waits
    ]


def _show(request: Request, shown: Item, form: SendBackForm | None = None) -> HttpResponse:
    project = shown.project
    ratings = ratings_of(shown)
    names = ModelNames(request, project)
    targets = targets_of(shown, project.rubric.schema, ratings, names)
    asked = request.POST.get("target") or request.GET.get("target")
    current = next((each for each in targets if each["key"] == asked), next(iter(targets), None))
    choices = _open(shown, ratings)
    of_list = ItemFilterForm(project, request.GET, shows_models=names.shown)
    in_list = (of_list.wanted, of_list.order) if of_list.is_valid() else ()
    before, after = neighbours(shown, *in_list)
    return render(
        request,
        "tasks/item_ratings.html",
        {
            "project": project,
            "item": shown,
            "ratings": ratings,
            "targets": targets,
            "current": current,
            "shows_models": of_list.shows_models,
            "from_list": of_list.query,
            "form": form or (SendBackForm(choices) if choices else None),
            "waiting": [each.name for each in ratings if each.waits],
            "text": _html(current["text"]) if current and current["text"] else "",
            "beside": [
                (label, _html(text))
                for label, text in ((_("Context"), shown.context), (_("System"), shown.system))
                if text
            ],
            "messages_shown": [(each["role"], _html(each["text"])) for each in shown.messages],
            "before": before,
            "after": after,
        },
    )


def _html(text: str) -> str:
    return mark_safe(rendering(text).html)  # noqa: S308 - the renderer sanitises it
