"""Leases: an item is reserved for one annotator for a while, for a first rating.

Most of the concurrent code is here and in `queue.allocation`.
"""

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import gettext

from config.web.raw_sql import one_row
from tasks.pace import Pace
from tasks.submission import Submission

from .concerns import Concern
from .drafts import Draft
from .items import Item
from .notices import Notice
from .progress import Workday
from .projects import FIRST_VIEWS, Membership, Project
from .queue.allocation import LeaseQuerySet
from .queue.insert_rating import store
from .ratings import Rating, RatingQuerySet

# For so long after its end a lease is submitted like a live one. Then its rating is extra, and its
# texts are not shown.
LONGEST_LATE = timedelta(days=14)
# Someone who was removed can still submit what was on their desk, for so long.
AFTER_REMOVAL = timedelta(days=1)

# Rows are locked in the order of the tables in FROM.
LOCK = """
SELECT item.wanted, item.counted, item.lent, item.dropped,
  lease.status, lease.expires_at, lease.ended_at, lease.opened_at
FROM tasks_item AS item JOIN tasks_lease AS lease ON lease.item_id = item.id
WHERE lease.id = %s FOR NO KEY UPDATE OF item, lease
"""


class Lease(models.Model):
    """An item reserved for one annotator for a while. It is always for a first rating."""

    class Status(models.TextChoices):
        LIVE = "live"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        RELEASED = "released"
        REMOVED = "removed"  # taken back, as its annotator was removed

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="leases")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="leases")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="leases",
    )
    attempt = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=12, choices=Status, default=Status.LIVE)
    started_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    # Primary keys, in the order drawn for this annotator and item. The desk names them r1, r2, …
    responses = ArrayField(models.BigIntegerField())
    # In the order drawn for this annotator and batch. The desk names them m1, m2, …
    model_names = ArrayField(models.TextField())
    # None while a warning covers the texts.
    opened_at = models.DateTimeField(null=True, blank=True)
    # `writer` and `number` are those of the `DraftVersion` that was submitted, if there was one.
    writer = models.CharField(max_length=32, blank=True, default="", db_default="")
    number = models.IntegerField(default=0, db_default=0)

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
                condition=Q(status="live", ended_at=None)
                | (~Q(status="live") & Q(ended_at__isnull=False)),
                name="a_lease_that_is_over_says_when",
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "expires_at"),
                condition=Q(status="live"),
                name="live_leases_by_their_end",
            ),
        )

    # The queries that load a lease set these, if they know them.
    is_members: bool = True  # the annotator still rates in the project
    chosen_view: str | None = ""  # the view that the annotator last chose in the project
    pace: Pace | None = None  # the annotator's pace when the lease began
    draft: Draft | None = None  # what they have entered and not submitted yet

    def __str__(self) -> str:
        return gettext("%(item)s, lent to %(name)s") % {"item": self.item, "name": self.annotator}

    @property
    def draft_revision(self) -> int:
        """Revision of the draft; 0 if there is none."""
        return self.draft.revision if self.draft else 0

    def has_rating(self) -> bool:
        """Return True if the database has its rating by now."""
        return Lease.objects.filter(pk=self.pk, status=self.Status.SUBMITTED).exists()

    @property
    def over_at(self) -> datetime:
        """The time at which it ended, or will end by the clock."""
        return self.ended_at or self.expires_at

    def is_long_over(self, now: datetime) -> bool:
        return self.status != Lease.Status.SUBMITTED and self.over_at + LONGEST_LATE <= now

    def is_left_to_removed(self, now: datetime) -> bool:
        """Return True if it was live when its annotator was removed, within the last day."""
        if self.over_at + AFTER_REMOVAL <= now:
            return False
        stored = Rating.objects.filter(lease=self.pk, extra_because=Rating.Extra.REMOVED)
        return self.status in (Lease.Status.LIVE, Lease.Status.REMOVED) or stored.exists()

    @property
    def is_covered(self) -> bool:
        """True while a warning hides the texts, until the annotator opens them."""
        return self.opened_at is None and bool(self.item.warnings)

    def open(self, *, now: datetime) -> bool:
        """Uncover the texts, if a warning still covers them.

        An item that is leased again counts once towards the daily limit. Return False, and leave
        the texts covered, if the annotator has reached the limit today.
        """
        with transaction.atomic():
            self._lock()
            if self.is_covered:
                before = Lease.objects.filter(
                    item=self.item_id, annotator=self.annotator_id, opened_at__isnull=False
                )
                if not before.exists() and not Workday.objects.note_opened(
                    self.annotator, self.project_id, now
                ):
                    return False
                self.opened_at = now
                self.save(update_fields=["opened_at"])
            return True

    @property
    def view(self) -> str:
        """The view in which its texts are shown at first: the annotator's, else the project's."""
        return self.chosen_view or self.project.view

    def choose_view(self, view: str) -> None:
        """Remember the annotator's view for the project's other items, if they may begin in it."""
        if view in dict(FIRST_VIEWS) and view != self.view:
            self.project.memberships.filter(
                role=Membership.Role.ANNOTATOR, user=self.annotator_id
            ).update(view=view)
            self.chosen_view = view

    def submit(self, submission: Submission, *, now: datetime) -> Rating:
        """Store a rating, once, and return it.

        If the lease was already submitted, return the rating that was stored then. If it has ended,
        store the rating all the same; it counts if the item still has a place. It is extra if the
        lease ended long ago or the annotator was removed. Raise UnseenDraft as `store` does.
        """
        with transaction.atomic(savepoint=False):
            is_usual = self.status == Lease.Status.LIVE and self.is_members
            if is_usual and not self.is_long_over(now):
                # The usual case. The statement itself checks that nothing has come in between.
                rating = self._new_rating(submission, now)
                rating.kind, rating.extra_because = Rating.Kind.COUNTED, ""
                if store(rating, submission, self.responses, if_first=True, if_held=True):
                    Concern.objects.bring_back(rating, now=now)
                    return rating
            self._lock()
            if self.status == Lease.Status.SUBMITTED:
                # From the database: `self.rating` may be one that was not stored.
                return Rating.objects.get(lease=self)
            if self.status != Lease.Status.LIVE:
                # Late. If the same annotator has a newer lease on the item, this ends it too.
                self._release_again(now)
            because = self._why_not_counted(now)
            rating = self._new_rating(submission, now, because)
            if store(rating, submission, self.responses, if_first=True):
                Concern.objects.bring_back(rating, now=now)
            else:
                # The item was rated meanwhile under a later lease: store this as an extra rating.
                rating.attempt = self._own_ratings().latest("attempt").attempt + 1
                rating.kind = Rating.Kind.EXTRA
                rating.extra_because = because or Rating.Extra.AGAIN
                store(rating, submission, self.responses)
            return rating

    def renew(self, *, now: datetime) -> bool:
        """Extend the lease by its full time. Return False if that is no longer possible.

        An expired lease revives if its place is still free and the annotator has no other lease in
        the project.
        """
        with transaction.atomic():
            self._lock()
            expired = self.status == Lease.Status.EXPIRED
            if self.is_long_over(now) or (
                self.status != Lease.Status.LIVE and not (expired and self._may_revive())
            ):
                return False
            self.status, self.ended_at = Lease.Status.LIVE, None
            self.expires_at = now + timedelta(minutes=self.item.project.lease_minutes)
            self.save(update_fields=["status", "ended_at", "expires_at"])
            return True

    def _may_revive(self) -> bool:
        others = Lease.objects.filter(
            project=self.project_id, annotator=self.annotator_id, status=Lease.Status.LIVE
        )
        if others.exists():
            return False
        return self.item.has_place_for(held=False) and not self._own_ratings().exists()

    def _own_ratings(self) -> RatingQuerySet:
        """Return the annotator's ratings of the item, under any lease."""
        return Rating.objects.filter(item=self.item_id, annotator=self.annotator_id)

    def rating_of_another(self) -> Rating | None:
        """Return the annotator's rating of the item under another lease, if any.

        Return None for a lease that was submitted itself.
        """
        if self.status == Lease.Status.SUBMITTED:
            return None
        rated = self._own_ratings().filter(revision=1, lease__isnull=False)
        return rated.select_related("lease").order_by("attempt").first()

    def renew_if_due(self, *, now: datetime) -> None:
        """Renew a lease that is in use, once half of its time has passed."""
        half = timedelta(minutes=self.project.lease_minutes) / 2
        if (
            self.status in (Lease.Status.LIVE, Lease.Status.EXPIRED)
            and self.expires_at - now < half
        ):
            self.renew(now=now)

    def flags(self) -> list[Concern]:
        """Return the flags raised under this lease, oldest first."""
        return list(self.concerns.filter(kind=Concern.Kind.FLAG).order_by("pk"))

    def release(self, *, now: datetime, status: Status = Status.RELEASED) -> None:
        """Give the item back unrated, if the lease is still live."""
        with transaction.atomic():
            self._lock()
            if self.status == Lease.Status.LIVE:
                self._end(status, now)

    def expire(self, *, now: datetime) -> None:
        """End the lease, if its time is over."""
        with transaction.atomic():
            self._lock()
            if self.status == Lease.Status.LIVE and self.expires_at <= now:
                self._end(Lease.Status.EXPIRED, self.expires_at)

    def _end(self, status: Status, ended_at: datetime) -> None:
        self.status, self.ended_at = status, ended_at
        self.save(update_fields=["status", "ended_at"])

    def skip(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Give the item back with a reason.

        The item goes to others, and not to this annotator again. A skip that is sent twice is
        stored once. An item that was rated meanwhile is not skipped.
        """
        with transaction.atomic():
            self._lock()
            is_skipped = self.concerns.filter(kind=Concern.Kind.SKIP).exists()
            if is_skipped or self._own_ratings().exists():
                return
            self._concern(Concern.Kind.SKIP, reason, note, now)
            if self.status == Lease.Status.LIVE:
                self._end(Lease.Status.RELEASED, now)
            else:  # late: the same annotator may have a newer lease on the item
                self._release_again(now)

    def flag(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Report the item to the leads, and go on with it.

        The same reason and note are stored once. Others replace those of a flag that is not decided
        yet.
        """
        with transaction.atomic():
            self._lock()
            if not self.concerns.filter(kind=Concern.Kind.FLAG, reason=reason, note=note).exists():
                flag, _is_new = Concern.objects.update_or_create(
                    kind=Concern.Kind.FLAG,
                    decision="",
                    project_id=self.project_id,
                    item_id=self.item_id,
                    annotator_id=self.annotator_id,
                    defaults={"lease": self, "reason": reason, "note": note, "raised_at": now},
                )
                Notice.objects.tell_leads(
                    self.project_id,
                    Notice.Kind.RAISED,
                    concern=flag.pk,
                    by=self.annotator_id,
                    now=now,
                )

    def _release_again(self, now: datetime) -> None:
        """Release the annotator's later lease on the item, which the caller has locked."""
        for again in Lease.objects.filter(
            item=self.item_id, annotator=self.annotator_id, status=Lease.Status.LIVE
        ):
            again._end(Lease.Status.RELEASED, now)
            self.item.lent -= 1

    def _concern(self, kind: Concern.Kind, reason: str, note: str, now: datetime) -> Concern:
        return self.concerns.create(
            project_id=self.project_id,
            item_id=self.item_id,
            annotator_id=self.annotator_id,
            kind=kind,
            reason=reason,
            note=note,
            raised_at=now,
        )

    def _lock(self) -> None:
        """Lock the item and then this lease, until the transaction ends.

        Read the fields of both again that may have changed.
        """
        row = one_row(LOCK, [self.pk])
        assert row is not None  # leases are never deleted
        item = self.item
        item.wanted, item.counted, item.lent, item.dropped = row[:4]
        self.status, self.expires_at, self.ended_at, self.opened_at = row[4:]

    def _why_not_counted(self, now: datetime) -> str:
        """Return why a rating can't count whatever the item wants, or "".

        The caller has locked the lease. If it has ended, look whether the annotator rates in the
        project: they may have been removed meanwhile, or have come back.
        """
        if self.status != Lease.Status.LIVE:
            self.is_members = Membership.objects.filter(
                project=self.project_id, user=self.annotator_id, role=Membership.Role.ANNOTATOR
            ).exists()
        if not self.is_members:
            return Rating.Extra.REMOVED
        return Rating.Extra.LATE if self.is_long_over(now) else ""

    def _new_rating(self, submission: Submission, now: datetime, because: str = "") -> Rating:
        """Return an unsaved rating of the item, as if it were the annotator's first.

        `because`: why it can't count, whatever the item wants.

        The caller has locked the item and the lease, or the statement that stores it will.
        """
        item = self.item
        elapsed = max(0, int((now - self.started_at).total_seconds()))
        rating = Rating(
            project=item.project,
            item=item,
            annotator=self.annotator,
            rubric_id=item.project.rubric_id,
            lease=self,
            active_seconds=submission.active_within(elapsed),
            elapsed_seconds=elapsed,
            started_at=self.started_at,
            submitted_at=now,
        )
        if because or not item.has_place_for(held=self.status == Lease.Status.LIVE):
            wanted = item.counted < item.wanted
            rating.kind = Rating.Kind.EXTRA
            rating.extra_because = because or (
                Rating.Extra.DROPPED if item.dropped and wanted else Rating.Extra.FULL
            )
        return rating
