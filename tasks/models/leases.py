"""Who gets which item next, and what happens when it comes back. The only concurrent code.

Order of locks, everywhere: the item's row, then the lease's.
"""

from __future__ import annotations

import hashlib
import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Exists, F, OuterRef, Q, prefetch_related_objects

from tasks.submission import Submission

from .items import Item
from .projects import Membership, Project
from .ratings import FactCheck, Placement, Rating, ReturnedRating, Score

if TYPE_CHECKING:
    from annotators.models import User


class LeaseQuerySet(models.QuerySet["Lease"]):
    def live(self, now: datetime) -> Self:
        return self.filter(status=Lease.Status.LIVE, expires_at__gt=now)

    def with_membership(self) -> Self:
        """Each with `is_members`: whether its annotator still rates in the project."""
        members = Membership.objects.filter(
            project=OuterRef("project"), user=OuterRef("annotator"), role=Membership.Role.ANNOTATOR
        )
        return self.annotate(is_members=Exists(members))

    def end_expired(self, annotator: User, now: datetime) -> None:
        """Note, on an annotator's own leases, what the clock has already decided."""
        self.filter(annotator=annotator, status=Lease.Status.LIVE, expires_at__lte=now).update(
            status=Lease.Status.EXPIRED, ended_at=F("expires_at")
        )

    def held_by(self, annotator: User, project: Project, now: datetime) -> Lease | None:
        """The lease that an annotator has in a project, if any: there is one at most."""
        return (
            self.live(now)
            .filter(annotator=annotator, project=project)
            .select_related("item__batch", "project__rubric")
            .first()
        )

    def take_next(self, project: Project, annotator: User, *, now: datetime) -> Lease | None:
        """The annotator's lease: the one held, else a returned rating's, else the next item's; None when
        there is nothing for them now.

        Each step is a transaction of its own, so that none waits for a lock while it holds another's: call
        this outside of one.
        """
        if held := self.held_by(annotator, project, now):
            return held
        # Settled before any item is locked: who submits such a lease late has the item, and waits for it.
        self.end_expired(annotator, now)
        try:
            return self._lend_returned(project, annotator, now) or self._lend_open(project, annotator, now)
        except IntegrityError:
            # A second request of the same annotator was quicker: theirs is the lease
            # (`an_annotator_holds_one_item_at_a_time`).
            return self.held_by(annotator, project, now)

    def _lend_returned(self, project: Project, annotator: User, now: datetime) -> Lease | None:
        returned = ReturnedRating.objects.pending(project, annotator).select_related("rating__item").first()
        if returned is None:
            return None
        with transaction.atomic():
            return self._lend(project, returned.rating.item, annotator, now, revises=returned.rating)

    def _lend_open(self, project: Project, annotator: User, now: datetime) -> Lease | None:
        passed: list[int] = []
        skip_locked = True
        while True:
            with transaction.atomic():
                candidate = (
                    Item.objects.filter(project=project)
                    .open_to(annotator, now)
                    .exclude(pk__in=passed)
                    .in_queue_order()
                    .select_for_update(of=("self",), skip_locked=skip_locked)
                    .first()
                )
                # The choice was made on a snapshot from before the lock: look again under it.
                if candidate and Item.objects.filter(pk=candidate.pk).open_to(annotator, now).exists():
                    return self._lend(project, candidate, annotator, now)
            # Here the lock is let go. Two who each kept one and went for the other's would never end.
            if candidate is not None:
                passed.append(candidate.pk)
            elif skip_locked:
                # What others hold locked may still come free: look again and wait for them, before saying
                # that there is nothing left.
                skip_locked = False
            else:
                return None

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
        return self.create(
            project=project,
            item=item,
            annotator=annotator,
            started_at=now,
            expires_at=now + timedelta(minutes=project.lease_minutes),
            responses=[pk for pk, _ in responses],
            model_names=model_names,
            revises=revises,
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
        indexes = (models.Index(fields=("item",), condition=Q(status="live"), name="live_leases_of_an_item"),)

    # Set by `with_membership`.
    is_members: bool

    def __str__(self) -> str:
        return f"{self.item} lent to {self.annotator}"

    def submit(self, submission: Submission, *, now: datetime) -> Rating:
        """Store what was said, once. A lease already submitted gives the rating that it led to; one that has
        ended is kept all the same, and counts where the item still has a place."""
        with transaction.atomic():
            item = Item.objects.select_for_update(of=("self",)).select_related("project").get(pk=self.item_id)
            lease = Lease.objects.select_for_update(of=("self",)).select_related("revises").get(pk=self.pk)
            if lease.status == Lease.Status.SUBMITTED:
                return lease.rating
            rating = lease._store_rating(item, submission, now)
            if lease.status != Lease.Status.LIVE or lease.expires_at <= now:
                # Late, and perhaps lent to the same annotator once more meanwhile: settled with this.
                again = Lease.objects.filter(item=item, annotator=self.annotator_id, status=Lease.Status.LIVE)
                again.exclude(pk=self.pk).update(status=Lease.Status.RELEASED, ended_at=now)
            if rating.kind == Rating.Kind.COUNTED and rating.supersedes_id is None:
                item.counted += 1  # the row is locked, so the number is the newest
                item.save(update_fields=["counted"])
            lease.status = Lease.Status.SUBMITTED
            lease.ended_at = now
            lease.save(update_fields=["status", "ended_at"])
            if rating.supersedes_id is not None:
                ReturnedRating.objects.filter(rating=rating.supersedes_id, mended_at=None).update(
                    mended_at=now
                )
            return rating

    def _store_rating(self, item: Item, submission: Submission, now: datetime) -> Rating:
        elapsed = max(0, int((now - self.started_at).total_seconds()))
        earlier = Rating.objects.filter(item=item, annotator=self.annotator_id)
        rating = Rating(
            project=item.project,
            item=item,
            annotator_id=self.annotator_id,
            rubric_id=item.project.rubric_id,
            lease=self,
            round=self.round,
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
        if self.revises is not None:
            latest = earlier.filter(round=self.revises.round).latest("revision")
            rating.round, rating.kind = latest.round, latest.kind
            rating.revision, rating.supersedes = latest.revision + 1, latest
        elif last := earlier.order_by("-round").first():
            # Rated meanwhile under a later lease: what was said here is kept beside it.
            rating.round, rating.kind = last.round + 1, Rating.Kind.EXTRA
        elif not self._has_place(item, now):
            rating.kind = Rating.Kind.EXTRA
        rating.save(force_insert=True)
        self._store_parts(rating, submission)
        return rating

    def _has_place(self, item: Item, now: datetime) -> bool:
        """Whether the item, locked, still wants this rating: the other live leases have their places."""
        taken = item.counted
        if self.status != Lease.Status.LIVE or self.expires_at <= now:
            others = Lease.objects.live(now).filter(item=item, revises=None)
            taken += others.exclude(annotator=self.annotator_id).count()
        return taken < item.project.wanted

    def _store_parts(self, rating: Rating, submission: Submission) -> None:
        comments = dict(submission.comments)
        Placement.objects.bulk_create(
            Placement(rating=rating, response_id=pk, position=place, comment=comments.get(pk, ""))
            for place, pk in enumerate(self.responses, start=1)
        )
        Score.objects.bulk_create(
            Score(
                project=rating.project,
                rating=rating,
                dimension=given.dimension,
                unit=given.unit,
                response_id=given.response,
                model=given.model,
                position=given.position,
                value=given.value,
                open=list(given.open),
                clauses=list(given.clauses),
                remarks=[
                    {"clause": remark.clause, "rule": remark.rule, "text": remark.text}
                    for remark in given.remarks
                ],
                checks=dict(given.checks),
            )
            for given in submission.scores
        )
        FactCheck.objects.bulk_create(
            FactCheck(
                rating=rating,
                response_id=given.response,
                position=given.position,
                claim=given.claim,
                outcome=given.outcome,
                sources=given.sources,
            )
            for given in submission.facts
        )
