"""Where each annotator stands in a batch: what they have rated, and how far they have come in the
queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from .items import Batch
from .projects import Project

if TYPE_CHECKING:
    from annotators.models import User


class SeatQuerySet(models.QuerySet["Seat"]):
    def progress(self, annotator: User, project: Project) -> tuple[int, int]:
        """How many items of a project someone has rated, and of how many. Of those that were
        dropped, what they had rated is in both numbers, for it is done and stays; nothing else is
        in either."""
        own = Q(seats__annotator=annotator)
        rated, dropped = (
            Coalesce(Sum(f"seats__{what}", filter=own), 0) for what in ("rated", "dropped")
        )
        rows = list(
            project.batches.order_by()
            .annotate(mine=rated, mine_dropped=dropped)
            .values_list("mine", "size", "dropped", "mine_dropped")
        )
        return sum(row[0] for row in rows), sum(row[1] - row[2] + row[3] for row in rows)


class Seat(models.Model):
    """An annotator in a batch.

    `rated`, `counted`, `finished`: their first ratings of round 0, those that count, and those that
    gave an item the last that it wants; the database adds to them with each rating (trigger
    `a_rating_is_counted`), and progress is their sum: no page goes through the items, and no row is
    everyone's. `dropped`: how many of those rated were dropped; a rating that comes afterwards adds
    to it, and `recount` counts them anew. `position`: the items before it need not be looked at for
    them, as far as is known; a hint, which is doubted before anyone is told that there is nothing
    left.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="seats")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="seats")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="seats"
    )
    position = models.PositiveIntegerField(default=0, db_default=0)
    rated = models.PositiveIntegerField(default=0, db_default=0)
    dropped = models.PositiveIntegerField(default=0, db_default=0)
    counted = models.PositiveIntegerField(default=0, db_default=0)
    finished = models.PositiveIntegerField(default=0, db_default=0)

    objects: ClassVar[SeatQuerySet] = SeatQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("batch", "annotator")
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "batch"), name="an_annotator_has_one_seat_in_a_batch"
            ),
        )
        indexes = (models.Index(fields=("project", "annotator"), name="seats_of_an_annotator"),)

    def __str__(self) -> str:
        return f"{self.annotator} in {self.batch}"


class Assignment(models.Model):
    """Someone who may work on a batch. A batch without any is everybody's."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )

    class Meta:
        ordering = ("batch", "annotator")
        constraints = (
            models.UniqueConstraint(
                fields=("batch", "annotator"), name="an_assignment_stands_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.annotator} may work on {self.batch}"


class GroupHold(models.Model):
    """A group of items that is one annotator's, in a project that gives all of a group to the same
    people.

    `slot`: which of the people that each item wants, from 0; so many are wanted, so many slots
    there are. A hold lapses at `expires_at`, a while after its holder last took an item of the
    group, so that no group is stuck with someone who left.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="group_holds")
    group = models.BigIntegerField()
    slot = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("project", "group", "slot")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "group", "slot"), name="a_slot_of_a_group_is_held_once"
            ),
            models.UniqueConstraint(
                fields=("project", "group", "annotator"),
                name="a_group_is_held_once_by_an_annotator",
            ),
        )

    def __str__(self) -> str:
        return f"group {self.group} held by {self.annotator}"
