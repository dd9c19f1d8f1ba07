"""What an annotator did in a project, day by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Count, Max, Min, Q, Sum

from tasks.pace import Pace

from .projects import Project
from .queue.selection import LAST_DAY
from .seats import Seat

if TYPE_CHECKING:
    from annotators.models import User

    from .leases import Lease

# Where the day may bring one more: whoever opens another at the same time waits for the row.
OPENED = """
INSERT INTO tasks_workday AS work (project_id, annotator_id, day, opened, since, recent)
SELECT project.id, %(annotator)s, greatest(%(day)s::date, last.day), 1, %(now)s, coalesce(last.recent, '{{}}')
FROM tasks_project AS project LEFT JOIN ({last_day}) AS last ON true
WHERE project.id = %(project)s AND (%(unlimited)s OR coalesce(project.most_warned_daily, 1) > 0)
ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET opened = work.opened + 1
WHERE %(unlimited)s OR work.opened < coalesce((
  SELECT project.most_warned_daily FROM tasks_project AS project WHERE project.id = %(project)s
), work.opened + 1)
"""


@dataclass(frozen=True, slots=True)
class Work:
    """What someone did in a project: on so many days so many first ratings, in so many active
    seconds."""

    slug: str
    title: str
    days: int
    rated: int
    seconds: int


def month_after(first: date) -> date:
    """The first day of the month after that of `first`."""
    return (first.replace(day=1) + timedelta(days=31)).replace(day=1)


class WorkdayQuerySet(models.QuerySet["Workday"]):
    def pace(self, annotator: User, project: Project, now: datetime) -> Pace:
        """Where someone stands in a project, and how fast they are."""
        rated, items = Seat.objects.progress(annotator, project)
        day = annotator.today(now)
        values = {"annotator": annotator.pk, "project": project.pk, "day": day}
        last = next(iter(self.raw(LAST_DAY, values)), None)
        if last is None:
            return Pace(rated, items)
        today = last.rated if last.day >= day else 0
        return Pace(rated, items, today, tuple(last.recent))

    def by(self, annotator: User) -> Self:
        return self.filter(annotator=annotator)

    def in_month(self, first: date) -> Self:
        """The days of the month that begins on `first` and hold any work, newest first."""
        worked = Q(rated__gt=0) | Q(seconds__gt=0)
        return self.filter(worked, day__gte=first, day__lt=month_after(first)).order_by(
            "-day", "project__title", "project"
        )

    def months_beside(self, first: date) -> tuple[date | None, date | None]:
        """The nearest months before and after that of `first` that have days, each by its first
        day."""
        found = self.aggregate(
            before=Max("day", filter=Q(day__lt=first)),
            after=Min("day", filter=Q(day__gte=month_after(first))),
        )
        before, after = found["before"], found["after"]
        return before and before.replace(day=1), after and after.replace(day=1)

    def work_by_project(self) -> list[Work]:
        """All that these days hold, project by project, by title."""
        rows = (
            self.order_by()
            .values("project", "project__slug", "project__title", "project__status")
            .annotate(
                days=Count("day", filter=Q(seconds__gt=0) | Q(rated__gt=0)),
                n=Sum("rated"),
                s=Sum("seconds"),
            )
            .order_by("project__title", "project")
        )
        return [
            Work(row["project__slug"], row["project__title"], row["days"], row["n"], row["s"])
            for row in rows
            if row["days"]
        ]

    def note_opened(self, lease: Lease, now: datetime) -> bool:
        """Count an item with a warning as opened. False, and nothing is counted, where the day has
        brought as many as it may; an item that came back to be mended comes whatever the day
        brought."""
        values: dict[str, Any] = {
            "project": lease.project_id,
            "annotator": lease.annotator_id,
            "day": lease.annotator.today(now),
            "now": now,
            "unlimited": lease.revises_id is not None,
        }
        with connection.cursor() as cursor:
            cursor.execute(OPENED.format(last_day=LAST_DAY), values)
            return cursor.rowcount == 1


class Workday(models.Model):
    """One day of an annotator's in a project; the day is theirs, by their time zone, and never one
    before the latest on record that a time zone can have brought: where theirs moved west, they go
    on with that one (`queue.LAST_DAY`).

    `rated`: first ratings. `seconds`: active ones, of corrections too; no more than a day has, or
    than passed since the day's first work was begun, at `since`. `opened`: items with a warning
    that they opened. `recent`: active seconds of their last ratings, newest first, those of the
    days before among them, up to `pace.KEPT`. Storing a rating adds to it in the same statement
    (`storing`).
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
    since = models.DateTimeField(null=True, blank=True)
    recent = ArrayField(models.PositiveIntegerField(), default=list)

    objects: ClassVar[WorkdayQuerySet] = WorkdayQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("-day",)
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "project", "day"),
                name="an_annotator_has_one_day_a_day_in_a_project",
            ),
        )

    def __str__(self) -> str:
        return f"{self.annotator} on {self.day:%Y-%m-%d}"
