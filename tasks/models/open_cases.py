"""How many cases of projects are open, for the pages that name the number: cheap at any size.

The counts by kind are added up. No count tells how many there are if a check alone can make a case.
To look at all cases takes 100 ms and more at a million ratings, and every page of a project names
the number. So it is that of the widest cases alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Case, Count, Q, Value, When

from config.web.raw_sql import all_rows

from .case_counts import are_counted, counts_statement
from .case_entries import CaseEntry
from .case_kinds import CaseState, in_state
from .projects import Project

# Undecided entries of a project, the widest first. They take some 10 to 20 ms, and
# hardly a project of up to 30,000 ratings has more.
LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class OpenCases:
    """The number of a project's open cases."""

    number: int
    is_exact: bool = True  # False: there may be more

    def __bool__(self) -> bool:
        return self.number > 0


def open_cases(project: Project) -> OpenCases:
    """Return how many cases of a project are open."""
    return open_cases_of([project])[project.pk]


def counted_open_cases(project: Project) -> OpenCases:
    """Return how many cases of a project are open, and look at all before it says that none is.

    It takes 100 ms and more in a very large project where a check alone makes a case.
    """
    cases = open_cases(project)
    if cases or cases.is_exact:
        return cases
    waiting = CaseEntry.objects.waiting_keys(project)
    entries = CaseEntry.objects.filter(project=project)
    return OpenCases(entries.in_state(CaseState.OPEN, project, waiting).count())


def open_cases_of(projects: Sequence[Project]) -> dict[int, OpenCases]:
    """Return how many cases are open, by project; it takes two or three queries for all of them."""
    numbers = {project.pk: OpenCases(0) for project in projects}
    if not projects:
        return numbers
    numbers_waiting = _waiting_numbers(projects)
    for project, number, looked_at in _parts(projects):
        is_exact = looked_at <= LOOKED_AT
        numbers[project] = OpenCases(max(0, number - numbers_waiting.get(project, 0)), is_exact)
    return numbers


def _parts(projects: Iterable[Project]) -> list[tuple[Any, ...]]:
    """Return each project with how many cases are open if no question waits, and of how many.

    The second number is 0 for a project whose cases are counted: none of them is looked at.
    """
    parts = []
    values: list[Any] = []
    for project in projects:
        if are_counted(project):
            statement, parameters = counts_statement(project)
            counted = "coalesce(sum(cases) FILTER (WHERE state = 'open'), 0)::bigint, 0"
        else:
            statement, parameters = _first_entries(project)
            counted = "count(*) FILTER (WHERE is_open), count(*)"
        parts.append(f"SELECT %s, {counted} FROM ({statement}) AS kind")  # noqa: S608
        values += [project.pk, *parameters]
    return all_rows(" UNION ALL ".join(parts), values)


def _first_entries(project: Project) -> tuple[str, tuple[Any, ...]]:
    """Return the statement for the widest undecided cases, each with its state if nobody asked."""
    is_open = Case(
        When(in_state(CaseState.OPEN, project, ()), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    undecided = CaseEntry.objects.of_project(project).filter(decision=CaseEntry.Decision.NONE)
    entries = undecided.annotate(is_open=is_open)
    return entries.values("is_open")[: LOOKED_AT + 1].query.sql_with_params()


def _waiting_numbers(projects: Iterable[Project]) -> dict[int, int]:
    """Return how many cases would be open if nothing was asked about them, by project."""
    waiting = CaseEntry.objects.waiting_keys(*projects)
    if not waiting:
        return {}
    are_open = Q()
    for project in projects:
        are_open |= Q(project=project) & in_state(CaseState.OPEN, project, ())
    cases = CaseEntry.objects.filter(are_open, pk__in=waiting).order_by()
    return dict(cases.values_list("project").annotate(Count("pk")))
