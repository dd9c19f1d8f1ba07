"""The rows of the file `ratings`: one for each target of a rating, with all its scores.

`rows.select` calls `select_ratings`. The file `scores` has a row for each score; here the scores of
a target stand side by side:

    rating  response  quality  quality.honest  tone
    81      204       5        yes             3
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

# It takes the place of the table of scores in `score_rows`: a row for each target of a rating, with
# objects by dimension, such as scores {"quality": 5, "tone": 3}. A target without a response is the
# candidate set of a model.
_TARGETS = sql.SQL("""(
      SELECT rating_id, response_id, min(unit) AS unit, min(model) AS model,
        min(position) AS position, min(id) AS id,
        jsonb_object_agg(dimension, value) AS scores,
        jsonb_object_agg(dimension, without) AS without,
        jsonb_object_agg(dimension, checks) AS checks,
        string_to_array(string_agg(NULLIF(array_to_string(breaks, ';'), ''), ';'), ';') AS breaks
      FROM tasks_score WHERE project_id = {project_id}
      GROUP BY rating_id, response_id, CASE WHEN response_id IS NULL THEN model END
    )""")


def select_ratings(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    """Return what an export of ratings selects."""
    targets = _TARGETS.format(project_id=sql.Literal(project.pk))
    rows = score_rows(
        "project_id",
        project.pk,
        NO_CHECKS,
        score_table=targets,
        all_revisions=options.revisions,
        filters=filters,
    )
    place = RATINGS.index(POSITION) + 1
    columns = [*RATINGS[:place], *_columns_of_dimensions(rubrics), *RATINGS[place:]]
    return Selection(columns, rows, SCORES_IN_ORDER)


def _columns_of_dimensions(rubrics: Iterable[Rubric]) -> list[Column]:
    """Return the columns of each dimension: those of its score, and one for each of its checks.

    Several versions may have a dimension or a column; each is there once. The order is that of the
    first rubric, which is the newest. A column is as the last rubric that has it says.
    """
    columns_by_dimension: dict[str, dict[str, Column]] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.parts:
            columns = columns_by_dimension.setdefault(dimension.code, {})
            for column in of_dimension(dimension):
                columns[column.name] = column
    all_columns: list[Column] = []
    for columns in columns_by_dimension.values():
        all_columns += columns.values()
    return all_columns
