"""The page of cases by clause, and of what was decided among the answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.requests import Request
from rubrics.judging.dimension import Dimension
from tasks.agreement.measures import percent
from tasks.agreement.page_result import names_for_leads
from tasks.cases.clause_figures import ClauseFigures, differing_cases
from tasks.cases.decision_figures import DecisionFigures, decision_figures
from tasks.cases.distances import LEAST, MeanDistance
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import settled
from tasks.lead_pages.printed_means import PrintedMean
from tasks.models import Project
from tasks.models.item_list import ItemFilter, missing_since


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """A row of the table, with its share as it is printed."""

    clause: ClauseFigures
    share: str


@dataclass(frozen=True, slots=True)
class DistanceLine:
    """A person's distances to what was decided; None where there are too few scores."""

    name: str
    number: int
    signed: PrintedMean | None
    absolute: PrintedMean | None


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """How often the decided score was one of the answers."""

    answer: str
    number: int
    share: str


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """The figures of a dimension, as they are printed; no rows for too few decisions."""

    dimension: Dimension
    number: int
    shares: Sequence[AnswerShare]
    distance_lines: Sequence[DistanceLine]


@require_safe
@settled
def cases_by_clause(request: Request, project: Project) -> HttpResponse:
    """Show the cases by clause, and below them how the decisions lie among the answers."""
    cases = differing_cases(project)
    clause_rows = []
    for figures in cases.clauses:
        clause_rows.append(ClauseLine(figures, percent(cases.share(figures))))
    shows_people = not project.as_adjudicator
    context = {
        "project": project,
        "cases": cases,
        "clause_rows": clause_rows,
        "decision_tables": _decision_tables(project, with_people=shows_people),
        "shows_people": shows_people,
        "least": LEAST,
        "fresh": Freshness(missing_since(project, ItemFilter()), timezone.now()),
    }
    return render(request, "tasks/disagreements/by_clause.html", context)


def _decision_tables(project: Project, *, with_people: bool) -> list[DecisionTable]:
    tables = []
    for figures in decision_figures(project, with_people=with_people):
        shares: list[AnswerShare] = []
        if figures.are_enough:
            shares += _shares(figures)
        people = _person_rows(project, figures)
        tables.append(DecisionTable(figures.dimension, figures.number, shares, people))
    return tables


def _shares(decision_figures: DecisionFigures) -> Iterator[AnswerShare]:
    numbers = {
        _("the median"): decision_figures.median,
        _("the highest score"): decision_figures.highest,
        _("the lowest score"): decision_figures.lowest,
        _("none of the scores"): decision_figures.none,
    }
    for answer, number in numbers.items():
        yield AnswerShare(answer, number, percent(number / decision_figures.number))


def _person_rows(project: Project, decision_figures: DecisionFigures) -> list[DistanceLine]:
    """Return a row for each person, in the order of the names."""
    people = {person.person: person for person in decision_figures.distances}
    names = names_for_leads(project, people) if people else {}
    rows = []
    for number, name in names.items():
        person = people[number]
        signed = _printed(person.signed)
        absolute = _printed(person.absolute)
        rows.append(DistanceLine(name, person.number, signed, absolute))
    return rows


def _printed(mean: MeanDistance | None) -> PrintedMean | None:
    return PrintedMean.of(mean.value, mean.low, mean.high) if mean else None
