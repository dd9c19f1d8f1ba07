"""Find the next item of the queue, with statements that PostgreSQL answers from its indexes.

README.md in this folder explains the algorithm and its cost. To take the next item and to ask
whether there is one (`availability`) are statements with the same conditions.
"""

from collections.abc import Sequence
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

# Conditions of an item that an annotator may get. HAS_FREE_PLACE: it still wants a rating, and not
# all of its places are reserved. NOT_DONE_BY: this annotator has neither rated nor skipped it.
# `PLACE` repeats an expression of the index `items_in_the_queue`.
PLACE = """CASE WHEN tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped
    THEN tasks_item.position ELSE NULL END"""
HAS_FREE_PLACE = f"""
  {WANTED.strip()}
  AND tasks_item.counted + tasks_item.reserved < tasks_item.wanted
"""
NOT_DONE_BY = """
  AND NOT EXISTS (
    SELECT FROM tasks_rating AS rated
    WHERE rated.item_id = tasks_item.id AND rated.annotator_id = %(annotator)s)
  AND NOT EXISTS (
    SELECT FROM tasks_concern AS skipped
    WHERE skipped.item_id = tasks_item.id AND skipped.annotator_id = %(annotator)s
      AND skipped.kind = 'skip' AND (skipped.decision <> 'again' OR skipped.reason = 'distressing'))
"""
GROUPS = {
    Project.Grouping.FREE: "",
    # This annotator has neither rated nor leased another item of the group.
    Project.Grouping.SPREAD: """
  AND NOT EXISTS (
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
  AND (EXISTS (
      SELECT FROM tasks_grouphold AS hold
      WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
        AND hold.annotator_id = %(annotator)s)
    OR (SELECT count(*) FROM tasks_grouphold AS hold
      WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
        AND hold.expires_at > %(now)s) < tasks_item.wanted)
""",
}
# Added once an annotator has reached the day's limit of items with a warning. Batches with a
# warning are left out of the probes instead.
NOT_WARNED = """
  AND tasks_item.warning = ''
"""
# The groups that the annotator took an item of last come first. They are found by their numbers:
# a walk along the queue would go through all of it when such a group has nothing left.
LAST_GROUPS = 8
OWN_GROUPS = """
SELECT "group" FROM tasks_grouphold WHERE annotator_id = %(annotator)s AND project_id = %(project)s
ORDER BY expires_at DESC, id DESC LIMIT %(most)s
"""
IN_OWN_GROUPS = """
  AND tasks_item.project_id = %(project)s AND tasks_item."group" = ANY(%(groups)s::bigint[])
"""
# The batch is assigned to nobody, and so open to everybody, or it is assigned to this annotator.
THEIRS = """(
      NOT EXISTS (SELECT FROM tasks_assignment AS any_one WHERE any_one.batch_id = batch.id)
      OR EXISTS (SELECT FROM tasks_assignment AS mine
        WHERE mine.batch_id = batch.id AND mine.annotator_id = %(annotator)s))
""".rstrip()

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

# Return the first item with a free place, of the first probe that has one. PostgreSQL takes the
# probes in order and stops at the first hit. It locks the row, and checks its own columns again
# under the lock.
PICK = """
SELECT {columns}, probe.number, {responses}, {of_batch}
FROM unnest(%(batches)s::bigint[], %(firsts)s::int[], %(lasts)s::int[]) WITH ORDINALITY
  AS probe (batch, first, last, number)
CROSS JOIN LATERAL (
  SELECT tasks_item.* FROM tasks_item
  WHERE tasks_item.batch_id = probe.batch AND {place} BETWEEN probe.first AND probe.last
    AND {open}
  ORDER BY {place} LIMIT 1
  {lock}
) AS tasks_item
ORDER BY probe.number LIMIT 1
"""

LAST = 2**31 - 1


class PositionRange(NamedTuple):
    """A range of positions in a batch to look at, both ends included."""

    batch: int
    first: int
    last: int
    # (rank, number): an item found here moves the rank's drawn order on to this number.
    drawn: tuple[int, int] | None = None


def pick(
    project: Project,
    annotator: User,
    probes: Sequence[PositionRange],
    now: datetime,
    *,
    lock: str = "FOR NO KEY UPDATE OF tasks_item SKIP LOCKED",
    may_be_warned: bool = True,
) -> tuple[Item, PositionRange] | None:
    """Lock and return the first item with a free place, and the first probe that has one."""
    condition = HAS_FREE_PLACE + NOT_DONE_BY + GROUPS[Project.Grouping(project.grouping)]
    if not may_be_warned:
        condition += NOT_WARNED
    # An annotator finishes the groups they have begun first.
    groups = _groups_of_annotator(project, annotator)
    for extra in (IN_OWN_GROUPS, "") if groups else ("",):
        stretches = probes
        if extra:
            batches = dict.fromkeys(probe.batch for probe in probes)
            stretches = [PositionRange(batch, 0, LAST) for batch in batches]
        values = {
            "project": project.pk,
            "annotator": annotator.pk,
            "groups": groups,
            "now": now,
            "batches": [probe.batch for probe in stretches],
            "firsts": [probe.first for probe in stretches],
            "lasts": [probe.last for probe in stretches],
        }
        row = one_row(pick_statement(condition + extra, lock), values)
        if row is not None:
            item, number, responses, of_batch = instances(row, ITEM)
            item.batch_warning, item.batch_complete = of_batch
            item.project = project
            give_responses(item, responses)
            return item, stretches[number - 1]
    return None


def _groups_of_annotator(project: Project, annotator: User) -> list[int]:
    if project.grouping != Project.Grouping.TOGETHER:
        return []
    values = {"project": project.pk, "annotator": annotator.pk, "most": LAST_GROUPS}
    return [group for (group,) in all_rows(OWN_GROUPS, values)]


@cache
def pick_statement(condition: str, lock: str = "") -> str:
    """Return PICK with `condition`, the SQL that an item has to satisfy."""
    return PICK.format(
        columns=ITEM,
        place=PLACE,
        responses=RESPONSES.format(item="tasks_item.id"),
        of_batch=OF_BATCH,
        open=condition,
        lock=lock,
    )


def give_responses(item: Item, response_rows: list[list[Any]] | None) -> None:
    """Attach responses to an item, in the form that `RESPONSES` returns them."""
    item.responses_in_order = []
    for pk, *columns in response_rows or ():
        values = (pk, item.project_id, item.pk, *columns)
        response = Response.from_db(connection.alias, RESPONSE, values)
        ITS_ITEM.set_cached_value(response, item)
        item.responses_in_order.append(response)
