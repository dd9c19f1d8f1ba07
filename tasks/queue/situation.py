"""An annotator's situation in the queue of a project: where to look for their next item.

`allocation.py` loads it before it takes an item, `availability.py` before it says why there is
none. Both then look in its ranges of positions (`probes`), which `selection.pick` goes along.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, Self

from config.web.people import User
from config.web.raw_sql import rows_as
from tasks.models.pace import Pace
from tasks.models.projects import Project
from tasks.models.roles import Role
from tasks.models.workdays import LAST_DAY
from tasks.queue.permutation import permuted
from tasks.queue.selection import LAST, THEIRS, DrawnStep, PositionRange

EXACT = 8  # steps of the drawn order to look up exactly, before taking the nearest item
RANKS = (-1, 0, 1)  # of batches: first, in their turn, last

# The columns have the names of `_SituationRow`.
SITUATION = """
SELECT held.id AS lease, held.expires_at <= %(now)s AS lease_has_ended,
  EXISTS (SELECT FROM tasks_lease AS other
    WHERE other.project_id = project.id AND other.status = 'live' AND other.expires_at <= %(now)s)
    AS any_is_over,
  EXISTS (SELECT FROM tasks_returnedrating AS returned
    JOIN tasks_rating AS rating ON rating.id = returned.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    WHERE returned.project_id = project.id AND returned.settled_at IS NULL
      AND returned.annotator_id = %(annotator)s AND batch.status = 'open'
      AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id))
    AS has_returned,
  NOT %(practice)s OR EXISTS (SELECT FROM tasks_admission AS admission
    WHERE admission.project_id = project.id AND admission.annotator_id = %(annotator)s)
  OR EXISTS (SELECT FROM tasks_rating AS rated
    WHERE rated.annotator_id = %(annotator)s AND rated.project_id = project.id
      AND rated.rater_id IS NULL) AS admitted,
  membership.drawn,
  own.rated,
  (SELECT coalesce(sum(batch.size - batch.dropped), 0)::bigint FROM tasks_batch AS batch
    WHERE batch.project_id = project.id) + own.dropped AS items,
  CASE WHEN work.day >= %(day)s::date THEN work.rated ELSE 0 END AS today,
  CASE WHEN work.day >= %(day)s::date THEN work.opened ELSE 0 END AS warned_today,
  work.recent,
  queue.batch_arrays
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
  SELECT array_agg(
    ARRAY[batch.id, batch.rank, batch.size, coalesce(own.position, 0), (batch.warning <> '')::int]
    ORDER BY {order}) AS batch_arrays
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
    """A batch that is open to an annotator. The fields are in the order of the array in SQL."""

    pk: int
    rank: int
    size: int
    position: int  # where to start looking
    is_warned: int  # 1 if it has a warning


class _SituationRow(NamedTuple):
    """The columns of SITUATION."""

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
    batch_arrays: list[list[int]] | None  # see `OpenBatch`


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of an annotator in a project, as the queue needs it to find their next item."""

    lease: int | None  # their lease with the status live
    lease_has_ended: bool  # its time is over
    any_is_over: bool  # the time of any live lease of the project is over
    has_returned: bool  # a rating that came back to them waits
    admitted: bool  # by practice or otherwise; one's own rating admits too
    drawn: tuple[int, ...]  # how many steps of the drawn order they have gone in each of RANKS
    pace: Pace
    open_batches: tuple[OpenBatch, ...]  # those that are open to them, in their order
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
        rows = rows_as(_SituationRow, SITUATIONS[Project.Order(project.order)], values)
        if not rows:
            return None
        [row] = rows
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
            open_batches=tuple(OpenBatch(*batch) for batch in row.batch_arrays or ()),
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
        return self._allowed(
            PositionRange(batch.pk, batch.position, LAST) for batch in self.open_batches
        )

    def everywhere(self) -> list[PositionRange]:
        """Return every open batch in full, whatever position the annotator has reached."""
        return self._allowed(PositionRange(batch.pk, 0, LAST) for batch in self.open_batches)

    def _allowed(self, ranges: Iterable[PositionRange]) -> list[PositionRange]:
        """Return the ranges that the day's limits allow.

        The limits filter them at the end, so the drawn order spans all batches on every day.
        """
        if not self.may_rate:
            return []
        barred: set[int] = set()
        if not self.may_be_warned:
            barred.update(batch.pk for batch in self.open_batches if batch.is_warned)
        return [positions for positions in ranges if positions.batch not in barred]

    def _shuffled(self, key: bytes) -> Iterator[PositionRange]:
        """Yield the next few items of the annotator's drawn order, rank by rank.

        After them come the items next to the last one. Ranks whose order is finished come again
        at the very end, since others may have given items back there.
        """
        finished: list[OpenBatch] = []
        for rank, batches_of_rank in groupby(self.open_batches, key=lambda batch: batch.rank):
            batches = list(batches_of_rank)
            total = sum(batch.size for batch in batches)
            begin = self.drawn[RANKS.index(rank)]
            if begin >= total:
                finished += batches
                continue
            end = min(begin + EXACT, total)
            numbers = [permuted(key, total, step) for step in range(begin, end)]
            places = [_place_at(batches, number) for number in numbers]
            for steps, place in enumerate(places, start=begin + 1):
                batch = batches[place.number]
                drawn = DrawnStep(rank, steps)
                yield PositionRange(batch.pk, place.position, place.position, drawn)
            yield from _from(batches, places[-1], DrawnStep(rank, end))
        for batch in finished:
            yield PositionRange(batch.pk, 0, LAST)


class _BatchPlace(NamedTuple):
    """A position in one of several batches."""

    number: int  # of the batch in their order, from 0
    position: int


def _place_at(batches: Sequence[OpenBatch], number: int) -> _BatchPlace:
    """Return the place with a number that counts from 0 over all batches."""
    for index, batch in enumerate(batches):
        if number < batch.size:
            return _BatchPlace(index, number)
        number -= batch.size
    raise IndexError(number)


def _from(
    batches: Sequence[OpenBatch], place: _BatchPlace, drawn: DrawnStep
) -> Iterator[PositionRange]:
    """Yield all positions of the batches, from a place on, and at the end those before it."""
    first = batches[place.number].pk
    yield PositionRange(first, place.position, LAST, drawn)
    for batch in (*batches[place.number + 1 :], *batches[: place.number]):
        yield PositionRange(batch.pk, 0, LAST, drawn)
    yield PositionRange(first, 0, place.position, drawn)
