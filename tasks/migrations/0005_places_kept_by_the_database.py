"""What the queue rests on, in the database itself: places are taken, held and filled by triggers, so that no
code can lend an item that has no place, or count a rating too many.

It may run while people work: indexes are built beside, constraints are checked without locking out, and the
numbers of what is there already are written some thousands of rows at a time.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import migrations, models, transaction

STEP = 20_000

TRIGGERS = """
CREATE OR REPLACE FUNCTION tasks_take_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_item SET lent = lent + 1
  WHERE id = NEW.item_id AND counted + lent < wanted AND NOT dropped;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'item % has no place that is free', NEW.item_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_is_lent_where_it_has_a_place',
        TABLE = 'tasks_lease';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tasks_leave_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_item SET lent = lent - 1 WHERE id = NEW.item_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER a_lease_takes_a_place AFTER INSERT ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live' AND NEW.revises_id IS NULL) EXECUTE FUNCTION tasks_take_place();
CREATE OR REPLACE TRIGGER a_lease_that_revives_takes_a_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live' AND OLD.status <> 'live' AND NEW.revises_id IS NULL)
  EXECUTE FUNCTION tasks_take_place();
CREATE OR REPLACE TRIGGER a_lease_that_ends_leaves_its_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status <> 'live' AND OLD.status = 'live' AND NEW.revises_id IS NULL)
  EXECUTE FUNCTION tasks_leave_place();

CREATE OR REPLACE FUNCTION tasks_count_rating() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_batch bigint;
  is_full boolean := false;
BEGIN
  IF NEW.kind = 'counted' THEN
    UPDATE tasks_item SET counted = counted + 1 WHERE id = NEW.item_id AND counted < wanted
    RETURNING batch_id, counted >= wanted INTO of_batch, is_full;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'item % has all the ratings that it wants', NEW.item_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_gets_as_many_ratings_as_it_wants',
          TABLE = 'tasks_rating';
    END IF;
  ELSE
    SELECT batch_id INTO of_batch FROM tasks_item WHERE id = NEW.item_id;
  END IF;
  INSERT INTO tasks_seat AS seat (project_id, batch_id, annotator_id, rated, counted, finished)
  VALUES (NEW.project_id, of_batch, NEW.annotator_id, 1, (NEW.kind = 'counted')::int, is_full::int)
  ON CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = seat.rated + 1,
    counted = seat.counted + excluded.counted, finished = seat.finished + excluded.finished;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER a_rating_is_counted AFTER INSERT ON tasks_rating
  FOR EACH ROW WHEN (NEW.revision = 1 AND NEW.round = 0) EXECUTE FUNCTION tasks_count_rating();

CREATE OR REPLACE FUNCTION tasks_measure_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_batch SET size = size + found.items, wanted = tasks_batch.wanted + found.wanted
  FROM (SELECT batch_id, count(*) AS items, sum(wanted) AS wanted FROM fresh GROUP BY batch_id) AS found
  WHERE tasks_batch.id = found.batch_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER a_batch_knows_its_size AFTER INSERT ON tasks_item
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_measure_batch();
"""

NO_TRIGGERS = """
DROP TRIGGER a_batch_knows_its_size ON tasks_item;
DROP TRIGGER a_rating_is_counted ON tasks_rating;
DROP TRIGGER a_lease_that_ends_leaves_its_place ON tasks_lease;
DROP TRIGGER a_lease_that_revives_takes_a_place ON tasks_lease;
DROP TRIGGER a_lease_takes_a_place ON tasks_lease;
DROP FUNCTION tasks_measure_batch();
DROP FUNCTION tasks_count_rating();
DROP FUNCTION tasks_leave_place();
DROP FUNCTION tasks_take_place();
"""

# Numbers of what was there before. Written as what is true, not added: a migration that was broken off is
# run again.
ITEMS = """
UPDATE tasks_item SET lent = held.number, wanted = project.wanted
FROM tasks_project AS project, LATERAL (
  SELECT count(*) AS number FROM tasks_lease AS lease
  WHERE lease.item_id = tasks_item.id AND lease.status = 'live' AND lease.revises_id IS NULL
) AS held
WHERE project.id = tasks_item.project_id AND tasks_item.id >= %(first)s AND tasks_item.id < %(first)s +
%(step)s
  AND (tasks_item.lent <> held.number OR tasks_item.wanted <> project.wanted)
"""
SEATS = """
INSERT INTO tasks_seat (project_id, batch_id, annotator_id, rated, counted)
SELECT rating.project_id, item.batch_id, rating.annotator_id, count(*), count(*) FILTER (WHERE kind =
'counted') FROM tasks_rating AS rating JOIN tasks_item AS item ON item.id = rating.item_id WHERE
rating.revision = 1 AND rating.round = 0 GROUP BY rating.project_id, item.batch_id, rating.annotator_id ON
CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = excluded.rated, counted = excluded.counted
"""
BATCHES = """
WITH anew AS (UPDATE tasks_seat SET finished = 0 WHERE finished > 0)
UPDATE tasks_batch SET size = found.items, wanted = found.wanted, finished = found.finished
FROM (
  SELECT batch_id, count(*) AS items, sum(wanted) AS wanted,
    count(*) FILTER (WHERE counted >= wanted) AS finished
  FROM tasks_item GROUP BY batch_id
) AS found
WHERE tasks_batch.id = found.batch_id
"""


def write_what_is_there(apps: Any, schema_editor: Any) -> None:
    """Give the new columns the values that they would have, had they been there from the beginning."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM tasks_item")
        lowest, highest = cursor.fetchone()
        for first in range(lowest, highest + 1, STEP):
            with transaction.atomic(using=schema_editor.connection.alias):
                # Whoever lends one of these meanwhile waits, and adds to what is written here.
                cursor.execute(
                    "SELECT FROM tasks_item WHERE id >= %(first)s AND id < %(first)s + %(step)s"
                    " ORDER BY id FOR NO KEY UPDATE",
                    {"first": first, "step": STEP},
                )
                cursor.execute(ITEMS, {"first": first, "step": STEP})
        cursor.execute(SEATS)
        cursor.execute(BATCHES)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tasks", "0004_queue_tables")]

    operations = [
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
        migrations.RunPython(write_what_is_there, migrations.RunPython.noop, elidable=True),
        AddIndexConcurrently(
            "item",
            models.Index(
                fields=("batch", "position"),
                condition=models.Q(counted__lt=models.F("wanted"), dropped=False),
                name="items_that_want_ratings",
            ),
        ),
        AddIndexConcurrently(
            "item",
            models.Index(
                fields=("project", "group"),
                condition=models.Q(group__isnull=False),
                name="items_of_a_group",
            ),
        ),
        AddIndexConcurrently(
            "lease",
            models.Index(
                fields=("project", "expires_at"),
                condition=models.Q(status="live"),
                name="live_leases_by_their_end",
            ),
        ),
        RemoveIndexConcurrently("lease", "live_leases_of_an_item"),
        AddConstraintNotValid(
            "item",
            models.CheckConstraint(
                condition=models.Q(wanted__gte=1), name="an_item_wants_one_rating_at_least"
            ),
        ),
        ValidateConstraint("item", "an_item_wants_one_rating_at_least"),
        AddConstraintNotValid(
            "rating",
            models.CheckConstraint(
                condition=~models.Q(kind="counted") | models.Q(round=0),
                name="what_counts_is_of_the_first_round",
            ),
        ),
        ValidateConstraint("rating", "what_counts_is_of_the_first_round"),
    ]
