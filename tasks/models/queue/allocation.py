"""Lease items to annotators, in transactions that wait as little as they can.

This module and `leases` are the only concurrent code. The order of locks is the same everywhere:
first the item's row, then the lease's, then that of a rating that comes back or is revised, then
the seat's. README.md in this folder lists the locks that come before these. A transaction here
waits for an item only while it holds no other lock.
"""

from __future__ import annotations

import hashlib
import random
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    connection,
    models,
    transaction,
)
from psycopg.errors import DeadlockDetected

from config.web.people import User
from config.web.raw_sql import Columns, instances, one_row, run
from rubrics.models import Rubric
from tasks.models.drafts import Draft
from tasks.models.items import Batch, Item
from tasks.models.projects import Project
from tasks.models.ratings import Rating
from tasks.models.roles import Role
from tasks.submission import Submission

from .selection import GROUP_KEPT, RANKS, RESPONSES, PositionRange, Situation, give_responses, pick

if TYPE_CHECKING:
    from tasks.models.leases import Lease

MOST_SWEPT = 100  # expired leases that one request ends for others
MOST_TRIES = 20  # before a request gives up that collides with others of the same annotator

SWEEP = """
WITH over AS (
  SELECT lease.id
  FROM tasks_item AS item JOIN tasks_lease AS lease ON lease.item_id = item.id
  WHERE lease.project_id = %(project)s AND lease.status = 'live' AND lease.expires_at <= %(now)s
  ORDER BY lease.expires_at LIMIT %(most)s
  FOR NO KEY UPDATE OF item, lease SKIP LOCKED
)
UPDATE tasks_lease SET status = 'expired', ended_at = expires_at
FROM over WHERE tasks_lease.id = over.id
"""

# A lease with the status live still has its place, even if its time is over, so it can be renewed.
# Renewal starts once half of its time has passed, as in `Lease.renew_if_due`.
STAY_BESIDE = """
UPDATE tasks_lease AS lease SET expires_at = %(now)s + make_interval(mins => project.lease_minutes)
FROM tasks_project AS project
WHERE project.id = lease.project_id AND lease.project_id = %(project)s
  AND lease.annotator_id = %(annotator)s AND lease.status = 'live'
  AND lease.expires_at < %(now)s + make_interval(secs => project.lease_minutes * 30)
"""

WHOLE = """
SELECT {lease}, {item}, {batch}, {project}, {rubric}, {draft}, {responses},
  (SELECT membership.view FROM tasks_membership AS membership
    WHERE membership.project_id = project.id AND membership.user_id = lease.annotator_id
      AND membership.role = %(role)s)
FROM tasks_lease AS lease
JOIN tasks_item AS item ON item.id = lease.item_id
JOIN tasks_batch AS batch ON batch.id = item.batch_id
JOIN tasks_project AS project ON project.id = lease.project_id
JOIN rubrics_rubric AS rubric ON rubric.id = project.rubric_id
LEFT JOIN tasks_draft AS draft ON draft.item_id = lease.item_id
  AND draft.annotator_id = lease.annotator_id
WHERE lease.annotator_id = %(annotator)s AND {condition}
"""

MADE = ("created_by", "created_at")

# Update the annotator's position, then insert the lease. The position comes first because the
# insert may have to wait for another request of the same annotator, which updates the same seat.
# The SELECT reads `moved`, because PostgreSQL runs a CTE that nothing reads last.
INSERT = """
WITH moved AS ({move})
INSERT INTO tasks_lease (project_id, item_id, annotator_id, attempt, status, started_at, expires_at,
  responses, model_names, opened_at)
SELECT %(project)s, %(item)s, %(annotator)s, 0, 'live', %(now)s, %(end)s, %(responses)s::bigint[],
  %(model_names)s::text[], %(opened)s::timestamptz
FROM (SELECT count(*) FROM moved) AS first
RETURNING id, EXISTS (SELECT FROM tasks_draft AS draft
  WHERE draft.item_id = %(item)s AND draft.annotator_id = %(annotator)s),
  (SELECT membership.view FROM tasks_membership AS membership
    WHERE membership.project_id = %(project)s AND membership.user_id = %(annotator)s
      AND membership.role = %(role)s)
"""
STAY = "SELECT 1"
MOVE_ON_IN_BATCH = """
  INSERT INTO tasks_seat (project_id, batch_id, annotator_id, position)
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
SELECT %(project)s, %(group)s, %(annotator)s, %(end)s, min(slot)
FROM generate_series(0, %(wanted)s - 1) AS free (slot)
WHERE slot NOT IN (SELECT hold.slot FROM tasks_grouphold AS hold
  WHERE hold.project_id = %(project)s AND hold."group" = %(group)s)
"""


class LeaseQuerySet(models.QuerySet["Lease"]):
    def of(self, annotator: User, slug: str, pk: int) -> Lease | None:
        """Return an annotator's lease in any state, with everything that the desk shows of it.

        Return None if the annotator no longer rates in the project.
        """
        lease = self._of(annotator, slug, pk)
        return lease if lease is not None and lease.is_members else None

    def to_submit(self, annotator: User, slug: str, pk: int, now: datetime) -> Lease | None:
        """Return an annotator's lease as `of` does, or the one that their removal has just ended.

        That one takes a submit and nothing else. Its `is_members` is false.
        """
        lease = self._of(annotator, slug, pk)
        return lease if lease and (lease.is_members or lease.is_left_to_removed(now)) else None

    def held_by(self, annotator: User, project: Project, now: datetime) -> Lease | None:
        """Return the annotator's live lease in a project, or None; there is one at most.

        It is loaded in full, as by `of`.
        """
        return self._whole(
            annotator,
            "lease.project_id = %(project)s AND lease.status = 'live'"
            " AND lease.expires_at > %(now)s",
            project=project.pk,
            now=now,
        )

    def held_anywhere(self, annotator: User, now: datetime) -> Self:
        """Return the annotator's live leases in all projects, with their items."""
        return self.filter(annotator=annotator, status="live", expires_at__gt=now).select_related(
            "item"
        )

    def sweep(self, project: Project, now: datetime) -> None:
        """End leases whose time is over, so that their places are free.

        Skip rows that other transactions have locked; they or the next request end those leases.
        """
        run(SWEEP, {"project": project.pk, "now": now, "most": MOST_SWEPT})

    def keep_held(self, project: Project, annotator: User, *, now: datetime) -> None:
        """Renew an annotator's lease in a project, in one statement.

        Call this while they do something else in the project, such as correct a rating.
        """
        run(STAY_BESIDE, {"project": project.pk, "annotator": annotator.pk, "now": now})

    def give_back(self, annotator: User, *, now: datetime, removed: bool = False) -> None:
        """Release all live leases of an annotator; `removed`: because they no longer rate here."""
        status = self.model.Status.REMOVED if removed else self.model.Status.RELEASED
        for lease in self.filter(annotator=annotator, status="live"):
            lease.release(now=now, status=status)

    def take_next(self, project: Project, annotator: User, *, now: datetime) -> Lease | None:
        """Return the annotator's live lease, else a new one, or None if there is nothing for them.

        There is nothing new for them while a rating that came back waits: its page comes first.
        Call this outside of a transaction, because it may wait for locks at the end.
        """
        for tries in range(MOST_TRIES, 0, -1):
            situation = Situation.of(project, annotator, now)
            if situation is None:
                return None
            if situation.held and not situation.held_is_over:
                if held := self.held_by(annotator, project, now):
                    return held
                continue  # submitted at this very moment
            if situation.held:
                # Wait for one's own lease: a late submit of it has the item locked.
                self.get(pk=situation.held).expire(now=now)
            if situation.has_returned:
                return None
            try:
                # Locked items may still come free. Before saying that nothing is left, look at
                # every item again, those before the position too, and wait for locks.
                return self._take(situation, project, annotator, now) or self._take_waiting(
                    situation, project, annotator, now
                )
            except (IntegrityError, OperationalError) as error:
                # Another request of the same annotator was quicker and has the lease
                # (`an_annotator_holds_one_item_at_a_time`), or someone else took the slot of the
                # group.
                if tries == 1 or not _is_collision(error):
                    raise
        return None

    def submit_and_take_next(
        self, lease: Lease, submission: Submission, *, now: datetime
    ) -> tuple[Rating, Lease | None]:
        """Submit a lease and take the next item, in one transaction if no lock is in the way.

        One commit then covers both steps.
        """
        project, annotator = lease.project, lease.annotator
        try:
            with transaction.atomic():
                rating = lease.submit(submission, now=now)
                situation = Situation.of(project, annotator, now)
                following = None
                if situation and not situation.held and not situation.has_returned:
                    following = self._take(situation, project, annotator, now)
        except (IntegrityError, OperationalError) as error:
            if not _is_collision(error):
                raise
            # Another request of the same annotator has taken the next item.
            rating, following = lease.submit(submission, now=now), None
        return rating, following or self.take_next(project, annotator, now=now)

    def _take(
        self, situation: Situation, project: Project, annotator: User, now: datetime
    ) -> Lease | None:
        """Take the next item without waiting for locks."""
        with transaction.atomic(savepoint=False):
            if situation.any_is_over:
                self.sweep(project, now)
            limit = situation.may_be_warned
            found = pick(
                project, annotator, situation.probes(project, annotator), now, may_be_warned=limit
            )
            if found is None and any(turn.position for turn in situation.turns):
                found = pick(project, annotator, situation.everywhere(), now, may_be_warned=limit)
            return self._lend(situation, project, annotator, *found, now) if found else None

    def _take_waiting(
        self, situation: Situation, project: Project, annotator: User, now: datetime
    ) -> Lease | None:
        with transaction.atomic():
            found = pick(
                project,
                annotator,
                situation.everywhere(),
                now,
                lock="FOR NO KEY UPDATE OF tasks_item",
                may_be_warned=situation.may_be_warned,
            )
            return self._lend(situation, project, annotator, *found, now) if found else None

    def _lend(
        self,
        situation: Situation,
        project: Project,
        annotator: User,
        item: Item,
        probe: PositionRange,
        now: datetime,
    ) -> Lease:
        if project.grouping == Project.Grouping.TOGETHER and item.group is not None:
            _hold_group(project, annotator, item, now)
        move = STAY
        values: dict[str, Any] = {}
        if probe.drawn:
            rank, number = probe.drawn
            drawn = list(situation.drawn)
            drawn[RANKS.index(rank)] = number
            move, values = MOVE_ON_IN_DRAWN_ORDER, {"drawn": drawn}
        elif project.order != Project.Order.SHUFFLED:
            move, values = MOVE_ON_IN_BATCH, {"batch": item.batch_id, "position": item.position}
        lease = self._store_lease(project, item, annotator, now, move=move, **values)
        lease.pace = situation.pace
        return lease

    def _store_lease(
        self,
        project: Project,
        item: Item,
        annotator: User,
        now: datetime,
        *,
        move: str = STAY,
        **values: Any,
    ) -> Lease:
        """Store a lease, with the order in which the annotator sees the responses and models."""
        drawn = random.Random(f"{project.seed}/{annotator.pk}/{item.pk}")  # noqa: S311 - an order, no secret
        responses = [(response.pk, response.model) for response in item.own_responses]
        drawn.shuffle(responses)
        # One order for the whole batch, so that "Model 1" is the same model on every item.
        place = f"{project.seed}/{annotator.pk}/{item.batch_id}"
        model_names = sorted(
            {model for _, model in responses},
            key=lambda model: hashlib.sha256(f"{place}/{model}".encode()).digest(),
        )
        lease = self.model(
            project=project,
            item=item,
            annotator=annotator,
            started_at=now,
            expires_at=now + timedelta(minutes=project.lease_minutes),
            responses=[pk for pk, _ in responses],
            model_names=model_names,
            opened_at=None if item.warnings else now,
        )
        lease.pk, has_draft, lease.chosen_view = one_row(
            INSERT.format(move=move),
            {
                "project": project.pk,
                "item": item.pk,
                "annotator": annotator.pk,
                "role": Role.ANNOTATOR.value,
                "now": now,
                "end": lease.expires_at,
                "responses": lease.responses,
                "model_names": model_names,
                "opened": lease.opened_at,
                **values,
            },
        ) or (None, False, "")
        lease._state.adding, lease._state.db = False, connection.alias
        if has_draft:
            lease.draft = Draft.objects.of_item(item, annotator)
        return lease

    def _of(self, annotator: User, slug: str, pk: int) -> Lease | None:
        return self._whole(
            annotator, "lease.id = %(lease)s AND project.slug = %(slug)s", lease=pk, slug=slug
        )

    def _whole(self, annotator: User, condition: str, **values: Any) -> Lease | None:
        statement, parts = _whole(self.model, condition)
        own = {"annotator": annotator.pk, "role": Role.ANNOTATOR.value}
        row = one_row(statement, own | values)
        if row is None:
            return None
        lease, item, batch, project, rubric, draft, responses, view = instances(row, *parts)
        project.rubric = rubric
        lease.project = item.project = batch.project = project
        lease.item, item.batch, lease.annotator = item, batch, annotator
        lease.is_members, lease.chosen_view = view is not None, view
        lease.draft = draft
        give_responses(item, responses)
        return lease


@cache
def _whole(lease: type[Lease], condition: str) -> tuple[str, tuple[Columns[Any], ...]]:
    """Return the statement that loads a lease for the desk, and its columns, model by model."""
    parts: dict[str, Columns[Any]] = {
        "lease": Columns(lease, "lease"),
        # Without what the desk does not show. Each process parses a published version of a rubric
        # once (`Rubric.schema`).
        "item": Columns(Item, "item", defer=("metadata",)),
        "batch": Columns(Batch, "batch", defer=(*MADE, "file_name", "digest", "begun")),
        "project": Columns(Project, "project", defer=(*MADE, "archived_at", "form_key")),
        "rubric": Columns(
            Rubric,
            "rubric",
            defer=(*MADE, "dimensions", "guidance", "summary", "published_at"),
        ),
        "draft": Columns(Draft, "draft"),
    }
    statement = WHOLE.format(
        **parts,
        responses=RESPONSES.format(item="item.id"),
        condition=condition,
    )
    return statement, tuple(parts.values())


def _is_collision(error: DatabaseError) -> bool:
    """Return whether a transaction lost against another one and may be tried again."""
    return isinstance(error, IntegrityError) or isinstance(error.__cause__, DeadlockDetected)


def _hold_group(project: Project, annotator: User, item: Item, now: datetime) -> None:
    """Reserve the item's group for the annotator, in its first free slot.

    Raise IntegrityError if someone else was quicker.
    """
    values = {
        "project": project.pk,
        "group": item.group,
        "annotator": annotator.pk,
        "now": now,
        "end": now + GROUP_KEPT,
        "wanted": item.wanted,
    }
    if not run(KEEP_GROUP, values):
        run(END_GROUP, values)
        run(TAKE_GROUP, values)
