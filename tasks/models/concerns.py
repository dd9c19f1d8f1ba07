"""Concerns: annotators skip an item or flag it to the lead, and ratings come back to them."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from tasks.answers import LABELS

from .dropping import decide_dropped
from .items import Batch, Item
from .notices import Notice
from .projects import Project
from .ratings import Rating
from .wanted_ratings import hold_batch


class ConcernQuerySet(models.QuerySet["Concern"]):
    def undecided(self) -> Self:
        """Return those that the lead has not decided."""
        return self.filter(decision=Concern.Decision.NONE)

    def waiting(self) -> dict[str, Any]:
        """Return how many of these wait for a decision, and the oldest (None without any)."""
        there = self.undecided()
        kinds = dict(there.order_by().values_list("kind").annotate(models.Count("pk")))
        return {
            "flags": kinds.get(Concern.Kind.FLAG, 0),
            "skips": kinds.get(Concern.Kind.SKIP, 0),
            "oldest": there.order_by("raised_at", "pk").first() if kinds else None,
        }

    def raised_by(self, annotator: User) -> Self:
        """Return an annotator's skips and flags, newest first."""
        return self.filter(annotator=annotator).order_by("-raised_at", "-pk")

    def distressing(self) -> Self:
        """Return the items skipped as distressing."""
        return self.filter(kind=Concern.Kind.SKIP, reason=Concern.Reason.DISTRESSING)

    def skipped_in_a_row(self, project: Project, annotator: User) -> int:
        """Return how many items an annotator skipped since their last rating in a project."""
        later = Rating.objects.filter(
            project=project, annotator=annotator, submitted_at__gte=OuterRef("raised_at")
        )
        skips = self.filter(project=project, annotator=annotator, kind=Concern.Kind.SKIP)
        return skips.exclude(Exists(later)).count()

    def with_what_was_done(self) -> Self:
        """Annotate whether the annotator has rated the item or skipped it as distressing."""
        theirs = {"item": OuterRef("item"), "annotator": OuterRef("annotator")}
        return self.annotate(
            is_rated=Exists(Rating.objects.filter(**theirs)),
            is_distressing=Exists(Concern.objects.distressing().filter(**theirs)),
        )

    def drop_item(self, item: Item, *, why: str, by: User, now: datetime) -> None:
        """Drop an item for a reason, which answers the flags and skips of it that wait."""
        with transaction.atomic():
            for concern in self.filter(item=item).undecided().select_related("project", "item"):
                concern.decide(Concern.Decision.DROP, answer=why, by=by, now=now)
            decide_dropped(item, True, why=why, by=by, now=now)

    def send_back_stored(self, rating: Rating, *, now: datetime) -> None:
        """Send back a rating that was just stored, if the lead has asked for that before.

        This applies each of the annotator's flags on the item that the lead decided as "again".
        """
        if not rating.comes_back:
            return
        for flag in self.filter(
            item=rating.item_id,
            annotator=rating.annotator_id,
            kind=Concern.Kind.FLAG,
            decision=Concern.Decision.AGAIN,
        ).order_by("decided_at", "pk"):
            flag.send_back(rating, now=now)


class Concern(models.Model):
    """A skip or a flag, its reason, and the lead's decision.

    A skipped item goes to other annotators. It does not come back to the same annotator, unless the
    lead decides "again". An item that was skipped as distressing never comes back to them, and the
    lead cannot change that. A flag leaves the item where it is, and the lead may merely answer it.
    Nothing is deleted: a dropped item is no longer handed out, and its ratings stay.
    """

    class Kind(models.TextChoices):
        SKIP = "skip", _("skipped")
        FLAG = "flag", _("flagged")

    class Reason(models.TextChoices):
        DISTRESSING = "distressing", _("It is distressing")
        UNCLEAR = "unclear", _("I can’t tell what the rubric asks here")
        BROKEN = "broken", _("The item is broken or incomplete")
        LANGUAGE = "language", _("It is in a language that I do not read well")
        EXPERTISE = "expertise", _("It takes knowledge that I do not have")
        OTHER = "other", _("Something else")

    class Decision(models.TextChoices):
        NONE = "", _("not decided")
        ANSWERED = "answered", _("answer only")
        AGAIN = "again", _("ask the same person again")
        SOMEONE_ELSE = "someone_else", _("give it to someone else")
        DROP = "drop", _("drop the item")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="concerns")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="concerns")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="concerns"
    )
    lease = models.ForeignKey("tasks.Lease", on_delete=models.PROTECT, related_name="concerns")
    kind = models.CharField(max_length=12, choices=Kind)
    reason = models.CharField(max_length=12, choices=Reason)
    note = models.TextField(blank=True)
    raised_at = models.DateTimeField()
    decision = models.CharField(max_length=12, choices=Decision, default=Decision.NONE, blank=True)
    answer = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[ConcernQuerySet] = ConcernQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("-raised_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("lease",), condition=Q(kind="skip"), name="a_lease_is_skipped_once"
            ),
            models.UniqueConstraint(
                fields=("annotator", "item"),
                condition=Q(kind="flag", decision=""),
                name="an_annotator_has_one_undecided_flag_on_an_item",
            ),
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None)
                | (~Q(decision="") & Q(decided_at__isnull=False)),
                name="a_concern_that_is_decided_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(decision="answered") | (Q(kind="flag") & ~Q(answer="")),
                name="an_answer_to_a_flag_has_words",
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "raised_at"),
                condition=Q(decision=""),
                name="concerns_to_be_decided",
            ),
        )

    is_rated: bool  # set by `with_what_was_done`

    @property
    def choices(self) -> list[tuple[str, Any]]:
        """Decisions open to the lead, as pairs of value and label."""
        barred = {""}
        if self.kind == self.Kind.SKIP:
            barred.add(self.Decision.ANSWERED)
        if self.is_distressing:
            barred.add(self.Decision.AGAIN)
        return [choice for choice in self.Decision.choices if choice[0] not in barred]

    @cached_property
    def is_distressing(self) -> bool:
        """Return True if the annotator skipped the item as distressing, in any concern.

        Then it does not come back to them, whatever the lead decides.
        """
        return (
            Concern.objects.distressing()
            .filter(item=self.item_id, annotator=self.annotator_id)
            .exists()
        )

    def decide(self, decision: Decision, *, by: User, now: datetime, answer: str = "") -> None:
        """Store the lead's decision and apply it to the item.

        A decision may be changed; the item that it dropped is then handed out again.

        - "again": a skipped item may come to the same annotator again. A flagged rating comes back
          to them each time the lead decides so, until it is revised or decided otherwise. If there
          is no rating yet, it comes back as soon as it is stored.
        - "to someone else": a flagged item that is already rated wants one more rating
          (`wanted_ratings`).
        - "answered": the annotator reads the answer, and nothing else changes.
        """
        with transaction.atomic():
            hold_batch(self.item.batch_id)
            item = Item.objects.select_for_update(of=("self",)).get(pk=self.item_id)
            concern = Concern.objects.select_for_update(of=("self",)).get(pk=self.pk)
            before, answer_before = concern.decision, concern.answer
            concern.decision, concern.answer = decision, answer
            concern.decided_by, concern.decided_at = by, now
            concern.save(update_fields=["decision", "answer", "decided_by", "decided_at"])
            if not self.project.concerns.waiting()["flags"]:
                Notice.objects.mark_decided(concern.project_id, now=now)
            comes_back = self.kind == self.Kind.FLAG and concern._settle_return(before, now)
            # A rating that comes back has a notice of its own, with the answer. A lead who rates
            # too is not told of their own decision.
            is_news = (decision, answer) != (before, answer_before)
            if is_news and not comes_back and self.annotator_id != by.pk:
                Notice.objects.tell(
                    Notice(
                        user_id=self.annotator_id,
                        project_id=self.project_id,
                        kind=Notice.Kind.DECISION,
                        concern=concern,
                        created_at=now,
                    )
                )
            dropped = decision == self.Decision.DROP
            if dropped or before == self.Decision.DROP:
                why = answer or self.note or str(self.get_reason_display())
                decide_dropped(item, dropped, why=why, by=by, now=now)
            if decision != before:
                item.open_again()

    def _settle_return(self, before: str, now: datetime) -> bool:
        """Send the flagged rating back to its annotator, or stop asking for it.

        Return True if it goes back.
        """
        rating = (
            Rating.objects.current()
            .filter(item=self.item_id, annotator=self.annotator_id, attempt=0)
            .first()
        )
        if rating is None:
            return False
        if self.decision == self.Decision.AGAIN:
            return self.send_back(rating, now=now)
        if before == self.Decision.AGAIN:
            ReturnedRating.objects.withdraw([rating.pk], cause=self.cause, now=now)
        return False

    @property
    def cause(self) -> str:
        """Key of this concern in `ReturnedRating.reasons`."""
        return f"flag {self.pk}"

    def send_back(self, rating: Rating, *, now: datetime) -> bool:
        """Send a rating of the item back to the annotator, unless they found it distressing.

        Return True if it goes back.
        """
        if self.is_distressing:
            return False
        reason = self.answer or str(_("The lead asks you to check this item again."))
        return ReturnedRating.objects.send_back(rating, reason, cause=self.cause, now=now)


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

    def asked_of(self, annotator: User) -> Self:
        """Return the ratings that came back to an annotator in any project.

        The ones that still wait come first, then the newest.
        """
        return self.filter(annotator=annotator).order_by(
            Case(When(settled_at=None, then=0), default=1), "-returned_at", "-pk"
        )

    def waiting_for(self, annotator: User, batch: Batch) -> dict[int, dict[str, str]]:
        """Return the reasons for each rating of a batch that waits for its annotator.

        The keys are the primary keys of the ratings.
        """
        return {
            each.rating_id: each.every_reason
            for each in self.filter(annotator=annotator, rating__item__batch=batch, settled_at=None)
        }

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
            stand = ratings.select_for_update(no_key=True).in_bulk()
            for later in Rating.objects.filter(supersedes__in=whys):
                stand.pop(later.supersedes_id or 0)
            waiting = (
                self.filter(rating__in=stand, settled_at=None).order_by("pk").select_for_update()
            )
            asked = {each.rating_id: each for each in waiting}
            there = {pk: each.every_reason for pk, each in asked.items()}
            reasons = {pk: there.get(pk, {}) | {cause: whys[pk]} for pk in stand}
            returned = ReturnedRating.objects.bulk_create(
                [
                    ReturnedRating(
                        project_id=rating.project_id,
                        rating=rating,
                        annotator_id=rating.annotator_id,  # type: ignore[misc]  # no imported one
                        reasons=list(reasons[pk].items()),
                        reason=_in_words(reasons[pk]),
                        place=place or (asked[pk].place if pk in asked else 0),
                        returned_at=now,
                    )
                    for pk, rating in stand.items()
                ],
                update_conflicts=True,
                unique_fields=["rating"],
                update_fields=["reasons", "reason", "place", "returned_at", "settled_at"],
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
                self.filter(rating__in=ratings, settled_at=None).order_by("pk").select_for_update()
            )
            for there in waiting:
                left = {
                    other: reason for other, reason in there.every_reason.items() if other != cause
                }
                if left:
                    there.reasons, there.reason = list(left.items()), _in_words(left)
                else:
                    there.settled_at = now
            ReturnedRating.objects.bulk_update(waiting, ["reasons", "reason", "settled_at"])


def _in_words(reasons: Mapping[str, str]) -> str:
    """Return the different reasons, one per line."""
    return "\n".join(dict.fromkeys(reasons.values()))


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

    objects: ClassVar[ReturnedRatingQuerySet] = ReturnedRatingQuerySet.as_manager()  # type: ignore[assignment]

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
