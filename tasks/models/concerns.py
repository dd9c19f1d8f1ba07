"""Concerns: annotators skip an item, or flag it to the lead."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from config.web.people import User

from .items import Item
from .notices import Notice
from .projects import Project
from .queue.targets import hold_batch, recompute_target
from .ratings import Rating
from .returned_ratings import ReturnedRating


class ConcernQuerySet(models.QuerySet["Concern"]):
    def undecided(self) -> Self:
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

    def undecided_first(self) -> Self:
        return self.annotate(
            is_decided=Case(When(decision="", then=Value(value=False)), default=Value(value=True))
        ).order_by("is_decided", "-raised_at", "-pk")

    def distressing(self) -> Self:
        return self.filter(kind=Concern.Kind.SKIP, reason=Concern.Reason.DISTRESSING)

    def with_what_was_done(self) -> Self:
        """Annotate whether the annotator has rated the item or skipped it as distressing."""
        theirs = {"item": OuterRef("item"), "annotator": OuterRef("annotator")}
        return self.annotate(
            is_rated=Exists(Rating.objects.filter(**theirs)),
            is_distressing=Exists(Concern.objects.distressing().filter(**theirs)),
        )

    def bring_back(self, rating: Rating, *, now: datetime) -> None:
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

    is_rated: bool  # set by `with_what_was_done`

    def __str__(self) -> str:
        return f"{self.annotator} {self.kind} {self.item}: {self.reason}"

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

        A decision may be changed; a dropped item is then handed out again.

        - "again": a skipped item may come to the same annotator again. A flagged rating comes back
          to them each time the lead decides so, until it is mended or decided otherwise. If there
          is no rating yet, it comes back as soon as it is stored.
        - "to someone else": a flagged item that is already rated wants one more rating
          (`queue.targets`).
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
            Notice.objects.mark_decided(concern.project_id, concern=concern.pk, now=now)
            comes_back = self.kind == self.Kind.FLAG and concern._settle_return(before, now)
            # A rating that comes back has a notice of its own, with the answer.
            if not comes_back and (decision, answer) != (before, answer_before):
                concern._tell(by=by, now=now)
            if decision == before:
                return
            dropped = item.concerns.filter(decision=self.Decision.DROP).exists()
            if dropped != item.dropped:
                item.dropped = dropped
                item.save(update_fields=["dropped"])
            recompute_target(item.project_id, item.batch_id, item.position)
            # The item may be open again to annotators who have passed it.
            item.batch.recount(look_from=item.position)

    def _tell(self, *, by: User, now: datetime) -> None:
        """Tell the annotator of the decision, unless they made it as a lead."""
        if self.annotator_id == by.pk:
            return
        Notice.objects.tell(
            Notice(
                user_id=self.annotator_id,
                project_id=self.project_id,
                kind=Notice.Kind.DECISION,
                concern=self,
                created_at=now,
            )
        )

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
