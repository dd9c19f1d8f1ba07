"""How decisions lie among the answers, and how far each person's scores are from what was decided.

Only what was decided case by case counts: a median settled at once is the median by itself. A case
that changed since its decision is left out, because its answers are others now.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from psycopg import sql

from config.web.raw_sql import all_rows
from rubrics.judging.case_figures import lower_median
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from tasks.models import CaseEntry, Project
from tasks.models.counting import COUNTING, CURRENT, PERSON, RATERS

from .distances import LEAST, ItemDistances, MeanDistance, mean_distance

# A standing decision is the last one on a case; a score from before the answers is none.
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
DISTANCES = DECIDED + sql.SQL("""
SELECT decided.dimension, {person}, count(*), sum(score.value - decided.value),
  sum(abs(score.value - decided.value))
FROM decided JOIN tasks_rating AS rating ON rating.item_id = decided.item_id
JOIN tasks_score AS score ON score.rating_id = rating.id AND score.dimension = decided.dimension
  AND score.response_id IS NOT DISTINCT FROM decided.response_id
  AND (decided.response_id IS NOT NULL OR score.model = decided.model) {raters}
WHERE {counting} AND {current} AND score.value IS NOT NULL
GROUP BY decided.dimension, {person}, decided.item_id
ORDER BY decided.dimension, {person}, decided.item_id
""").format(person=PERSON, raters=RATERS, counting=COUNTING, current=CURRENT)


@dataclass(frozen=True, slots=True)
class PersonDistance:
    """How far one person's scores are from the decided ones, in points of the scale."""

    person: int  # `counting.PERSON`
    number: int
    signed: MeanDistance | None  # above 0: the person scores higher
    absolute: MeanDistance | None


@dataclass(slots=True)
class DecisionFigures:
    """Numbers of decisions, by the answer that the decided score equals.

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

    def add(self, value: int, score_values: Sequence[int]) -> None:
        """Count a decided score among the scores that people gave."""
        self.number += 1
        self.median += value == lower_median(score_values)
        self.highest += value == max(score_values)
        self.lowest += value == min(score_values)
        self.none += value not in score_values


def decision_figures(project: Project, *, with_people: bool) -> list[DecisionFigures]:
    """Return the figures of each dimension whose scores have an order and of which one is decided.

    `with_people`: how far each person is, too.
    """
    by_dimension: dict[str, DecisionFigures] = {}
    for dimension in project.rubric.schema.dimensions:
        if dimension.better is not Better.NONE:
            by_dimension[dimension.code] = DecisionFigures(dimension)
    query_values = {
        "project": project.pk,
        "dimensions": list(by_dimension),
        "stands": CaseEntry.Decision.STANDS.value,
    }
    for code, value, scores in all_rows(CASES, query_values):
        values = [score for score in json.loads(scores) if score is not None]
        if values:
            by_dimension[code].add(value, values)
    if with_people:
        for code, figures in by_dimension.items():
            if figures.are_enough:
                figures.distances = _people({**query_values, "dimensions": [code]})
    return [figures for figures in by_dimension.values() if figures.number]


def _people(query_values: Mapping[str, object]) -> list[PersonDistance]:
    by_person: dict[int, list[ItemDistances]] = defaultdict(list)
    for _code, person, *sums in all_rows(DISTANCES, query_values):
        by_person[person].append(ItemDistances(*sums))
    return [_person_distance(person, items) for person, items in by_person.items()]


def _person_distance(person_number: int, item_distances: Sequence[ItemDistances]) -> PersonDistance:
    numbers = [item.number for item in item_distances]
    return PersonDistance(
        person=person_number,
        number=sum(numbers),
        signed=mean_distance(numbers, [item.signed for item in item_distances]),
        absolute=mean_distance(numbers, [item.absolute for item in item_distances]),
    )
