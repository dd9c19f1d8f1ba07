-- A batch knows its size and how many ratings its items want, so that no page counts its items.

-- Once for each INSERT or COPY, whatever number of items it brings.
CREATE FUNCTION tasks_measure_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_batch SET size = size + found.items, wanted = tasks_batch.wanted + found.wanted
  FROM (SELECT batch_id, count(*) AS items, sum(wanted) AS wanted FROM fresh GROUP BY batch_id) AS found
  WHERE tasks_batch.id = found.batch_id;
  RETURN NULL;
END $$;

CREATE TRIGGER a_batch_knows_its_size AFTER INSERT ON tasks_item
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_measure_batch();
