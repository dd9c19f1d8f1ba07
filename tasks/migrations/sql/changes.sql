-- Acts after which ratings count otherwise, or are gone, are stored with the act. A program that asks what is new since
-- its last call reads them (tasks/api/windows.py). A submit fires none of these triggers: it changes no such column.

-- The arguments of a trigger: the kind; the column with the subject's key, the project's, and its name, or ''.
CREATE FUNCTION tasks_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  about jsonb := to_jsonb(OLD);
BEGIN
  INSERT INTO tasks_ratingschange (project_id, kind, subject, name, at)
  VALUES ((about ->> TG_ARGV[2])::bigint, TG_ARGV[0], (about ->> TG_ARGV[1])::bigint,
    coalesce(about ->> TG_ARGV[3], ''), now());
  RETURN NULL;
END $$;

CREATE TRIGGER a_drop_is_noted AFTER UPDATE OF dropped ON tasks_item
  FOR EACH ROW WHEN (OLD.dropped IS DISTINCT FROM NEW.dropped)
  EXECUTE FUNCTION tasks_note_change('item', 'id', 'project_id', '');

CREATE TRIGGER what_imports_count_for_is_noted AFTER UPDATE OF imported ON tasks_project
  FOR EACH ROW WHEN (OLD.imported IS DISTINCT FROM NEW.imported)
  EXECUTE FUNCTION tasks_note_change('imported', '', 'id', '');

CREATE TRIGGER whose_account_a_rater_is_is_noted AFTER UPDATE OF account_id ON tasks_importedrater
  FOR EACH ROW WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id)
  EXECUTE FUNCTION tasks_note_change('rater', 'id', 'project_id', '');

CREATE TRIGGER a_removed_batch_is_noted AFTER DELETE ON tasks_batch
  FOR EACH ROW EXECUTE FUNCTION tasks_note_change('batch', 'id', 'project_id', 'name');

CREATE TRIGGER a_file_taken_back_is_noted AFTER DELETE ON tasks_ratingfile
  FOR EACH ROW EXECUTE FUNCTION tasks_note_change('file', 'id', 'project_id', 'file_name');
