"""How many cases of projects are open, for the pages that name the number: cheap at any size.

The counts by kind are added up (`case_counts.py`), unless a check alone can make a case: then no
count tells the number. To look at all cases takes 100 ms and more at a million ratings, so it is
that of the widest cases alone, and may be too small.
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
    if not projects:
        return {}
    waiting = _waiting_numbers(projects)
    numbers = {project.pk: OpenCases(0) for project in projects}
    for project, number, looked_at in all_rows(*_statement(projects)):
        number_open = max(0, number - waiting.get(project, 0))
        numbers[project] = OpenCases(number_open, is_exact=looked_at <= LOOKED_AT)
    return numbers


def _statement(projects: Iterable[Project]) -> tuple[str, list[Any]]:
    """Return the statement for the numbers, and its values.

    Its rows are a project, how many of its cases are open if no question waits, and how many were
    looked at: 0 if the cases are counted.
    """
    parts = []
    values: list[Any] = []
    for project in projects:
        if are_counted(project):
            statement, parameters = counts_statement(project)
            columns = "coalesce(sum(cases) FILTER (WHERE state = 'open'), 0)::bigint, 0"
        else:
            statement, parameters = _widest_entries(project)
            columns = "count(*) FILTER (WHERE is_open), count(*)"
        parts.append(f"SELECT %s, {columns} FROM ({statement}) AS kind")  # noqa: S608
        values += [project.pk, *parameters]
    return " UNION ALL ".join(parts), values


def _widest_entries(project: Project) -> tuple[str, tuple[Any, ...]]:
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
