"""Which item comes next: the order of the queue, as statements that PostgreSQL answers by its
indexes.

docs/queue.md tells the algorithm and its cost. What is open to an annotator stands here once, in
`OPEN`; who asks for the next item and who asks whether there is any (`waiting`) use it alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from config.web.hydration import Columns, fetched, instances
from tasks.models.items import Item, Response
from tasks.models.projects import Project
from tasks.models.queue.permutation import permuted
from tasks.pace import Pace

if TYPE_CHECKING:
    from annotators.models import User

# A group stays with whoever took an item of it, until so long after the last.
GROUP_KEPT = timedelta(days=1)
# So many places of a drawn order are looked up exactly, before the queue takes what lies next.
EXACT = 8
RANKS = (-1, 0, 1)

# An item that still wants a rating, of which a place is free, and that this annotator has neither
# rated nor skipped. `WANTED` is the condition of the index `items_in_the_queue`, word for word, and
# `PLACE` its expression.
PLACE = """CASE WHEN tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped
    THEN tasks_item.position ELSE NULL END"""
WANTED = """
  tasks_item.counted < tasks_item.wanted AND NOT tasks_item.dropped
"""
OPEN = f"""
  {WANTED.strip()}
  AND tasks_item.counted + tasks_item.lent < tasks_item.wanted
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
    # None of the group's other items is rated or held by this annotator.
    Project.Grouping.SPREAD: """
  AND NOT EXISTS (
    SELECT FROM tasks_item AS twin
    WHERE twin.project_id = tasks_item.project_id AND twin."group" = tasks_item."group"
      AND twin.id <> tasks_item.id
      AND (EXISTS (SELECT FROM tasks_rating AS rated
             WHERE rated.item_id = twin.id AND rated.annotator_id = %(annotator)s)
        OR EXISTS (SELECT FROM tasks_lease AS held
             WHERE held.item_id = twin.id AND held.annotator_id = %(annotator)s AND held.status = 'live')))
""",
    # The group is this annotator's, or there is a slot for one more.
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
# For who has had as many items with a warning as a day may bring: batches with one are left out
# beside.
NOT_WARNED = """
  AND tasks_item.warning = ''
"""
# Those groups that someone took an item of last are looked at before all else: by their numbers,
# because the whole queue would be gone along for what is no more in it.
LAST_GROUPS = 8
OWN_GROUPS = """
SELECT "group" FROM tasks_grouphold WHERE annotator_id = %(annotator)s AND project_id = %(project)s
ORDER BY expires_at DESC, id DESC LIMIT %(most)s
"""
IN_OWN_GROUPS = """
  AND tasks_item.project_id = %(project)s AND tasks_item."group" = ANY(%(groups)s::bigint[])
"""
# A batch that is everybody's, or the annotator's.
THEIRS = """(
      NOT EXISTS (SELECT FROM tasks_assignment AS any_one WHERE any_one.batch_id = batch.id)
      OR EXISTS (SELECT FROM tasks_assignment AS mine
        WHERE mine.batch_id = batch.id AND mine.annotator_id = %(annotator)s))
""".rstrip()

ITEM = Columns(Item, "tasks_item")
# What the desk shows of an item comes along with it.
WARNING = "(SELECT batch.warning FROM tasks_batch AS batch WHERE batch.id = tasks_item.batch_id)"
ITS_ITEM = Response._meta.get_field("item")
RESPONSE = ("id", "project_id", "item_id", "position", "model", "text")
RESPONSES = """(
    SELECT json_agg(json_build_array(response.id, response.position, response.model, response.text)
      ORDER BY response.position)
    FROM tasks_response AS response WHERE response.item_id = {item})"""

# Batch by batch, in the order of the probes, the first open item of each stretch; it ends at the
# first that is found. The row is locked and its own columns are looked at again under the lock.
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

# The latest day that someone worked on in the project. Whoever has travelled west, or says so in
# the profile, goes on with it until the calendar has come up to it: no day begins twice, and no
# limit of a day does. From UTC+14 to UTC-12 the calendar goes back two days at most; a day beyond
# is of a clock that was wrong, and is passed over.
LAST_DAY = """
  SELECT last.* FROM tasks_workday AS last
  WHERE last.annotator_id = %(annotator)s AND last.project_id = %(project)s
    AND last.day <= %(day)s::date + 2
  ORDER BY last.day DESC LIMIT 1
""".rstrip()
SITUATION = """
SELECT held.id, held.expires_at <= %(now)s,
  EXISTS (SELECT FROM tasks_lease AS other
    WHERE other.project_id = project.id AND other.status = 'live' AND other.expires_at <= %(now)s),
  (SELECT returned.rating_id
    FROM tasks_returnedrating AS returned
    JOIN tasks_rating AS rating ON rating.id = returned.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    WHERE returned.project_id = project.id AND returned.mended_at IS NULL
      AND returned.annotator_id = %(annotator)s AND batch.status = 'open'
      AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)
    ORDER BY returned.id LIMIT 1),
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
  ON membership.project_id = project.id AND membership.user_id = %(annotator)s AND membership.role =
  'annotator'
LEFT JOIN ({last_day}) AS work ON true
CROSS JOIN (
  SELECT coalesce(sum(seat.rated), 0)::bigint AS rated, coalesce(sum(seat.dropped), 0)::bigint AS dropped
  FROM tasks_seat AS seat WHERE seat.project_id = %(project)s AND seat.annotator_id = %(annotator)s
) AS own
CROSS JOIN LATERAL (
  SELECT array_agg(batch.id ORDER BY {order}) AS batches,
    array_agg(batch.rank ORDER BY {order}) AS ranks,
    array_agg(batch.size ORDER BY {order}) AS sizes,
    array_agg(coalesce(seat.position, 0) ORDER BY {order}) AS positions,
    array_agg(batch.warning <> '' ORDER BY {order}) AS warned
  FROM tasks_batch AS batch
  LEFT JOIN tasks_seat AS seat ON seat.batch_id = batch.id AND seat.annotator_id = %(annotator)s
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
NO_PACE = Pace()


class Turn(NamedTuple):
    """A batch that is open to an annotator, and from where on to look in it."""

    batch: int
    rank: int
    size: int
    position: int
    warned: bool = False


class Probe(NamedTuple):
    """A stretch of a batch to look at, its ends included. `drawn`: how far the drawn order of a
    rank has come when an item is found here."""

    batch: int
    first: int
    last: int
    drawn: tuple[int, int] | None = None  # rank, number


@dataclass(frozen=True, slots=True)
class Situation:
    """Where an annotator of a project stands: the lease that has the status live, whether its time
    is over, whether anyone's is, a rating that came back, how far and fast they are, and the
    batches that are open to them, in their order. `opened_today`: items with a warning. `may_rate`,
    `may_be_warned`: whether the day may bring them one item more, and one more with a warning."""

    held: int | None = None
    held_is_over: bool = False
    any_is_over: bool = False
    returned: int | None = None
    drawn: tuple[int, ...] = (0, 0, 0)
    pace: Pace = NO_PACE
    opened_today: int = 0
    turns: tuple[Turn, ...] = ()
    may_rate: bool = True
    may_be_warned: bool = True

    @classmethod
    def of(cls, project: Project, annotator: User, now: datetime) -> Situation | None:
        """In one statement; None where the project is not open."""
        statement = SITUATIONS[Project.Order(project.order)]
        with connection.cursor() as cursor:
            values = {"project": project.pk, "annotator": annotator.pk}
            cursor.execute(statement, {**values, "now": now, "day": annotator.today(now)})
            row = cursor.fetchone()
        if row is None:
            return None
        (
            held,
            held_is_over,
            any_is_over,
            returned,
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
            returned,
            tuple(drawn or (0, 0, 0)),
            Pace(rated, items, today, tuple(recent or ())),
            opened,
            tuple(Turn(*turn) for turn in zip(*(column or () for column in columns), strict=True)),
            project.most_daily is None or today < project.most_daily,
            project.most_warned_daily is None or opened < project.most_warned_daily,
        )

    @property
    def unlimited(self) -> Situation:
        """The same without the limits of the day."""
        return replace(self, may_rate=True, may_be_warned=True)

    def probes(self, project: Project, annotator: User) -> list[Probe]:
        """Where to look for the next item, in this order."""
        if project.order == Project.Order.SHUFFLED:
            return self._allowed(self._shuffled(f"{project.seed}/{annotator.pk}".encode()))
        return self._allowed(Probe(turn.batch, turn.position, LAST) for turn in self.turns)

    def everywhere(self) -> list[Probe]:
        """All that is open to the annotator, whatever was passed by before."""
        return self._allowed(Probe(turn.batch, 0, LAST) for turn in self.turns)

    def _allowed(self, probes: Iterable[Probe]) -> list[Probe]:
        """Those that the day's limits leave. The drawn order is that of all batches, on every
        day."""
        if not self.may_rate:
            return []
        barred = set() if self.may_be_warned else {turn.batch for turn in self.turns if turn.warned}
        return [probe for probe in probes if probe.batch not in barred]

    def _shuffled(self, key: bytes) -> Iterator[Probe]:
        """Of each rank the next few places of the order that is drawn for the annotator, and then
        what lies next to the last of them. What was gone through to the end comes again after all
        else: others may have given something back there."""
        ended: list[Turn] = []
        for rank, group in groupby(self.turns, key=lambda turn: turn.rank):
            turns = list(group)
            total, number = sum(turn.size for turn in turns), self.drawn[RANKS.index(rank)]
            if number >= total:
                ended += turns
                continue
            end = min(number + EXACT, total)
            for step in range(number, end):
                place, at = _at(turns, permuted(key, total, step))
                yield Probe(turns[place].batch, at, at, (rank, step + 1))
            for turn, first, last in _from(turns, place, at):
                yield Probe(turn.batch, first, last, (rank, end))
        for turn in ended:
            yield Probe(turn.batch, 0, LAST)


def _at(turns: Sequence[Turn], place: int) -> tuple[int, int]:
    """Which of the batches, and the position in it, of a place in all of them."""
    for number, turn in enumerate(turns):
        if place < turn.size:
            return number, place
        place -= turn.size
    raise IndexError(place)


def _from(turns: Sequence[Turn], place: int, at: int) -> Iterator[tuple[Turn, int, int]]:
    """All of the batches, beginning in one of them and ending before it."""
    yield turns[place], at, LAST
    for turn in (*turns[place + 1 :], *turns[:place]):
        yield turn, 0, LAST
    yield turns[place], 0, at


def pick(
    project: Project,
    annotator: User,
    probes: Sequence[Probe],
    now: datetime,
    *,
    lock: str = "FOR NO KEY UPDATE OF tasks_item SKIP LOCKED",
    may_be_warned: bool = True,
) -> tuple[Item, Probe] | None:
    """The first open item of the first probe that has one, locked, and the probe."""
    condition = OPEN + NOT_DONE_BY + GROUPS[Project.Grouping(project.grouping)]
    if not may_be_warned:
        condition += NOT_WARNED
    # Whoever has begun a group goes on with it first.
    groups = _own_groups(project, annotator)
    for extra in (IN_OWN_GROUPS, "") if groups else ("",):
        stretches = (
            [Probe(batch, 0, LAST) for batch in dict.fromkeys(p.batch for p in probes)]
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
        if row := picked(condition + extra, values, lock):
            item, number, responses, item.batch_warning = instances(row, ITEM)
            item.project = project
            give_responses(item, responses)
            return item, stretches[number - 1]
    return None


def _own_groups(project: Project, annotator: User) -> list[int]:
    if project.grouping != Project.Grouping.TOGETHER:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            OWN_GROUPS, {"project": project.pk, "annotator": annotator.pk, "most": LAST_GROUPS}
        )
        return [group for (group,) in cursor.fetchall()]


def picked(condition: str, values: dict[str, Any], lock: str) -> tuple[Any, ...] | None:
    """The row that the statement finds; `condition`: what must hold of an item."""
    with connection.cursor() as cursor:
        cursor.execute(_pick(condition, lock), values)
        return cursor.fetchone()


@cache
def _pick(condition: str, lock: str) -> str:
    return PICK.format(
        columns=ITEM,
        place=PLACE,
        responses=RESPONSES.format(item="tasks_item.id"),
        warning=WARNING,
        open=condition,
        lock=lock,
    )


def give_responses(item: Item, responses: list[list[Any]] | None) -> None:
    """Have an item know its responses, as `RESPONSES` gives them."""
    item.own_responses = [
        fetched(Response, zip(RESPONSE, (pk, item.project_id, item.pk, *rest), strict=True))
        for pk, *rest in responses or ()
    ]
    for response in item.own_responses:
        ITS_ITEM.set_cached_value(response, item)
