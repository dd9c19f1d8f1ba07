-- A lead has one notice of the finished batches of a project, about the last of them. `words`: those not read yet, by
-- primary key.

-- Those that are stored become one, a notice that is not read if there is one.
WITH ordered AS (
  SELECT id,
    row_number() OVER own AS place,
    string_agg(batch_id::text, ',') FILTER (WHERE read_at IS NULL) OVER (PARTITION BY user_id, project_id) AS unread
  FROM tasks_notice WHERE kind = 'finished'
  WINDOW own AS (PARTITION BY user_id, project_id ORDER BY read_at IS NOT NULL, created_at DESC, id DESC)
), merged AS (
  UPDATE tasks_notice AS notice SET words = coalesce(unread, batch_id::text)
  FROM ordered WHERE notice.id = ordered.id AND place = 1
)
DELETE FROM tasks_notice AS notice USING ordered WHERE notice.id = ordered.id AND place > 1;

-- As in notices.sql, but for the words, the order and the conflict.
CREATE OR REPLACE FUNCTION tasks_tell_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) = 50 FROM (SELECT FROM tasks_item
      WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
      ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 50) AS unfinished) THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('tasks_tell_finished'), hashint8(NEW.batch_id));
  INSERT INTO tasks_notice (user_id, kind, project_id, batch_id, words, created_at)
  SELECT user_id, 'finished', project_id, NEW.batch_id, NEW.batch_id::text, now() FROM tasks_membership
  WHERE project_id = NEW.project_id AND role = TG_ARGV[0] AND (SELECT id FROM tasks_item
    WHERE batch_id = NEW.batch_id AND counted < wanted AND NOT dropped
    ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END LIMIT 1) IS NULL
  ORDER BY user_id  -- two batches that are finished at once lock the notices of several leads in one order
  ON CONFLICT (user_id, project_id) WHERE kind = 'finished'
  DO UPDATE SET batch_id = excluded.batch_id, created_at = excluded.created_at, read_at = NULL,
    words = CASE
      WHEN tasks_notice.read_at IS NOT NULL THEN excluded.words
      WHEN excluded.words = ANY (string_to_array(tasks_notice.words, ',')) THEN tasks_notice.words
      ELSE concat_ws(',', nullif(tasks_notice.words, ''), excluded.words)
    END;
  RETURN NULL;
END $$;
