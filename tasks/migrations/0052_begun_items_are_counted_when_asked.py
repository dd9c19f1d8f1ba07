"""The trigger that counts a rating no longer counts begun items: the overview does, by an index."""

from django.db import migrations, models

COUNT = """
CREATE OR REPLACE FUNCTION tasks_count_rating() RETURNS trigger LANGUAGE plpgsql AS $$
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


class Migration(migrations.Migration):
    dependencies = [("tasks", "0051_the_worker_sends_invitations")]

    operations = [
        migrations.RunSQL(COUNT),
        migrations.RemoveField("batch", "begun"),
        migrations.RemoveField("seat", "begun"),
        migrations.AddIndex(
            "item",
            models.Index(
                condition=models.Q(
                    ("counted__gt", 0), ("counted__lt", models.F("wanted")), ("dropped", False)
                ),
                fields=["project", "counted"],
                name="items_begun",
            ),
        ),
    ]
