"""How many cases there are of each kind, so that no page counts them one by one.

The database adds rows whenever entries of cases come, change or go (sql/case_counts.sql). Nobody
waits for anybody, and the sum is right at every moment. The worker makes one row of those of a
kind.
"""

from functools import lru_cache
from typing import Any

from django.db import models
from django.db.models import Q, Sum

from config.web.raw_sql import all_rows, one_row, run

from .case_kinds import CaseKind, StateNumbers, counted_state, numbers_in
from .projects import Project

KIND = (
    "project_id, batch_id, model, dimension, spread, first_spread, is_mixed, was_mixed, "
    "is_forced_apart, is_complete, decision, is_seen, check_name"
)
ADD_UP = f"""
WITH several AS (
  SELECT array_agg(id) AS ids FROM tasks_casecount WHERE project_id = %(project)s
  GROUP BY {KIND} HAVING count(*) > 1
), counted AS (
  DELETE FROM tasks_casecount USING several WHERE tasks_casecount.id = ANY(several.ids)
  RETURNING tasks_casecount.*
)
INSERT INTO tasks_casecount ({KIND}, number)
SELECT {KIND}, sum(number) FROM counted GROUP BY {KIND} HAVING sum(number) <> 0
"""  # noqa: S608 - of constants

WENT = "SELECT FROM tasks_casecount WHERE project_id = %(project)s AND number < 0 LIMIT 1"


class CaseCount(CaseKind):
    """Number of cases of one kind that came, or went if it is negative."""

    # A check that differs, as in `CaseEntry.checks`. Each case counts under "", and under each.
    check_name = models.TextField()
    number = models.IntegerField()

    class Meta:
        indexes = (
            models.Index(fields=("project", "check_name"), name="counts_of_a_projects_cases"),
            # All that were added up are positive.
            models.Index(
                fields=("project",), condition=Q(number__lt=0), name="counts_of_cases_that_went"
            ),
        )


def add_up_cases(project: Project, *, came: bool) -> None:
    """Make one row of those that count cases of the same kind; `came`: since the last time."""
    if came or one_row(WENT, {"project": project.pk}) is not None:
        run(ADD_UP, {"project": project.pk})


def are_counted(project: Project) -> bool:
    """Return True if the counts tell a project's cases: no check alone makes one."""
    return not project.disputed_checks


def case_numbers(project: Project, *, check: str = "", **kind: Any) -> StateNumbers:
    """Return how many cases of a kind there are by state, and by seen or concluded.

    Questions that wait play no part. `check`: one that differs.
    """
    statement, values = counts_statement(project, check_name=check, **kind)
    return numbers_in(all_rows(statement, values))


def counts_statement(
    project: Project, *, check_name: str = "", **kind: Any
) -> tuple[str, tuple[Any, ...]]:
    """Return the statement for `case_numbers` and its values."""
    thresholds = tuple(project.thresholds.items())
    return _remembered_statement(project, thresholds, (("check_name", check_name), *kind.items()))


@lru_cache(maxsize=256)
def _remembered_statement(
    project: Project, _thresholds: tuple[object, ...], kind_values: tuple[tuple[str, Any], ...]
) -> tuple[str, tuple[Any, ...]]:
    """Return the statement. It is remembered: the ORM takes longer to make it than to run it."""
    counts = CaseCount.objects.filter(project=project, **dict(kind_values))
    by_state = counts.annotate(state=counted_state(project)).values("state", "is_seen")
    return by_state.annotate(cases=Sum("number")).query.sql_with_params()
