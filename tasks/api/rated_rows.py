"""A page of ratings or scores for the API, and what was removed: queries over a window of time.

`feeds.py` calls `removed_in`, then the methods of a resource: for the keys of a page, and for its
rows. PostgreSQL writes these as JSON, by the columns of the export. A row comes again when it stops
or begins to count. A row that was in no earlier window and is superseded already is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql
from pydantic import BaseModel, Field

from config.web.raw_sql import all_rows, rows_as
from tasks.exporting.column_types import Column
from tasks.exporting.filters import Filters
from tasks.exporting.json_files import json_line
from tasks.exporting.score_rows import NO_CHECKS, checks_of, rubrics_of, score_rows
from tasks.models import Project, Rating
from tasks.models.counting import CURRENT, PERSON, RATERS

from .authentication import Caller
from .names import Names
from .windows import Window

# The rows of a page, after the last row of the page before.
PAGE = sql.SQL("""
SELECT rating.id AS rating, {row} AS "row", {person} AS person
FROM tasks_rating AS rating {join} {raters}
WHERE rating.project_id = {project} AND rating.id >= {last_rating} AND {condition}
  AND (rating.id > {last_rating} OR {row} > {last_row})
ORDER BY rating.id, {row} LIMIT {limit}
""")
# The keys of the ratings that a window may tell of: new ones, those that they supersede, imported
# ones of the same person and item, and those whose item, rater or project changed.
TOUCHED = sql.SQL("""
WITH changed AS MATERIALIZED (
  SELECT change.kind, change.subject FROM tasks_ratingschange AS change
  WHERE change.project_id = {project} AND {of_changes}
), fresh AS MATERIALIZED (
  SELECT rating.id, rating.supersedes_id, rating.item_id, rating.annotator_id
  FROM tasks_rating AS rating WHERE rating.project_id = {project} AND {of_ratings}
), touched AS (
  SELECT id FROM fresh
  UNION SELECT supersedes_id FROM fresh
  UNION SELECT imported.id FROM fresh
    JOIN tasks_importedrater AS same ON same.account_id = fresh.annotator_id
    JOIN tasks_rating AS imported
      ON imported.rater_id = same.id AND imported.item_id = fresh.item_id
  UNION SELECT rating.id
    FROM changed JOIN tasks_rating AS rating ON rating.item_id = changed.subject
    WHERE changed.kind = 'item'
  UNION SELECT rating.id
    FROM changed JOIN tasks_rating AS rating ON rating.rater_id = changed.subject
    WHERE changed.kind = 'rater'
  UNION SELECT rating.id FROM tasks_rating AS rating
    WHERE rating.project_id = {project} AND rating.kind = 'imported'
      AND EXISTS (SELECT FROM changed WHERE kind = 'imported')
)
""")
# The ratings that are told of. A new one must be current: what it replaces comes again by itself.
# Any other one came in an earlier window.
IS_TOLD = sql.SQL(
    "rating.id IN (SELECT id FROM touched) AND ({current} OR NOT {of_ratings}) AND {before_end}"
)
REMOVED = sql.SQL("""
SELECT change.kind, change.subject AS key, change.name FROM tasks_ratingschange AS change
WHERE change.project_id = {project} AND change.kind IN ('batch', 'file') AND {of_changes}
ORDER BY change.id
""")


@dataclass(frozen=True, slots=True)
class RowKey:
    """A row of a page: its rating, its own key, and who rated.

    A decision has its own key in place of the rating's.
    """

    rating: int
    row: int
    person: int | None


class Removed(BaseModel):
    """A batch that was removed, or a file of ratings that was taken back, with all of its rows."""

    kind: str = Field(description="`batch` or `file`")
    key: int = Field(description="of a file, as in `file_key`")
    name: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of rows of ratings: the ratings themselves, or their scores."""

    name: str
    row_key: str  # the SQL expression for a row's key within its rating
    join: str  # of its table to that of ratings, in `PAGE`
    table: str  # its table, or a query in place of it, for `score_rows`
    has_checks: bool
    columns: Sequence[Column]

    def keys_of(self, project: Project, window: Window, limit: int) -> list[RowKey]:
        """Return the next rows of a window, one more than `limit` if there are others."""
        key = sql.Literal(project.pk)
        of_ratings = window.rows_of("rating", window.below.ratings, window.above.ratings)
        if window.is_whole:
            touched: sql.Composable = sql.SQL("")
            condition: sql.Composable = sql.SQL("{} AND {}").format(of_ratings, CURRENT)
        else:
            of_changes = window.rows_of("change", window.below.changes, window.above.changes)
            touched = TOUCHED.format(project=key, of_changes=of_changes, of_ratings=of_ratings)
            before_end = window.rows_before_end("rating", window.above.ratings)
            condition = IS_TOLD.format(
                current=CURRENT, of_ratings=of_ratings, before_end=before_end
            )
        page = PAGE.format(
            project=key,
            row=sql.SQL(self.row_key),
            person=PERSON,
            join=sql.SQL(self.join),
            raters=RATERS,
            condition=condition,
            last_rating=sql.Literal(window.rating),
            last_row=sql.Literal(window.row),
            limit=sql.Literal(limit + 1),
        )
        return rows_as(RowKey, touched + page, [])

    def json_rows(self, caller: Caller, project: Project, keys: Sequence[RowKey]) -> list[str]:
        """Return rows as JSON, in their order, with the names that the token may read."""
        if not keys:
            return []
        ratings = sorted({key.rating for key in keys})
        columns = Names(caller, project).shown_in(self.columns, people_of_rows(keys))
        check_object: sql.Composable = NO_CHECKS
        if self.has_checks:
            check_object = checks_of(rubrics_of(Rating.objects.filter(pk__in=ratings)))
        rows = score_rows(
            "id",
            ratings,
            check_object,
            score_table=sql.SQL(self.table),
            all_revisions=True,
            filters=Filters(),
        )
        own_keys = [key.row for key in keys]
        among = sql.SQL(" AND score.id = ANY({}) ORDER BY rating.id, score.id")
        statement = sql.SQL("SELECT {} {} {}").format(
            json_line(columns), rows, among.format(sql.Literal(own_keys))
        )
        return [line for (line,) in all_rows(statement, [])]


def people_of_rows(keys: Sequence[RowKey]) -> set[int]:
    """Return everyone who is in these rows."""
    return {key.person for key in keys if key.person is not None}


def removed_in(project: Project, window: Window) -> list[Removed]:
    """Return what a window has taken away. A window without a beginning has taken nothing."""
    if window.is_whole:
        return []
    of_changes = window.rows_of("change", window.below.changes, window.above.changes)
    statement = REMOVED.format(project=sql.Literal(project.pk), of_changes=of_changes)
    return rows_as(Removed, statement, [])
