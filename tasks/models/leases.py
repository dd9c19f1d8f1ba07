"""Leases: an item is reserved for one annotator for a while, for a first rating.

`tasks.queue.allocation` names the modules with concurrent code.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q
from django.http import Http404

from config.web.people import User
from config.web.raw_sql import run
from tasks.answers.slot_answers import LABELS

from .concerns import Concern
from .drafts import Draft
from .items import Item
from .lease_locks import lock_lease
from .memberships import Membership
from .notices import Notice
from .pace import Pace
from .project_settings import FIRST_VIEWS
from .projects import Project
from .ratings import Rating, RatingQuerySet
from .workdays import Workday

# A lease can be submitted like a live one until so long after its end. Later its rating is extra,
# and its texts are hidden.
LONGEST_LATE = timedelta(days=14)
# An annotator who was removed can submit a lease that was live then until so long after its end.
AFTER_REMOVAL = timedelta(days=1)

# Rows are locked in the order of the tables in FROM.
LOCK_PROGRESS = """
SELECT FROM tasks_batchprogress WHERE annotator_id = %s AND batch_id = %s FOR NO KEY UPDATE
"""


MOST_SWEPT = 100  # expired leases that one request ends for others
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
RENEW_LIVE = """
UPDATE tasks_lease AS lease SET expires_at = %(now)s + make_interval(mins => project.lease_minutes)
FROM tasks_project AS project
WHERE project.id = lease.project_id AND lease.project_id = %(project)s
  AND lease.annotator_id = %(annotator)s AND lease.status = 'live'
  AND lease.expires_at < %(now)s + make_interval(secs => project.lease_minutes * 30)
"""
IS_LIVE = Q(status="live", ended_at=None)
IS_OVER = ~Q(status="live") & Q(ended_at__isnull=False)


class LeaseQuerySet(models.QuerySet["Lease"]):
    def live_in_all_projects(self, annotator: User, now: datetime) -> Self:
        """Return the annotator's live leases in all projects, with the names of their items."""
        live = self.filter(annotator=annotator, status="live", expires_at__gt=now)
        return live.select_related("item").only("project", "item__external_id")

    def sweep(self, project: Project, now: datetime) -> None:
        """End leases whose time is over, so that their places are free.

        Skip rows that other transactions have locked; they or the next request end those leases.
        """
        run(SWEEP, {"project": project.pk, "now": now, "most": MOST_SWEPT})

    def just_dropped(self, annotator: User, project: Project) -> "Lease | None":
        """Return the annotator's last lease in a project, if its item was dropped under them."""
        later = self.model.objects.filter(
            annotator=annotator, project=project, pk__gt=OuterRef("pk")
        )
        dropped = self.filter(annotator=annotator, project=project, status="dropped")
        last = dropped.filter(item__dropped=True).exclude(Exists(later))
        return last.select_related("item").first()

    def renew_live(self, project: Project, annotator: User, *, now: datetime) -> None:
        """Renew an annotator's lease in a project, in one statement.

        Call this while they do something else in the project, such as correct a rating.
        """
        run(RENEW_LIVE, {"project": project.pk, "annotator": annotator.pk, "now": now})

    def give_back(self, annotator: User, *, now: datetime, removed: bool = False) -> None:
        """Release all live leases of an annotator; `removed`: because they no longer rate here."""
        status = self.model.Status.REMOVED if removed else self.model.Status.RELEASED
        for lease in self.filter(annotator=annotator, status="live"):
            lease.release(now=now, status=status)


class Lease(models.Model):
    """An item reserved for one annotator for a while. It is always for a first rating."""

    class Status(models.TextChoices):
        LIVE = "live"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        RELEASED = "released"
        REMOVED = "removed"  # taken back, as its annotator was removed
        DROPPED = "dropped"  # taken back, as its item was dropped

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
    # Pages whose drafts are gone, since another page went on from them or five newer ones came,
    # each with the number of its last version. A request that was older and comes late is no draft.
    passed = models.JSONField(default=dict, blank=True, db_default={})

    objects = LeaseQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "annotator"),
                condition=Q(status="live"),
                name="an_annotator_holds_one_item_at_a_time",
            ),
            models.CheckConstraint(
                condition=IS_LIVE | IS_OVER,
                name="a_lease_that_is_over_says_when",
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "expires_at"),
                condition=Q(status="live"),
                name="live_leases_by_their_end",
            ),
            models.Index(
                fields=("annotator", "project"),
                condition=Q(status="dropped"),
                name="leases_of_dropped_items",
            ),
        )

    # The queries that load a lease set these, if they know them.
    annotator_is_member: bool = True  # the annotator still rates in the project
    chosen_view: str | None = ""  # the view that the annotator last chose in the project
    pace: Pace | None = None  # the annotator's pace when the lease began
    drafts: Sequence[Draft] = ()  # the annotator's, of the item, newest first

    @property
    def letters(self) -> dict[int, str]:
        """The letter of each response on this annotator's desk, by the response's primary key."""
        return dict(zip(self.responses, LABELS, strict=False))

    @property
    def over_at(self) -> datetime:
        """The time at which it ended, or will end by the clock."""
        return self.ended_at or self.expires_at

    def is_long_over(self, now: datetime) -> bool:
        return self.status != Lease.Status.SUBMITTED and self.over_at + LONGEST_LATE <= now

    @property
    def is_dropped(self) -> bool:
        """True if its item was dropped before it was rated."""
        return self.item.dropped and self.status != Lease.Status.SUBMITTED

    def takes_removed_submit(self, now: datetime) -> bool:
        """Return True if it was live when its annotator was removed, within the last day."""
        if self.over_at + AFTER_REMOVAL <= now:
            return False
        stored = Rating.objects.filter(lease=self.pk, extra_because=Rating.Extra.REMOVED)
        return self.status in (Lease.Status.LIVE, Lease.Status.REMOVED) or stored.exists()

    @property
    def is_covered(self) -> bool:
        """True while a warning hides the texts, until the annotator opens them."""
        return self.opened_at is None and bool(self.item.warnings)

    def uncover(self, *, now: datetime) -> bool:
        """Uncover the texts, if a warning still covers them.

        An item that is leased again counts once towards the daily limit. Return False, and leave
        the texts covered, if the annotator has reached the limit today.
        """
        with transaction.atomic():
            self.lock()
            if self.is_covered:
                before = Lease.objects.filter(
                    item=self.item_id, annotator=self.annotator_id, opened_at__isnull=False
                )
                is_within_limit = before.exists() or Workday.objects.count_warned_item(
                    self.annotator, self.project_id, now
                )
                if not is_within_limit:
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
            memberships = self.project.memberships.filter(user=self.annotator_id)
            memberships.filter(role=Membership.Role.ANNOTATOR).update(view=view)
            self.chosen_view = view

    def renew(self, *, now: datetime) -> bool:
        """Extend the lease by its full time. Return False if that is no longer possible.

        An expired lease revives if its place is still free and the annotator has no other lease in
        the project.
        """
        with transaction.atomic():
            self.lock()
            if self.is_long_over(now) or not self._may_go_on():
                return False
            self.status = Lease.Status.LIVE
            self.ended_at = None
            self.expires_at = now + timedelta(minutes=self.item.project.lease_minutes)
            self.save(update_fields=["status", "ended_at", "expires_at"])
            return True

    def _may_go_on(self) -> bool:
        if self.status == Lease.Status.LIVE:
            return True
        return self.status == Lease.Status.EXPIRED and self._may_revive()

    def _may_revive(self) -> bool:
        others = Lease.objects.filter(
            project=self.project_id, annotator=self.annotator_id, status=Lease.Status.LIVE
        )
        if others.exists():
            return False
        return self.item.has_place_for(is_live=False) and not self.ratings_of_annotator().exists()

    def ratings_of_annotator(self) -> RatingQuerySet:
        """Return the annotator's ratings of the item, under any lease."""
        return Rating.objects.filter(item=self.item_id, annotator=self.annotator_id)

    def first_rating(self) -> Rating | None:
        """Return the annotator's rating under this lease, else their first one of the item.

        Return None for a live lease: its item is not rated yet.
        """
        if self.status == Lease.Status.LIVE:
            return None
        rated = (
            self.ratings_of_annotator()
            .filter(revision=1, lease__isnull=False)
            .select_related("lease")
        )
        ratings = sorted(rated, key=lambda rating: (rating.lease_id != self.pk, rating.attempt))
        return ratings[0] if ratings else None

    def renew_if_due(self, *, now: datetime) -> None:
        """Renew a lease that is in use, once half of its time has passed."""
        half = timedelta(minutes=self.project.lease_minutes) / 2
        may_go_on = self.status in (Lease.Status.LIVE, Lease.Status.EXPIRED)
        if may_go_on and self.expires_at - now < half:
            self.renew(now=now)

    def flags(self) -> list[Concern]:
        """Return the flags raised under this lease, oldest first."""
        return list(self.concerns.filter(kind=Concern.Kind.FLAG).order_by("pk"))

    def release(self, *, now: datetime, status: Status = Status.RELEASED) -> None:
        """Give the item back unrated, if the lease is still live."""
        with transaction.atomic():
            self.lock()
            if self.status == Lease.Status.LIVE:
                self._end(status, now)

    def expire(self, *, now: datetime) -> None:
        """End the lease, if its time is over."""
        with transaction.atomic():
            self.lock()
            if self.status == Lease.Status.LIVE and self.expires_at <= now:
                self._end(Lease.Status.EXPIRED, self.expires_at)

    def _end(self, status: Status, ended_at: datetime) -> None:
        self.status = status
        self.ended_at = ended_at
        self.save(update_fields=["status", "ended_at"])

    def skip(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Give the item back with a reason.

        The item goes to others, and not to this annotator again. A skip that is sent twice is
        stored once. An item that was rated meanwhile is not skipped.
        """
        with transaction.atomic():
            self.lock()
            is_skipped = self.concerns.filter(kind=Concern.Kind.SKIP).exists()
            if is_skipped or self.ratings_of_annotator().exists():
                return
            self._concern(Concern.Kind.SKIP, reason, note, now)
            if self.status == Lease.Status.LIVE:
                self._end(Lease.Status.RELEASED, now)
            else:  # late: the same annotator may have a newer lease on the item
                self.release_later_lease(now)

    def flag(self, *, reason: str, note: str = "", now: datetime) -> None:
        """Report the item to the leads, and go on with it.

        The same reason and note are stored once. Others replace those of a flag that is not decided
        yet.
        """
        with transaction.atomic():
            self.lock()
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

    def release_later_lease(self, now: datetime) -> None:
        """Release the annotator's later lease on the item, which the caller has locked.

        Their other request locks the batch progress and then waits for the lease to end, so the
        progress is locked here first: else each would wait for the other.
        """
        run(LOCK_PROGRESS, [self.annotator_id, self.item.batch_id])
        for again in Lease.objects.filter(
            item=self.item_id, annotator=self.annotator_id, status=Lease.Status.LIVE
        ):
            again._end(Lease.Status.RELEASED, now)
            self.item.reserved -= 1

    def _concern(
        self, concern_kind: Concern.Kind, reason: str, note: str, now: datetime
    ) -> Concern:
        return self.concerns.create(
            project_id=self.project_id,
            item_id=self.item_id,
            annotator_id=self.annotator_id,
            kind=concern_kind,
            reason=reason,
            note=note,
            raised_at=now,
        )

    def lock(self) -> None:
        """Lock the item and then this lease, until the transaction ends.

        Read the fields of both again that may have changed. Raise Http404 if the batch was removed.
        """
        current = lock_lease(self.pk)
        if current is None:
            raise Http404
        self.item.wanted = current.wanted
        self.item.counted = current.counted
        self.item.reserved = current.reserved
        self.item.dropped = current.dropped
        self.status = current.status
        self.expires_at = current.expires_at
        self.ended_at = current.ended_at
        self.opened_at = current.first_view_at
