"""A look at an export before it is made: its header and its first rows as they will be.

The page Export shows `preview_of` beside the counts of rows (`row_counts`). It runs the statement
of the file with a limit.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from psycopg import sql

from .export import Export, file_of
from .filters import Filters, look_up
from .options import Format, Shape
from .rows import select
from .selection import Selection

FIRST_ROWS = 5
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
