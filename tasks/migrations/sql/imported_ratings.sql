-- Imported ratings come by the thousand. `settle_wanted` counts them on their items; no trigger does so one by one, and
-- no notice tells a lead of the batch that she has just imported.

DROP TRIGGER a_rating_is_counted ON tasks_rating;
CREATE TRIGGER a_rating_is_counted AFTER INSERT ON tasks_rating
  FOR EACH ROW WHEN (NEW.revision = 1 AND NEW.attempt = 0 AND NEW.rater_id IS NULL)
  EXECUTE FUNCTION tasks_count_rating();

DROP TRIGGER a_finished_batch_is_told ON tasks_item;
CREATE TRIGGER a_finished_batch_is_told AFTER UPDATE OF counted ON tasks_item
  FOR EACH ROW WHEN (NEW.counted >= NEW.wanted AND OLD.counted < OLD.wanted AND NOT NEW.dropped
    AND NEW.imported = OLD.imported)
  EXECUTE FUNCTION tasks_tell_finished('lead');

-- As after any rating, the worker renews the entry in the list.
DROP TRIGGER an_item_keeps_its_state ON tasks_item;
CREATE TRIGGER an_item_keeps_its_state AFTER UPDATE OF wanted, dropped ON tasks_item
  FOR EACH ROW WHEN (
    tasks_item_state(OLD.counted, OLD.wanted, OLD.dropped) <> tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped)
    AND NEW.imported = OLD.imported
  ) EXECUTE FUNCTION tasks_keep_state();
