"""Find the next item of the queue, with statements that PostgreSQL answers from its indexes.

README.md in this folder explains the algorithm and its cost. `OPEN` is the only definition of an
item that is open to an annotator. Taking the next item and asking whether there is one
(`availability`) both use it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple, Self

from django.db import connection

from config.web.people import User
from config.web.raw_sql import Columns, all_rows, instances, one_row
from tasks.models.items import Item, Response
from tasks.models.progress import LAST_DAY
from tasks.models.projects import Project
from tasks.models.roles import Role
from tasks.models.wanted_ratings import WANTED
from tasks.pace import Pace
from tasks.queue.permutation import permuted

# An annotator keeps a group until this long after they last took an item of it.
GROUP_HOLD = timedelta(days=1)
# How many places of the drawn order to look up exactly, before taking the nearest open item.
EXACT = 8
RANKS = (-1, 0, 1)

# OPEN: an item that still wants a rating has a free place. NOT_DONE_BY: this annotator has neither
# rated nor skipped it. `PLACE` repeats an expression of the index `items_in_the_queue`.
PLACE = """CASE WHEN tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped
    THEN tasks_item.position ELSE NULL END"""
OPEN = f"""
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
WARNING = "(SELECT batch.warning FROM tasks_batch AS batch WHERE batch.id = tasks_item.batch_id)"
ITS_ITEM = Response._meta.get_field("item")
RESPONSE = ("id", "project_id", "item_id", "position", "model", "text")
RESPONSES = """(
    SELECT json_agg(json_build_array(response.id, response.position, response.model, response.text)
      ORDER BY response.position)
    FROM tasks_response AS response WHERE response.item_id = {item})"""

# Return the first open item of the first probe that has one. PostgreSQL takes the probes in order
# and stops at the first hit. It locks the row, and checks its own columns again under the lock.
PICK = """
SELECT {columns}, probe.number, {responses}, {warning}
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

SITUATION = """
SELECT held.id, held.expires_at <= %(now)s,
  EXISTS (SELECT FROM tasks_lease AS other
    WHERE other.project_id = project.id AND other.status = 'live' AND other.expires_at <= %(now)s),
  EXISTS (SELECT FROM tasks_returnedrating AS returned
    JOIN tasks_rating AS rating ON rating.id = returned.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    WHERE returned.project_id = project.id AND returned.settled_at IS NULL
      AND returned.annotator_id = %(annotator)s AND batch.status = 'open'
      AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)),
  NOT %(practice)s OR EXISTS (SELECT FROM tasks_admission AS admission
    WHERE admission.project_id = project.id AND admission.annotator_id = %(annotator)s)
  OR EXISTS (SELECT FROM tasks_rating AS rated
    WHERE rated.annotator_id = %(annotator)s AND rated.project_id = project.id
      AND rated.rater_id IS NULL),
  membership.drawn,
  own.rated,
  (SELECT coalesce(sum(batch.size - batch.dropped), 0)::bigint FROM tasks_batch AS batch
    WHERE batch.project_id = project.id) + own.dropped,
  CASE WHEN work.day >= %(day)s::date THEN work.rated ELSE 0 END,
  CASE WHEN work.day >= %(day)s::date THEN work.opened ELSE 0 END,
  work.recent,
  queue.batches, queue.ranks, queue.sizes, queue.positions, queue.warned
FROM tasks_project AS project
LEFT JOIN tasks_lease AS held
  ON held.project_id = project.id AND held.annotator_id = %(annotator)s AND held.status = 'live'
LEFT JOIN tasks_membership AS membership
  ON membership.project_id = project.id AND membership.user_id = %(annotator)s
    AND membership.role = %(role)s
LEFT JOIN ({last_day}) AS work ON true
CROSS JOIN (
  SELECT coalesce(sum(own.rated), 0)::bigint AS rated,
    coalesce(sum(own.dropped), 0)::bigint AS dropped
  FROM tasks_batchprogress AS own
  WHERE own.project_id = %(project)s AND own.annotator_id = %(annotator)s
) AS own
CROSS JOIN LATERAL (
  SELECT array_agg(batch.id ORDER BY {order}) AS batches,
    array_agg(batch.rank ORDER BY {order}) AS ranks,
    array_agg(batch.size ORDER BY {order}) AS sizes,
    array_agg(coalesce(own.position, 0) ORDER BY {order}) AS positions,
    array_agg(batch.warning <> '' ORDER BY {order}) AS warned
  FROM tasks_batch AS batch
  LEFT JOIN tasks_batchprogress AS own
    ON own.batch_id = batch.id AND own.annotator_id = %(annotator)s
  WHERE batch.project_id = project.id AND batch.status = 'open' AND {theirs}
) AS queue
WHERE project.id = %(project)s AND project.status = 'open'
"""
BATCH_ORDER = {
    Project.Order.UPLOADED: "batch.rank, batch.position",
    Project.Order.PRIORITY: "batch.rank, batch.priority DESC, batch.position",
    Project.Order.SHUFFLED: "batch.rank, batch.position",
}
SITUATIONS = {
    order: SITUATION.format(order=by, theirs=THEIRS, last_day=LAST_DAY)
    for order, by in BATCH_ORDER.items()
}

LAST = 2**31 - 1


class OpenBatch(NamedTuple):
    """A batch that is open to an annotator."""

    batch: int
    rank: int
    size: int
    position: int  # where to start looking
    warned: bool


class PositionRange(NamedTuple):
    """A range of positions in a batch to look at, both ends included."""

    batch: int
    first: int
    last: int
    # (rank, number): an item found here moves the rank's drawn order on to this number.
    drawn: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of an annotator in a project, as the queue needs it to find their next item."""

    held: int | None  # their lease with the status live
    held_is_over: bool  # its time is over
    any_is_over: bool  # the time of any live lease of the project is over
    has_returned: bool  # a rating that came back to them waits
    admitted: bool  # by practice or otherwise; one's own rating admits too
    drawn: tuple[int, ...]  # how far they are in the drawn order of each of RANKS
    pace: Pace
    turns: tuple[OpenBatch, ...]  # the batches that are open to them, in their order
    may_rate: bool  # the day's limit allows one more item
    may_be_warned: bool  # the day's limit allows one more item with a warning

    @classmethod
    def of(cls, project: Project, annotator: User, now: datetime) -> Self | None:
        """Load the situation in one statement; return None if the project is not open."""
        row = one_row(
            SITUATIONS[Project.Order(project.order)],
            {
                "project": project.pk,
                "annotator": annotator.pk,
                "role": Role.ANNOTATOR.value,
                "now": now,
                "day": annotator.today(now),
                "practice": project.asks_practice,
            },
        )
        if row is None:
            return None
        (
            held,
            held_is_over,
            any_is_over,
            has_returned,
            admitted,
            drawn,
            rated,
            items,
            today,
            opened,
            recent,
            *columns,
        ) = row
        return cls(
            held,
            bool(held_is_over),
            any_is_over,
            has_returned,
            admitted,
            tuple(drawn or (0, 0, 0)),
            Pace(rated, items, today, tuple(recent or ())),
            tuple(
                OpenBatch(*turn) for turn in zip(*(column or () for column in columns), strict=True)
            ),
            project.most_daily is None or today < project.most_daily,
            project.most_warned_daily is None or opened < project.most_warned_daily,
        )

    @property
    def unlimited(self) -> Self:
        """The same situation without the day's limits."""
        return replace(self, may_rate=True, may_be_warned=True)

    def probes(self, project: Project, annotator: User) -> list[PositionRange]:
        """Return the ranges in which to look for the next item, in this order."""
        if project.order == Project.Order.SHUFFLED:
            return self._allowed(self._shuffled(f"{project.seed}/{annotator.pk}".encode()))
        return self._allowed(PositionRange(turn.batch, turn.position, LAST) for turn in self.turns)

    def everywhere(self) -> list[PositionRange]:
        """Return every open batch in full, whatever position the annotator has reached."""
        return self._allowed(PositionRange(turn.batch, 0, LAST) for turn in self.turns)

    def _allowed(self, probes: Iterable[PositionRange]) -> list[PositionRange]:
        """Return the probes that the day's limits allow.

        The limits filter the probes at the end, so the drawn order spans all batches on every day.
        """
        if not self.may_rate:
            return []
        barred = set() if self.may_be_warned else {turn.batch for turn in self.turns if turn.warned}
        return [probe for probe in probes if probe.batch not in barred]

    def _shuffled(self, key: bytes) -> Iterator[PositionRange]:
        """Yield the next few places of the annotator's drawn order, rank by rank.

        After them come the items next to the last place. Ranks whose order is finished come again
        at the very end, since others may have given items back there.
        """
        ended: list[OpenBatch] = []
        for rank, group in groupby(self.turns, key=lambda turn: turn.rank):
            turns = list(group)
            total, number = sum(turn.size for turn in turns), self.drawn[RANKS.index(rank)]
            if number >= total:
                ended += turns
                continue
            end = min(number + EXACT, total)
            for step in range(number, end):
                place, at = _at(turns, permuted(key, total, step))
                yield PositionRange(turns[place].batch, at, at, (rank, step + 1))
            for turn, first, last in _from(turns, place, at):
                yield PositionRange(turn.batch, first, last, (rank, end))
        for turn in ended:
            yield PositionRange(turn.batch, 0, LAST)


def _at(turns: Sequence[OpenBatch], place: int) -> tuple[int, int]:
    """Return the index of the batch that contains a place counted over all batches.

    The second number is the position in that batch.
    """
    for number, turn in enumerate(turns):
        if place < turn.size:
            return number, place
        place -= turn.size
    raise IndexError(place)


def _from(turns: Sequence[OpenBatch], place: int, at: int) -> Iterator[tuple[OpenBatch, int, int]]:
    """Yield ranges over all batches, starting inside one and wrapping around to just before it."""
    yield turns[place], at, LAST
    for turn in (*turns[place + 1 :], *turns[:place]):
        yield turn, 0, LAST
    yield turns[place], 0, at


def pick(
    project: Project,
    annotator: User,
    probes: Sequence[PositionRange],
    now: datetime,
    *,
    lock: str = "FOR NO KEY UPDATE OF tasks_item SKIP LOCKED",
    may_be_warned: bool = True,
) -> tuple[Item, PositionRange] | None:
    """Lock and return the first open item of the first probe that has one, with that probe."""
    condition = OPEN + NOT_DONE_BY + GROUPS[Project.Grouping(project.grouping)]
    if not may_be_warned:
        condition += NOT_WARNED
    # An annotator finishes the groups they have begun first.
    groups = _own_groups(project, annotator)
    for extra in (IN_OWN_GROUPS, "") if groups else ("",):
        stretches = (
            [PositionRange(batch, 0, LAST) for batch in dict.fromkeys(p.batch for p in probes)]
            if extra
            else probes
        )
        values: dict[str, Any] = {
            "project": project.pk,
            "annotator": annotator.pk,
            "groups": groups,
            "now": now,
            "batches": [probe.batch for probe in stretches],
            "firsts": [probe.first for probe in stretches],
            "lasts": [probe.last for probe in stretches],
        }
        if row := one_row(pick_statement(condition + extra, lock), values):
            item, number, responses, item.batch_warning = instances(row, ITEM)
            item.project = project
            give_responses(item, responses)
            return item, stretches[number - 1]
    return None


def _own_groups(project: Project, annotator: User) -> list[int]:
    if project.grouping != Project.Grouping.TOGETHER:
        return []
    rows = all_rows(
        OWN_GROUPS, {"project": project.pk, "annotator": annotator.pk, "most": LAST_GROUPS}
    )
    return [group for (group,) in rows]


@cache
def pick_statement(condition: str, lock: str = "") -> str:
    """Return PICK with `condition`, the SQL that an item has to satisfy."""
    return PICK.format(
        columns=ITEM,
        place=PLACE,
        responses=RESPONSES.format(item="tasks_item.id"),
        warning=WARNING,
        open=condition,
        lock=lock,
    )


def give_responses(item: Item, responses: list[list[Any]] | None) -> None:
    """Attach responses to an item, in the form that `RESPONSES` returns them."""
    item.own_responses = [
        Response.from_db(connection.alias, RESPONSE, (pk, item.project_id, item.pk, *rest))
        for pk, *rest in responses or ()
    ]
    for response in item.own_responses:
        ITS_ITEM.set_cached_value(response, item)
