"""An annotator's situation in the queue of a project: where to look for their next item."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, Self

from config.web.people import User
from config.web.raw_sql import one_row
from tasks.models.pace import Pace
from tasks.models.projects import Project
from tasks.models.roles import Role
from tasks.models.workdays import LAST_DAY
from tasks.queue.permutation import permuted
from tasks.queue.selection import LAST, THEIRS, PositionRange

# How many places of the drawn order to look up exactly, before taking the nearest item.
EXACT = 8
RANKS = (-1, 0, 1)

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


class OpenBatch(NamedTuple):
    """A batch that is open to an annotator."""

    batch: int
    rank: int
    size: int
    position: int  # where to start looking
    warned: bool


class _SituationRow(NamedTuple):
    """The columns of SITUATION, in its order."""

    lease: int | None
    lease_has_ended: bool | None
    any_is_over: bool
    has_returned: bool
    admitted: bool
    drawn: list[int] | None
    rated: int
    items: int
    today: int
    warned_today: int
    recent: list[int] | None
    batches: list[int] | None
    ranks: list[int] | None
    sizes: list[int] | None
    positions: list[int] | None
    warned: list[bool] | None


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of an annotator in a project, as the queue needs it to find their next item."""

    lease: int | None  # their lease with the status live
    lease_has_ended: bool  # its time is over
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
        values = {
            "project": project.pk,
            "annotator": annotator.pk,
            "role": Role.ANNOTATOR.value,
            "now": now,
            "day": annotator.today(now),
            "practice": project.asks_practice,
        }
        columns = one_row(SITUATIONS[Project.Order(project.order)], values)
        if columns is None:
            return None
        row = _SituationRow(*columns)
        by_batch = (row.batches, row.ranks, row.sizes, row.positions, row.warned)
        turns = zip(*(column or () for column in by_batch), strict=True)
        most = project.most_daily
        most_warned = project.most_warned_daily
        return cls(
            lease=row.lease,
            lease_has_ended=bool(row.lease_has_ended),
            any_is_over=row.any_is_over,
            has_returned=row.has_returned,
            admitted=row.admitted,
            drawn=tuple(row.drawn or [0 for _rank in RANKS]),
            pace=Pace(row.rated, row.items, row.today, tuple(row.recent or ())),
            turns=tuple(OpenBatch(*turn) for turn in turns),
            may_rate=most is None or row.today < most,
            may_be_warned=most_warned is None or row.warned_today < most_warned,
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
            total = sum(turn.size for turn in turns)
            number = self.drawn[RANKS.index(rank)]
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
