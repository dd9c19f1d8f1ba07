"""The rows of items: figures of each target in a dimension, its final score and the decision.

`rows` selects them. The figures come from `tasks.final_scores`; here they are joined to the items,
and to the decision that stands.
"""

from collections.abc import Sequence

from psycopg import sql

from rubrics.models import Rubric
from tasks.final_scores.figures import ANSWERS_SEEN, figures_of_targets
from tasks.models import Project
from tasks.models.counting import CURRENT

from .columns import FINAL, FINAL_OR_MEDIAN, ITEMS
from .filters import Filters
from .options import Options
from .score_rows import SCORE_FILTERS
from .selection import PEOPLE, Selection

# The decision that stands is the last one on a target, unless that takes the one before back.
# Scores from before the answers were shown decide nothing. A decision stays when the project moves
# to another version of the rubric.
_FROM = sql.SQL("""
    FROM ({figures}) AS score
    LEFT JOIN (
      SELECT DISTINCT ON (item_id, dimension, response_id, model) last.*,
        decided_by.version AS rubric_version
      FROM tasks_scoredecision AS last
        JOIN rubrics_rubric AS decided_by ON decided_by.id = last.rubric_id
      WHERE project_id = {key} AND source <> 'first'
      ORDER BY item_id, dimension, response_id, model, revision DESC
    ) AS decision ON decision.item_id = score.item_id AND decision.dimension = score.dimension
      AND decision.response_id IS NOT DISTINCT FROM score.response_id
      AND (score.response_id IS NOT NULL OR decision.model = score.model)
      AND decision.source <> 'withdrawn' AND score.final_source IS NOT NULL
    LEFT JOIN LATERAL (
      SELECT decision.seen IS DISTINCT FROM {seen} AS has_changed
    ) AS since ON decision.id IS NOT NULL
    LEFT JOIN {people} AS decider ON decider.id = decision.decided_by_id
    JOIN tasks_item AS item ON item.id = score.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = item.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = score.rubric_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id""")
_IN_ORDER = sql.SQL("""
    ORDER BY batch.position, item.position, response.position, score.model, score.dimension,
      rubric.slug, rubric.version""")


def select_items(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    """Return what an export of items selects. Its figures are of the ratings that are current."""
    columns = list(ITEMS)
    if options.open_median:
        columns[columns.index(FINAL)] = FINAL_OR_MEDIAN
    only = filters.where(SCORE_FILTERS, CURRENT)
    rows = _FROM.format(
        figures=figures_of_targets(project, rubrics, only),
        key=sql.Literal(project.pk),
        seen=ANSWERS_SEEN,
        people=PEOPLE,
    )
    return Selection(columns, rows, _IN_ORDER)
