"""The items of a project: their list, and the page of one with all its ratings."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.agreement.measures import Json
from tasks.answers import LABELS
from tasks.forms.items import DropForm, ItemFilterForm, ListForm, SendBackForm, ShownForm
from tasks.forms.projects import DecisionForm
from tasks.freshness import Freshness
from tasks.item_pages.listing import is_sort_key, listed_items, neighbours
from tasks.item_pages.side_by_side import Given, ratings_of, targets_of
from tasks.item_pages.texts import WHOLE_TEXT, as_html, shown_texts, texts_of, whole_text
from tasks.model_names import ModelNames
from tasks.models import Batch, Concern, Item, Membership, Project, ReturnedRating
from tasks.models.dropping import decide_dropped
from tasks.models.item_list import MOST_COUNTED, missing_since
from tasks.overview.drawing import ramp

from .led import led, led_with


@require_safe
@led
def items(request: Request, project: Project) -> HttpResponse:
    """List the items that the address asks for, with their scores, and how far each batch is."""
    names = ModelNames(request, project)
    batches = list(project.batches.with_progress())
    form = ItemFilterForm(project, request.GET, shows_models=names.shown, batches=batches)
    return render(
        request,
        "tasks/items.html",
        {
            "project": project,
            "form": form,
            "size": sum(each.size for each in batches),
            "folds": [
                (some, _total(some))
                for some in (
                    [each for each in batches if each.status != Batch.Status.CLOSED],
                    [each for each in batches if each.status == Batch.Status.CLOSED],
                )
                if some
            ],
            "shows_models": form.shows_models,
            "ramp": ramp(form.shown),
            "from_list": form.query,
            **(_listed(request, form, names) if form.is_valid() else {}),
        },
    )


def _total(batches: list[Batch]) -> dict[str, int]:
    return {
        name: sum(getattr(each, name) for each in batches)
        for name in ("item_count", "finished_count", "counted", "wanted")
    }


def _listed(request: Request, form: ItemFilterForm, names: ModelNames) -> dict[str, Any]:
    """Return a page of the list, and how fresh it is."""
    asked = ListForm(request.GET).asked
    if not is_sort_key(form.order, asked["after"] or asked["before"]):
        messages.error(request, _("This page of the list does not exist. You see the first page."))
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
@led_with(Item)
def item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Show the texts of an item, and beside them what everyone said of one target.

    `?whole=` names a text that is answered by itself, all of it: a response by its number, with "r"
    before it.
    """
    shown = get_object_or_404(project.items.select_related("batch"), pk=pk)
    if (name := request.GET.get(WHOLE_TEXT)) is None:
        return _show(request, shown)
    responses = {f"r{each.position}": each.text for each in shown.own_responses}
    return whole_text({**texts_of(shown), "source": shown.source, **responses}, name)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def send_back(request: Request, project: Project, pk: int) -> HttpResponse:
    """Send a rating back to its annotator with a question about a response, or about the item."""
    shown = get_object_or_404(project.items.select_related("batch"), pk=pk)
    ratings = ratings_of(shown)
    form = SendBackForm(_open(shown, ratings), request.POST)
    if form.is_valid():
        rating, place = form.asked
        asked = next(each for each in ratings if each.rating.pk == rating)
        if ReturnedRating.objects.send_back(
            asked.rating,
            form.cleaned_data["question"],
            cause="lead",
            now=timezone.now(),
            place=place,
        ):
            messages.success(request, _("The rating goes back to %(name)s.") % {"name": asked.name})
            return _to(shown, request)
        form.add_error("rating", _("It was corrected just now: look at it again."))
    return _show(request, shown, form)


@redirect_get_to("tasks:item", "slug", "pk")
@led_with(Item)
def drop_item(request: Request, project: Project, pk: int) -> HttpResponse:
    """Drop an item with a reason, or take it back."""
    shown = get_object_or_404(project.items.select_related("batch"), pk=pk)
    form = DropForm(request.POST)
    if not form.is_valid():
        return _show(request, shown, drop=form)
    why, by, now = form.cleaned_data["why"], request.user, timezone.now()
    if form.cleaned_data["act"] == "drop":
        Concern.objects.drop_item(shown, why=why, by=by, now=now)
    else:
        decide_dropped(shown, False, why=why, by=by, now=now)
    return _to(shown, request)


@redirect_get_to("tasks:items", "slug")
@led_with(Concern)
def decide(request: Request, project: Project, pk: int) -> HttpResponse:
    """Decide what becomes of an item that was skipped or flagged."""
    concern = get_object_or_404(project.concerns.select_related("item__batch"), pk=pk)
    concern.item.project = project  # as it is led
    form = DecisionForm(concern, request.POST)
    if not form.is_valid():
        return _show(request, concern.item, refused=(concern, form))
    concern.decide(
        Concern.Decision(form.cleaned_data["decision"]),
        answer=form.cleaned_data["answer"],
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _("%(item)s: decided.") % {"item": concern.item})
    return _to(concern.item, request)


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


def _open(shown: Item, ratings: list[Given]) -> list[tuple[str, str]]:
    """Return what can be sent back, whole and by response, to whoever still rates here.

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
    whole, letter = _("%(name)s: the whole item"), _("%(letter)s for %(name)s")
    return [
        (f"{each.rating.pk}{end}", text % {"name": each.name, "letter": LABELS[place - 1]})
        for each in ratings
        if each.rating.annotator_id in annotators and not each.waits
        for place, end, text in (
            (0, "", whole),
            *((place, f"-{place}", letter) for place in each.places),
        )
    ]


def _concerns(shown: Item, ratings: list[Given], current: Json) -> dict[str, Any]:
    """Return skips and flags, oldest first: all, and by column of the table.

    The columns are the ratings, then whoever skipped or flagged the item and has not rated it.
    """
    there = shown.concerns.with_what_was_done()
    every = list(
        there.prefetch_related("annotator", "decided_by", "lease").order_by("raised_at", "pk")
        if shown.concerns.exists()
        else ()
    )
    rated = [each.rating.annotator_id for each in ratings]
    others = {each.annotator_id: each for each in every if each.annotator_id not in rated}
    response = current.get("response", 0)
    return {
        "concerns": every,
        "undecided": [each for each in every if not each.decision],
        "others": [str(each.annotator) for each in others.values()],
        "letters": current.get("letters", [])
        + [each.lease.letters.get(response, "") for each in others.values()],
        "raised": [
            [each for each in every if each.annotator_id == key] for key in (*rated, *others)
        ],
    }


def _show(
    request: Request,
    shown: Item,
    form: SendBackForm | None = None,
    *,
    drop: DropForm | None = None,
    refused: tuple[Concern, DecisionForm] | None = None,
) -> HttpResponse:
    project = shown.project
    ratings = ratings_of(shown)
    names = ModelNames(request, project)
    targets = targets_of(shown, project.rubric.schema, ratings, names)
    asked = request.POST.get("target") or request.GET.get("target")
    current = next((each for each in targets if each["key"] == asked), next(iter(targets), None))
    choices = _open(shown, ratings)
    # Its choices take queries, so it is made only for a list that is filtered or sorted.
    of_list = (
        ItemFilterForm(project, request.GET, shows_models=names.shown)
        if ItemFilterForm.is_sent(request.GET)
        else None
    )
    in_list = (of_list.wanted, of_list.order) if of_list and of_list.is_valid() else ()
    before, after = neighbours(shown, *in_list)
    address = reverse("tasks:item", args=[project.slug, shown.pk])
    return render(
        request,
        "tasks/item_ratings.html",
        {
            "project": project,
            "ratings": ratings,
            "targets": targets,
            "current": current,
            "shows_models": names.shown,
            "from_list": of_list.query if of_list else "",
            "form": form or (SendBackForm(choices) if choices else None),
            "rated_here": any(not each.rating.rater for each in ratings),
            **_concerns(shown, ratings, current or {}),
            "drop": drop or DropForm(),
            "refused": refused,
            "waiting": [each.name for each in ratings if each.waits],
            "text": as_html(current["text"], f"r{current['key']}", address)
            if current and current["text"]
            else "",
            **shown_texts(shown, address),
            "before": before,
            "after": after,
        },
    )
