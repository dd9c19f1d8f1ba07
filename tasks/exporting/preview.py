"""A look at an export before it is made: its first rows as they will be, and how many there are."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from django.db import connection
from psycopg import sql

from tasks.models import Project
from tasks.models.counting import CURRENT, FILLING, RATERS
from tasks.models.progress import progress_by_project

from .export import Export, file_of
from .filters import Filters, and_all, look_up
from .options import Format, Shape
from .rows import (
    SCORE_FILTERS,
    Selection,
    corpus_selection,
    decisions_selection,
    practice_selection,
    select,
    talk_selection,
)

FIRST_ROWS = 5
# The other shapes are counted together, by `COUNTS`.
COUNTED_ALONE = {
    Shape.DECISIONS: decisions_selection,
    Shape.TALK: talk_selection,
    Shape.CORPUS_ANSWERS: corpus_selection,
    Shape.PRACTICE: practice_selection,
}
MOST_COUNTED = 100_000  # scores; of more, the number is an estimate

# The first items that have ratings of any kind, in the order of the file, by a `condition`
# on the item: with them alone, the first rows of items come without a look at all scores.
FIRST_ITEMS = sql.SQL("""
SELECT id FROM tasks_item AS first
WHERE EXISTS (SELECT FROM tasks_rating WHERE item_id = first.id) AND {condition} AND batch_id = (
  SELECT id FROM tasks_batch AS batch WHERE project_id = {key} AND EXISTS (
    SELECT FROM tasks_item AS item JOIN tasks_rating ON item_id = item.id
    WHERE batch_id = batch.id)
  ORDER BY position LIMIT 1)
ORDER BY position LIMIT 20""")
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


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The header and the first rows of a file, its columns, and the number of bytes of a row."""

    selection: Selection
    heads: Sequence[str]
    cell_rows: Sequence[Sequence[str]]
    bytes_a_row: float


def preview_of(export: Export) -> FirstRows:
    """Return the first rows of an export, by its own statement. Raise Refused as it does."""
    filters = look_up(export.project, export.options, export.listed)
    selection = select(export.project, export.options, filters)
    if export.options.shape in (Shape.ITEMS, Shape.WIDE) and filters.item_query is None:
        of_first_items = select(export.project, export.options, _of_first_items(export, filters))
        first = _first_rows(export, selection, of_first_items.from_clause)
        if len(first.cell_rows) == FIRST_ROWS:
            return first
    return _first_rows(export, selection, selection.from_clause)


def _of_first_items(export: Export, filters: Filters) -> Filters:
    items = FIRST_ITEMS.format(
        key=sql.Literal(export.project.pk),
        condition=sql.SQL("true" if filters.dropped else "NOT dropped"),
    )
    return replace(filters, item_query=items)


def _first_rows(export: Export, selection: Selection, from_clause: sql.Composable) -> FirstRows:
    order = selection.order + sql.SQL(f" LIMIT {FIRST_ROWS}")
    limited = replace(selection, from_clause=from_clause, order=order)
    as_csv = replace(export.options, format=Format.CSV)
    content = b"".join(file_of(limited, as_csv))
    text = io.StringIO(content.decode(), newline="")
    delimiter = export.options.delimiter.character
    heads, *cells = csv.reader(text, delimiter=delimiter)
    size = len(content) - len(",".join(heads).encode())
    return FirstRows(selection, heads, cells, size / max(1, len(cells)))


class Precision(StrEnum):
    """How exact numbers of rows are."""

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
    project = export.project
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
            growth = max(1, _stored_ratings(project, filters) / max(1, first.whole_ratings))
            by_shape = {shape: round(count * growth) for shape, count in by_shape.items()}
    for shape, selection_of in COUNTED_ALONE.items():
        rows = selection_of(project, export.options, filters, ()).from_clause
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT count(*) {}").format(rows))
            (by_shape[shape],) = cursor.fetchone()
    return ShapeCounts(by_shape, certainty)


def _first_scores(export: Export, filters: Filters) -> _FirstScores:
    conditions = filters.conditions(SCORE_FILTERS)
    if not export.options.revisions:
        conditions = [CURRENT, *conditions]
    has_imported = export.project.has_imported
    query = COUNTS.format(
        key=sql.Literal(export.project.pk),
        filling=FILLING if has_imported else sql.SQL("rating.kind = 'counted'"),
        raters=RATERS,
        only=and_all(conditions),
        most=sql.Literal(MOST_COUNTED + 1),
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return _FirstScores(*cursor.fetchone())


def _stored_ratings(project: Project, filters: Filters) -> int:
    """Return how many ratings of the project the file would have, from its stored counts."""
    progress = progress_by_project([project.pk])[project.pk]
    if filters.dropped:
        return progress.counted + progress.dropped_ratings
    return progress.counted
