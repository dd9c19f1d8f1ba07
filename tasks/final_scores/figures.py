"""The figures of each target's scores in a dimension, and the final score, as a query.

Exports and the pages of cases select from it, so that both say the same.
"""

import json
from collections.abc import Sequence

from psycopg import sql

from rubrics.judging.disagreement import thresholds_of
from rubrics.judging.kinds import Better
from rubrics.models import Rubric
from tasks.models import Project
from tasks.models.case_answers import DIGEST
from tasks.models.counting import CURRENT, FILLING, RATERS

# The final score by the scores alone, where there is one.
FINAL_OF_SCORES = """CASE WHEN score.final_source IN ('single', 'agreed') THEN score.lowest
      WHEN score.final_source = 'near' THEN score.lower_median END"""
# Where the final score comes from, by the scores alone, in this order. “Not applicable” is one more
# answer. `thresholds` has the spread from which scores differ, by rubric and dimension.
_FINAL_SOURCE = sql.SQL("""CASE
          WHEN bool_or(item.dropped) THEN NULL
          WHEN count(*) < min(item.wanted) THEN 'incomplete'
          WHEN count(*) = 1 THEN 'single'
          WHEN min(score.value) = max(score.value) AND count(score.value) = count(*)
            OR count(score.value) = 0 AND min(score.without) = max(score.without) THEN 'agreed'
          WHEN count(score.value) = count(*) AND max(score.value) - min(score.value)
            < ({thresholds}::jsonb ->> concat(rating.rubric_id, ' ', score.dimension))::int
            THEN 'near'
          ELSE 'open' END""")
# The digest of the answers that count on the target of a row of figures.
ANSWERS_SEEN = sql.SQL("""(
      SELECT {digest}
      FROM tasks_score AS given JOIN tasks_rating AS rating ON rating.id = given.rating_id
      LEFT JOIN tasks_placement AS placement
        ON placement.rating_id = rating.id AND placement.response_id = given.response_id
      WHERE rating.item_id = score.item_id AND given.dimension = score.dimension
        AND given.response_id IS NOT DISTINCT FROM score.response_id
        AND (score.response_id IS NOT NULL OR given.model = score.model)
        AND {filling} AND {current})""").format(
    digest=DIGEST.format(score=sql.SQL("given")), filling=FILLING, current=CURRENT
)
# mode() takes the first of several values that are equally frequent.
_FIGURES = sql.SQL("""
      SELECT rating.item_id, rating.rubric_id, score.response_id, score.dimension,
        min(score.unit) AS unit, min(score.model) AS model, count(score.value) AS n,
        avg(score.value) FILTER (WHERE {has_order})::float8 AS mean,
        stddev_samp(score.value) FILTER (WHERE {has_order})::float8 AS sd,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY score.value) FILTER (WHERE {has_order})
          AS median,
        CASE mode() WITHIN GROUP (ORDER BY score.value)
          WHEN mode() WITHIN GROUP (ORDER BY score.value DESC)
          THEN mode() WITHIN GROUP (ORDER BY score.value) END AS majority,
        min(score.value) AS lowest,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY score.value) FILTER (WHERE {has_order})
          AS lower_median,
        CASE WHEN count(score.value) = 0 AND min(score.without) = max(score.without)
          THEN min(score.without) ELSE '' END AS without,
        {source} AS final_source
      FROM tasks_score AS score
      JOIN tasks_rating AS rating ON rating.id = score.rating_id
      JOIN tasks_item AS item ON item.id = rating.item_id
      LEFT JOIN tasks_response AS response ON response.id = score.response_id
      {raters}
      WHERE rating.project_id = {key} AND {filling} {only}
      GROUP BY rating.item_id, rating.rubric_id, score.response_id, score.dimension,
        CASE WHEN score.response_id IS NULL THEN score.model END""")


def figures_of_targets(
    project: Project, rubrics: Sequence[Rubric], only: sql.Composable
) -> sql.Composable:
    """Return the query for a row of figures for each target in a dimension."""
    without_order = []
    thresholds = {}
    for rubric in rubrics:
        for code, threshold in thresholds_of(rubric.schema, project.chosen_thresholds).items():
            thresholds[f"{rubric.pk} {code}"] = (
                threshold  # as SQL has it: concat(rubric, ' ', code)
            )
        for dimension in rubric.schema.dimensions:
            if dimension.better is Better.NONE:
                without_order.append(f"{rubric.pk} {dimension.code}")
    is_none_of = sql.SQL("concat(rating.rubric_id, ' ', score.dimension) <> ALL ({}::text[])")
    return _FIGURES.format(
        key=sql.Literal(project.pk),
        filling=FILLING,
        raters=RATERS,
        only=only,
        has_order=is_none_of.format(sql.Literal(without_order)),
        source=_FINAL_SOURCE.format(thresholds=sql.Literal(json.dumps(thresholds))),
    )
