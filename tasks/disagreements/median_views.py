"""The page that settles cases of one spread by their medians, and takes that back."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from config.web.decorators import redirect_get_to
from config.web.people import User
from config.web.requests import Request
from tasks.cases.bulk_decisions import (
    BulkDecision,
    Settled,
    Undone,
    bulk_decisions,
    settle_by_medians,
    take_back_at_once,
)
from tasks.cases.history import Naming
from tasks.cases.medians import MOST, MedianCase, MedianList, cases_with_median, median_list
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import settled
from tasks.models import Project, Rating
from tasks.models.item_list import ItemFilter, missing_since

from .median_form import MedianForm, SpreadForm

BARRED_SHOWN = 100


@dataclass(frozen=True)
class MedianPage:
    """The cases of one spread, and what was decided at once before."""

    project: Project
    spreads: SpreadForm
    cases: MedianList | None
    barred_cases: Sequence[MedianCase]  # the first ones
    median_form: MedianForm | None
    bulk_decisions: list[tuple[str, BulkDecision]]  # each after the name of who decided
    fresh: Freshness
    hides_answers: bool  # whoever decides enters a score first
    has_dimensions: bool  # more than one with scores
    rated_items: frozenset[int]  # keys of those that the reader rated
    most: int = MOST
    barred_shown: int = BARRED_SHOWN


@settled
def settle_by_median(request: Request, project: Project) -> HttpResponse:
    """List the cases of a spread with their medians, and settle what was listed."""
    if request.method != "POST" or project.decides_first:
        return _page(request, project)
    form = MedianForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form)
    outcome = settle_by_medians(
        project,
        form.cleaned_data["cases"],
        reason=form.cleaned_data["reason"],
        by=request.user,
        now=timezone.now(),
    )
    _tell_of_settled(request, outcome)
    return redirect("tasks:settle_by_median", project.slug)


@redirect_get_to("tasks:settle_by_median", "slug")
@settled
def take_medians_back(request: Request, project: Project, bulk: UUID) -> HttpResponse:
    """Take back what was decided at once."""
    undone = take_back_at_once(project, bulk, by=request.user, now=timezone.now())
    _tell_of_undone(request, undone)
    return redirect("tasks:settle_by_median", project.slug)


def _page(request: Request, project: Project, sent: MedianForm | None = None) -> HttpResponse:
    numbers = cases_with_median(project).numbers_by_spread()
    spreads = SpreadForm(numbers, request.GET)
    cases = form = None
    if spreads.chosen is not None and not project.decides_first:
        cases = median_list(project, spreads.chosen)
        form = MedianForm.listing(cases.offered)
        if sent is not None:
            form.initial["reason"] = sent.data.get("reason", "")
    page = MedianPage(
        project=project,
        spreads=spreads,
        cases=cases,
        barred_cases=cases.barred[:BARRED_SHOWN] if cases else (),
        median_form=form,
        bulk_decisions=_bulk_decisions(request.user, project),
        fresh=Freshness(missing_since(project, ItemFilter()), timezone.now()),
        hides_answers=project.decides_first,
        has_dimensions=len(project.thresholds) > 1,
        rated_items=_rated_items(request.user, cases) if cases else frozenset(),
    )
    context = {**vars(page), "refused": sent}
    return render(request, "tasks/disagreements/medians.html", context)


def _bulk_decisions(reader: User, project: Project) -> list[tuple[str, BulkDecision]]:
    """Return what was decided at once, and by whom: an adjudicator reads no name."""
    naming = Naming(reader, shows_people=not project.as_adjudicator)
    made = bulk_decisions(project)
    return [(naming.decider(decision.decided_by), decision) for decision in made]


def _rated_items(user: User, cases: MedianList) -> frozenset[int]:
    """Return the keys of the listed items of which an answer is by this person."""
    listed = {case.item.pk for case in (*cases.offered, *cases.barred[:BARRED_SHOWN])}
    ratings = Rating.objects.of_person(user).counting().current().filter(item__in=listed)
    return frozenset(ratings.values_list("item", flat=True))


def _tell_of_settled(request: Request, outcome: Settled) -> None:
    if outcome.settled:
        words = ngettext(
            "%(number)s case is settled by its median.",
            "%(number)s cases are settled by their medians.",
            outcome.settled,
        )
        messages.success(request, words % {"number": outcome.settled})
    if outcome.changed:
        words = ngettext(
            "%(number)s case changed meanwhile and was left as it is.",
            "%(number)s cases changed meanwhile and were left as they are.",
            outcome.changed,
        )
        messages.warning(request, words % {"number": outcome.changed})


def _tell_of_undone(request: Request, undone: Undone) -> None:
    if undone.withdrawn:
        words = ngettext(
            "%(number)s decision is taken back.",
            "%(number)s decisions are taken back.",
            undone.withdrawn,
        )
        messages.success(request, words % {"number": undone.withdrawn})
    if undone.decided_anew:
        words = ngettext(
            "%(number)s case was decided anew since, or taken back: that stays.",
            "%(number)s cases were decided anew since, or taken back: that stays.",
            undone.decided_anew,
        )
        messages.warning(request, words % {"number": undone.decided_anew})
    if not undone.withdrawn and not undone.decided_anew:
        messages.warning(request, _("There is nothing to take back."))
