"""Count the rows of an export in each shape, for the page on which one chooses a shape.

One statement counts four shapes together, from at most `MOST_COUNTED` scores, and one each of the
other shapes. The page says if a number is an estimate.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from django.db import connection
from psycopg import sql

from tasks.models.counting import CURRENT, FILLING, RATERS
from tasks.models.progress import progress_by_project

from .export import Export
from .filters import Filters
from .options import Shape
from .rows import select_shape
from .score_rows import SCORE_FILTERS

MOST_COUNTED = 100_000  # scores; of more, the number is an estimate
# The others are counted together, by `COUNTS`.
COUNTED_ALONE = (Shape.DECISIONS, Shape.TALK, Shape.CORPUS_ANSWERS, Shape.PRACTICE)
# Without the joins of the file that change no number. PostgreSQL leaves out a LEFT JOIN that no
# filter needs. A target is one number, since that takes half the time. `_FirstScores` names the
# columns.
COUNTS = sql.SQL("""
WITH found AS (
  SELECT rating.id AS rating, rating.item_id AS item, rating.rubric_id AS rubric,
    COALESCE(score.response_id, hashtextextended(score.model, 0)) AS target,
    score.dimension, score.value IS NOT NULL AS is_scored, {filling} AS counts
  FROM tasks_rating AS rating JOIN tasks_score AS score ON score.rating_id = rating.id
  LEFT JOIN tasks_item AS item ON item.id = rating.item_id
  {raters}
  LEFT JOIN tasks_response AS response ON response.id = score.response_id
  WHERE rating.project_id = {key} AND score.project_id = {key} {only}
  LIMIT {most})
SELECT (SELECT count(*) FROM found),
  (SELECT count(*) FROM (SELECT FROM found GROUP BY rating, target) AS target),
  (SELECT count(*) FROM (SELECT FROM found WHERE counts
    GROUP BY target, dimension, rubric, item) AS target),
  (SELECT count(*) FROM (SELECT FROM found WHERE is_scored GROUP BY item) AS item),
  CASE WHEN (SELECT count(*) FROM found) = {most}
    THEN (SELECT count(*) FROM (SELECT FROM found GROUP BY rating) AS rating) END""")


class Precision(StrEnum):
    """The exactness of numbers of rows."""

    EXACT = ""
    ABOUT = "about"
    LEAST = "least"


@dataclass(frozen=True, slots=True)
class ShapeCounts:
    """The number of rows of each shape."""

    by_shape: dict[Shape, int]
    certainty: Precision


class _FirstScores(NamedTuple):
    """The columns of COUNTS: the rows of some shapes, by the first `MOST_COUNTED` scores."""

    scores: int
    ratings: int  # a row a target of a rating
    items: int  # a row a target in a dimension
    wide: int
    whole_ratings: int | None  # that have these scores; None if these are all scores


def counts_of(export: Export, filters: Filters) -> ShapeCounts:
    """Return the number of rows of each shape.

    If there are more scores than `MOST_COUNTED`, the first ones tell how many rows a rating has,
    and the stored counts how many ratings there are. For a part of a project no counts are stored.
    """
    first = _first_scores(export, filters)
    by_shape = {
        Shape.SCORES: first.scores,
        Shape.RATINGS: first.ratings,
        Shape.ITEMS: first.items,
        Shape.WIDE: first.wide,
    }
    certainty = Precision.EXACT
    if first.whole_ratings is not None:
        certainty = Precision.LEAST
        if filters.are_empty:
            certainty = Precision.ABOUT
            growth = max(1, _stored_ratings(export, filters) / max(1, first.whole_ratings))
            by_shape = {shape: round(count * growth) for shape, count in by_shape.items()}
    by_shape.update(_counts_of_other_shapes(export, filters))
    return ShapeCounts(by_shape, certainty)


def _first_scores(export: Export, filters: Filters) -> _FirstScores:
    current = () if export.options.revisions else (CURRENT,)
    has_imported = export.project.has_imported
    query = COUNTS.format(
        key=sql.Literal(export.project.pk),
        filling=FILLING if has_imported else sql.SQL("rating.kind = 'counted'"),
        raters=RATERS,
        only=filters.where(SCORE_FILTERS, *current),
        most=sql.Literal(MOST_COUNTED + 1),
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return _FirstScores(*cursor.fetchone())


def _stored_ratings(export: Export, filters: Filters) -> int:
    """Return how many ratings of the project the file would have, from its stored counts."""
    key = export.project.pk
    progress = progress_by_project([key])[key]
    if filters.dropped:
        return progress.counted + progress.dropped_ratings
    return progress.counted


def _counts_of_other_shapes(export: Export, filters: Filters) -> Iterator[tuple[Shape, int]]:
    """Yield each of `COUNTED_ALONE` with the number of its rows."""
    for shape in COUNTED_ALONE:
        options = replace(export.options, shape=shape)
        rows = select_shape(export.project, options, filters, ()).from_clause
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT count(*) {}").format(rows))
            (count,) = cursor.fetchone()
        yield shape, count
