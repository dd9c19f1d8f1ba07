"""Ratings that come back to their annotators, and why."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Q, When

from config.web.people import User

from .items import Batch
from .notices import Notice
from .projects import Project
from .ratings import Rating


class ReturnedRatingQuerySet(models.QuerySet["ReturnedRating"]):
    def waiting_of(self, annotator: User) -> Self:
        """Return the ratings that an annotator has to mend in any open project and batch."""
        return self.filter(
            rating__superseded_by=None,
            project__status=Project.Status.OPEN,
            rating__item__batch__status=Batch.Status.OPEN,
            annotator=annotator,
            mended_at=None,
        ).order_by("pk")

    def asked_of(self, annotator: User) -> Self:
        """Return the ratings that came back to an annotator in any project.

        The ones still to be mended come first, then the newest.
        """
        return self.filter(annotator=annotator).order_by(
            Case(When(mended_at=None, then=0), default=1), "-returned_at", "-pk"
        )

    def waiting_for(self, annotator: User, batch: Batch) -> dict[int, dict[str, str]]:
        """Return the reasons for each rating that an annotator has to mend in a batch.

        The keys are the primary keys of the ratings.
        """
        return {
            each.rating_id: each.every_reason
            for each in self.filter(annotator=annotator, rating__item__batch=batch, mended_at=None)
        }

    def send_back(self, rating: Rating, reason: str, *, cause: str, now: datetime) -> bool:
        """Send a rating back to its annotator, and return whether it was.

        If it came back already, add the reason, or replace the earlier one with the same `cause`.
        Do nothing if another revision supersedes it.
        """
        return bool(self.send_all_back({rating.pk: reason}, cause=cause, now=now))

    def send_all_back(
        self, whys: Mapping[int, str], *, cause: str, now: datetime, tell: bool = True
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
            stand = ratings.select_for_update(no_key=True).in_bulk()
            for later in Rating.objects.filter(supersedes__in=whys):
                stand.pop(later.supersedes_id or 0)
            waiting = (
                self.filter(rating__in=stand, mended_at=None).order_by("pk").select_for_update()
            )
            there = {each.rating_id: each.every_reason for each in waiting}
            reasons = {pk: there.get(pk, {}) | {cause: whys[pk]} for pk in stand}
            returned = ReturnedRating.objects.bulk_create(
                [
                    ReturnedRating(
                        project_id=rating.project_id,
                        rating=rating,
                        annotator_id=rating.annotator_id,
                        reasons=list(reasons[pk].items()),
                        reason=_in_words(reasons[pk]),
                        returned_at=now,
                    )
                    for pk, rating in stand.items()
                ],
                update_conflicts=True,
                unique_fields=["rating"],
                update_fields=["reasons", "reason", "returned_at", "mended_at"],
            )
            if tell:
                Notice.objects.tell(
                    *(
                        Notice(
                            user_id=each.annotator_id,
                            project_id=each.project_id,
                            kind=Notice.Kind.RETURNED,
                            returned=each,
                            created_at=now,
                        )
                        for each in returned
                        if there.get(each.rating_id) != reasons[each.rating_id]
                    )
                )
        return len(stand)

    def withdraw(self, ratings: Collection[int], *, cause: str, now: datetime) -> None:
        """Drop one cause for which ratings, given by primary key, came back; others remain."""
        with transaction.atomic():
            waiting = (
                self.filter(rating__in=ratings, mended_at=None).order_by("pk").select_for_update()
            )
            for there in waiting:
                left = {
                    other: reason for other, reason in there.every_reason.items() if other != cause
                }
                if left:
                    there.reasons, there.reason = list(left.items()), _in_words(left)
                else:
                    there.mended_at = now
            ReturnedRating.objects.bulk_update(waiting, ["reasons", "reason", "mended_at"])


def _in_words(reasons: Mapping[str, str]) -> str:
    """Return the different reasons, one per line."""
    return "\n".join(dict.fromkeys(reasons.values()))


class ReturnedRating(models.Model):
    """A rating that comes back to its annotator, who mends it with a new revision.

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
    returned_at = models.DateTimeField()
    mended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[ReturnedRatingQuerySet] = ReturnedRatingQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("annotator", "project"),
                condition=Q(mended_at=None),
                name="ratings_to_be_mended",
            ),
            models.Index(fields=("annotator", "returned_at"), name="ratings_that_came_back"),
        )

    def __str__(self) -> str:
        return f"{self.rating}: {self.reason}"

    @property
    def every_reason(self) -> dict[str, str]:
        """Reasons by cause.

        The cause is "" if it was not stored, and then only a new revision settles it. (Older rows
        store an object, without the order.)
        """
        return dict(self.reasons) or {"": self.reason}
