-- A live lease reserves one of the ratings that its item wants. The database refuses a lease where none is free, so no
-- code can lease an item once too often.

CREATE FUNCTION tasks_take_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_item SET reserved = reserved + 1
  WHERE id = NEW.item_id AND counted + reserved < wanted AND NOT dropped;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'item % has no place that is free', NEW.item_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'an_item_is_reserved_where_it_has_a_place',
        TABLE = 'tasks_lease';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER a_lease_takes_a_place AFTER INSERT ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live') EXECUTE FUNCTION tasks_take_place();

CREATE TRIGGER a_lease_that_revives_takes_a_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status = 'live' AND OLD.status <> 'live') EXECUTE FUNCTION tasks_take_place();

CREATE FUNCTION tasks_leave_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_item SET reserved = reserved - 1 WHERE id = NEW.item_id;
  RETURN NULL;
END $$;

CREATE TRIGGER a_lease_that_ends_leaves_its_place AFTER UPDATE OF status ON tasks_lease
  FOR EACH ROW WHEN (NEW.status <> 'live' AND OLD.status = 'live') EXECUTE FUNCTION tasks_leave_place();
