-- The leads' list of items has an entry for each item, with its state, so that a page of a million items is read from
-- an index.

CREATE FUNCTION tasks_item_state(counted integer, wanted integer, dropped boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN dropped THEN 'dropped' WHEN counted >= wanted THEN 'finished' WHEN counted > 0 THEN 'begun'
    ELSE 'untouched' END
$$;

-- Once for each INSERT or COPY, whatever number of items it brings.
CREATE FUNCTION tasks_list_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tasks_itementry (item_id, project_id, batch_id, external_id, latest, spread, state, traits)
  SELECT id, project_id, batch_id, external_id, 0, -1, tasks_item_state(counted, wanted, dropped), '{}' FROM fresh;
  RETURN NULL;
END $$;

CREATE TRIGGER an_item_is_listed AFTER INSERT ON tasks_item
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_list_items();

-- Follows a lead who drops an item or wants another number of ratings. A rating itself updates no entry; the worker
-- does so later.
CREATE FUNCTION tasks_keep_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_itementry SET state = tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped) WHERE item_id = NEW.id;
  RETURN NULL;
END $$;

-- After imported ratings the worker renews the entry, as after any other.
CREATE TRIGGER an_item_keeps_its_state AFTER UPDATE OF wanted, dropped ON tasks_item
  FOR EACH ROW WHEN (
    tasks_item_state(OLD.counted, OLD.wanted, OLD.dropped) <> tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped)
    AND NEW.imported = OLD.imported
  ) EXECUTE FUNCTION tasks_keep_state();
