"""Seats are batch progress, and an item's lent places are reserved: the trade's words."""

from django.conf import settings
from django.db import migrations, models

FUNCTIONS = """
CREATE OR REPLACE FUNCTION tasks_count_rating()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
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
  INSERT INTO tasks_batchprogress AS own (project_id, batch_id, annotator_id, rated, dropped, counted, finished)
  VALUES (NEW.project_id, of_batch, NEW.annotator_id, 1, is_dropped::int, (NEW.kind = 'counted')::int,
    is_full::int)
  ON CONFLICT (annotator_id, batch_id) DO UPDATE SET rated = own.rated + 1,
    dropped = own.dropped + excluded.dropped, counted = own.counted + excluded.counted,
    finished = own.finished + excluded.finished;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tasks_leave_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tasks_item SET reserved = reserved - 1 WHERE id = NEW.item_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tasks_take_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tasks_item SET reserved = reserved + 1
  WHERE id = NEW.item_id AND counted + reserved < wanted AND NOT dropped;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'item % has no place that is free', NEW.item_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_is_reserved_where_it_has_a_place',
        TABLE = 'tasks_lease';
  END IF;
  RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0053_returned_ratings_are_settled")]

    operations = [
        migrations.RenameField("item", "lent", "reserved"),
        migrations.RenameModel("Seat", "BatchProgress"),
        migrations.AlterField(
            "batchprogress",
            "project",
            models.ForeignKey(
                on_delete=models.CASCADE, related_name="batch_progress", to="tasks.project"
            ),
        ),
        migrations.AlterField(
            "batchprogress",
            "batch",
            models.ForeignKey(
                on_delete=models.CASCADE, related_name="batch_progress", to="tasks.batch"
            ),
        ),
        migrations.AlterField(
            "batchprogress",
            "annotator",
            models.ForeignKey(
                on_delete=models.CASCADE, related_name="batch_progress", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.RenameIndex(
            "batchprogress",
            new_name="batch_progress_of_an_annotator",
            old_name="seats_of_an_annotator",
        ),
        migrations.RemoveConstraint("batchprogress", "an_annotator_has_one_seat_in_a_batch"),
        migrations.AddConstraint(
            "batchprogress",
            models.UniqueConstraint(
                fields=("annotator", "batch"), name="an_annotator_has_one_progress_in_a_batch"
            ),
        ),
        migrations.RunSQL(FUNCTIONS),
    ]
