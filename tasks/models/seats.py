"""The progress of each annotator in a batch: the ratings, and the position in the queue."""

from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from config.web.people import User

from .items import Batch
from .projects import Project


class SeatQuerySet(models.QuerySet["Seat"]):
    def progress(self, annotator: User, project: Project) -> tuple[int, int]:
        """Return the number of items that an annotator has rated in a project, and of all items.

        Both numbers include the dropped items that they have rated, because that work is done.
        Neither includes any other dropped item.
        """
        return self.progress_in([project], annotator).get(project.pk, (0, 0))

    def progress_in(
        self, projects: Iterable[Project], annotator: User
    ) -> dict[int, tuple[int, int]]:
        """Return the same numbers for several projects, by their primary keys, in one query."""
        own = Q(seats__annotator=annotator)
        rated, dropped = (
            Coalesce(Sum(f"seats__{what}", filter=own), 0) for what in ("rated", "dropped")
        )
        rows = (
            Batch.objects.filter(project__in=projects)
            .order_by()
            .annotate(mine=rated, mine_dropped=dropped)
            .values_list("project", "mine", "size", "dropped", "mine_dropped")
        )
        found: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for project, mine, size, all_dropped, mine_dropped in rows:
            done, items = found[project]
            found[project] = done + mine, items + size - all_dropped + mine_dropped
        return dict(found)


class Seat(models.Model):
    """An annotator's progress in a batch.

    A trigger (`a_rating_is_counted`) adds each rating to the counts, and progress is their sum. So
    no page reads all items, and no row is shared by all annotators.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="seats")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="seats")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="seats"
    )
    # The queue starts here for this annotator. It is a hint: before anyone is told that nothing is
    # left, the items before it are checked as well.
    position = models.PositiveIntegerField(default=0, db_default=0)
    # First ratings of attempt 0, and those among them whose item was dropped. A later rating of a
    # dropped item adds to `dropped`, and `Batch.recount` counts it again.
    rated = models.PositiveIntegerField(default=0, db_default=0)
    dropped = models.PositiveIntegerField(default=0, db_default=0)
    counted = models.PositiveIntegerField(default=0, db_default=0)  # ratings that count
    # Ratings that were the last their item wanted, since the last `Batch.recount`.
    finished = models.PositiveIntegerField(default=0, db_default=0)
    # By how much these ratings changed `Batch.begun`, since then.
    begun = ArrayField(models.IntegerField(), default=list, db_default=[], editable=False)

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
    """An annotator's permission to work on a batch. A batch without any is open to everybody."""

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
    """A group of items reserved for one annotator.

    Projects that give all items of a group to the same annotators use it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="group_holds")
    group = models.BigIntegerField()
    # From 0. A group has as many slots as its items want ratings.
    slot = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    # Some time after the annotator last took an item of the group, so that no group is stuck with
    # someone who left.
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
