"""Working days: what annotators did day by day, and how fast they are."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import NamedTuple, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, Max, Min, Q, Sum

from config.web.people import User
from config.web.raw_sql import one_row, run

from .pace import Pace
from .progress import items_rated
from .projects import Project


def _latest_day_in(project: str) -> str:
    """Return the query of the latest day that the annotator worked in a project.

    `project` is its key, in SQL. If they move west, or set such a time zone in the profile, they
    keep counting on this day until the calendar reaches it. So no day, and no daily limit, starts
    twice. From UTC+14 to UTC-12 the calendar goes back two days at most. A day further ahead comes
    from a wrong clock and is ignored.
    """
    return f"""
  SELECT last.* FROM tasks_workday AS last
  WHERE last.annotator_id = %(annotator)s AND last.project_id = {project}
    AND last.day <= %(day)s::date + 2
  ORDER BY last.day DESC LIMIT 1"""  # noqa: S608 - constant parts


LAST_DAY = _latest_day_in("%(project)s")
# The latest day of each of several projects.
LAST_DAYS = f"""
SELECT latest.* FROM unnest(%(projects)s::bigint[]) AS one (project)
CROSS JOIN LATERAL ({_latest_day_in("one.project")}) AS latest
"""  # noqa: S608 - constant parts
# Counts one more opened item on the latest day, or on a new one, if the day's limit allows it; a
# project without a limit has NULL. A request that opens another item at the same time waits for
# the row.
COUNT_WARNED = f"""
INSERT INTO tasks_workday AS work (project_id, annotator_id, day, opened, since, recent)
SELECT project.id, %(annotator)s, greatest(%(day)s::date, last.day), 1, %(now)s,
  coalesce(last.recent, ARRAY[]::int[])
FROM tasks_project AS project LEFT JOIN ({LAST_DAY}) AS last ON true
WHERE project.id = %(project)s AND coalesce(project.most_warned_daily, 1) > 0
ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET opened = work.opened + 1
WHERE NOT EXISTS (
  SELECT FROM tasks_project AS project
  WHERE project.id = %(project)s AND work.opened >= project.most_warned_daily)
"""  # noqa: S608 - constant parts
# The number and the median of the active seconds of everybody's last ratings in a project.
USUAL_TIME = """
SELECT count(*), coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds), 0) FROM (
  SELECT DISTINCT annotator_id FROM tasks_batchprogress WHERE project_id = %(project)s) AS own
CROSS JOIN LATERAL (SELECT recent FROM tasks_workday AS work
  WHERE work.annotator_id = own.annotator_id AND work.project_id = %(project)s
  ORDER BY day DESC LIMIT 1) AS latest
CROSS JOIN unnest(latest.recent) AS seconds
"""
WITH_WORK = Q(rated__gt=0) | Q(seconds__gt=0)


def month_after(first: date) -> date:
    """Return the first day of the month after that of `first`."""
    return (first.replace(day=1) + timedelta(days=31)).replace(day=1)


def _first_of_month(day: date | None) -> date | None:
    return day and day.replace(day=1)


class ProjectWork(NamedTuple):
    """The sums of somebody's days in one project."""

    slug: str
    title: str
    days: int
    rated_items: int
    active: int  # seconds
    last: date


class WorkdayQuerySet(models.QuerySet["Workday"]):
    def pace(self, annotator: User, project: Project, now: datetime) -> Pace:
        """Return an annotator's progress in a project, and how fast they are."""
        return self.paces(annotator, [project], now)[project.pk]

    def paces(
        self, annotator: User, projects: Collection[Project], now: datetime
    ) -> dict[int, Pace]:
        """Return the same for several projects, by their primary keys, in two queries."""
        day = annotator.today(now)
        paces = {}
        for key, (rated, items) in items_rated(annotator, projects).items():
            paces[key] = Pace(rated, items)
        values = {"annotator": annotator.pk, "projects": list(paces), "day": day}
        for last in self.raw(LAST_DAYS, values):
            today = last.rated if last.day >= day else 0
            pace = paces[last.project_id]
            paces[last.project_id] = replace(pace, today=today, recent=tuple(last.recent))
        return paces

    def ratings_by_day(self) -> dict[date, int]:
        """Return the number of ratings of each of these days that has any, oldest first."""
        rows = self.filter(rated__gt=0).order_by("day").values_list("day")
        return dict(rows.annotate(ratings=Sum("rated")))

    def rows(self) -> Iterator[tuple[date, str, int, int]]:
        """Yield each of these days with who worked, their ratings and active seconds."""
        days = self.order_by("day", "annotator__username")
        yield from days.values_list("day", "annotator__username", "rated", "seconds").iterator()

    def seconds_by_annotator(self) -> dict[int, int]:
        """Return the active seconds of each annotator, by key."""
        return dict(self.order_by().values_list("annotator").annotate(Sum("seconds")))

    def latest_by_annotator(self) -> Self:
        """Return the latest day of each annotator, in one project."""
        return self.order_by("annotator", "-day").distinct("annotator")

    def usual_time(self, project: Project) -> tuple[int, float]:
        """Return the number and the median of the seconds of everybody's last ratings."""
        return one_row(USUAL_TIME, {"project": project.pk}) or (0, 0)

    def seconds(self) -> int:
        """Return the active seconds of these days."""
        return self.aggregate(active=Sum("seconds", default=0))["active"]

    def by(self, annotator: User) -> Self:
        """Return the days of an annotator."""
        return self.filter(annotator=annotator)

    def in_month(self, first: date) -> Self:
        """Return the days with any work in the month that begins on `first`, newest first."""
        days = self.filter(WITH_WORK, day__gte=first, day__lt=month_after(first))
        return days.order_by("-day", "project__title", "project")

    def neighbouring_months(self, first: date) -> tuple[date | None, date | None]:
        """Return the nearest months with any days, before and after that of `first`.

        Each month is given by its first day, or is None.
        """
        is_before = Q(day__lt=first)
        is_after = Q(day__gte=month_after(first))
        days = self.aggregate(
            before=Max("day", filter=is_before), after=Min("day", filter=is_after)
        )
        return _first_of_month(days["before"]), _first_of_month(days["after"])

    def work_by_project(self) -> list[ProjectWork]:
        """Return the sums of these days for each project with any work, ordered by title."""
        projects = self.order_by("project__title", "project").values("project")
        sums = projects.annotate(
            days=Count("day", filter=WITH_WORK),
            rated_items=Sum("rated"),
            active=Sum("seconds"),
            last=Max("day"),
        )
        columns = ("project__slug", "project__title", "days", "rated_items", "active", "last")
        return [ProjectWork(*row) for row in sums.filter(days__gt=0).values_list(*columns)]

    def count_warned_item(self, annotator: User, project: int, now: datetime) -> bool:
        """Count an item with a warning as opened.

        Return False, and count nothing, if the day's limit is reached.
        """
        values = {
            "project": project,
            "annotator": annotator.pk,
            "day": annotator.today(now),
            "now": now,
        }
        return run(COUNT_WARNED, values) == 1


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
    # record (`LAST_DAY`), so that no day starts twice.
    day = models.DateField()
    rated = models.PositiveIntegerField(default=0, db_default=0)  # first ratings
    opened = models.PositiveIntegerField(default=0, db_default=0)  # items with a warning
    # Active seconds, corrections included. Never more than a day has, or than passed since `since`.
    seconds = models.PositiveIntegerField(default=0, db_default=0)
    since = models.DateTimeField(null=True, blank=True)  # start of the day's first work
    # Active seconds of the last ratings, newest first, at most `pace.MOST_RECENT`. They include
    # ratings of earlier days.
    recent = ArrayField(models.PositiveIntegerField(), default=list)

    objects = WorkdayQuerySet.as_manager()

    class Meta:
        ordering = ("-day",)
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "project", "day"),
                name="an_annotator_has_one_day_a_day_in_a_project",
            ),
        )
