-- The queue of disagreements follows a lead who wants another number of ratings, as the list of items does.
CREATE OR REPLACE FUNCTION tasks_keep_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_itementry SET state = tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped) WHERE item_id = NEW.id;
  UPDATE tasks_caseentry SET is_complete = NEW.counted >= NEW.wanted WHERE item_id = NEW.id;
  RETURN NULL;
END $$;

-- The worker makes the entries of all items anew, now with their cases.
UPDATE tasks_itementry SET latest = 0 WHERE latest > 0;
UPDATE tasks_itemlist SET upto = 0;

-- Questions that leads asked before they were stored as such. A rating that came back names the response by its place.
INSERT INTO tasks_question (project_id, item_id, annotator_id, rating_id, response_id, text, asked_at, replied_at,
  revision_id)
SELECT rating.project_id, rating.item_id, returned.annotator_id, rating.id, placement.response_id, pair ->> 1,
  returned.returned_at, returned.settled_at, later.id
FROM tasks_returnedrating AS returned JOIN tasks_rating AS rating ON rating.id = returned.rating_id
CROSS JOIN LATERAL jsonb_array_elements(
  CASE WHEN jsonb_typeof(returned.reasons) = 'array' THEN returned.reasons ELSE '[]' END) AS pair
LEFT JOIN tasks_placement AS placement
  ON placement.rating_id = rating.id AND placement.position = returned.place AND returned.place > 0
LEFT JOIN tasks_rating AS later ON later.supersedes_id = rating.id
WHERE pair ->> 0 LIKE 'lead%';

-- Agreement is that of the revisions before a question: the worker makes it anew.
DELETE FROM tasks_agreementresult WHERE project_id IN (SELECT project_id FROM tasks_question);
