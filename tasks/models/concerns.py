"""What annotators tell the lead of an item: that they would rather not rate it, or that something
is odd."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from .items import Item
from .projects import Project
from .queue.targets import hold_batch, settle_wanted_of
from .ratings import Rating
from .returned_ratings import ReturnedRating

if TYPE_CHECKING:
    from annotators.models import User


class ConcernQuerySet(models.QuerySet["Concern"]):
    def undecided(self) -> Self:
        return self.filter(decision=Concern.Decision.NONE)

    def raised_by(self, annotator: User) -> Self:
        """What someone skipped and flagged, newest first."""
        return self.filter(annotator=annotator).order_by("-raised_at", "-pk")

    def undecided_first(self) -> Self:
        return self.annotate(
            is_decided=Case(When(decision="", then=Value(value=False)), default=Value(value=True))
        ).order_by("is_decided", "-raised_at", "-pk")

    def distressing(self) -> Self:
        return self.filter(kind=Concern.Kind.SKIP, reason=Concern.Reason.DISTRESSING)

    def with_what_was_done(self) -> Self:
        """Along with each what its annotator has done with the item beside."""
        theirs = {"item": OuterRef("item"), "annotator": OuterRef("annotator")}
        return self.annotate(
            is_rated=Exists(Rating.objects.filter(**theirs)),
            is_distressing=Exists(Concern.objects.distressing().filter(**theirs)),
        )

    def bring_back(self, rating: Rating, *, now: datetime) -> None:
        """Send back a rating that was just stored, for each flag of its annotator's on the item
        that the lead has decided so before there was one."""
        if not rating.comes_back:
            return
        flags = self.filter(
            item=rating.item_id, annotator=rating.annotator_id, kind=Concern.Kind.FLAG
        )
        for flag in flags.filter(decision=Concern.Decision.AGAIN).order_by("decided_at", "pk"):
            flag.send_back(rating, now=now)


class Concern(models.Model):
    """One skip or flag, its reason, and what the lead made of it.

    Who skipped an item does not get it any more, unless the lead says "again"; others do. One who
    found it distressing does not get it at all: that is no choice of the lead's. A flag leaves the
    item where it is, and may be answered and no more. Nothing is deleted: an item that is dropped
    is handed out no more, and what was said of it stays.
    """

    class Kind(models.TextChoices):
        SKIP = "skip", _("skipped")
        FLAG = "flag", _("flagged")

    class Reason(models.TextChoices):
        DISTRESSING = "distressing", _("It is distressing")
        UNCLEAR = "unclear", _("I cannot tell what the rubric asks here")
        BROKEN = "broken", _("The item is broken or incomplete")
        LANGUAGE = "language", _("It is in a language that I do not read well")
        EXPERTISE = "expertise", _("It takes knowledge that I do not have")
        OTHER = "other", _("Something else")

    class Decision(models.TextChoices):
        NONE = "", _("not decided")
        ANSWERED = "answered", _("an answer, and all stays as it is")
        AGAIN = "again", _("once more to the same annotator")
        SOMEONE_ELSE = "someone_else", _("to someone else")
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

    def __str__(self) -> str:
        return f"{self.annotator} {self.kind} {self.item}: {self.reason}"

    @property
    def choices(self) -> list[tuple[str, Any]]:
        """What the lead may decide: value and words."""
        barred = {""}
        if self.kind == self.Kind.SKIP:
            barred.add(self.Decision.ANSWERED)
        if self.is_distressing:
            barred.add(self.Decision.AGAIN)
        return [choice for choice in self.Decision.choices if choice[0] not in barred]

    @cached_property
    def is_rated(self) -> bool:
        """Whether its annotator has rated the item."""
        return Rating.objects.filter(item=self.item_id, annotator=self.annotator_id).exists()

    @cached_property
    def is_distressing(self) -> bool:
        """Whether its annotator has skipped the item as distressing, by this or beside it: then it
        does not come back to them, whatever is decided."""
        skips = Concern.objects.distressing()
        return skips.filter(item=self.item_id, annotator=self.annotator_id).exists()

    def decide(
        self, decision: Concern.Decision, *, by: User, now: datetime, answer: str = ""
    ) -> None:
        """What becomes of the item. A decision may be changed; a dropped item is then handed out
        again.

        "again": an item that was skipped may come to the same annotator once more; a rating that
        was flagged comes back to them, as often as it is said, until it is mended or decided
        otherwise, and where there is none yet, as soon as it is stored. "to someone else": of a
        flagged item that is rated already, one rating more is wanted (`settling`). "answered":
        nothing happens but that the annotator reads it.
        """
        with transaction.atomic():
            hold_batch(self.item.batch_id)
            item = Item.objects.select_for_update(of=("self",)).get(pk=self.item_id)
            concern = Concern.objects.select_for_update(of=("self",)).get(pk=self.pk)
            before = concern.decision
            concern.decision, concern.answer = decision, answer
            concern.decided_by, concern.decided_at = by, now
            concern.save(update_fields=["decision", "answer", "decided_by", "decided_at"])
            if self.kind == self.Kind.FLAG:
                concern._settle_return(before, now)
            if decision == before:
                return
            dropped = item.concerns.filter(decision=self.Decision.DROP).exists()
            if dropped != item.dropped:
                item.dropped = dropped
                item.save(update_fields=["dropped"])
            settle_wanted_of(item)
            # It may be open again to those who have passed it by.
            item.batch.recount(look_from=item.position)

    def _settle_return(self, before: str, now: datetime) -> None:
        """Whether the rating that was flagged comes back to its annotator."""
        rating = (
            Rating.objects.current()
            .filter(item=self.item_id, annotator=self.annotator_id, round=0)
            .first()
        )
        if rating is None:
            return
        if self.decision == self.Decision.AGAIN:
            self.send_back(rating, now=now)
        elif before == self.Decision.AGAIN:
            ReturnedRating.objects.settle(rating, cause=self.cause, now=now)

    @property
    def cause(self) -> str:
        """Of a rating that comes back because of this."""
        return f"flag {self.pk}"

    def send_back(self, rating: Rating, *, now: datetime) -> None:
        """Have a rating of the item come back to who flagged it. What they found distressing does
        not."""
        if not self.is_distressing:
            reason = self.answer or str(_("The lead asks you to look at this item again."))
            ReturnedRating.objects.send_back(rating, reason, cause=self.cause, now=now)
