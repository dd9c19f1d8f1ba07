"""What becomes of the batches that a lead uploads and takes back: the promises, held against the
journals of all and the tables, as in `promises`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from . import journal
from .habits import PASSING, RESPONSES
from .promises import Findings, forms_sent

# Of batches that a lead has uploaded, and has perhaps taken back.
PASSING_ITEMS = """
SELECT item.external_id AS item, batch.name AS batch,
  (SELECT count(*) FROM tasks_response WHERE item_id = item.id) AS responses
FROM tasks_batch AS batch LEFT JOIN tasks_item AS item ON item.batch_id = batch.id
WHERE starts_with(batch.name, %(start)s) OR starts_with(item.external_id, %(start)s)
"""
# What belongs to an item or to a batch.
BELONGINGS = {
    "item_id": (
        *("tasks_lease", "tasks_draft", "tasks_rating", "tasks_concern", "tasks_response"),
        *("tasks_itemwords", "tasks_itementry", "tasks_caseentry"),
    ),
    "batch_id": ("tasks_item", "tasks_notice", "tasks_batchprogress", "tasks_assignment"),
}


@dataclass
class Uploaded:
    """A batch that a lead was about to upload; `keys`, once the program said that it is there."""

    items: list[str]
    key: int = 0
    keys: list[int] = field(default_factory=list)
    to_go: bool = False
    gone: bool | None = None  # None: nobody was told


def _uploads(journals: Path) -> Iterator[tuple[str, Uploaded]]:
    for _name, entries in journal.read(journals):
        found: dict[str, Uploaded] = {}
        of: dict[int, Uploaded] = {}
        for entry in entries:
            match entry:
                case {"intent": "upload", "batch": batch, "items": items, "number": number}:
                    of[number] = found[batch] = Uploaded(items)
                case {"intent": "remove", "batch": batch, "number": number}:
                    of[number] = found[batch]
                    found[batch].to_go = True
                case {"acknowledged": number, "key": key, "keys": keys}:
                    of[number].key, of[number].keys = key, keys
                case {"acknowledged": number, "gone": gone}:
                    of[number].gone = gone
        yield from found.items()


def check_batches(connection: psycopg.Connection[Any], journals: Path, findings: Findings) -> None:
    """Each is there with all of its items, or gone with all that belonged to it, and only where
    nobody had saved anything of it."""
    cursor = connection.cursor(row_factory=dict_row)
    sent = list(forms_sent(journals))
    there: dict[str, dict[str, int]] = defaultdict(dict)
    for row in cursor.execute(PASSING_ITEMS, {"start": PASSING}):
        there[row["batch"]][row["item"]] = row["responses"]
    items = {item for batch in there.values() for item in batch}
    for name, batch in _uploads(journals):
        if name in there:
            findings.figures["batches there"] += 1
            if {*there[name].items()} != {(item, RESPONSES) for item in batch.items}:
                findings.breach("a batch that is there in parts", (name, there[name]))
            if batch.gone:
                findings.breach("a batch that was removed and is there", name)
            continue
        findings.figures["batches gone"] += 1
        if batch.gone is False or (batch.keys and not batch.to_go):
            findings.breach("a batch that was not removed and is gone", name)
        if left := items.intersection(batch.items):
            findings.breach("items of a batch that is gone", (name, left))
        for column, tables in BELONGINGS.items():
            keys = batch.keys if column == "item_id" else [batch.key]
            for table in tables:
                for row in cursor.execute(
                    f"SELECT * FROM {table} WHERE {column} = ANY(%s)",  # noqa: S608 - our own
                    [keys],
                ):
                    findings.breach(f"a row of {table} of a batch that is gone", (name, row))
        for form in sent:
            if form.acknowledged and form.item in batch.items:
                findings.breach("a batch that is gone with what was saved of it", (name, form))
    for annotator, entries in journal.read(journals):
        for item in (entry["gone"] for entry in entries if isinstance(entry.get("gone"), str)):
            findings.figures["pages of removed items"] += 1
            if item in items:
                findings.breach("an item that was called removed and is there", (annotator, item))
