"""Write a project's settings onto the items of its batches, in steps that PostgreSQL carries out.

Steps keep a batch of a million items from locking a million rows at once. Each step is one
statement, in a transaction of its own unless the caller has one open. Each step locks the batch,
so changes by several leads run one after the other. Storing the settings again does a step that a
crash left out, and a step that runs twice changes nothing. How many ratings an item wants is
computed from the project's row and from the lead's decisions, never passed in, so the last writer
is always right.
"""

from django.db import transaction
from psycopg import sql

from config.web.raw_sql import Statement, one_row, run

from .counting import FILLING

STEP = 20_000  # items
# The item still wants a rating. It repeats the condition of the index `items_in_the_queue` word for
# word, so that PostgreSQL uses the index.
WANTED = "tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped"

# The seed and the item's id alone decide whether an item is in the overlap: 32 bits of their MD5,
# scaled to 0 to 100, are below the percentage. An item wants one more rating for each rating that
# its annotator flagged and the lead wants from someone else. Where imported ratings fill places, an
# item that has some wants no others.
SETTLE_WANTED = sql.SQL("""
UPDATE tasks_item SET wanted = settled.wanted, imported = settled.imported,
  counted = tasks_item.counted - tasks_item.imported + settled.imported
FROM (
  SELECT item.id, coalesce(filled.number, 0) AS imported, coalesce(raised.number, 0) + CASE
    WHEN filled.number > 0 THEN filled.number
    WHEN ('x' || left(md5(project.seed || '/overlap/' || item.external_id), 8))
        ::bit(32)::bigint * 100.0
      < project.overlap_percent * 4294967296.0
    THEN project.overlap_wanted ELSE project.wanted END AS wanted
  FROM tasks_project AS project JOIN tasks_item AS item ON item.project_id = project.id
  LEFT JOIN (
    SELECT rating.item_id, count(*) AS number
    FROM tasks_rating AS rating JOIN tasks_project AS own ON own.id = rating.project_id
    WHERE rating.project_id = %(project)s AND own.imported = 'places'
      AND rating.kind = 'imported' AND rating.revision = 1 AND {filling}
    GROUP BY rating.item_id
  ) AS filled ON filled.item_id = item.id
  LEFT JOIN (
    SELECT concern.item_id, count(*) AS number
    FROM tasks_concern AS concern JOIN tasks_rating AS rating
      ON rating.item_id = concern.item_id AND rating.annotator_id = concern.annotator_id
    WHERE concern.project_id = %(project)s AND concern.kind = 'flag'
      AND concern.decision = 'someone_else'
      AND rating.attempt = 0 AND rating.revision = 1 AND rating.submitted_at <= concern.decided_at
    GROUP BY concern.item_id
  ) AS raised ON raised.item_id = item.id
  WHERE project.id = %(project)s AND item.batch_id = %(batch)s
    AND item.position >= %(first)s AND item.position < %(end)s
) AS settled
WHERE tasks_item.id = settled.id
  AND (tasks_item.wanted, tasks_item.imported) <> (settled.wanted, settled.imported)
""").format(filling=FILLING)

# A group is 64 bits of the MD5 of everything that an annotator sees apart from the responses.
FIND_GROUPS = """
UPDATE tasks_item SET "group" = ('x' || left(md5(
    jsonb_build_array(messages, persona, system, context)::text), 16))::bit(64)::bigint
WHERE batch_id = %(batch)s AND position >= %(first)s AND position < %(end)s AND "group" IS NULL
"""

# Items that have neither texts nor ratings: nobody could rate them, and nobody has. One that a
# file rates counts again, unless a lead has dropped it.
DROP_BARE = """
UPDATE tasks_item SET dropped = NOT dropped WHERE batch_id = %s AND lacks_texts
  AND dropped_at IS NULL
  AND dropped = EXISTS (SELECT FROM tasks_rating WHERE item_id = tasks_item.id)
"""


def drop_bare(batch: int) -> None:
    """Drop the items of a batch that have neither texts nor ratings, or take them back."""
    run(DROP_BARE, [batch])


def store_wanted(project: int, batch: int, first: int = 0) -> int:
    """Store how many ratings each item of a batch wants, and return how many items changed.

    `first`: of the items from this position on.
    """
    return _by_steps(SETTLE_WANTED, batch, first, project=project)


def store_wanted_of_item(project: int, batch: int, position: int) -> None:
    """Store how many ratings one item wants; the caller's transaction has locked the batch."""
    run(
        SETTLE_WANTED,
        {
            "project": project,
            "batch": batch,
            "first": position,
            "end": position + 1,
        },
    )


def hold_batch(batch: int) -> None:
    """Lock a batch against other changes until the transaction ends; rating goes on meanwhile.

    Never call this after locking an item, a lease or a batch progress.
    """
    run("SELECT FROM tasks_batch WHERE id = %s FOR NO KEY UPDATE", [batch])


def share_batch(batch: int) -> None:
    """Take a shared lock on a batch, so that nobody changes it until the transaction ends.

    It waits for a transaction that has called `hold_batch`; several transactions can share a batch.
    Call this too before locking an item.
    """
    run("SELECT FROM tasks_batch WHERE id = %s FOR SHARE", [batch])


def find_groups(batch: int, first: int = 0) -> None:
    """Store the group of each item of a batch, from a position on."""
    _by_steps(FIND_GROUPS, batch, first)


def _by_steps(statement: Statement, batch: int, begin: int, **parameters: int) -> int:
    changed = 0
    (end,) = one_row(
        "SELECT coalesce(max(position) + 1, 0) FROM tasks_item WHERE batch_id = %s", [batch]
    ) or (0,)
    for first in range(begin, end, STEP):
        with transaction.atomic():
            hold_batch(batch)
            changed += run(
                statement, {"batch": batch, "first": first, "end": first + STEP, **parameters}
            )
    return changed
