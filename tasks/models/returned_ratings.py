"""Ratings that come back to their annotators, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Q, When

from .items import Batch
from .projects import Project
from .ratings import Rating

if TYPE_CHECKING:
    from annotators.models import User


class ReturnedRatingQuerySet(models.QuerySet["ReturnedRating"]):
    def pending(self, project: Project, annotator: User) -> Self:
        """What is to be mended by someone, where the project and the batch are open."""
        return self.filter(
            rating__superseded_by=None,
            project=project,
            project__status=Project.Status.OPEN,
            rating__item__batch__status=Batch.Status.OPEN,
            annotator=annotator,
            mended_at=None,
        )

    def asked_of(self, annotator: User) -> Self:
        """What came back to someone in any project: what is to be mended first, then newest
        first."""
        return self.filter(annotator=annotator).order_by(
            Case(When(mended_at=None, then=0), default=1), "-returned_at", "-pk"
        )

    def waiting_for(self, annotator: User, batch: Batch) -> dict[int, dict[str, str]]:
        """What is to be mended by someone in a batch: every reason, by the rating's primary key."""
        waiting = self.filter(annotator=annotator, rating__item__batch=batch, mended_at=None)
        return {each.rating_id: each.every_reason for each in waiting}

    def send_back(self, rating: Rating, reason: str, *, cause: str, now: datetime) -> None:
        """Have a rating come to its annotator once more. One that did already comes for this reason
        too, in the place of the one that the same `cause` had. Nothing is done where another
        revision has taken its place."""
        self.send_all_back({rating.pk: reason}, cause=cause, now=now)

    def send_all_back(self, whys: Mapping[int, str], *, cause: str, now: datetime) -> None:
        """As `send_back`, of many ratings, each by its primary key with its reason, in as many
        statements as for one. Those that another revision has taken the place of are left."""
        if not whys:
            return
        with transaction.atomic():
            # Who is about to supersede one has it locked, or waits for this and settles it. In this
            # order, so that two who do this never wait for each other.
            ratings = (
                Rating.objects.filter(pk__in=whys).order_by("pk").select_for_update(no_key=True)
            )
            stand = {rating.pk: rating for rating in ratings}
            for later in Rating.objects.filter(supersedes__in=whys):
                stand.pop(later.supersedes_id or 0)
            waiting = (
                self.filter(rating__in=stand, mended_at=None).order_by("pk").select_for_update()
            )
            there = {each.rating_id: each.every_reason for each in waiting}
            reasons = {pk: there.get(pk, {}) | {cause: whys[pk]} for pk in stand}
            ReturnedRating.objects.bulk_create(
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

    def settle(self, rating: Rating, *, cause: str, now: datetime) -> None:
        """Have a rating not come back for this cause any more; for others it still does."""
        self.settle_all([rating.pk], cause=cause, now=now)

    def settle_all(self, ratings: Collection[int], *, cause: str, now: datetime) -> None:
        """The same of many, by their primary keys."""
        with transaction.atomic():
            waiting = (
                self.filter(rating__in=ratings, mended_at=None).order_by("pk").select_for_update()
            )
            done, others = [], []
            for there in waiting:
                left = {
                    other: reason for other, reason in there.every_reason.items() if other != cause
                }
                if left:
                    there.reasons, there.reason = list(left.items()), _in_words(left)
                    others.append(there)
                else:
                    done.append(there.pk)
            self.filter(pk__in=done).update(mended_at=now)
            ReturnedRating.objects.bulk_update(others, ["reasons", "reason"])


def _in_words(reasons: Mapping[str, str]) -> str:
    """A line for each that says something else."""
    return "\n".join(dict.fromkeys(reasons.values()))


class ReturnedRating(models.Model):
    """A rating that comes back to its annotator, because the lead asks for it or something it rests
    on was revised. It is mended by a new revision.

    `reasons`: pairs of what sent it back and why, in the order in which they came. What sends a
    rating back is a flag that the lead decided so, "flag 12", or an answer about a corpus, by its
    model and dimension, "gull diversity". `reason`: all that they say, a line each."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="returned_ratings")
    rating = models.OneToOneField(Rating, on_delete=models.PROTECT, related_name="returned")
    # The rating's, beside it: everybody's next item asks first whether something of theirs came
    # back.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="returned_ratings",
        db_index=False,
    )
    reasons = models.JSONField(default=list, db_default=[])
    reason = models.TextField()
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
        """By what sent it back; "" where that was not noted, which nothing but a new revision
        settles. (Those of before are stored as an object, without their order.)"""
        return dict(self.reasons) or {"": self.reason}
