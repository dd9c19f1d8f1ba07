"""Lease items to annotators, in transactions that wait as little as they can.

The desk calls `take_next`, and `submit_and_take_next` with a form. This module, `submitting`,
`saving` and `tasks.models.leases` have most of the concurrent code. The order of locks is the same
everywhere: first the item's row, then the lease's, then that of a rating that comes back or is
revised, then that of the batch progress. README.md in this folder lists the locks that come before
these. A transaction here waits for an item only while it holds no other lock.
"""

import hashlib
import random
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.http import Http404
from psycopg.errors import DeadlockDetected, IntegrityError

from config.web.people import User
from config.web.raw_sql import one_row, run
from tasks.answers.submission import Submission
from tasks.models import Draft, Item, Lease, Project, Rating
from tasks.models.drafts import OF_ITEM
from tasks.models.roles import Role

from .live_leases import live_lease
from .selection import GROUP_HOLD, Pick, pick
from .situation import RANKS, Situation
from .submitting import submit_lease

MOST_TRIES = 20  # of a request that collides with others of its annotator
# Another request was quicker: one of the same annotator has the lease, or someone has the slot of
# the group or the last place of the item.
COLLISIONS = (
    "an_annotator_holds_one_item_at_a_time",
    "a_slot_of_a_group_is_held_once",
    "a_group_is_held_once_by_an_annotator",
    "an_item_is_reserved_where_it_has_a_place",
)

# Update the annotator's position, then insert the lease. The position comes first because the
# insert may have to wait for another request of the same annotator, which updates the same batch
# progress. The SELECT reads `moved`, because PostgreSQL runs a CTE that nothing reads last. The
# project may have another rubric since it was loaded, but with the item locked it keeps it.
INSERT = """
WITH moved AS ({move})
INSERT INTO tasks_lease (project_id, item_id, annotator_id, attempt, status, started_at, expires_at,
  responses, model_names, opened_at)
SELECT %(project)s, %(item)s, %(annotator)s, 0, 'live', %(now)s, %(end)s, %(responses)s::bigint[],
  %(model_names)s::text[], %(opened)s::timestamptz
FROM (SELECT count(*) FROM moved) AS first
RETURNING id, {drafts},
  (SELECT membership.view FROM tasks_membership AS membership
    WHERE membership.project_id = %(project)s AND membership.user_id = %(annotator)s
      AND membership.role = %(role)s),
  (SELECT rubric_id FROM tasks_project WHERE id = %(project)s)
"""
STAY = "SELECT 1"
MOVE_ON_IN_BATCH = """
  INSERT INTO tasks_batchprogress (project_id, batch_id, annotator_id, position)
  VALUES (%(project)s, %(batch)s, %(annotator)s, %(position)s)
  ON CONFLICT (annotator_id, batch_id) DO UPDATE SET position = excluded.position
  RETURNING 1
"""
MOVE_ON_IN_DRAWN_ORDER = """
  UPDATE tasks_membership SET drawn = %(drawn)s::int[]
  WHERE project_id = %(project)s AND user_id = %(annotator)s AND role = %(role)s
  RETURNING 1
"""

KEEP_GROUP = """
UPDATE tasks_grouphold SET expires_at = %(end)s
WHERE project_id = %(project)s AND "group" = %(group)s AND annotator_id = %(annotator)s
"""
END_GROUP = """
DELETE FROM tasks_grouphold
WHERE project_id = %(project)s AND "group" = %(group)s AND expires_at <= %(now)s
"""
TAKE_GROUP = """
INSERT INTO tasks_grouphold (project_id, "group", annotator_id, expires_at, slot)
SELECT %(project)s, %(group)s, %(annotator)s, %(end)s, coalesce(min(slot), 0)
FROM generate_series(0, %(wanted)s - 1) AS free (slot)
WHERE slot NOT IN (SELECT hold.slot FROM tasks_grouphold AS hold
  WHERE hold.project_id = %(project)s AND hold."group" = %(group)s)
"""


def take_next(project: Project, annotator: User, *, now: datetime) -> Lease | None:
    """Return the annotator's live lease, else a new one, or None if there is nothing for them.

    There is nothing new for them while a rating that came back waits: its page comes first. Nor is
    there for who has to practise first.
    Call this outside of a transaction, because it may wait for locks at the end.
    """
    for tries in range(MOST_TRIES, 0, -1):
        situation = Situation.of(project, annotator, now)
        if situation is None:
            return None
        if situation.lease and not situation.lease_has_ended:
            lease = live_lease(annotator, project, now)
            if lease:
                return lease
            continue  # submitted at this very moment
        if situation.lease:
            # Wait for one's own lease: a late submit of it has the item locked.
            for ended in Lease.objects.filter(pk=situation.lease):
                with suppress(Http404):  # its batch is removed at this very moment
                    ended.expire(now=now)
        if situation.has_returned or not situation.admitted:
            return None
        try:
            # Locked items may still come free. Before saying that nothing is left, look at
            # every item again, those before the position too, and wait for locks.
            return _take(situation, project, annotator, now) or _take_waiting(
                situation, project, annotator, now
            )
        except DatabaseError as error:
            if tries == 1 or not _is_collision(error):
                raise
    return None


def submit_and_take_next(
    lease: Lease, submission: Submission, *, now: datetime
) -> tuple[Rating, Lease | None]:
    """Submit a lease and take the next item, in one transaction if no lock is in the way.

    One commit then covers both steps.
    """
    project = lease.project
    annotator = lease.annotator
    try:
        with transaction.atomic():
            rating = submit_lease(lease, submission, now=now)
            situation = Situation.of(project, annotator, now)
            following = None
            # They have just rated here, and so are admitted.
            if situation and not situation.lease and not situation.has_returned:
                following = _take(situation, project, annotator, now)
    except DatabaseError as error:
        if not _is_collision(error):
            raise
        # Another transaction was quicker. Submit alone, then take the next item by itself.
        rating = submit_lease(lease, submission, now=now)
        following = None
    return rating, following or take_next(project, annotator, now=now)


def _take(situation: Situation, project: Project, annotator: User, now: datetime) -> Lease | None:
    """Take the next item without waiting for locks."""
    with transaction.atomic(savepoint=False):
        if situation.any_is_over:
            Lease.objects.sweep(project, now)
        may_be_warned = situation.may_be_warned
        ranges = situation.probes(project, annotator)
        match = pick(project, annotator, ranges, now, may_be_warned=may_be_warned)
        if match is None and any(batch.position for batch in situation.open_batches):
            ranges = situation.everywhere()
            match = pick(project, annotator, ranges, now, may_be_warned=may_be_warned)
        return _lease(situation, project, annotator, match, now) if match else None


def _take_waiting(
    situation: Situation, project: Project, annotator: User, now: datetime
) -> Lease | None:
    """Take the next item anywhere, and wait for locks."""
    with transaction.atomic():
        match = pick(
            project,
            annotator,
            situation.everywhere(),
            now,
            lock="FOR NO KEY UPDATE OF tasks_item",
            may_be_warned=situation.may_be_warned,
        )
        return _lease(situation, project, annotator, match, now) if match else None


def _lease(
    situation: Situation, project: Project, annotator: User, match: Pick, now: datetime
) -> Lease:
    """Lease an item that was picked, and move the annotator on to it in their order."""
    item, positions = match
    if project.grouping == Project.Grouping.TOGETHER and item.group is not None:
        _hold_group(project, annotator, item, now)
    lease = _new_lease(project, item, annotator, now)
    lease.pace = situation.pace
    if positions.drawn:
        rank, steps = positions.drawn
        drawn = list(situation.drawn)
        drawn[RANKS.index(rank)] = steps
        _store(lease, MOVE_ON_IN_DRAWN_ORDER, drawn=drawn)
    elif project.order != Project.Order.SHUFFLED:
        _store(lease, MOVE_ON_IN_BATCH, batch=item.batch_id, position=item.position)
    else:
        _store(lease, STAY)
    return lease


def _store(lease: Lease, move: str, **move_values: Any) -> None:
    """Store a lease after the statement `move`, and read what the desk needs with it."""
    project = lease.project
    drafts_of_item = OF_ITEM.format(item="%(item)s", annotator="%(annotator)s")
    values = {
        "project": project.pk,
        "item": lease.item.pk,
        "annotator": lease.annotator.pk,
        "role": Role.ANNOTATOR.value,
        "now": lease.started_at,
        "end": lease.expires_at,
        "responses": lease.responses,
        "model_names": lease.model_names,
        "opened": lease.opened_at,
    }
    statement = INSERT.format(move=move, drafts=drafts_of_item)
    row = one_row(statement, {**values, **move_values})
    assert row  # RETURNING gives the row that was inserted
    lease.pk, drafts, lease.chosen_view, project.rubric_id = row
    lease.drafts = Draft.read(drafts)
    lease._state.adding = False
    lease._state.db = connection.alias


def _new_lease(project: Project, item: Item, annotator: User, now: datetime) -> Lease:
    """Return an unsaved lease, with the order in which the annotator sees responses and models."""
    drawn = random.Random(f"{project.seed}/{annotator.pk}/{item.pk}")  # noqa: S311 - an order, no secret
    responses = [(response.pk, response.model) for response in item.responses_in_order]
    drawn.shuffle(responses)
    # One order for the whole batch, so that "Model 1" is the same model on every item.
    place = f"{project.seed}/{annotator.pk}/{item.batch_id}"
    digests: dict[bytes, str] = {}
    for _pk, model in responses:
        digests[hashlib.sha256(f"{place}/{model}".encode()).digest()] = model
    return Lease(
        project=project,
        item=item,
        annotator=annotator,
        started_at=now,
        expires_at=now + timedelta(minutes=project.lease_minutes),
        responses=[pk for pk, _model in responses],
        model_names=[digests[digest] for digest in sorted(digests)],
        opened_at=None if item.warnings else now,
    )


def _is_collision(database_error: DatabaseError) -> bool:
    """Return whether a transaction lost against another one and may be tried again."""
    cause = database_error.__cause__
    if isinstance(cause, IntegrityError):
        return cause.diag.constraint_name in COLLISIONS
    return isinstance(cause, DeadlockDetected)


def _hold_group(project: Project, annotator: User, item: Item, now: datetime) -> None:
    """Reserve the item's group for the annotator, in its first free slot.

    Raise IntegrityError if someone else was quicker.
    """
    values = {
        "project": project.pk,
        "group": item.group,
        "annotator": annotator.pk,
        "now": now,
        "end": now + GROUP_HOLD,
        "wanted": item.wanted,
    }
    if not run(KEEP_GROUP, values):
        run(END_GROUP, values)
        run(TAKE_GROUP, values)
