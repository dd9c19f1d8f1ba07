"""How decisions lie among the answers, and how far each person's scores are from what was decided.

The page “By clause” (`tasks/disagreements/clause_views.py`) shows these figures of a project.
Only decisions on single cases count: a median settled for many cases at once is the median by
itself. A case that changed since its decision is left out, because its answers are others now.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from psycopg import sql

from config.web.raw_sql import all_rows, rows_as
from rubrics.judging.case_figures import lower_median
from rubrics.judging.dimension import Dimension
from tasks.models import CaseEntry, Project
from tasks.models.counting import COUNTING, CURRENT, PERSON, RATERS

from .distances import LEAST, MeanDistance, mean_distance

# The decided cases, with the scores that people gave. A decision stands if it is the last one on
# its case; a score from before the answers were shown is none.
DECIDED = sql.SQL("""
WITH last AS (
  SELECT DISTINCT ON (item_id, dimension, response_id, model) *
  FROM tasks_scoredecision WHERE project_id = %(project)s AND source <> 'first'
  ORDER BY item_id, dimension, response_id, model, revision DESC
), decided AS (
  SELECT last.item_id, last.dimension, last.response_id, last.model, last.value, entry.values
  FROM last JOIN tasks_caseentry AS entry ON entry.item_id = last.item_id
    AND entry.dimension = last.dimension AND entry.response_id IS NOT DISTINCT FROM last.response_id
    AND (last.response_id IS NOT NULL OR entry.model = last.model)
  WHERE last.source IN ('answer', 'anew') AND last.value IS NOT NULL
    AND last.dimension = ANY(%(dimensions)s) AND entry.decision = %(stands)s
)
""")
CASES = DECIDED + sql.SQL("SELECT dimension, value, values FROM decided")
# Of one dimension, for each person and item: scores, and their distances from the decided ones.
DISTANCES = DECIDED + sql.SQL("""
SELECT {person} AS person, count(*) AS number, sum(score.value - decided.value) AS signed,
  sum(abs(score.value - decided.value)) AS absolute
FROM decided JOIN tasks_rating AS rating ON rating.item_id = decided.item_id
JOIN tasks_score AS score ON score.rating_id = rating.id AND score.dimension = decided.dimension
  AND score.response_id IS NOT DISTINCT FROM decided.response_id
  AND (decided.response_id IS NOT NULL OR score.model = decided.model) {raters}
WHERE {counting} AND {current} AND score.value IS NOT NULL
GROUP BY {person}, decided.item_id
ORDER BY {person}, decided.item_id
""").format(person=PERSON, raters=RATERS, counting=COUNTING, current=CURRENT)


@dataclass(frozen=True, slots=True)
class PersonDistance:
    """How far one person's scores are from the decided ones, in points of the scale."""

    person: int  # `counting.PERSON`
    number: int  # of scores
    signed: MeanDistance | None  # above 0: the person scores higher
    absolute: MeanDistance | None


@dataclass(slots=True)
class DecisionFigures:
    """Numbers of decisions in a dimension, by the answer that the decided score equals.

    It may equal several: of two scores the lower one is the median, too.
    """

    dimension: Dimension
    number: int = 0
    median: int = 0
    highest: int = 0
    lowest: int = 0
    none: int = 0  # nobody gave it
    distances: list[PersonDistance] = field(default_factory=list)

    @property
    def are_enough(self) -> bool:
        return self.number >= LEAST

    def add(self, decided: int, scores: Sequence[int]) -> None:
        """Count a decided score among the scores that people gave."""
        self.number += 1
        self.median += decided == lower_median(scores)
        self.highest += decided == max(scores)
        self.lowest += decided == min(scores)
        self.none += decided not in scores


class _ItemDistances(NamedTuple):
    """A row of `DISTANCES`: one person's scores on an item, compared with the decided ones."""

    person: int
    number: int
    signed: int
    absolute: int


def decision_figures(project: Project, *, with_people: bool) -> list[DecisionFigures]:
    """Return the figures of each dimension whose scores have an order and of which one is decided.

    `with_people`: how far each person is, too.
    """
    dimensions = project.rubric.schema.ordered_dimensions
    by_dimension = {code: DecisionFigures(part) for code, part in dimensions.items()}
    query_values = {
        "project": project.pk,
        "dimensions": list(dimensions),
        "stands": CaseEntry.Decision.STANDS.value,
    }
    for code, decided, scores_as_json in all_rows(CASES, query_values):
        scores = [score for score in json.loads(scores_as_json) if score is not None]
        if scores:
            by_dimension[code].add(decided, scores)
    for code, figures in by_dimension.items():
        if with_people and figures.are_enough:
            figures.distances = _distances({**query_values, "dimensions": [code]})
    return [figures for figures in by_dimension.values() if figures.number]


def _distances(query_values: Mapping[str, object]) -> list[PersonDistance]:
    items_by_person: dict[int, list[_ItemDistances]] = defaultdict(list)
    for row in rows_as(_ItemDistances, DISTANCES, query_values):
        items_by_person[row.person].append(row)
    distances = []
    for person, items in items_by_person.items():
        numbers = [item.number for item in items]
        signed = mean_distance(numbers, [item.signed for item in items])
        absolute = mean_distance(numbers, [item.absolute for item in items])
        distances.append(PersonDistance(person, sum(numbers), signed, absolute))
    return distances
