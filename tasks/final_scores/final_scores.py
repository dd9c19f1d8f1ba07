"""The final scores of an item by its scores alone, as an export has them.

The pages of cases and of items ask here. A lead's decision comes before (`tasks/cases/case.py`).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from psycopg import sql

from config.web.raw_sql import rows_as
from rubrics.models import Rubric
from tasks.models import Item, Project
from tasks.models.counting import CURRENT

from .figures import ANSWERS_SEEN, FINAL_OF_SCORES, figures_of_targets


@dataclass(frozen=True, slots=True)
class FinalScore:
    """A final score, and where it comes from (docs/export.md, `final_source`)."""

    value: int | None
    source: str  # "" for a dropped item
    seen: str  # a digest of the answers
    without: str = ""  # why nobody gave a score, if all gave the same reason: a `Without`


class _FinalRow(NamedTuple):
    """A row of the statement below."""

    response_id: int | None
    model: str
    dimension: str
    value: int | None
    final_source: str | None
    seen: str
    without: str


def final_scores_of(item: Item) -> dict[tuple[int | str, str], FinalScore]:
    """Return the final scores by target and dimension; none where nobody has scored."""
    project = item.project
    chosen = tuple(sorted(project.chosen_thresholds.items()))
    statement = _statement(project, project.rubric, chosen)
    finals = {}
    for row in rows_as(_FinalRow, statement, {"item": item.pk}):
        target = row.model if row.response_id is None else row.response_id
        final = FinalScore(row.value, row.final_source or "", row.seen, row.without)
        finals[target, row.dimension] = final
    return finals


@lru_cache(maxsize=64)
def _statement(project: Project, rubric: Rubric, _chosen_thresholds: tuple[object, ...]) -> str:
    """Return the statement for the final scores of an item.

    It is remembered: to put it together takes as long as to run it. It depends on the thresholds.
    """
    only = sql.SQL(" AND {current} AND rating.item_id = %(item)s").format(current=CURRENT)
    statement = sql.SQL(
        "SELECT response_id, model, dimension, {final} AS value, final_source, {seen} AS seen, "
        "without FROM ({figures}) AS score"
    ).format(
        final=sql.SQL(FINAL_OF_SCORES),
        seen=ANSWERS_SEEN,
        figures=figures_of_targets(project, [rubric], only),
    )
    return statement.as_string()
