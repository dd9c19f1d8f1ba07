"""The list of a project's items, and the page of one: its texts, and all its ratings.

Every look-up starts from `Project.objects.led_by(request.user)`, so anyone else gets a 404.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.forms.agreement import OverviewForm
from tasks.forms.items import ListForm, SendBackForm, ShownForm
from tasks.item_pages.listing import listed_items
from tasks.item_pages.side_by_side import Given, ratings_of, targets_of
from tasks.models import Batch, Item, Membership, Project, ReturnedRating
from tasks.models.items import BatchFigures
from tasks.text.render import rendering

SHOWN = "models_shown"  # in the session: the projects whose models the lead has asked to see
CAUSE = "lead"  # of a rating that came back; a second question of the lead replaces the first


@require_safe
def items(request: Request, slug: str) -> HttpResponse:
    """List a project's items with their scores, and how far each batch is."""
    led = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(led, slug=slug)
    asked = ListForm(request.GET).asked
    if wanted := asked["id"]:
        if found := project.items.filter(external_id=wanted).first():
            return redirect("tasks:item", slug=slug, pk=found.pk)
        messages.error(request, _("No item has the ID “%(id)s”.") % {"id": wanted})
    form = OverviewForm(project.rubric.schema, request.GET)
    batches = project.batches.progress()
    shows_models = _shows_models(request, project)
    context = {
        "project": project,
        "form": form,
        "batches": batches,
        "total": BatchFigures.of(batches),
        "shows_models": shows_models,
        "page": listed_items(
            project,
            form.chosen,
            by_model=shows_models,
            after=asked["after"],
            before=asked["before"],
        ),
    }
    return render(request, "tasks/items.html", context)


@require_safe
def item(request: Request, slug: str, pk: int) -> HttpResponse:
    """Show the texts of an item, and beside them what everyone said of one target."""
    return _show(request, _own_item(request, slug, pk))


@redirect_get_to("tasks:item", "slug", "pk")
def send_back(request: Request, slug: str, pk: int) -> HttpResponse:
    """Send a rating back to its annotator with a question."""
    shown = _own_item(request, slug, pk)
    ratings = ratings_of(shown)
    form = SendBackForm(_open(shown, ratings), request.POST)
    if not form.is_valid():
        return _show(request, shown, form)
    asked = next(each for each in ratings if each.rating.pk == form.cleaned_data["rating"])
    question = form.cleaned_data["question"]
    returned = ReturnedRating.objects
    if not returned.send_back(asked.rating, question, cause=CAUSE, now=timezone.now()):
        form.add_error("rating", _("It was corrected just now: look at it again."))
        return _show(request, shown, form)
    messages.success(request, _("The rating goes back to %(name)s.") % {"name": asked.name})
    return _to(shown, request)


@redirect_get_to("tasks:items", "slug")
def show_models(request: Request, slug: str) -> HttpResponse:
    """Show or hide the models' names to this lead, in this project, until they log out."""
    project = get_object_or_404(Project.objects.led_by(request.user), slug=slug)
    shown = {each for each in request.session.get(SHOWN, ()) if each != project.pk}
    if request.POST.get("models") == "shown":
        shown.add(project.pk)
    request.session[SHOWN] = sorted(shown)
    form = ShownForm(request.POST)
    pk = form.cleaned_data["item"] if form.is_valid() else None
    if pk and (there := project.items.filter(pk=pk).select_related("project").first()):
        return _to(there, request)
    return redirect("tasks:items", slug=slug)


def _to(shown: Item, request: Request) -> HttpResponse:
    """Lead to an item, and to the same target of it."""
    address = reverse("tasks:item", args=(shown.project.slug, shown.pk))
    target = urlencode({"target": request.POST.get("target", "")})
    return redirect(f"{address}?{target}" if request.POST.get("target") else address)


def _shows_models(request: Request, project: Project) -> bool:
    return project.pk in request.session.get(SHOWN, ())


def _own_item(request: Request, slug: str, pk: int) -> Item:
    led = Project.objects.led_by(request.user)
    every = Item.objects.select_related("project__rubric", "batch")
    return get_object_or_404(every, pk=pk, project__in=led.filter(slug=slug))


def _open(shown: Item, ratings: list[Given]) -> list[tuple[int, str]]:
    """Return the ratings that can be sent back: their annotators still rate in the project."""
    project, batch = shown.project, shown.batch
    if project.status != Project.Status.OPEN or batch.status != Batch.Status.OPEN:
        return []
    rating = {each.rating.annotator_id for each in ratings}
    there = project.memberships.filter(
        role=Membership.Role.ANNOTATOR, user__in=rating, user__is_active=True
    )
    annotators = set(there.values_list("user", flat=True))
    return [
        (each.rating.pk, each.name) for each in ratings if each.rating.annotator_id in annotators
    ]


def _show(request: Request, shown: Item, form: SendBackForm | None = None) -> HttpResponse:
    project = shown.project
    ratings = ratings_of(shown)
    targets = targets_of(shown, project.rubric.schema, ratings)
    asked = request.POST.get("target") or request.GET.get("target")
    current = next((each for each in targets if each.key == asked), targets[0] if targets else None)
    choices = _open(shown, ratings)
    context = {
        "project": project,
        "item": shown,
        "ratings": ratings,
        "targets": targets,
        "current": current,
        "shows_models": _shows_models(request, project),
        "form": form or (SendBackForm(choices) if choices else None),
        "text": _html(current.text) if current and current.text else "",
        "beside": [
            (label, _html(text))
            for label, text in ((_("Context"), shown.context), (_("System"), shown.system))
            if text
        ],
        "messages_shown": [(each["role"], _html(each["text"])) for each in shown.messages],
        "before": project.items.filter(external_id__lt=shown.external_id)
        .order_by("-external_id")
        .first(),
        "after": project.items.filter(external_id__gt=shown.external_id)
        .order_by("external_id")
        .first(),
    }
    return render(request, "tasks/item_ratings.html", context)


def _html(text: str) -> str:
    return mark_safe(rendering(text).html)  # noqa: S308 - the renderer sanitises it
