"""The faults of the rows of a file, in words. `staging` finds them."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection
from django.utils.translation import gettext as _

from ..columns.items import MOST_RESPONSES
from ..files.rows import LineError, excerpt, fill_in
from .tables import json_text

# A row (`bad`) beside the first one of its item (`start`), which is NULL without one.
FAULTS = """
SELECT place.fault, place.line, place.name, bad.fault, batch.name, start.line, bad_line,
  CASE WHEN place.fault = 'differs' THEN to_jsonb(start) END,
  CASE WHEN place.fault = 'differs' THEN to_jsonb(bad) END
FROM import_place AS place JOIN import_row AS bad ON bad.number = place.number AND bad.answer = 1
LEFT JOIN import_row AS start ON start.number = place.first AND start.answer = 1
LEFT JOIN tasks_batch AS batch ON batch.id = place.batch_id
WHERE place.fault IS NOT NULL ORDER BY place.number
"""


class Place(NamedTuple):
    """The fault of a row, and what it is about, in the order of FAULTS."""

    fault: str
    line: int
    item: str
    unreadable: str  # a LineError as JSON
    batch: str  # that has the item
    first_line: int  # of the item
    bad_line: int  # the first one of the item with a fault
    first_row: str  # the row of the item's first line, as JSON
    row_json: str


def faults(*, is_partial: bool, skips: bool = False) -> Iterator[LineError]:
    """Yield the faults of the rows in the order of the file.

    `is_partial`: the items that are complete come in, so the rows of the others are faults, too.
    `skips`: items that the project has with the same texts were left out before.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(FAULTS)
        for place in map(Place._make, cursor):
            if place.fault != "incomplete" or is_partial:
                yield _fault(place, skips=skips)


def _fault(place: Place, *, skips: bool) -> LineError:
    """Return a fault in words."""
    name = excerpt(place.item)
    match place.fault:
        case "unreadable":
            column, value, reason, advice = json.loads(place.unreadable)
        case "in_project":
            column, value = "id", name
            words = _("is already in the project, in batch “%(batch)s”")
            if skips:
                words = _("is already in the project, in batch “%(batch)s”, with other texts")
            reason = fill_in(words, batch=place.batch)
            advice = _("give every item an id of its own in the project")
        case "differs":
            column, value, reason = _difference(place)
            advice = _(
                "rows with the same id are one item: give them the same item data, "
                "or give each row its own id"
            )
        case "copy":
            column, value = "", name
            words = _("is a copy of another row of its item, which begins in line %(line)s")
            reason = fill_in(words, line=place.first_line)
            advice = _("take it out, or have it left out")
        case "many":
            column, value = "id", name
            words = _("brings the item to more than %(most)s responses")
            reason = fill_in(words, most=MOST_RESPONSES)
            advice = _("make several items of it")
        case _:
            column, value = "id", name
            words = _("is also the id of line %(line)s, which has an error")
            reason = fill_in(words, line=place.bad_line)
            advice = _("fix that line; an item is loaded with all its rows or not at all")
    return LineError(place.line, column, value, reason, advice, place.item)


def _difference(place: Place) -> tuple[str, str, str]:
    """Return the first column in which a row differs from its item's first row.

    Return its value in the row and the reason, too.
    """
    first, row = _columns(place.first_row), _columns(place.row_json)
    names = (name for name in {**row, **first} if _json_of(first, name) != _json_of(row, name))
    name = next(names, "prompt")
    if name not in row:
        reason = _("is missing here, but line %(line)s with the same id has it")
        return name, "", fill_in(reason, line=place.first_line)
    value = row[name]
    if name == "prompt" and value:
        value = value[-1]["text"]
    reason = _("differs from line %(line)s, which has the same id")
    return name, excerpt(value), fill_in(reason, line=place.first_line)


def _columns(row_json: str) -> Mapping[str, Any]:
    """Return what every row of an item must say alike, by its column in the file."""
    values = json.loads(row_json, parse_float=Decimal)
    names = ("persona", "messages", "system", "context", "reference", "source", "warning")
    columns = {name if name != "messages" else "prompt": values[name] for name in names}
    return columns | values["metadata"]


def _json_of(values_by_column: Mapping[str, object], name: str) -> str:
    return json_text(values_by_column[name]) if name in values_by_column else ""
