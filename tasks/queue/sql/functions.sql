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

-- A first rating of attempt 0 is counted on its item and in the annotator's batch progress. Refuses a counted rating when
-- the item has all the ratings it wants. An extra rating adds to the batch progress only.
CREATE OR REPLACE FUNCTION public.tasks_count_rating()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE TRIGGER a_rating_is_counted AFTER INSERT ON public.tasks_rating FOR EACH ROW WHEN (((new.revision = 1) AND (new.attempt = 0))) EXECUTE FUNCTION tasks_count_rating();

CREATE OR REPLACE FUNCTION public.tasks_item_state(counted integer, wanted integer, dropped boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN dropped THEN 'dropped' WHEN counted >= wanted THEN 'finished' WHEN counted > 0 THEN 'begun'
    ELSE 'untouched' END
$function$;

CREATE OR REPLACE FUNCTION public.tasks_keep_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks_itementry SET state = tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped) WHERE item_id = NEW.id;
  RETURN NULL;
END $function$;

CREATE TRIGGER an_item_keeps_its_state AFTER UPDATE OF wanted, dropped ON public.tasks_item FOR EACH ROW WHEN ((tasks_item_state((old.counted)::integer, (old.wanted)::integer, old.dropped) <> tasks_item_state((new.counted)::integer, (new.wanted)::integer, new.dropped))) EXECUTE FUNCTION tasks_keep_state();

-- A lease that ends frees its place on the item.
CREATE OR REPLACE FUNCTION public.tasks_leave_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks_item SET reserved = reserved - 1 WHERE id = NEW.item_id;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_lease_that_ends_leaves_its_place AFTER UPDATE OF status ON public.tasks_lease FOR EACH ROW WHEN ((((new.status)::text <> 'live'::text) AND ((old.status)::text = 'live'::text))) EXECUTE FUNCTION tasks_leave_place();

CREATE OR REPLACE FUNCTION public.tasks_list_items()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO tasks_itementry (item_id, project_id, batch_id, external_id, latest, spread, state, traits)
  SELECT id, project_id, batch_id, external_id, 0, -1, tasks_item_state(counted, wanted, dropped), '{}' FROM fresh;
  RETURN NULL;
END $function$;

CREATE TRIGGER an_item_is_listed AFTER INSERT ON public.tasks_item REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_list_items();

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
  UPDATE tasks_item SET reserved = reserved + 1
  WHERE id = NEW.item_id AND counted + reserved < wanted AND NOT dropped;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'item % has no place that is free', NEW.item_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_is_reserved_where_it_has_a_place',
        TABLE = 'tasks_lease';
  END IF;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_lease_takes_a_place AFTER INSERT ON public.tasks_lease FOR EACH ROW WHEN (((new.status)::text = 'live'::text)) EXECUTE FUNCTION tasks_take_place();

CREATE TRIGGER a_lease_that_revives_takes_a_place AFTER UPDATE OF status ON public.tasks_lease FOR EACH ROW WHEN ((((new.status)::text = 'live'::text) AND ((old.status)::text <> 'live'::text))) EXECUTE FUNCTION tasks_take_place();

-- The rating that finishes a batch tells the leads of its project, in its own transaction.
CREATE OR REPLACE FUNCTION public.tasks_tell_finished()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- The order is that of `items_in_the_queue`. Without it PostgreSQL, which cannot know how few items are unfinished,
  -- reads the whole table.
  IF (SELECT count(*) = 50 FROM (SELECT FROM tasks_item
      WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
      ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 50) AS unfinished) THEN
    RETURN NULL;
  END IF;
  -- Two requests that finish the last two items do not see each other's. So near the end of a batch they take turns,
  -- and the query below has a newer snapshot than the one above.
  PERFORM pg_advisory_xact_lock(hashtext('tasks_tell_finished'), hashint8(NEW.batch_id));
  INSERT INTO tasks_notice (user_id, kind, project_id, batch_id, words, created_at)
  SELECT user_id, 'finished', project_id, NEW.batch_id, '', now() FROM tasks_membership
  WHERE project_id = NEW.project_id AND role = TG_ARGV[0] AND (SELECT id FROM tasks_item
    WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
    ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 1) IS NULL
  ON CONFLICT (user_id, kind, project_id, concern_id, returned_id, batch_id)
  DO UPDATE SET created_at = excluded.created_at, read_at = NULL;
  RETURN NULL;
END $function$;

CREATE TRIGGER a_finished_batch_is_told AFTER UPDATE OF counted ON public.tasks_item FOR EACH ROW WHEN (((new.counted >= new.wanted) AND (old.counted < old.wanted) AND (NOT new.dropped))) EXECUTE FUNCTION tasks_tell_finished('lead');

CREATE OR REPLACE FUNCTION public.tasks_words_of(said text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
BEGIN
  LOOP
    BEGIN
      RETURN strip(to_tsvector('simple', said));
    EXCEPTION WHEN program_limit_exceeded THEN
      said := left(said, length(said) / 2);
    END;
  END LOOP;
END $function$;
