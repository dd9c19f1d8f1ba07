"""Ratings that come back to their annotators, who answer with a new revision."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Q, When

from config.web.people import User
from tasks.answers.slot_answers import LABELS

from .batches import Batch
from .notices import Notice
from .projects import Project
from .ratings import Rating


class ReturnedRatingQuerySet(models.QuerySet["ReturnedRating"]):
    def waiting_of(self, annotator: User) -> Self:
        """Return the ratings that wait for an annotator in any open project and batch."""
        return self.filter(
            rating__superseded_by=None,
            project__status=Project.Status.OPEN,
            rating__item__batch__status=Batch.Status.OPEN,
            annotator=annotator,
            settled_at=None,
        ).order_by("pk")

    def returned_to(self, annotator: User) -> Self:
        """Return the ratings that came back to an annotator in any project.

        The ones that still wait come first, then the newest.
        """
        is_settled = Case(When(settled_at=None, then=0), default=1)
        return self.filter(annotator=annotator).order_by(is_settled, "-returned_at", "-pk")

    def waiting_for(self, annotator: User, batch: Batch) -> dict[int, dict[str, str]]:
        """Return the reasons for each rating of a batch that waits for its annotator.

        The keys are the primary keys of the ratings.
        """
        returned = self.filter(annotator=annotator, rating__item__batch=batch, settled_at=None)
        return {row.rating_id: row.every_reason for row in returned}

    def send_back(
        self,
        rating: Rating,
        reason: str,
        *,
        cause: str,
        now: datetime,
        place: int = 0,
    ) -> bool:
        """Send a rating back to its annotator, and return whether it was.

        `place`: of the response asked about, as on the annotator's desk; 0 for the whole item.

        If it came back already, add the reason, or replace the earlier one with the same `cause`.
        Do nothing if another revision supersedes it.
        """
        return bool(self.send_all_back({rating.pk: reason}, cause=cause, now=now, place=place))

    def send_all_back(
        self,
        whys: Mapping[int, str],
        *,
        cause: str,
        now: datetime,
        tell: bool = True,
        place: int = 0,
    ) -> int:
        """Send many ratings back, in as many statements as for one. Return how many were.

        `whys`: the reasons, by the rating's primary key. Superseded ratings are skipped. `tell`:
        the annotators find it in their inbox too; another reason renews the notice.
        """
        if not whys:
            return 0
        with transaction.atomic():
            # A request that supersedes one of them has locked it, or waits for this one and settles
            # it afterwards. Locking in this order prevents deadlocks between two such requests.
            ratings = Rating.objects.filter(pk__in=whys).order_by("pk")
            current = ratings.select_for_update(no_key=True).in_bulk()
            for later in Rating.objects.filter(supersedes__in=whys):
                current.pop(later.supersedes_id or 0)
            waiting = {row.rating_id: row for row in self._lock_waiting(current)}
            reasons_before = {pk: row.every_reason for pk, row in waiting.items()}
            returned = [
                _return(rating, {cause: whys[pk]}, previous=waiting.get(pk), place=place, now=now)
                for pk, rating in current.items()
            ]
            ReturnedRating.objects.bulk_create(
                returned,
                update_conflicts=True,
                unique_fields=["rating"],
                update_fields=["reasons", "reason", "place", "returned_at", "settled_at"],
            )
            if tell:
                news = (
                    row for row in returned if row.every_reason != reasons_before.get(row.rating_id)
                )
                Notice.objects.tell(*(row.notice(now) for row in news))
        return len(returned)

    def withdraw(self, rating_keys: Collection[int], *, cause: str, now: datetime) -> None:
        """Drop one cause for which ratings, given by primary key, came back; others remain."""
        with transaction.atomic():
            waiting = self._lock_waiting(rating_keys)
            for row in waiting:
                reasons = row.every_reason
                reasons.pop(cause, None)
                if reasons:
                    row.write_reasons(reasons)
                else:
                    row.settled_at = now
            ReturnedRating.objects.bulk_update(waiting, ["reasons", "reason", "settled_at"])

    def _lock_waiting(self, rating_keys: Collection[int]) -> Self:
        waiting = self.filter(rating__in=rating_keys, settled_at=None)
        return waiting.order_by("pk").select_for_update()


def _return(
    rating: Rating,
    reasons: Mapping[str, str],
    *,
    previous: "ReturnedRating | None",
    place: int,
    now: datetime,
) -> "ReturnedRating":
    """Return a row that takes the place of the one before, if any, and adds reasons to it."""
    row = ReturnedRating(
        project_id=rating.project_id,
        rating=rating,
        annotator_id=rating.annotator_id,  # type: ignore[misc]  # no imported one
        place=place,
        returned_at=now,
    )
    if previous:
        reasons = {**previous.every_reason, **reasons}
        row.place = place or previous.place
    row.write_reasons(reasons)
    return row


class ReturnedRating(models.Model):
    """A rating that comes back to its annotator, who answers with a new revision.

    It comes back because the lead asks for it, or because an answer that it is based on was
    revised.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="returned_ratings")
    rating = models.OneToOneField(Rating, on_delete=models.PROTECT, related_name="returned")
    # Copied from the rating, because every request for a next item first asks for the annotator's
    # returned ratings.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="returned_ratings",
        db_index=False,
    )
    # Pairs of cause and reason, in the order in which they came. The cause is a flag ("flag 12"),
    # or the model and dimension of a corpus answer ("gull diversity").
    reasons = models.JSONField(default=list, db_default=[])
    reason = models.TextField()  # the different reasons, one per line
    # Of the response that the lead asked about, from 1, as on the annotator's desk; 0: the item.
    place = models.PositiveSmallIntegerField(default=0, db_default=0)
    returned_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = ReturnedRatingQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("annotator", "project"),
                condition=Q(settled_at=None),
                name="ratings_that_wait",
            ),
            models.Index(fields=("annotator", "returned_at"), name="ratings_that_came_back"),
        )

    @property
    def letter(self) -> str:
        """Letter under which the annotator saw the response asked about; "" for the whole item."""
        return LABELS[self.place - 1] if self.place else ""

    @property
    def fragment(self) -> str:
        """Part of an address that opens the correction at the response asked about, or ""."""
        return f"#r{self.place}" if self.place else ""

    @property
    def every_reason(self) -> dict[str, str]:
        """Reasons by cause.

        The cause is "" if it was not stored, and then only a new revision settles it. (Older rows
        store an object, without the order.)
        """
        return dict(self.reasons) or {"": self.reason}

    def write_reasons(self, reasons: Mapping[str, str]) -> None:
        """Set the reasons by cause, and the different ones in words, one per line."""
        self.reasons = list(reasons.items())
        self.reason = "\n".join(dict.fromkeys(reasons.values()))

    def notice(self, now: datetime) -> Notice:
        """Return the line of the inbox that tells of it, unsaved."""
        return Notice(
            user_id=self.annotator_id,
            project_id=self.project_id,
            kind=Notice.Kind.RETURNED,
            returned=self,
            created_at=now,
        )
