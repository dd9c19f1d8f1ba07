"""The page of an item: its texts, all its ratings, and the panel with the history."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from config.web.requests import Request
from tasks.cases.case import cases_of
from tasks.cases.history import HistoryEntry, Naming, TargetNames, history_of_item
from tasks.cases.rating_views import RatingView, ratings_of
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Concern, Item

from .forms import ItemFilterForm
from .listing import neighbours
from .panel import Panel, PanelData, panel_of
from .side_by_side import TargetView, targets_of
from .small_forms import DropForm
from .texts import as_html, item_texts


@dataclass(frozen=True)
class ItemPage:
    """An item as the request of a lead finds it."""

    request: Request
    item: Item

    @cached_property
    def names(self) -> ModelNames:
        return ModelNames(self.request, self.item.project)

    @cached_property
    def ratings(self) -> list[RatingView]:
        return ratings_of(self.item)

    @cached_property
    def targets(self) -> list[TargetView]:
        """The responses and the candidate sets."""
        rubric = self.item.project.rubric.schema
        return targets_of(self.item, rubric, self.ratings, self.names)

    @cached_property
    def current(self) -> TargetView | None:
        """The target that is asked for, else the first one, if there is any."""
        key = self.request.POST.get("target") or self.request.GET.get("target")
        for target in self.targets:
            if target.key == key:
                return target
        return self.targets[0] if self.targets else None

    @cached_property
    def concerns(self) -> list[Concern]:
        """The skips and flags, oldest first."""
        if not self.item.concerns.exists():
            return []
        related = ("annotator", "decided_by", "lease")
        rows = self.item.concerns.with_what_was_done().prefetch_related(*related)
        return list(rows.order_by("raised_at", "pk"))

    def panel(self, data: QueryDict, chosen: str) -> Panel:
        """Return the panel. `data`: what was sent; `chosen`: the act, "" for the usual first."""
        cases = cases_of(self.item, self.current.scored, self.ratings) if self.current else []
        sent = PanelData(data, chosen)
        return panel_of(self.item, self.ratings, cases, self.concerns, sent)

    def history(self, now: datetime) -> list[HistoryEntry]:
        """Return the history of all targets."""
        scored = self.item.project.rubric.schema.scored_dimensions
        dimensions = {code: dimension.title for code, dimension in scored.items()}
        names = {target.scored: target.name for target in self.targets}
        return history_of_item(
            self.item,
            self.ratings,
            self.concerns,
            naming=Naming(self.request.user),
            target_names=TargetNames(
                names if len(names) > 1 else {}, dimensions if len(dimensions) > 1 else {}
            ),
            now=now,
        )


@dataclass(frozen=True)
class ConcernColumns:
    """The skips and flags of an item by column of the table of ratings."""

    other_people: list[str]
    letters: list[str]
    concerns_by_column: list[list[Concern]]


@dataclass(frozen=True)
class PlaceInList:
    """The list that one came from as a query, and the items before and after one."""

    from_list: str
    before: int | None  # keys
    after: int | None


def render_item(
    page: ItemPage, panel: Panel | None = None, drop: DropForm | None = None
) -> HttpResponse:
    """Answer with the page of an item; `panel`, `drop`: forms that were refused."""
    request = page.request
    item = page.item
    project = item.project
    current = page.current
    address = reverse("tasks:item", args=[project.slug, item.pk])
    text = None
    if current and current.text:
        text = as_html(current.text, f"r{current.key}", address)
    if panel is None:
        panel = page.panel(QueryDict(), request.GET.get("act", ""))
    context = {"project": project, "ratings": page.ratings, "targets": page.targets}
    context["current"] = current
    context["text"] = text
    context["shows_models"] = page.names.are_visible
    context["panel"] = panel
    context["history"] = page.history(timezone.now())
    context["drop"] = drop or DropForm()
    context["concerns"] = page.concerns
    context["has_waiting_concerns"] = any(not concern.decision for concern in page.concerns)
    context["waiting"] = [view.name for view in page.ratings if view.waits]
    context["rated_here"] = any(not view.rating.rater for view in page.ratings)
    context |= vars(_concern_columns(page))
    context |= vars(item_texts(item, address))
    context |= vars(_place_in_list(page))
    return render(request, "tasks/item_pages/item_ratings.html", context)


def _concern_columns(page: ItemPage) -> ConcernColumns:
    """Return skips and flags by column of the table.

    The columns are the ratings, then whoever skipped or flagged the item and has not rated it.
    """
    raters = [view.rating.annotator_id for view in page.ratings]
    last_of_others: dict[int, Concern] = {}
    for concern in page.concerns:
        if concern.annotator_id not in raters:
            last_of_others[concern.annotator_id] = concern
    response = page.current.response if page.current else 0
    letters = list(page.current.letters) if page.current else []
    for concern in last_of_others.values():
        letters.append(concern.lease.letters.get(response, ""))
    by_column = []
    for person in (*raters, *last_of_others):
        theirs = [concern for concern in page.concerns if concern.annotator_id == person]
        by_column.append(theirs)
    other_people = [str(concern.annotator) for concern in last_of_others.values()]
    return ConcernColumns(other_people, letters, by_column)


def _place_in_list(page: ItemPage) -> PlaceInList:
    """Return the list that one came from as a query, and the items before and after this one."""
    item = page.item
    query = page.request.GET
    # The choices of the form take queries: it is made only for a list that is filtered or sorted.
    if not ItemFilterForm.is_sent(query):
        before, after = neighbours(item)
        return PlaceInList("", before, after)
    form = ItemFilterForm(item.project, query, shows_models=page.names.are_visible)
    in_list = (form.wanted, form.order) if form.is_valid() else ()
    before, after = neighbours(item, *in_list)
    return PlaceInList(form.query, before, after)
