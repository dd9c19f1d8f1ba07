-- The rating that finishes a batch sends the leads of its project a notice, in its own transaction.

-- The argument is the role of those who get the notice.
CREATE FUNCTION tasks_tell_finished() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE TRIGGER a_finished_batch_is_told AFTER UPDATE OF counted ON tasks_item
  FOR EACH ROW WHEN (NEW.counted >= NEW.wanted AND OLD.counted < OLD.wanted AND NOT NEW.dropped)
  EXECUTE FUNCTION tasks_tell_finished('lead');
