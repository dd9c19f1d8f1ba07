"""What an annotator did in a project, day by day."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from tasks.pace import Pace

from .projects import Project
from .seats import Seat

if TYPE_CHECKING:
    from annotators.models import User

    from .leases import Lease

OPENED = """
INSERT INTO tasks_workday AS work (project_id, annotator_id, day, opened, recent)
VALUES (%(project)s, %(annotator)s, %(day)s, 1, coalesce((
  SELECT last.recent FROM tasks_workday AS last
  WHERE last.annotator_id = %(annotator)s AND last.project_id = %(project)s ORDER BY last.day DESC LIMIT 1
), '{}'))
ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET opened = work.opened + 1
"""


class WorkdayQuerySet(models.QuerySet["Workday"]):
    def pace(self, annotator: User, project: Project, now: datetime) -> Pace:
        """Where someone stands in a project, and how fast they are."""
        rated, items = Seat.objects.progress(annotator, project)
        last = self.filter(annotator=annotator, project=project).order_by("-day").first()
        if last is None:
            return Pace(rated, items)
        today = last.rated if last.day >= annotator.today(now) else 0
        return Pace(rated, items, today, tuple(last.recent))

    def note_opened(self, lease: Lease, now: datetime) -> None:
        """Count an item with a warning that was opened."""
        values = {"project": lease.project_id, "annotator": lease.annotator_id}
        with connection.cursor() as cursor:
            cursor.execute(OPENED, {**values, "day": lease.annotator.today(now)})


class Workday(models.Model):
    """One day of an annotator's in a project; the day is theirs, by their time zone.

    `rated`: first ratings. `seconds`: active ones, of corrections too. `opened`: items with a warning that
    they opened. `recent`: active seconds of their last ratings, newest first, those of the days before among
    them, up to `pace.KEPT`. Storing a rating adds to it in the same statement (`storing`).
    """

    # The constraint's index begins with the annotator.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="workdays", db_index=False
    )
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="workdays")
    day = models.DateField()
    rated = models.PositiveIntegerField(default=0, db_default=0)
    opened = models.PositiveIntegerField(default=0, db_default=0)
    seconds = models.PositiveIntegerField(default=0, db_default=0)
    recent = ArrayField(models.PositiveIntegerField(), default=list)

    objects: ClassVar[WorkdayQuerySet] = WorkdayQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("-day",)
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "project", "day"), name="an_annotator_has_one_day_a_day_in_a_project"
            ),
        )

    def __str__(self) -> str:
        return f"{self.annotator} on {self.day:%Y-%m-%d}"
