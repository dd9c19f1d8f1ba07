-- The SQL functions and triggers, as all migrations together have left them. This file is for reading: nothing loads
-- it. tests/test_sql_functions.py compares it with the database and says how to write it anew. A change needs a
-- migration. Lines that begin with "--" are comments; everything else is PostgreSQL's own wording.

-- A published rubric version never changes: ratings refer to its text.
CREATE OR REPLACE FUNCTION public.refuse_change_of_published_rubric()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.status = 'published' THEN
    RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $function$;

CREATE TRIGGER a_published_rubric_stays BEFORE DELETE OR UPDATE ON public.rubrics_rubric FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();

-- Has the lead decided "again" on a flag of this annotator on this item? The statement that stores a rating asks this
-- after it has locked the item. The function is VOLATILE, so its query has a newer snapshot than that statement and
-- sees a decision that was made while the statement waited.
CREATE OR REPLACE FUNCTION public.tasks_comes_back(of_item bigint, of_annotator bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM tasks_concern
    WHERE item_id = of_item AND annotator_id = of_annotator AND kind = 'flag' AND decision = 'again');
END $function$;

-- A first rating of attempt 0 is counted on its item and in the annotator's seat. Refuses a counted rating when the item
-- has all the ratings it wants. An extra rating adds to the seat only.
CREATE OR REPLACE FUNCTION public.tasks_count_rating()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$

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
END $function$;

CREATE TRIGGER a_rating_is_counted AFTER INSERT ON public.tasks_rating FOR EACH ROW WHEN (((new.revision = 1) AND (new.attempt = 0))) EXECUTE FUNCTION tasks_count_rating();

CREATE OR REPLACE FUNCTION public.tasks_end_draft(of_item bigint, of_annotator bigint, by_writer text, by_number integer, shown integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM tasks_draft
    WHERE item_id = of_item AND annotator_id = of_annotator
      AND CASE by_writer WHEN '' THEN true
        WHEN writer THEN by_number = 0 OR number <= by_number
        ELSE revision = shown END;
  RETURN NOT EXISTS (SELECT FROM tasks_draft
    WHERE item_id = of_item AND annotator_id = of_annotator);
END $function$;

-- A lease that ends frees its place on the item. A lease that mends a returned rating takes no place.
CREATE OR REPLACE FUNCTION public.tasks_leave_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks_item SET lent = lent - 1 WHERE id = NEW.item_id;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_lease_that_ends_leaves_its_place AFTER UPDATE OF status ON public.tasks_lease FOR EACH ROW WHEN ((((new.status)::text <> 'live'::text) AND ((old.status)::text = 'live'::text) AND (new.revises_id IS NULL))) EXECUTE FUNCTION tasks_leave_place();

-- New items add to their batch's size and to the ratings it wants, once for each INSERT or COPY.
CREATE OR REPLACE FUNCTION public.tasks_measure_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks_batch SET size = size + found.items, wanted = tasks_batch.wanted + found.wanted
  FROM (SELECT batch_id, count(*) AS items, sum(wanted) AS wanted FROM fresh GROUP BY batch_id) AS found
  WHERE tasks_batch.id = found.batch_id;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_batch_knows_its_size AFTER INSERT ON public.tasks_item REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_measure_batch();

-- A lease takes a place on its item when it is stored, and again when it revives. Refuses where no place is free.
CREATE OR REPLACE FUNCTION public.tasks_take_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks_item SET lent = lent + 1
  WHERE id = NEW.item_id AND counted + lent < wanted AND NOT dropped;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'item % has no place that is free', NEW.item_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_is_lent_where_it_has_a_place',
        TABLE = 'tasks_lease';
  END IF;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_lease_takes_a_place AFTER INSERT ON public.tasks_lease FOR EACH ROW WHEN ((((new.status)::text = 'live'::text) AND (new.revises_id IS NULL))) EXECUTE FUNCTION tasks_take_place();

CREATE TRIGGER a_lease_that_revives_takes_a_place AFTER UPDATE OF status ON public.tasks_lease FOR EACH ROW WHEN ((((new.status)::text = 'live'::text) AND ((old.status)::text <> 'live'::text) AND (new.revises_id IS NULL))) EXECUTE FUNCTION tasks_take_place();
