"""Ratings and scores as rows of JSON, which PostgreSQL writes by the columns of the export.

A row comes again when it stops or begins to count. A row that was never told of and is superseded
already is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql
from pydantic import BaseModel, Field, create_model

from config.web.raw_sql import all_rows
from tasks.exporting.column_types import Column, integer_column
from tasks.exporting.filters import Filters
from tasks.exporting.json_files import json_line
from tasks.exporting.score_rows import NO_CHECKS, checks_of, rubrics_of, score_rows
from tasks.models import Project, Rating
from tasks.models.counting import CURRENT, FILLING, PERSON, RATERS

from .authentication import Caller
from .names import Names
from .windows import Window

# Why a rating does not count; NULL if it does.
WHY = sql.SQL("""CASE WHEN NOT {current} THEN 'revised' WHEN item.dropped THEN 'dropped'
  WHEN {filling} THEN NULL WHEN rating.extra_because <> '' THEN rating.extra_because
  WHEN rating.kind <> 'imported' THEN 'full' WHEN rating.attempt > 0 THEN 'again'
  WHEN project.imported = 'apart' THEN 'apart' ELSE 'rated_here' END""").format(
    current=CURRENT, filling=FILLING
)
COUNTS = Column(
    "counts",
    sql.SQL("(({}) IS NULL)").format(WHY),
    "json",
    "whether the rating counts in figures; if it stops or begins to, the row comes again",
)
NOT_COUNTED = Column(
    "not_counted_because",
    WHY,
    "word",
    "`revised`: a later revision replaces it. `dropped`: its item is dropped. `full`, `again`, "
    "`late`, `removed`: as in `extra_because`. `apart`: the project keeps imported ratings apart. "
    "`rated_here`: its imported rater is a member who rated the item here",
)
METADATA = Column("metadata", sql.SQL("item.metadata::text"), "json", "the item's metadata")
RATING_KEY = integer_column("rating", "rating.id", "the rating's key; each revision has its own")
SUPERSEDES = integer_column(
    "supersedes", "rating.supersedes_id", "the key of the revision that it replaces"
)
FILE_KEY = integer_column("file_key", "rating.file_id", "the key of the file it was imported from")
TYPES: Mapping[str, Any] = {
    "integer": int | None,
    "number": float | None,
    "text": str | None,
    "word": str | None,
    "time": datetime | None,
    "json": Any,
}
JSON_TYPES: Mapping[str, Any] = {
    "counts": bool,
    "metadata": dict[str, Any],
    "facts": list[dict[str, Any]],
}
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
# Of what is new in a window, only what is current: what it replaces comes again by itself. Of what
# was touched, only what came in an earlier window or is new in this one.
REST = sql.SQL("""
SELECT rating.id, {row}, {person}
FROM tasks_rating AS rating {rows} {raters}
WHERE rating.project_id = {project} AND rating.id >= {rating} AND {members}
  AND (rating.id > {rating} OR {row} > {after})
ORDER BY rating.id, {row} LIMIT {limit}
""")
REMOVED = sql.SQL("""
SELECT change.kind, change.subject, change.name FROM tasks_ratingschange AS change
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
    """A kind of rows of ratings: what they are a row of, and their columns."""

    name: str
    row_key: str  # the expression for a row's key within its rating
    join: str  # of the table with these rows
    table: str  # with its rows, as `score_rows` takes it
    has_checks: bool
    columns: Sequence[Column]

    def keys_of(self, project: Project, window: Window, limit: int) -> list[RowKey]:
        """Return the next rows of a window, one more than `limit` if there are others."""
        key = sql.Literal(project.pk)
        of_ratings = window.rows_of("rating", window.below.ratings, window.above.ratings)
        start: sql.Composable = sql.SQL("")
        members: sql.Composable = sql.SQL("{} AND {}").format(of_ratings, CURRENT)
        if not window.is_whole:
            of_changes = window.rows_of("change", window.below.changes, window.above.changes)
            start = TOUCHED.format(project=key, of_changes=of_changes, of_ratings=of_ratings)
            before_end = window.rows_before_end("rating", window.above.ratings)
            touched = "rating.id IN (SELECT id FROM touched) AND ({} OR NOT {}) AND {}"
            members = sql.SQL(touched).format(CURRENT, of_ratings, before_end)
        statement = start + REST.format(
            project=key,
            row=sql.SQL(self.row_key),
            person=PERSON,
            rows=sql.SQL(self.join),
            raters=RATERS,
            members=members,
            rating=sql.Literal(window.rating),
            after=sql.Literal(window.row),
            limit=sql.Literal(limit + 1),
        )
        return [RowKey(*row) for row in all_rows(statement, [])]

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
    rows = all_rows(statement, [])
    return [Removed(kind=kind, key=key, name=name) for kind, key, name in rows]


def shape_of(name: str, columns: Sequence[Column]) -> type[BaseModel]:
    """Return the type of a row with these columns, for the document of the API."""
    fields: dict[str, Any] = {}
    for column in columns:
        described = Field(description=column.meaning)
        fields[column.name] = (JSON_TYPES.get(column.name, TYPES[column.type]), described)
    return create_model(name, **fields)
