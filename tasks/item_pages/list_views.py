"""The list of a project's items."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.requests import Request
from tasks.item_pages.listing import ListPage, listed_items
from tasks.item_pages.sort_keys import is_sort_key
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import led
from tasks.lead_pages.model_names import ModelNames
from tasks.lead_pages.ramp import ramp
from tasks.models import Batch, Project
from tasks.models.item_list import MOST_COUNTED, missing_since

from .forms import ItemFilterForm
from .small_forms import ListForm


@dataclass(frozen=True)
class FreshList:
    """A page of the list, and how fresh it is."""

    page: ListPage
    most_counted: int
    fresh: Freshness


@require_safe
@led
def items(request: Request, project: Project) -> HttpResponse:
    """List the items that the address asks for, with their scores, and how far each batch is."""
    names = ModelNames(request, project)
    batches = list(project.batches.with_progress())
    form = ItemFilterForm(
        project, request.GET, shows_models=names.are_visible, loaded_batches=batches
    )
    context = {"project": project, "form": form}
    context["size"] = sum(batch.size for batch in batches)
    context["folds"] = list(_folds(batches))
    context["shows_models"] = form.shows_models
    context["ramp"] = ramp(form.listed_dimension)
    context["from_list"] = form.query
    if form.is_valid():
        context |= vars(_fresh_list(request, form, names))
    return render(request, "tasks/item_pages/items.html", context)


def _folds(batches: Iterable[Batch]) -> Iterator[tuple[list[Batch], dict[str, int]]]:
    """Yield the batches that are not closed, then the closed ones, each with their sums."""
    closed: list[Batch] = []
    others: list[Batch] = []
    for batch in batches:
        fold = closed if batch.status == Batch.Status.CLOSED else others
        fold.append(batch)
    for fold in (others, closed):
        if fold:
            yield fold, _total(fold)


def _total(batches: Iterable[Batch]) -> dict[str, int]:
    total = Counter[str]()
    for batch in batches:
        total["item_count"] += batch.item_count
        total["finished_count"] += batch.finished_count
        total["counted"] += batch.counted
        total["wanted"] += batch.wanted
    return total


def _fresh_list(
    request: Request, filter_form: ItemFilterForm, model_names: ModelNames
) -> FreshList:
    """Return a page of the list, and how fresh it is."""
    position = ListForm(request.GET).position
    if not is_sort_key(filter_form.order, position.after or position.before):
        messages.error(request, _("This page of the list does not exist. You see the first page."))
    dimension = filter_form.listed_dimension
    project = filter_form.project
    wanted = filter_form.wanted
    sort = filter_form.order
    page = listed_items(
        project, dimension, model_names, wanted=wanted, sort=sort, position=position
    )
    if filter_form.shows_models:
        filter_form.offer_models(sorted(model_names.numbers))
    since = missing_since(project, wanted)
    fresh = Freshness(since, timezone.now())
    return FreshList(page, MOST_COUNTED, fresh)
