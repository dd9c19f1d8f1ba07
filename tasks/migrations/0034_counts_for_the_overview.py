"""Counts that the overview is made of: items that are begun, by batch and seat, and scores by project.

Ratings wait for the lock on the seats while the items of all batches are counted. Stop the site for this migration:
a rating that is being stored just then may be missed until its batch is counted anew.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

HEAD = """
CREATE OR REPLACE FUNCTION tasks_count_rating() RETURNS trigger LANGUAGE plpgsql AS $$
"""
COUNT = """
DECLARE
  of_batch bigint;
  has int := 0;
  is_full boolean := false;
  is_dropped boolean := false;
  change int[] := '{}';
BEGIN
  IF NEW.kind = 'counted' THEN
    UPDATE tasks_item SET counted = counted + 1 WHERE id = NEW.item_id AND counted < wanted
    RETURNING batch_id, counted, counted >= wanted, dropped INTO of_batch, has, is_full, is_dropped;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'item % has all the ratings that it wants', NEW.item_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_gets_as_many_ratings_as_it_wants',
          TABLE = 'tasks_rating';
    END IF;
    -- The item leaves those with one rating less. It joins those with as many, unless it is finished.
    IF NOT is_dropped AND (has > 1 OR NOT is_full) THEN
      change := array_fill(0, ARRAY[has]);
      change[has] := (NOT is_full)::int;
      IF has > 1 THEN
        change[has - 1] := -1;
      END IF;
    END IF;
  ELSE
    SELECT batch_id, dropped INTO of_batch, is_dropped FROM tasks_item WHERE id = NEW.item_id;
  END IF;
  INSERT INTO tasks_seat AS seat (project_id, batch_id, annotator_id, rated, dropped, counted, finished, begun)
  VALUES (NEW.project_id, of_batch, NEW.annotator_id, 1, is_dropped::int, (NEW.kind = 'counted')::int,
    is_full::int, change)
  ON CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = seat.rated + 1,
    dropped = seat.dropped + excluded.dropped, counted = seat.counted + excluded.counted,
    finished = seat.finished + excluded.finished, begun = ARRAY(
      SELECT coalesce(seat.begun[ratings], 0) + coalesce(excluded.begun[ratings], 0)
      FROM generate_series(1, greatest(cardinality(seat.begun), cardinality(excluded.begun))) AS ratings
      ORDER BY ratings);
  RETURN NULL;
END $$;
"""
AS_BEFORE = """
DECLARE
  of_batch bigint;
  is_full boolean := false;
  is_dropped boolean := false;
BEGIN
  IF NEW.kind = 'counted' THEN
    UPDATE tasks_item SET counted = counted + 1 WHERE id = NEW.item_id AND counted < wanted
    RETURNING batch_id, counted >= wanted, dropped INTO of_batch, is_full, is_dropped;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'item % has all the ratings that it wants', NEW.item_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_gets_as_many_ratings_as_it_wants',
          TABLE = 'tasks_rating';
    END IF;
  ELSE
    SELECT batch_id, dropped INTO of_batch, is_dropped FROM tasks_item WHERE id = NEW.item_id;
  END IF;
  INSERT INTO tasks_seat AS seat (project_id, batch_id, annotator_id, rated, dropped, counted, finished)
  VALUES (NEW.project_id, of_batch, NEW.annotator_id, 1, is_dropped::int, (NEW.kind = 'counted')::int,
    is_full::int)
  ON CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = seat.rated + 1,
    dropped = seat.dropped + excluded.dropped, counted = seat.counted + excluded.counted,
    finished = seat.finished + excluded.finished;
  RETURN NULL;
END $$;
"""
FILL = """
LOCK TABLE tasks_seat IN SHARE ROW EXCLUSIVE MODE;
WITH begun AS (
  SELECT batch_id, counted, count(*) AS number FROM tasks_item
  WHERE NOT dropped AND counted > 0 AND counted < wanted GROUP BY batch_id, counted
)
UPDATE tasks_batch SET begun = ARRAY(
  SELECT coalesce(begun.number, 0)
  FROM generate_series(1, (SELECT max(counted) FROM begun WHERE batch_id = tasks_batch.id)) AS ratings
  LEFT JOIN begun ON begun.batch_id = tasks_batch.id AND begun.counted = ratings ORDER BY ratings)
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0033_results_of_agreement")]

    operations = [
        migrations.CreateModel(
            name="ScoreCounts",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.project",
                    ),
                ),
                ("upto", models.BigIntegerField(default=0)),
                ("counts", models.JSONField(default=list)),
            ],
        ),
        *(
            migrations.AddField(
                model,
                "begun",
                django.contrib.postgres.fields.ArrayField(
                    base_field=models.IntegerField(),
                    db_default=[],
                    default=list,
                    editable=False,
                    size=None,
                ),
            )
            for model in ("batch", "seat")
        ),
        migrations.RunSQL(HEAD + COUNT, HEAD + AS_BEFORE),
        migrations.RunSQL(FILL, migrations.RunSQL.noop, elidable=True),
    ]
