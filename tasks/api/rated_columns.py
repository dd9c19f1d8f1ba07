"""Columns that rows of ratings and scores have in the API besides those of the export.

`ratings.py` and `scores.py` make their lists of columns from these and the export's.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from psycopg import sql
from pydantic import BaseModel, Field, create_model

from tasks.exporting.column_types import Column, integer_column
from tasks.models.counting import CURRENT, FILLING

# Why a rating does not count; NULL if it does.
REASON_NOT_COUNTED = sql.SQL("""CASE WHEN NOT {current} THEN 'revised'
  WHEN item.dropped THEN 'dropped' WHEN {filling} THEN NULL
  WHEN rating.extra_because <> '' THEN rating.extra_because
  WHEN rating.kind <> 'imported' THEN 'full' WHEN rating.attempt > 0 THEN 'again'
  WHEN project.imported = 'apart' THEN 'apart' ELSE 'rated_here' END""").format(
    current=CURRENT, filling=FILLING
)
# A row begins with these.
RATING_COLUMNS = (
    integer_column("rating", "rating.id", "the rating's key; each revision has its own"),
    integer_column(
        "supersedes", "rating.supersedes_id", "the key of the revision that it replaces"
    ),
    Column(
        "counts",
        sql.SQL("(({}) IS NULL)").format(REASON_NOT_COUNTED),
        "json",
        "whether the rating counts in figures; if it stops or begins to, the row comes again",
    ),
    Column(
        "not_counted_because",
        REASON_NOT_COUNTED,
        "word",
        "`revised`: a later revision replaces it. `dropped`: its item is dropped. `full`, `again`, "
        "`late`, `removed`: as in `extra_because`. `apart`: the project keeps imported ratings "
        "apart. `rated_here`: its imported rater is a member who rated the item here",
    ),
)
# A row ends with these.
SOURCE_COLUMNS = (
    integer_column("file_key", "rating.file_id", "the key of the file it was imported from"),
    Column("metadata", sql.SQL("item.metadata::text"), "json", "the item's metadata"),
)
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


def row_type(name: str, columns: Sequence[Column]) -> type[BaseModel]:
    """Return the type of a row with these columns, for the document of the API."""
    fields: dict[str, Any] = {}
    for column in columns:
        described = Field(description=column.meaning)
        fields[column.name] = (JSON_TYPES.get(column.name, TYPES[column.type]), described)
    return create_model(name, **fields)
