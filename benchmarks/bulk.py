"""Fill tables by SQL alone: triggers rest, and indexes are made afterwards.

What triggers would have kept is counted from the rows. `check_counts` compares it with them, once
the project is as a measure wants it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, models
from psycopg import sql

from config.web.raw_sql import all_rows, run
from tasks.models import ItemEntry, Project

INDEXES = """
SELECT index.relname, pg_get_indexdef(index.oid), pg_get_constraintdef(kept.oid)
FROM pg_index JOIN pg_class AS index ON index.oid = pg_index.indexrelid
LEFT JOIN pg_constraint AS kept ON kept.conindid = index.oid AND kept.contype = 'u'
WHERE pg_index.indrelid = %s::regclass AND NOT pg_index.indisprimary
ORDER BY index.relname
"""
# As the triggers `an_item_is_listed`, `a_batch_knows_its_size` and `a_rating_is_counted` do. What
# ratings add to `finished` of a batch, `Batch.recount` counts.
ENTRIES = """
INSERT INTO tasks_itementry (item_id, project_id, batch_id, external_id, latest, spread, state,
  traits)
SELECT id, project_id, batch_id, external_id, 0, -1, tasks_item_state(0, wanted, dropped), '{}'
FROM tasks_item WHERE project_id = %(project)s
  AND NOT EXISTS (SELECT FROM tasks_itementry WHERE item_id = tasks_item.id)
ORDER BY id
"""
SIZES = """
UPDATE tasks_batch SET size = (SELECT count(*) FROM tasks_item WHERE batch_id = tasks_batch.id)
WHERE project_id = %(project)s
"""
RATED = """
SELECT rating.project_id, item.batch_id, rating.annotator_id, count(*) AS rated,
  count(*) FILTER (WHERE item.dropped) AS dropped,
  count(*) FILTER (WHERE rating.kind = 'counted') AS counted
FROM tasks_rating AS rating JOIN tasks_item AS item ON item.id = rating.item_id
WHERE rating.project_id = %(project)s AND rating.revision = 1 AND rating.attempt = 0
GROUP BY 1, 2, 3
"""
SEATS = f"""
INSERT INTO tasks_batchprogress (project_id, batch_id, annotator_id, rated, dropped, counted)
{RATED}
ON CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = excluded.rated,
  dropped = excluded.dropped, counted = excluded.counted
"""
# Items and seats whose counts are not those of their ratings and leases.
WRONG_ITEMS = """
SELECT item.id, item.counted, item.reserved, rated.number, leased.number
FROM tasks_item AS item LEFT JOIN (
  SELECT item_id, count(*) AS number FROM tasks_rating
  WHERE project_id = %(project)s AND kind = 'counted' AND revision = 1 AND attempt = 0
  GROUP BY item_id) AS rated ON rated.item_id = item.id
LEFT JOIN (
  SELECT item_id, count(*) AS number FROM tasks_lease
  WHERE project_id = %(project)s AND status = 'live'
  GROUP BY item_id) AS leased ON leased.item_id = item.id
WHERE item.project_id = %(project)s AND (item.counted <> coalesce(rated.number, 0)
  OR item.reserved <> coalesce(leased.number, 0) OR item.counted > item.wanted)
LIMIT 3
"""
WRONG_SEATS = f"""
SELECT seat.batch_id, seat.annotator_id, seat.rated, seat.dropped, seat.counted, found.*
FROM (SELECT * FROM tasks_batchprogress WHERE project_id = %(project)s) AS seat
FULL JOIN ({RATED}) AS found USING (batch_id, annotator_id)
WHERE (coalesce(seat.rated, 0), coalesce(seat.dropped, 0), coalesce(seat.counted, 0))
  <> (coalesce(found.rated, 0), coalesce(found.dropped, 0), coalesce(found.counted, 0))
LIMIT 3
"""  # noqa: S608 - of constants
# What a batch and its seats tell together, and an item without its entry.
TOLD = """
SELECT batch.id, batch.size, batch.dropped, batch.wanted,
  batch.finished + coalesce(sum(seat.finished), 0)
FROM tasks_batch AS batch LEFT JOIN tasks_batchprogress AS seat ON seat.batch_id = batch.id
WHERE batch.project_id = %(project)s GROUP BY batch.id ORDER BY batch.id
"""
UNLISTED = """
SELECT item.batch_id, count(*) FROM tasks_item AS item
LEFT JOIN tasks_itementry AS entry ON entry.item_id = item.id
WHERE item.project_id = %(project)s AND entry.item_id IS NULL GROUP BY item.batch_id
"""
WRONG_SIZES = """
SELECT batch.id, batch.size, count(item.id) FROM tasks_batch AS batch
LEFT JOIN tasks_item AS item ON item.batch_id = batch.id
WHERE batch.project_id = %(project)s GROUP BY batch.id HAVING batch.size <> count(item.id)
"""


def fill(
    project: Project, statements: Mapping[type[models.Model], str], values: Mapping[str, Any]
) -> None:
    """Run a statement for each table, in order, and count what triggers would have kept.

    Whoever inserts an item sets its `counted`.
    """
    with in_bulk(*statements, ItemEntry):
        for model, statement in statements.items():
            run(statement, values)
            _say("ANALYZE {}", model._meta.db_table)  # for the plan of the next one
        for counts in (ENTRIES, SIZES, SEATS):
            run(counts, {"project": project.pk})
    for batch in project.batches.all():
        batch.recount()


@contextmanager
def in_bulk(*filled: type[models.Model]) -> Iterator[None]:
    """Let triggers and the checks of foreign keys rest, and make the tables' indexes afterwards."""
    tables = [each._meta.db_table for each in filled]
    indexes = [(table, *row) for table in tables for row in all_rows(INDEXES, [table])]
    connection.check_constraints()  # a transaction with checks left could not change the tables
    _say("SET session_replication_role = replica")
    _say("SET maintenance_work_mem = '512MB'")
    for table, index, _definition, constraint in indexes:
        drop = "ALTER TABLE {} DROP CONSTRAINT {}" if constraint else "DROP INDEX {1}"
        _say(drop, table, index)
    yield
    for table, index, definition, constraint in indexes:
        if constraint:
            _say(f"ALTER TABLE {{}} ADD CONSTRAINT {{}} {constraint}", table, index)
        else:
            run(definition, [])
    _say("RESET session_replication_role")
    _say("RESET maintenance_work_mem")


def _say(statement: str, *names: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def check_counts(project: Project) -> None:
    """Raise an error if a kept count is not the one that the triggers would have kept."""
    values = {"project": project.pk}
    for what, statement in (
        ("items", WRONG_ITEMS),
        ("seats", WRONG_SEATS),
        ("items without an entry", UNLISTED),
        ("sizes of batches", WRONG_SIZES),
    ):
        if rows := all_rows(statement, values):
            raise RuntimeError(f"{project.slug}: wrong {what}, such as {rows}")
    told = all_rows(TOLD, values)
    for batch in project.batches.all():
        batch.recount()
    if told != (found := all_rows(TOLD, values)):
        raise RuntimeError(f"{project.slug}: batches tell {told}; a recount tells {found}")
