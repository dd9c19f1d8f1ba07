"""The rows of ratings: one for each target of a rating, with a column for each of its checks.

`rows` selects them. They are the rows of scores, from a table that has one row for all scores of a
target.
"""

from collections.abc import Iterable, Sequence

from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Project

from .column_types import Column
from .columns import POSITION, RATINGS
from .filters import Filters
from .options import Options
from .project_columns import of_dimension
from .score_rows import NO_CHECKS, SCORES_IN_ORDER, score_rows
from .selection import Selection

# All scores that a rating gives to a target, in place of the table of scores.
_TARGETS = sql.SQL("""(
      SELECT rating_id, response_id, min(unit) AS unit, min(model) AS model,
        min(position) AS position, min(id) AS id,
        jsonb_object_agg(dimension, value) AS scores,
        jsonb_object_agg(dimension, without) AS without,
        jsonb_object_agg(dimension, checks) AS checks,
        string_to_array(string_agg(NULLIF(array_to_string(breaks, ';'), ''), ';'), ';') AS breaks
      FROM tasks_score WHERE project_id = {key}
      GROUP BY rating_id, response_id, CASE WHEN response_id IS NULL THEN model END
    )""")


def select_ratings(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    """Return what an export of ratings selects."""
    rows = score_rows(
        "project_id",
        project.pk,
        NO_CHECKS,
        score_table=_TARGETS.format(key=sql.Literal(project.pk)),
        all_revisions=options.revisions,
        filters=filters,
    )
    after_position = RATINGS.index(POSITION) + 1
    columns = [*RATINGS]
    columns[after_position:after_position] = _columns_of_dimensions(rubrics)
    return Selection(columns, rows, SCORES_IN_ORDER)


def _columns_of_dimensions(rubrics: Iterable[Rubric]) -> list[Column]:
    """Return a column for each dimension and check of any version, in the newest one's order."""
    by_dimension: dict[str, dict[str, Column]] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.parts:
            by_name = by_dimension.setdefault(dimension.code, {})
            for column in of_dimension(dimension):
                by_name[column.name] = column
    all_columns: list[Column] = []
    for by_name in by_dimension.values():
        all_columns += by_name.values()
    return all_columns
