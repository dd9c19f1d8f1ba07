-- An item never gets more counted ratings than it wants, and every first rating is counted when it is stored.

-- Counts a first rating of attempt 0 on its item and in the annotator's batch progress. An extra rating adds to the
-- batch progress only.
CREATE FUNCTION tasks_count_rating() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Imported ratings come by the thousand. `store_wanted` counts them on their items, not one by one.
CREATE TRIGGER a_rating_is_counted AFTER INSERT ON tasks_rating
  FOR EACH ROW WHEN (NEW.revision = 1 AND NEW.attempt = 0 AND NEW.rater_id IS NULL)
  EXECUTE FUNCTION tasks_count_rating();

-- Has the lead decided "again" on a flag of this annotator on this item? The statement that stores a rating asks this
-- after it has locked the item. The function is VOLATILE, so its query has a newer snapshot than that statement and
-- sees a decision that was made while the statement waited.
CREATE FUNCTION tasks_comes_back(of_item bigint, of_annotator bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (SELECT FROM tasks_concern
    WHERE item_id = of_item AND annotator_id = of_annotator AND kind = 'flag' AND decision = 'again');
END $$;
