"""Who gets which item next, and what happens when it comes back. The only concurrent code.

Order of locks, everywhere: the item's row, then the lease's, then the seat's. Whoever waits for an item holds
nothing else.
"""

from __future__ import annotations

import hashlib
import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, connection, models, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Exists, OuterRef, Q, prefetch_related_objects

from tasks.submission import Submission

from .concerns import Concern
from .items import Item
from .projects import Membership, Project
from .queue import GROUP_KEPT, RANKS, Probe, Situation, pick
from .ratings import Rating, ReturnedRating

if TYPE_CHECKING:
    from annotators.models import User

MOST_SWEPT = 100  # leases that one request ends for others


class LeaseQuerySet(models.QuerySet["Lease"]):
    def live(self, now: datetime) -> Self:
        return self.filter(status=Lease.Status.LIVE, expires_at__gt=now)

    def with_membership(self) -> Self:
        """Each with `is_members`: whether its annotator still rates in the project."""
        members = Membership.objects.filter(
            project=OuterRef("project"), user=OuterRef("annotator"), role=Membership.Role.ANNOTATOR
        )
        return self.annotate(is_members=Exists(members))

    def held_by(self, annotator: User, project: Project, now: datetime) -> Lease | None:
        """The lease that an annotator has in a project, if any: there is one at most."""
        return (
            self.live(now)
            .filter(annotator=annotator, project=project)
            .select_related("item__batch", "project__rubric")
            .first()
        )

    def sweep(self, project: Project, now: datetime) -> None:
        """Write down what the clock has decided: end leases whose time is over, so that their places are
        free. What others have locked is left to them, or to the next who comes."""
        with connection.cursor() as cursor:
            cursor.execute(
                """
                WITH over AS (
                  SELECT lease.id
                  FROM tasks_item AS item JOIN tasks_lease AS lease ON lease.item_id = item.id
                  WHERE lease.project_id = %(project)s AND lease.status = 'live' AND lease.expires_at <=
                  %(now)s ORDER BY lease.expires_at LIMIT %(most)s FOR NO KEY UPDATE OF item, lease SKIP
                  LOCKED
                )
                UPDATE tasks_lease SET status = 'expired', ended_at = expires_at
                FROM over WHERE tasks_lease.id = over.id
                """,
                {"project": project.pk, "now": now, "most": MOST_SWEPT},
            )

    def give_back(self, annotator: User, *, now: datetime) -> None:
        """Give back all that someone holds: they have logged out, or are not to rate any more."""
        for lease in self.filter(annotator=annotator, status=Lease.Status.LIVE):
            lease.release(now=now)

    def take_next(self, project: Project, annotator: User, *, now: datetime) -> Lease | None:
        """The annotator's lease: the one held, else a returned rating's, else the next item's; None when
        there is nothing for them now.

        Call this outside of a transaction: at the end it waits for locks.
        """
        while True:
            situation = Situation.of(project, annotator, now)
            if situation is None:
                return None
            if situation.held and not situation.held_is_over:
                return self.held_by(annotator, project, now)
            if situation.held:
                # One's own is waited for: whoever submits it late has the item locked.
                self.get(pk=situation.held)._end(Lease.Status.EXPIRED, now)
            try:
                lease = self._take(situation, project, annotator, now)
                # What others hold locked may still come free. Look again and wait for it, and at all that was
                # passed by, before anyone is told that there is nothing left.
                return lease or self._take_waiting(situation, project, annotator, now)
            except IntegrityError:
                # A second request of the same annotator was quicker and theirs is the lease
                # (`an_annotator_holds_one_item_at_a_time`), or someone else has the slot of the group.
                continue

    def submit_and_take_next(
        self, lease: Lease, submission: Submission, *, now: datetime
    ) -> tuple[Rating, Lease | None]:
        """Both in one transaction, where nothing has to be waited for: one commit for the annotator's one
        act."""
        try:
            with transaction.atomic():
                rating = lease.submit(submission, now=now)
                situation = Situation.of(lease.project, lease.annotator, now)
                following = None
                if situation is not None and not situation.held:
                    following = self._take(situation, lease.project, lease.annotator, now)
        except IntegrityError:  # another request of the same annotator has taken the next one
            rating, following = lease.submit(submission, now=now), None
        return rating, following or self.take_next(lease.project, lease.annotator, now=now)

    def _take(self, situation: Situation, project: Project, annotator: User, now: datetime) -> Lease | None:
        """Without waiting for anybody."""
        with transaction.atomic():
            if situation.any_is_over:
                self.sweep(project, now)
            if situation.returned:
                rating = Rating.objects.select_related("item__batch").get(pk=situation.returned)
                return self._lend(project, rating.item, annotator, now, revises=rating)
            found = pick(project, annotator, situation.probes(project, annotator), now)
            if found is None and any(turn.position for turn in situation.turns):
                found = pick(project, annotator, situation.everywhere(), now)
            if found is None:
                return None
            return self._lend_found(situation, project, annotator, *found, now)

    def _take_waiting(
        self, situation: Situation, project: Project, annotator: User, now: datetime
    ) -> Lease | None:
        with transaction.atomic():
            lock = "FOR NO KEY UPDATE OF tasks_item"
            found = pick(project, annotator, situation.everywhere(), now, lock=lock)
            return self._lend_found(situation, project, annotator, *found, now) if found else None

    def _lend_found(
        self,
        situation: Situation,
        project: Project,
        annotator: User,
        item: Item,
        probe: Probe,
        now: datetime,
    ) -> Lease:
        with connection.cursor() as cursor:
            if probe.drawn:
                rank, number = probe.drawn
                drawn = list(situation.drawn)
                drawn[RANKS.index(rank)] = number
                cursor.execute(
                    "UPDATE tasks_membership SET drawn = %s"
                    " WHERE project_id = %s AND user_id = %s AND role = 'annotator'",
                    [drawn, project.pk, annotator.pk],
                )
            elif project.order != Project.Order.SHUFFLED:
                cursor.execute(
                    "INSERT INTO tasks_seat (project_id, batch_id, annotator_id, position)"
                    " VALUES (%s, %s, %s, %s)"
                    " ON CONFLICT (annotator_id, batch_id) DO UPDATE SET position = excluded.position",
                    [project.pk, item.batch_id, annotator.pk, item.position],
                )
            if project.grouping == Project.Grouping.TOGETHER and item.group is not None:
                _hold_group(cursor, project, annotator, item, now)
        return self._lend(project, item, annotator, now)

    def _lend(
        self, project: Project, item: Item, annotator: User, now: datetime, revises: Rating | None = None
    ) -> Lease:
        drawn = random.Random(f"{project.seed}/{annotator.pk}/{item.pk}")  # noqa: S311 - an order, no secret
        prefetch_related_objects([item], "responses")  # whole: the desk shows them next
        responses = [(response.pk, response.model) for response in item.responses.all()]
        drawn.shuffle(responses)
        # One order for a batch, so that "Model 1" is the same one from item to item.
        place = f"{project.seed}/{annotator.pk}/{item.batch_id}"
        model_names = sorted(
            {model for _, model in responses},
            key=lambda model: hashlib.sha256(f"{place}/{model}".encode()).digest(),
        )
        lease: Lease = self.create(
            project=project,
            item=item,
            annotator=annotator,
            started_at=now,
            expires_at=now + timedelta(minutes=project.lease_minutes),
            responses=[pk for pk, _ in responses],
            model_names=model_names,
            revises=revises,
        )
        return lease


def _hold_group(cursor: CursorWrapper, project: Project, annotator: User, item: Item, now: datetime) -> None:
    """Keep the item's group for the annotator, in the first slot that is free. Raises IntegrityError where
    someone else was quicker."""
    values = {
        "project": project.pk,
        "group": item.group,
        "annotator": annotator.pk,
        "now": now,
        "end": now + GROUP_KEPT,
        "wanted": item.wanted,
    }
    cursor.execute(
        "UPDATE tasks_grouphold SET expires_at = %(end)s WHERE project_id = %(project)s"
        ' AND "group" = %(group)s AND annotator_id = %(annotator)s',
        values,
    )
    if cursor.rowcount:
        return
    cursor.execute(
        'DELETE FROM tasks_grouphold WHERE project_id = %(project)s AND "group" = %(group)s'
        " AND expires_at <= %(now)s",
        values,
    )
    cursor.execute(
        """
        INSERT INTO tasks_grouphold (project_id, "group", annotator_id, expires_at, slot)
        SELECT %(project)s, %(group)s, %(annotator)s, %(end)s, min(slot)
        FROM generate_series(0, %(wanted)s - 1) AS free (slot)
        WHERE slot NOT IN (SELECT hold.slot FROM tasks_grouphold AS hold
          WHERE hold.project_id = %(project)s AND hold."group" = %(group)s)
        """,
        values,
    )


class Lease(models.Model):
    """An item lent to one annotator for a while.

    `responses` (primary keys) and `model_names` stand in the order drawn for this annotator and item;
    the desk names them r1, r2, … and m1, m2, … by it. `revises`: the rating that this lease is to mend.
    """

    class Status(models.TextChoices):
        LIVE = "live", "live"
        SUBMITTED = "submitted", "submitted"
        EXPIRED = "expired", "expired"
        RELEASED = "released", "released"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="leases")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="leases")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="leases")
    round = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=12, choices=Status, default=Status.LIVE)
    started_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    responses = ArrayField(models.BigIntegerField())
    model_names = ArrayField(models.TextField())
    revises = models.ForeignKey(
        Rating, on_delete=models.PROTECT, null=True, blank=True, related_name="revising_leases"
    )

    objects: ClassVar[LeaseQuerySet] = LeaseQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "annotator"),
                condition=Q(status="live"),
                name="an_annotator_holds_one_item_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status="live", ended_at=None) | (~Q(status="live") & Q(ended_at__isnull=False)),
                name="a_lease_that_is_over_says_when",
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "expires_at"), condition=Q(status="live"), name="live_leases_by_their_end"
            ),
        )

    # Set by `with_membership`.
    is_members: bool

    def __str__(self) -> str:
        return f"{self.item} lent to {self.annotator}"

    def submit(self, submission: Submission, *, now: datetime) -> Rating:
        """Store what was said, once. A lease already submitted gives the rating that it led to; one that has
        ended is kept all the same, and counts where the item still has a place."""
        with transaction.atomic():
            item, lease = self._locked()
            if lease.status == Lease.Status.SUBMITTED:
                return lease.rating
            if lease.status != Lease.Status.LIVE:
                # Late, and perhaps lent to the same annotator once more meanwhile: settled with this.
                for again in Lease.objects.filter(
                    item=item, annotator=self.annotator_id, status=Lease.Status.LIVE
                ):
                    again._set_status(Lease.Status.RELEASED, now)
                    item.lent -= again.revises_id is None
            rating = lease._new_rating(item, submission, now)
            rating.store(submission, lease.responses)
            lease._set_status(Lease.Status.SUBMITTED, now)
            if rating.supersedes_id is not None:
                ReturnedRating.objects.filter(rating=rating.supersedes_id, mended_at=None).update(
                    mended_at=now
                )
            return rating

    def renew(self, *, now: datetime) -> bool:
        """Whether the item is (again) the annotator's for as long as a lease lasts. One that has ended
        revives where the place is still free and the annotator holds nothing else."""
        with transaction.atomic():
            item, lease = self._locked()
            if lease.status in (Lease.Status.SUBMITTED, Lease.Status.RELEASED):
                return False
            if lease.status == Lease.Status.EXPIRED:
                others = Lease.objects.filter(
                    project=self.project_id, annotator=self.annotator_id, status=Lease.Status.LIVE
                )
                rated = Rating.objects.filter(item=item, annotator=self.annotator_id)
                if (
                    not item.has_place_for(held=False)
                    or others.exists()
                    or (lease.revises_id is None and rated.exists())
                ):
                    return False
            lease.status, lease.ended_at = Lease.Status.LIVE, None
            lease.expires_at = now + timedelta(minutes=item.project.lease_minutes)
            lease.save(update_fields=["status", "ended_at", "expires_at"])
            self.expires_at = lease.expires_at
            return True

    def keep(self, *, now: datetime) -> None:
        """Renew a lease that is in use, once half of its time has gone."""
        half = timedelta(minutes=self.project.lease_minutes) / 2
        if self.status in (Lease.Status.LIVE, Lease.Status.EXPIRED) and self.expires_at - now < half:
            self.renew(now=now)

    def flags(self) -> list[Concern]:
        """What its annotator has told the lead of the item, oldest first."""
        return list(self.concerns.filter(kind=Concern.Kind.FLAG).order_by("pk"))

    def release(self, *, now: datetime) -> None:
        """Give the item back unrated, where it was not yet."""
        self._end(Lease.Status.RELEASED, now)

    def skip(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Give the item back and say why; it goes to others, and does not come to this annotator again. A
        skip that is sent twice is one; what was rated meanwhile is not skipped any more."""
        with transaction.atomic():
            _item, lease = self._locked()
            if lease.status == Lease.Status.SUBMITTED or lease.revises_id is not None:
                return
            if lease.concerns.filter(kind=Concern.Kind.SKIP).exists():
                return
            lease._concern(Concern.Kind.SKIP, reason, note, now)
            if lease.status == Lease.Status.LIVE:
                lease._set_status(Lease.Status.RELEASED, now)

    def flag(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Tell the lead something of the item, and keep it. The same words twice are said once."""
        with transaction.atomic():
            _item, lease = self._locked()
            if not lease.concerns.filter(kind=Concern.Kind.FLAG, reason=reason, note=note).exists():
                lease._concern(Concern.Kind.FLAG, reason, note, now)

    def _concern(self, kind: Concern.Kind, reason: str, note: str, now: datetime) -> None:
        self.concerns.create(
            project_id=self.project_id,
            item_id=self.item_id,
            annotator_id=self.annotator_id,
            kind=kind,
            reason=reason,
            note=note,
            raised_at=now,
        )

    def _locked(self) -> tuple[Item, Lease]:
        """The item and then this lease, as they are now, locked until the transaction ends."""
        item = (
            Item.objects.select_for_update(of=("self",), no_key=True)
            .select_related("project")
            .get(pk=self.item_id)
        )
        lease = (
            Lease.objects.select_for_update(of=("self",), no_key=True)
            .select_related("revises")
            .get(pk=self.pk)
        )
        return item, lease

    def _end(self, status: Lease.Status, now: datetime) -> None:
        with transaction.atomic():
            _item, lease = self._locked()
            if lease.status == Lease.Status.LIVE and (
                status != Lease.Status.EXPIRED or lease.expires_at <= now
            ):
                lease._set_status(status, lease.expires_at if status == Lease.Status.EXPIRED else now)

    def _set_status(self, status: Lease.Status, ended_at: datetime) -> None:
        self.status, self.ended_at = status, ended_at
        self.save(update_fields=["status", "ended_at"])

    def _new_rating(self, item: Item, submission: Submission, now: datetime) -> Rating:
        """What was said, with its round, kind and revision, of an item and a lease that are locked."""
        elapsed = max(0, int((now - self.started_at).total_seconds()))
        rating = Rating(
            project=item.project,
            item=item,
            annotator_id=self.annotator_id,
            rubric_id=item.project.rubric_id,
            lease=self,
            comment=submission.comment,
            asked=dict(submission.asked),
            # The browser's clock is not ours: it cannot have been active for longer than the lease ran.
            active_seconds=None
            if submission.active_seconds is None
            else min(submission.active_seconds, elapsed),
            elapsed_seconds=elapsed,
            started_at=self.started_at,
            submitted_at=now,
        )
        earlier = Rating.objects.filter(item=item, annotator=self.annotator_id)
        if self.revises is not None:
            latest = earlier.filter(round=self.revises.round).latest("revision")
            rating.round, rating.kind = latest.round, latest.kind
            rating.revision, rating.supersedes = latest.revision + 1, latest
        elif last := earlier.order_by("-round").first():
            # Rated meanwhile under a later lease: what was said here is kept beside it.
            rating.round, rating.kind = last.round + 1, Rating.Kind.EXTRA
        elif not item.has_place_for(held=self.status == Lease.Status.LIVE):
            rating.kind = Rating.Kind.EXTRA
        return rating
