"""A look at an export before it is made: its first rows as they will be, and how many there are."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import connection
from psycopg import sql

from tasks.models.counting import FILLING, RATERS
from tasks.models.progress import progress_of_each

from .export import Export, file_of
from .filters import Filters, look_up
from .options import Format, Shape
from .rows import CURRENT, Selection, corpus_selection, practice_selection, select

SHOWN = 5
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
# filter needs. A target is one number, since that takes half the time.
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
    rows: Sequence[Sequence[str]]
    bytes_a_row: float


def preview_of(export: Export) -> FirstRows:
    """Return the first rows of an export, by its own statement. Raise Refused as it does."""
    filters = look_up(export.project, export.options, export.listed)
    items = FIRST_ITEMS.format(
        key=sql.Literal(export.project.pk),
        condition=sql.SQL("true" if filters.dropped else "NOT dropped"),
    )
    first = replace(filters, items=items)
    by_item = export.options.shape in (Shape.ITEMS, Shape.WIDE) and filters.items is None
    selection = select(export.project, export.options, filters)
    for some in (first, filters) if by_item else (filters,):
        is_all = some is filters
        rows = (selection if is_all else select(export.project, export.options, some)).rows
        limited = replace(selection, rows=rows, order=selection.order + sql.SQL(f" LIMIT {SHOWN}"))
        as_csv = replace(export.options, format=Format.CSV)
        text = b"".join(file_of(limited, as_csv)).decode()
        heads, *found = csv.reader(
            io.StringIO(text, newline=""), delimiter=export.options.delimiter.character
        )
        if len(found) == SHOWN:
            break
    size = len(text.encode()) - len(",".join(heads).encode())
    return FirstRows(selection, heads, found, size / max(1, len(found)))


def counts_of(export: Export, filters: Filters) -> tuple[dict[Shape, int], str]:
    """Return the number of rows of each shape, and "" if they are exact, "about" or "least".

    If there are more than 100,000 scores, the first ones tell how many rows a rating has, and the
    kept counts how many ratings there are. For a part of a project no counts are kept.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            COUNTS.format(
                key=sql.Literal(export.project.pk),
                filling=sql.SQL(
                    FILLING if export.project.has_imported else "rating.kind = 'counted'"
                ),
                raters=sql.SQL(RATERS),
                only=(sql.SQL("") if export.options.revisions else CURRENT) + filters.of_scores(),
                most=sql.Literal(MOST_COUNTED + 1),
            )
        )
        *counts, ratings = cursor.fetchone()
    certainty = ""
    if counts[0] > MOST_COUNTED:
        progress = progress_of_each([export.project.pk])[export.project.pk]
        kept = progress.counted + progress.dropped_ratings * filters.dropped
        is_whole = not replace(filters, dropped=True).of_scores().as_string()
        certainty, grown = ("about", kept / max(1, ratings)) if is_whole else ("least", 1)
        counts = [round(count * max(1, grown)) for count in counts]
    shapes = (Shape.SCORES, Shape.RATINGS, Shape.ITEMS, Shape.WIDE)
    others = {Shape.CORPUS_ANSWERS: corpus_selection, Shape.PRACTICE: practice_selection}
    found = dict(zip(shapes, counts, strict=True))
    for shape, selection in others.items():
        rows = selection(export.project, export.options, filters, ()).rows
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT count(*) {}").format(rows))
            (found[shape],) = cursor.fetchone()
    return found, certainty
