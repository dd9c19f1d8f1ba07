"""Find the next item of the queue, with statements that PostgreSQL answers from its indexes.

`pick` finds it, for whoever takes an item (`allocation.py`) or only asks if there is one
(`availability.py`). The conditions of an item that an annotator may get are constants here;
`all_of` joins them. README.md in this folder explains the algorithm and its cost.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from django.db import connection

from config.web.people import User
from config.web.raw_sql import Columns, all_rows, instances, one_row
from tasks.models.items import Item, Response
from tasks.models.projects import Project
from tasks.models.wanted_ratings import WANTED

# An annotator keeps a group until this long after they last took an item of it.
GROUP_HOLD = timedelta(days=1)

# Conditions of `tasks_item`. An item that the annotator may get meets HAS_FREE_PLACE (it still
# wants a rating, and not all of its places are reserved), NOT_DONE_BY (they have neither rated nor
# skipped it) and the one in GROUPS for the project's rule.
HAS_FREE_PLACE = f"{WANTED} AND tasks_item.counted + tasks_item.reserved < tasks_item.wanted"
NOT_DONE_BY = """
  NOT EXISTS (
    SELECT FROM tasks_rating AS rated
    WHERE rated.item_id = tasks_item.id AND rated.annotator_id = %(annotator)s)
  AND NOT EXISTS (
    SELECT FROM tasks_concern AS skipped
    WHERE skipped.item_id = tasks_item.id AND skipped.annotator_id = %(annotator)s
      AND skipped.kind = 'skip' AND (skipped.decision <> 'again' OR skipped.reason = 'distressing'))
"""
GROUPS = {
    Project.Grouping.FREE: "true",
    # This annotator has neither rated nor leased another item of the group.
    Project.Grouping.SPREAD: """
  NOT EXISTS (
    SELECT FROM tasks_item AS twin
    WHERE twin.project_id = tasks_item.project_id AND twin."group" = tasks_item."group"
      AND twin.id <> tasks_item.id
      AND (EXISTS (SELECT FROM tasks_rating AS rated
             WHERE rated.item_id = twin.id AND rated.annotator_id = %(annotator)s)
        OR EXISTS (SELECT FROM tasks_lease AS held
             WHERE held.item_id = twin.id AND held.annotator_id = %(annotator)s
               AND held.status = 'live')))
""",
    # This annotator has the group, or it has a free slot.
    Project.Grouping.TOGETHER: """
  (EXISTS (
      SELECT FROM tasks_grouphold AS hold
      WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
        AND hold.annotator_id = %(annotator)s)
    OR (SELECT count(*) FROM tasks_grouphold AS hold
      WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
        AND hold.expires_at > %(now)s) < tasks_item.wanted)
""",
}
# Once an annotator has reached the day's limit of items with a warning. Batches with a warning are
# left out of the ranges instead.
NOT_WARNED = "tasks_item.warning = ''"
# The groups that the annotator took an item of last come first. They are found by their numbers:
# a walk along the queue would go through all of it when such a group has nothing left.
LAST_GROUPS = 8
GROUPS_OF_ANNOTATOR = """
SELECT "group" FROM tasks_grouphold WHERE annotator_id = %(annotator)s AND project_id = %(project)s
ORDER BY expires_at DESC, id DESC LIMIT %(most)s
"""
IN_GROUPS = """
  tasks_item.project_id = %(project)s AND tasks_item."group" = ANY(%(groups)s::bigint[])
"""
# The position of an item that still wants a rating. It repeats the expression of the index
# `items_in_the_queue` word for word, so that PostgreSQL uses the index.
PLACE = """CASE WHEN tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped
    THEN tasks_item.position ELSE NULL END"""


def all_of(*conditions: str) -> str:
    """Return the condition that all of these hold."""
    return " AND ".join(conditions)


def is_open_to(annotator_sql: str) -> str:
    """Return the condition that `batch` is assigned to nobody, or to an annotator, in SQL."""
    return f"""(
      NOT EXISTS (SELECT FROM tasks_assignment AS any_one WHERE any_one.batch_id = batch.id)
      OR EXISTS (SELECT FROM tasks_assignment AS mine
        WHERE mine.batch_id = batch.id AND mine.annotator_id = {annotator_sql}))"""  # noqa: S608 - constant parts


THEIRS = is_open_to("%(annotator)s")

ITEM = Columns(Item, "tasks_item")
# The pick also fetches what the desk shows of the item.
OF_BATCH = """(SELECT json_build_array(batch.warning, batch.complete)
    FROM tasks_batch AS batch WHERE batch.id = tasks_item.batch_id)"""
ITS_ITEM = Response._meta.get_field("item")
RESPONSE = ("id", "project_id", "item_id", "position", "model", "text")
RESPONSES = """(
    SELECT json_agg(json_build_array(response.id, response.position, response.model, response.text)
      ORDER BY response.position)
    FROM tasks_response AS response WHERE response.item_id = {item})"""

# The first item with a condition, in the first of some ranges that has one. PostgreSQL takes
# the ranges in order and stops at the first hit. It locks the row, and checks its own columns again
# under the lock.
PICK = """
SELECT {columns}, positions.number, {responses}, {of_batch}
FROM unnest(%(batches)s::bigint[], %(firsts)s::int[], %(lasts)s::int[]) WITH ORDINALITY
  AS positions (batch, first, last, number)
CROSS JOIN LATERAL (
  SELECT tasks_item.* FROM tasks_item
  WHERE tasks_item.batch_id = positions.batch
    AND {place} BETWEEN positions.first AND positions.last AND {condition}
  ORDER BY {place} LIMIT 1
  {lock}
) AS tasks_item
ORDER BY positions.number LIMIT 1
"""

LAST = 2**31 - 1  # no position is greater


class DrawnStep(NamedTuple):
    """How far an annotator of a shuffled project is: in the batches of a rank, so many steps."""

    rank: int
    steps: int


class PositionRange(NamedTuple):
    """A range of positions in a batch to look at, both ends included."""

    batch: int
    first: int
    last: int
    drawn: DrawnStep | None = None  # how far the annotator is with an item of this range


class Pick(NamedTuple):
    """An item that an annotator gets, and the range that has it."""

    item: Item
    positions: PositionRange


def pick(
    project: Project,
    annotator: User,
    ranges: Sequence[PositionRange],
    now: datetime,
    *,
    lock: str = "FOR NO KEY UPDATE OF tasks_item SKIP LOCKED",
    may_be_warned: bool = True,
) -> Pick | None:
    """Lock and return the first item in these ranges that an annotator may get, if there is one.

    `lock`: "" locks nothing. `may_be_warned`: items with a warning are among them.
    """
    grouping = GROUPS[Project.Grouping(project.grouping)]
    condition = all_of(HAS_FREE_PLACE, NOT_DONE_BY, grouping)
    if not may_be_warned:
        condition = all_of(condition, NOT_WARNED)
    values = {"project": project.pk, "annotator": annotator.pk, "now": now}
    match: Pick | None = None
    groups = _groups_of_annotator(project, annotator)
    if groups:  # an annotator finishes the groups that they have begun first
        batches = dict.fromkeys(positions.batch for positions in ranges)
        whole_batches = [PositionRange(batch, 0, LAST) for batch in batches]
        in_groups = pick_statement(all_of(condition, IN_GROUPS), lock)
        match = _first_match(in_groups, whole_batches, {**values, "groups": groups})
    match = match or _first_match(pick_statement(condition, lock), ranges, values)
    if match:
        match.item.project = project
    return match


def _groups_of_annotator(project: Project, annotator: User) -> list[int]:
    if project.grouping != Project.Grouping.TOGETHER:
        return []
    values = {"project": project.pk, "annotator": annotator.pk, "most": LAST_GROUPS}
    return [group for (group,) in all_rows(GROUPS_OF_ANNOTATOR, values)]


def _first_match(
    statement: str, ranges: Sequence[PositionRange], values: Mapping[str, object]
) -> Pick | None:
    arrays = {
        "batches": [positions.batch for positions in ranges],
        "firsts": [positions.first for positions in ranges],
        "lasts": [positions.last for positions in ranges],
    }
    row = one_row(statement, {**values, **arrays})
    if row is None:
        return None
    item, number, responses, of_batch = instances(row, ITEM)
    item.batch_warning, item.batch_complete = of_batch
    give_responses(item, responses)
    return Pick(item, ranges[number - 1])


@cache
def pick_statement(condition: str, lock: str = "") -> str:
    """Return the statement that finds the first item with a condition, in SQL."""
    return PICK.format(
        columns=ITEM,
        place=PLACE,
        responses=RESPONSES.format(item="tasks_item.id"),
        of_batch=OF_BATCH,
        condition=condition,
        lock=lock,
    )


def give_responses(item: Item, response_rows: list[list[Any]] | None) -> None:
    """Give an item its responses, from the rows of `RESPONSES`; None if it has none."""
    item.responses_in_order = []
    for pk, *columns in response_rows or ():
        values = (pk, item.project_id, item.pk, *columns)
        response = Response.from_db(connection.alias, RESPONSE, values)
        ITS_ITEM.set_cached_value(response, item)
        item.responses_in_order.append(response)
