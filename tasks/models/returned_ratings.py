"""Ratings that come back to their annotators, who answer with a new revision.

A rating comes back for one or several causes, each with a reason in words. It waits until it is
revised, or until each cause is withdrawn; then it is settled. There is one row for each rating, so
that a rating which comes back again renews its row.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Self, TypeAlias

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Q, When

from config.web.people import User
from tasks.answers.slot_answers import LABELS

from .batches import Batch
from .notices import Notice
from .projects import Project
from .ratings import Rating

# By cause. A cause is a flag ("flag 12"), a question of a lead ("lead"), or the model and the
# dimension of a corpus answer ("gull diversity").
Reasons: TypeAlias = dict[str, str]
WHOLE_ITEM = 0  # in place of the place of a response


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

    def reasons_by_rating(self, annotator: User, batch: Batch) -> dict[int, Reasons]:
        """Return why ratings of a batch wait for an annotator, by the rating's primary key."""
        waiting = self.filter(annotator=annotator, rating__item__batch=batch, settled_at=None)
        return {returned.rating_id: returned.every_reason for returned in waiting}

    def send_back(
        self,
        rating: Rating,
        reason: str,
        *,
        cause: str,
        now: datetime,
        place: int = WHOLE_ITEM,
    ) -> bool:
        """Send a rating back to its annotator, and return whether it was.

        `place`: of the response asked about, as on the annotator's desk.

        If it waits already, add the reason, or replace the earlier one with the same `cause`. Do
        nothing if another revision supersedes it.
        """
        return bool(self.send_all_back({rating.pk: reason}, cause=cause, now=now, place=place))

    def send_all_back(
        self,
        reason_by_rating: Mapping[int, str],
        *,
        cause: str,
        now: datetime,
        tell: bool = True,
        place: int = WHOLE_ITEM,
    ) -> int:
        """Do as `send_back` for many ratings, in as many statements as for one.

        The keys are the ratings' primary keys. Superseded ratings are skipped; return how many went
        back. `tell`: the annotators find it in their inbox too, again if a reason is new.
        """
        if not reason_by_rating:
            return 0
        with transaction.atomic():
            ratings = _lock_current(reason_by_rating.keys())
            waiting = {returned.rating_id: returned for returned in self._lock_waiting(ratings)}
            sent_back: list[ReturnedRating] = []
            to_tell: list[ReturnedRating] = []
            for pk, rating in ratings.items():
                earlier = waiting.get(pk)
                returned = _returned(
                    rating, {cause: reason_by_rating[pk]}, earlier=earlier, place=place, now=now
                )
                sent_back.append(returned)
                if not earlier or earlier.every_reason != returned.every_reason:
                    to_tell.append(returned)
            self._store(sent_back)
            if tell:
                Notice.objects.tell(*(returned.notice(now) for returned in to_tell))
        return len(sent_back)

    def _store(self, sent_back: Iterable["ReturnedRating"]) -> None:
        """Insert rows, and write over the row that a rating has already, waiting or settled."""
        ReturnedRating.objects.bulk_create(
            sent_back,
            update_conflicts=True,
            unique_fields=["rating"],
            update_fields=["reasons", "reason", "place", "returned_at", "settled_at"],
        )

    def withdraw(self, rating_keys: Collection[int], *, cause: str, now: datetime) -> None:
        """Withdraw a cause for which ratings came back: `rating_keys` are their primary keys.

        A rating that waits for no other cause is settled.
        """
        with transaction.atomic():
            waiting = self._lock_waiting(rating_keys)
            for returned in waiting:
                reasons = returned.every_reason
                reasons.pop(cause, None)
                if reasons:
                    returned.write_reasons(reasons)
                else:
                    returned.settled_at = now  # the last reasons stay, to be read
            ReturnedRating.objects.bulk_update(waiting, ["reasons", "reason", "settled_at"])

    def _lock_waiting(self, rating_keys: Iterable[int]) -> Self:
        """Return those of the ratings that wait, locked until the transaction ends."""
        waiting = self.filter(rating__in=rating_keys, settled_at=None)
        return waiting.order_by("pk").select_for_update()


def _lock_current(rating_keys: Collection[int]) -> dict[int, Rating]:
    """Return those of the ratings that no revision supersedes, locked, by primary key.

    A request that supersedes one of them has locked it, or waits for this one and settles it
    afterwards. The lock comes first, so that a revision stored meanwhile is seen. Locking in the
    order of the keys prevents deadlocks between two such requests.
    """
    ratings = Rating.objects.filter(pk__in=rating_keys).order_by("pk")
    current = ratings.select_for_update(no_key=True).in_bulk()
    superseded = Rating.objects.filter(supersedes__in=rating_keys)
    for pk in superseded.values_list("supersedes", flat=True):
        current.pop(pk, None)
    return current


def _returned(
    rating: Rating,
    reasons: Reasons,
    *,
    earlier: "ReturnedRating | None",
    place: int,
    now: datetime,
) -> "ReturnedRating":
    """Return an unsaved row for a rating. It adds reasons to those of a row that waits, if any."""
    returned = ReturnedRating(
        project_id=rating.project_id,
        rating=rating,
        annotator_id=rating.annotator_id,  # type: ignore[misc]  # no imported one
        place=place,
        returned_at=now,
    )
    if earlier:
        reasons = {**earlier.every_reason, **reasons}
        returned.place = place or earlier.place
    returned.write_reasons(reasons)
    return returned


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
    # `every_reason` and `write_reasons` read and write the next two. Pairs of cause and reason, in
    # the order in which they came: [["flag 12", "Is it true?"], ["gull diversity", "…"]].
    reasons = models.JSONField(default=list, db_default=[])
    reason = models.TextField()  # the different reasons, one per line
    # Of the response that the lead asked about, from 1, as on the annotator's desk.
    place = models.PositiveSmallIntegerField(default=WHOLE_ITEM, db_default=WHOLE_ITEM)
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
        """The letter that the response asked about has on the desk; "" for the whole item."""
        if self.place == WHOLE_ITEM:
            return ""
        return LABELS[self.place - 1]

    @property
    def fragment(self) -> str:
        """The end of an address that opens the correction at the response asked about, or ""."""
        if self.place == WHOLE_ITEM:
            return ""
        return f"#r{self.place}"

    @property
    def every_reason(self) -> Reasons:
        """A new dictionary of the reasons, in the order in which they came.

        The cause is "" if it was not stored, and then only a new revision settles it. Older rows
        store an object in place of pairs; `dict` reads both.
        """
        return dict(self.reasons) or {"": self.reason}

    def write_reasons(self, reasons: Reasons) -> None:
        """Set the reasons, unsaved."""
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
