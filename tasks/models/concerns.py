"""Concerns: annotators skip an item or flag it to the lead."""

from dataclasses import dataclass
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from config.web.people import User

from .items import Item
from .projects import Project
from .ratings import Rating

IS_UNDECIDED = Q(decision="", decided_at=None)
IS_DECIDED = ~Q(decision="") & Q(decided_at__isnull=False)
IS_ANSWERED_FLAG = Q(kind="flag") & ~Q(answer="")


@dataclass(frozen=True, slots=True)
class WaitingConcerns:
    """How many concerns wait for their lead's decision, and the oldest of them."""

    flags: int
    skips: int
    oldest: "Concern | None"


class ConcernQuerySet(models.QuerySet["Concern"]):
    def undecided(self) -> Self:
        """Return those that the lead has not decided."""
        return self.filter(decision=Concern.Decision.NONE)

    def waiting(self) -> "WaitingConcerns":
        """Return how many of these wait for a decision, and the oldest (None without any)."""
        undecided = self.undecided()
        kinds = dict(undecided.order_by().values_list("kind").annotate(models.Count("pk")))
        return WaitingConcerns(
            flags=kinds.get(Concern.Kind.FLAG, 0),
            skips=kinds.get(Concern.Kind.SKIP, 0),
            oldest=undecided.order_by("raised_at", "pk").first() if kinds else None,
        )

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
        same = {"item": OuterRef("item"), "annotator": OuterRef("annotator")}
        ratings = Rating.objects.filter(**same)
        distressing = Concern.objects.distressing().filter(**same)
        return self.annotate(is_rated=Exists(ratings), is_distressing=Exists(distressing))


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

    objects = ConcernQuerySet.as_manager()

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
                condition=IS_UNDECIDED | IS_DECIDED,
                name="a_concern_that_is_decided_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(decision="answered") | IS_ANSWERED_FLAG,
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
        """Decisions that the lead may take, as pairs of value and label."""
        barred = {""}
        if self.kind == self.Kind.SKIP:
            barred.add(self.Decision.ANSWERED)
        if self.is_distressing:
            barred.add(self.Decision.AGAIN)
        return [(value, label) for value, label in self.Decision.choices if value not in barred]

    @cached_property
    def is_distressing(self) -> bool:
        """Return True if the annotator skipped the item as distressing, in any concern.

        Then it does not come back to them, whatever the lead decides.
        """
        skips = Concern.objects.distressing().filter(item=self.item_id)
        return skips.filter(annotator=self.annotator_id).exists()

    @property
    def cause(self) -> str:
        """Key of this concern in `ReturnedRating.reasons`."""
        return f"flag {self.pk}"
