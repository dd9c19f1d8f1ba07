-- The rating that finishes a complete batch sends the leads of its project a notice, in its own transaction. A lead has one
-- notice of the finished batches of a project, about the last of them. `words`: those not read yet, by primary key.

-- Two requests that finish the last two items do not see each other's, nor does a lead who calls the batch complete. So
-- they take turns, and the query after the lock has a newer snapshot than what came before it. It has the order of
-- `items_in_the_queue`: without it PostgreSQL, which cannot know how few items are unfinished, reads the whole table.
CREATE OR REPLACE FUNCTION tasks_tell_if_finished(of_project bigint, of_batch bigint, readers text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('tasks_tell_finished'), hashint8(of_batch));
  INSERT INTO tasks_notice (user_id, kind, project_id, batch_id, words, created_at)
  SELECT user_id, 'finished', project_id, of_batch, of_batch::text, now() FROM tasks_membership
  WHERE project_id = of_project AND role = readers
    AND (SELECT complete AND size > dropped FROM tasks_batch WHERE id = of_batch)
    AND (SELECT id FROM tasks_item
      WHERE batch_id = of_batch AND counted < wanted AND NOT dropped
      ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 1) IS NULL
  ORDER BY user_id  -- two batches that are finished at once lock the notices of several leads in one order
  ON CONFLICT (user_id, project_id) WHERE kind = 'finished'
  DO UPDATE SET batch_id = excluded.batch_id, created_at = excluded.created_at, read_at = NULL,
    words = CASE
      WHEN tasks_notice.read_at IS NOT NULL THEN excluded.words
      WHEN excluded.words = ANY (string_to_array(tasks_notice.words, ',')) THEN tasks_notice.words
      ELSE concat_ws(',', nullif(tasks_notice.words, ''), excluded.words)
    END;
END $$;

-- The argument is the role of those who get the notice. Far from the end of a batch nobody takes turns.
CREATE OR REPLACE FUNCTION tasks_tell_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) < 50 FROM (SELECT FROM tasks_item
      WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
      ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 50) AS unfinished) THEN
    PERFORM tasks_tell_if_finished(NEW.project_id, NEW.batch_id, TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;

-- A lead is not told of a batch that she has just imported with its ratings.
CREATE OR REPLACE TRIGGER a_finished_batch_is_told AFTER UPDATE OF counted ON tasks_item
  FOR EACH ROW WHEN (NEW.counted >= NEW.wanted AND OLD.counted < OLD.wanted AND NOT NEW.dropped
    AND NEW.imported = OLD.imported)
  EXECUTE FUNCTION tasks_tell_finished('lead');
