"""What a project's settings mean for the items of a batch, written on them by PostgreSQL, some at a time.

A million items are no reason to hold a million rows locked: each step is a statement, and unless the caller
has a transaction open, a transaction of its own. A step that was left out by a crash is done by the next
change; a step that is done twice changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from .projects import Project

STEP = 20_000  # items

# Which items are in the overlap hangs on the seed and the item's id alone: 32 bits of MD5, a number of 0 to
# 100.
SETTLE_WANTED = """
UPDATE tasks_item SET wanted = settled.wanted
FROM (
  SELECT id, CASE WHEN ('x' || left(md5(%(seed)s || '/overlap/' || external_id), 8))::bit(32)::bigint * 100.0
    < %(percent)s * 4294967296.0 THEN %(overlap_wanted)s ELSE %(wanted)s END AS wanted
  FROM tasks_item WHERE batch_id = %(batch)s AND position >= %(first)s AND position < %(end)s
) AS settled
WHERE tasks_item.id = settled.id AND tasks_item.wanted <> settled.wanted
"""

# 64 bits of MD5 over what an annotator is shown beside the responses.
FIND_GROUPS = """
UPDATE tasks_item SET "group" = ('x' || left(md5(
    jsonb_build_array(messages, persona, system, context)::text), 16))::bit(64)::bigint
WHERE batch_id = %(batch)s AND position >= %(first)s AND position < %(end)s AND "group" IS NULL
"""


def settle_wanted(project: Project, batch: int) -> None:
    """Write on each item of a batch how many ratings the project wants of it."""
    _by_steps(
        SETTLE_WANTED,
        batch,
        seed=str(project.seed),
        percent=project.overlap_percent,
        wanted=project.wanted,
        overlap_wanted=project.overlap_wanted,
    )


def find_groups(batch: int) -> None:
    """Write on each item of a batch which group it is of."""
    _by_steps(FIND_GROUPS, batch)


def _by_steps(statement: str, batch: int, **values: str | int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(position) + 1, 0) FROM tasks_item WHERE batch_id = %s", [batch])
        (end,) = cursor.fetchone() or (0,)
        for first in range(0, end, STEP):
            cursor.execute(statement, {"batch": batch, "first": first, "end": first + STEP, **values})
