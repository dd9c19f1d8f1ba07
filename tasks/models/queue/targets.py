"""What a project's settings mean for the items of a batch, written on them by PostgreSQL, some at a
time.

A million items are no reason to hold a million rows locked: each step is a statement, and unless
the caller has a transaction open, a transaction of its own, which holds the batch: what several
leads do to its items comes one after the other. A step that was left out by a crash is done when
the settings are stored again; a step that is done twice changes nothing. What is wanted is read
from the project and from what the lead decided, and told by nobody: who comes last writes what
holds last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection, transaction

if TYPE_CHECKING:
    from tasks.models.items import Item
    from tasks.models.projects import Project

STEP = 20_000  # items

# Which items are in the overlap hangs on the seed and the item's id alone: 32 bits of MD5, a number
# of 0 to 100. One more is wanted for each rating that its annotator had flagged and the lead wants
# from someone else.
SETTLE_WANTED = """
UPDATE tasks_item SET wanted = settled.wanted
FROM (
  SELECT item.id, coalesce(raised.number, 0) + CASE
    WHEN ('x' || left(md5(project.seed || '/overlap/' || item.external_id), 8))::bit(32)::bigint * 100.0
      < project.overlap_percent * 4294967296.0
    THEN project.overlap_wanted ELSE project.wanted END AS wanted
  FROM tasks_project AS project JOIN tasks_item AS item ON item.project_id = project.id
  LEFT JOIN (
    SELECT concern.item_id, count(*) AS number
    FROM tasks_concern AS concern JOIN tasks_rating AS rating
      ON rating.item_id = concern.item_id AND rating.annotator_id = concern.annotator_id
    WHERE concern.project_id = %(project)s AND concern.kind = 'flag' AND concern.decision = 'someone_else'
      AND rating.round = 0 AND rating.revision = 1 AND rating.submitted_at <= concern.decided_at
    GROUP BY concern.item_id
  ) AS raised ON raised.item_id = item.id
  WHERE project.id = %(project)s AND item.batch_id = %(batch)s
    AND item.position >= %(first)s AND item.position < %(end)s
) AS settled
WHERE tasks_item.id = settled.id AND tasks_item.wanted <> settled.wanted
"""

# 64 bits of MD5 over what an annotator is shown beside the responses.
FIND_GROUPS = """
UPDATE tasks_item SET "group" = ('x' || left(md5(
    jsonb_build_array(messages, persona, system, context)::text), 16))::bit(64)::bigint
WHERE batch_id = %(batch)s AND position >= %(first)s AND position < %(end)s AND "group" IS NULL
"""


def settle_wanted(project: Project, batch: int) -> int:
    """Write on each item of a batch how many ratings are wanted of it. Of how many items that was
    another number than before."""
    return _by_steps(SETTLE_WANTED, batch, project=project.pk)


def settle_wanted_of(item: Item) -> None:
    """The same of one item, in the caller's transaction, which holds the batch."""
    with connection.cursor() as cursor:
        cursor.execute(
            SETTLE_WANTED,
            {
                "project": item.project_id,
                "batch": item.batch_id,
                "first": item.position,
                "end": item.position + 1,
            },
        )


def hold_batch(batch: int) -> None:
    """Have others who change a batch wait until the transaction ends; people rate on meanwhile.
    Nobody who has an item, a lease or a seat locked may wait for this."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM tasks_batch WHERE id = %s FOR NO KEY UPDATE", [batch])


def share_batch(batch: int) -> None:
    """Have those wait who change a batch, until the transaction ends, and wait for them; others who
    share it come along. As with `hold_batch`, before an item is locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM tasks_batch WHERE id = %s FOR SHARE", [batch])


def find_groups(batch: int) -> None:
    """Write on each item of a batch which group it is of."""
    _by_steps(FIND_GROUPS, batch)


def _by_steps(statement: str, batch: int, **values: int) -> int:
    changed = 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(position) + 1, 0) FROM tasks_item WHERE batch_id = %s", [batch]
        )
        (end,) = cursor.fetchone() or (0,)
        for first in range(0, end, STEP):
            with transaction.atomic():
                hold_batch(batch)
                cursor.execute(
                    statement, {"batch": batch, "first": first, "end": first + STEP, **values}
                )
                changed += cursor.rowcount
    return changed
