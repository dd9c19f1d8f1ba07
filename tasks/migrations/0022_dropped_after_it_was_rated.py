"""How many of the items that someone rated were dropped: a column with a constant default, added without rewriting
the table; the trigger that counts a rating tells it of what is dropped already."""

from django.db import migrations, models

# As in 0005, and `dropped` beside.
COUNT_RATING = """
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
COUNT_RATING_BEFORE = """
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
"""
# What was dropped before. From the concerns by which it was, which are few, and not from all items.
FILL = """
UPDATE tasks_seat SET dropped = found.number
FROM (
  SELECT item.batch_id, rating.annotator_id, count(*) AS number
  FROM tasks_item AS item JOIN tasks_rating AS rating
    ON rating.item_id = item.id AND rating.round = 0 AND rating.revision = 1
  WHERE item.dropped AND item.id IN (SELECT item_id FROM tasks_concern WHERE decision = 'drop')
  GROUP BY item.batch_id, rating.annotator_id
) AS found
WHERE tasks_seat.batch_id = found.batch_id AND tasks_seat.annotator_id = found.annotator_id
"""


class Migration(migrations.Migration):
    dependencies = [("tasks", "0021_why_a_rating_came_back")]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="dropped",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunSQL(COUNT_RATING, COUNT_RATING_BEFORE),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
