"""The removal of a batch with all that is in it, as long as nobody has worked on it.

`Batch.remove` calls it, after it has locked the batch and its items.
"""

from config.web.raw_sql import one_row, run

# Nobody has a draft, flag, rating, decision or ended lease of its items.
UNTOUCHED = """
WITH item AS (SELECT id FROM tasks_item WHERE batch_id = %(batch)s)
SELECT NOT EXISTS (SELECT FROM tasks_lease WHERE item_id IN (TABLE item) AND status <> 'live')
  AND NOT EXISTS (SELECT FROM tasks_draft WHERE item_id IN (TABLE item))
  AND NOT EXISTS (SELECT FROM tasks_rating WHERE item_id IN (TABLE item) AND kind <> 'imported')
  AND NOT EXISTS (SELECT FROM tasks_concern WHERE item_id IN (TABLE item))
  AND NOT EXISTS (SELECT FROM tasks_scoredecision WHERE item_id IN (TABLE item))
  AND NOT EXISTS (
    SELECT FROM tasks_corpusanswer WHERE batch_id = %(batch)s AND annotator_id IS NOT NULL)
"""
# Rows come before those that they refer to. The figures of a project that count imported ratings of
# the batch go, too: the worker makes them anew.
REMOVE = (
    """
    DELETE FROM tasks_scorecounts USING tasks_rating AS rating, tasks_item AS item
    WHERE rating.project_id = tasks_scorecounts.project_id AND rating.item_id = item.id
      AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_agreementresult USING tasks_rating AS rating, tasks_item AS item
    WHERE rating.project_id = tasks_agreementresult.project_id AND rating.item_id = item.id
      AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_lease USING tasks_item AS item
    WHERE item_id = item.id AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_itemwords USING tasks_item AS item
    WHERE item_id = item.id AND item.batch_id = %(batch)s
    """,
    "DELETE FROM tasks_itementry WHERE batch_id = %(batch)s",
    "DELETE FROM tasks_caseentry WHERE batch_id = %(batch)s",
    "DELETE FROM tasks_casecount WHERE batch_id = %(batch)s",
    """
    DELETE FROM tasks_placement USING tasks_rating AS rating, tasks_item AS item
    WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_factcheck USING tasks_rating AS rating, tasks_item AS item
    WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_score USING tasks_rating AS rating, tasks_item AS item
    WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_rating USING tasks_item AS item
    WHERE item_id = item.id AND item.batch_id = %(batch)s
    """,
    "DELETE FROM tasks_corpusanswer WHERE batch_id = %(batch)s",
    """
    DELETE FROM tasks_response USING tasks_item AS item
    WHERE item_id = item.id AND item.batch_id = %(batch)s
    """,
    "DELETE FROM tasks_item WHERE batch_id = %(batch)s",
    """
    DELETE FROM tasks_notice WHERE batch_id = %(batch)s
    OR upload_id IN (SELECT id FROM tasks_upload WHERE batch_id = %(batch)s)
    """,
    "DELETE FROM tasks_assignment WHERE batch_id = %(batch)s",
    "DELETE FROM tasks_batchprogress WHERE batch_id = %(batch)s",
    """
    DELETE FROM tasks_uploadblock USING tasks_upload AS upload
    WHERE upload_id = upload.id AND upload.batch_id = %(batch)s
    """,
    """
    DELETE FROM tasks_uploadprogress USING tasks_upload AS upload
    WHERE upload_id = upload.id AND upload.batch_id = %(batch)s
    """,
    "DELETE FROM tasks_upload WHERE batch_id = %(batch)s",
    "DELETE FROM tasks_batch WHERE id = %(batch)s",
)


def is_untouched(batch: int) -> bool:
    """Return True if nobody has worked on a batch."""
    return one_row(UNTOUCHED, {"batch": batch}) == (True,)


def remove_rows(batch: int) -> None:
    """Delete a batch and all rows that refer to it or to its items."""
    for statement in REMOVE:
        run(statement, {"batch": batch})
