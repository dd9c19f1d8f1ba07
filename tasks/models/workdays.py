"""The work of an annotator in a project, day by day."""

from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, F, Max, Min, Q, Sum

from config.web.people import User
from config.web.raw_sql import run
from tasks.pace import Pace

from .projects import Project
from .queue.selection import LAST_DAY
from .seats import Seat

if TYPE_CHECKING:
    from .leases import Lease

# Counts one more opened item if the day's limit allows it. A request that opens another item at the
# same time waits for the row.
OPENED = """
INSERT INTO tasks_workday AS work (project_id, annotator_id, day, opened, since, recent)
SELECT project.id, %(annotator)s, greatest(%(day)s::date, last.day), 1, %(now)s,
  coalesce(last.recent, '{{}}')
FROM tasks_project AS project LEFT JOIN ({last_day}) AS last ON true
WHERE project.id = %(project)s AND (%(unlimited)s OR coalesce(project.most_warned_daily, 1) > 0)
ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET opened = work.opened + 1
WHERE %(unlimited)s OR work.opened < coalesce((
  SELECT project.most_warned_daily FROM tasks_project AS project WHERE project.id = %(project)s
), work.opened + 1)
"""
# The latest day of each of several projects.
LAST_DAYS = """
SELECT latest.* FROM unnest(%(projects)s::bigint[]) AS one (project)
CROSS JOIN LATERAL ({last_day}) AS latest
""".format(last_day=LAST_DAY.replace("%(project)s", "one.project"))


def month_after(first: date) -> date:
    """Return the first day of the month after that of `first`."""
    return (first.replace(day=1) + timedelta(days=31)).replace(day=1)


def _pace(rated: int, items: int, last: "Workday | None", day: date) -> Pace:
    if last is None:
        return Pace(rated, items)
    return Pace(rated, items, last.rated if last.day >= day else 0, tuple(last.recent))


class WorkdayQuerySet(models.QuerySet["Workday"]):
    def pace(self, annotator: User, project: Project, now: datetime) -> Pace:
        """Return an annotator's progress in a project, and how fast they are."""
        return self.paces(annotator, [project], now)[project.pk]

    def paces(
        self, annotator: User, projects: Collection[Project], now: datetime
    ) -> dict[int, Pace]:
        """Return the same for several projects, by their primary keys, in two queries."""
        progress = Seat.objects.progress_in(projects, annotator)
        day = annotator.today(now)
        keys = [project.pk for project in projects]
        by_project = {
            each.project_id: each
            for each in self.raw(
                LAST_DAYS, {"annotator": annotator.pk, "projects": keys, "day": day}
            )
        }
        return {key: _pace(*progress.get(key, (0, 0)), by_project.get(key), day) for key in keys}

    def ratings_by_day(self) -> dict[date, int]:
        """Return the number of ratings of each of these days that has any, oldest first."""
        rows = self.filter(rated__gt=0).order_by("day").values_list("day")
        return dict(rows.annotate(all=Sum("rated")))

    def hours(self) -> Iterator[tuple[date, str, int, int]]:
        """Yield each of these days with who worked, their ratings and active seconds."""
        rows = self.order_by("day", "annotator__username")
        yield from rows.values_list("day", "annotator__username", "rated", "seconds").iterator()

    def sums(self) -> dict[int, tuple[int, int, date]]:
        """Return the ratings, the active seconds and the last day of each annotator, by key."""
        rows = self.order_by().values_list("annotator")
        return {
            annotator: (rated, seconds, last)
            for annotator, rated, seconds, last in rows.annotate(
                Sum("rated"), Sum("seconds"), Max("day")
            )
        }

    def latest_of_each(self) -> Self:
        """Return the latest day of each annotator, in one project."""
        return self.order_by("annotator", "-day").distinct("annotator")

    def seconds(self) -> int:
        """Return the active seconds of these days."""
        return self.aggregate(all=Sum("seconds"))["all"] or 0

    def seconds_on(self, day: date) -> int:
        """Return the active seconds of these days that fall on `day` or later."""
        return self.filter(day__gte=day).seconds()

    def by(self, annotator: User) -> Self:
        return self.filter(annotator=annotator)

    def in_month(self, first: date) -> Self:
        """Return the days with any work in the month that begins on `first`, newest first."""
        return self.filter(
            Q(rated__gt=0) | Q(seconds__gt=0), day__gte=first, day__lt=month_after(first)
        ).order_by("-day", "project__title", "project")

    def months_beside(self, first: date) -> tuple[date | None, date | None]:
        """Return the nearest months with any days, before and after that of `first`.

        Each month is given by its first day, or is None.
        """
        found = self.aggregate(
            before=Max("day", filter=Q(day__lt=first)),
            after=Min("day", filter=Q(day__gte=month_after(first))),
        )
        before, after = found["before"], found["after"]
        return before and before.replace(day=1), after and after.replace(day=1)

    def work_by_project(self) -> list[dict[str, Any]]:
        """Return the sums of these days for each project with any work, ordered by title.

        Each has slug, title, `days`, `rated_items` and `active` seconds.
        """
        rows = self.order_by("project__title", "project").values(
            "project", slug=F("project__slug"), title=F("project__title")
        )
        return list(
            rows.annotate(
                days=Count("day", filter=Q(seconds__gt=0) | Q(rated__gt=0)),
                rated_items=Sum("rated"),
                active=Sum("seconds"),
            ).filter(days__gt=0)
        )

    def note_opened(self, lease: "Lease", now: datetime) -> bool:
        """Count an item with a warning as opened.

        Return False, and count nothing, if the day's limit is reached. The limit does not apply to
        an item that came back to be mended.
        """
        values: dict[str, Any] = {
            "project": lease.project_id,
            "annotator": lease.annotator_id,
            "day": lease.annotator.today(now),
            "now": now,
            "unlimited": lease.revises_id is not None,
        }
        return run(OPENED.format(last_day=LAST_DAY), values) == 1


class Workday(models.Model):
    """One day of an annotator's work in a project.

    The statement that stores a rating also adds it here (`queue.insert_rating`).
    """

    # No index of its own: the constraint's index begins with the annotator.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="workdays", db_index=False
    )
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="workdays")
    # By the annotator's time zone. If they move west, they keep counting on the latest day on
    # record (`queue.selection.LAST_DAY`), so that no day starts twice.
    day = models.DateField()
    rated = models.PositiveIntegerField(default=0, db_default=0)  # first ratings
    opened = models.PositiveIntegerField(default=0, db_default=0)  # items with a warning
    # Active seconds, corrections included. Never more than a day has, or than passed since `since`.
    seconds = models.PositiveIntegerField(default=0, db_default=0)
    since = models.DateTimeField(null=True, blank=True)  # start of the day's first work
    # Active seconds of the last ratings, newest first, at most `pace.KEPT`. They include ratings of
    # earlier days.
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
