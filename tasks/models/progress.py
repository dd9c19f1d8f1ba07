"""How far a project and its annotators are, and what they did day by day."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, F, Max, Min, Q, Sum

from config.web.people import User
from config.web.raw_sql import all_rows, one_row, run
from tasks.pace import Pace

from .items import Batch
from .projects import Project

# The latest day that the annotator worked in the project. If they move west, or set such a time
# zone in the profile, they keep counting on this day until the calendar reaches it. So no day, and
# no daily limit, starts twice. From UTC+14 to UTC-12 the calendar goes back two days at most. A day
# further ahead comes from a wrong clock and is ignored.
LAST_DAY = """
  SELECT last.* FROM tasks_workday AS last
  WHERE last.annotator_id = %(annotator)s AND last.project_id = %(project)s
    AND last.day <= %(day)s::date + 2
  ORDER BY last.day DESC LIMIT 1
""".rstrip()
# One statement sees one moment: its sums belong together, whatever is rated meanwhile.
SUMS = """
WITH part AS (
  SELECT project_id, status = 'open' AS is_open, size - dropped AS items, finished,
    imported - dropped_ratings AS counted, wanted, dropped, dropped_ratings
  FROM tasks_batch WHERE project_id = ANY(%(projects)s)
  UNION ALL
  SELECT own.project_id, batch.status = 'open', 0, own.finished, own.counted, 0, 0, 0
  FROM tasks_batchprogress AS own JOIN tasks_batch AS batch ON batch.id = own.batch_id
  WHERE own.project_id = ANY(%(projects)s)
)
SELECT coalesce(sum(items), 0)::int, coalesce(sum(finished), 0)::int,
  coalesce(sum(counted), 0)::int, coalesce(sum(wanted), 0)::int, {started},
  greatest(0, coalesce(sum(wanted - counted) FILTER (WHERE is_open), 0))::int,
  coalesce(sum(items) FILTER (WHERE is_open), 0)::int,
  coalesce(sum(items - finished) FILTER (WHERE is_open), 0)::int,
  coalesce(sum(dropped), 0)::int, coalesce(sum(dropped_ratings), 0)::int{project}
FROM part
"""
STARTED = """
  (SELECT coalesce(jsonb_agg(jsonb_build_array(counted, number) ORDER BY counted DESC), '[]') FROM (
    SELECT counted, count(*) AS number FROM tasks_item
    WHERE project_id = ANY(%(projects)s) AND counted > 0 AND counted < wanted AND NOT dropped
    GROUP BY counted) AS started)"""
PROGRESS = SUMS.format(started=STARTED, project="")
PROGRESS_OF_EACH = SUMS.format(started="'[]'", project=", project_id") + "GROUP BY project_id"
# Counts one more opened item if the day's limit allows it. A request that opens another item at the
# same time waits for the row.
OPENED = """
INSERT INTO tasks_workday AS work (project_id, annotator_id, day, opened, since, recent)
SELECT project.id, %(annotator)s, greatest(%(day)s::date, last.day), 1, %(now)s,
  coalesce(last.recent, '{{}}')
FROM tasks_project AS project LEFT JOIN ({last_day}) AS last ON true
WHERE project.id = %(project)s AND coalesce(project.most_warned_daily, 1) > 0
ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET opened = work.opened + 1
WHERE work.opened < coalesce((
  SELECT project.most_warned_daily FROM tasks_project AS project WHERE project.id = %(project)s
), work.opened + 1)
"""
# The latest day of each of several projects.
LAST_DAYS = """
SELECT latest.* FROM unnest(%(projects)s::bigint[]) AS one (project)
CROSS JOIN LATERAL ({last_day}) AS latest
""".format(last_day=LAST_DAY.replace("%(project)s", "one.project"))


def items_rated(annotator: User, projects: Collection[Project]) -> dict[int, tuple[int, int]]:
    """Return the number of items that an annotator has rated in each project, and of all items.

    The keys are the primary keys of the projects. Both numbers include the dropped items that they
    have rated, because that work is done. Neither includes any other dropped item.
    """
    own = Q(batch_progress__annotator=annotator)
    rows = (
        Batch.objects.filter(project__in=projects)
        .order_by()
        .annotate(
            mine=Sum("batch_progress__rated", filter=own, default=0),
            mine_dropped=Sum("batch_progress__dropped", filter=own, default=0),
        )
        .values_list("project", "mine", "size", "dropped", "mine_dropped")
    )
    found = {project.pk: (0, 0) for project in projects}
    for project, mine, size, all_dropped, mine_dropped in rows:
        done, items = found[project]
        found[project] = done + mine, items + size - all_dropped + mine_dropped
    return found


class BatchProgress(models.Model):
    """An annotator's progress in a batch.

    A trigger (`a_rating_is_counted`) adds each rating to the counts, and progress is their sum. So
    no page reads all items, and no row is shared by all annotators.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="batch_progress")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="batch_progress")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="batch_progress"
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

    class Meta:
        ordering = ("batch", "annotator")
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "batch"), name="an_annotator_has_one_progress_in_a_batch"
            ),
        )
        indexes = (
            models.Index(fields=("project", "annotator"), name="batch_progress_of_an_annotator"),
        )


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


def month_after(first: date) -> date:
    """Return the first day of the month after that of `first`."""
    return (first.replace(day=1) + timedelta(days=31)).replace(day=1)


class WorkdayQuerySet(models.QuerySet["Workday"]):
    def pace(self, annotator: User, project: Project, now: datetime) -> Pace:
        """Return an annotator's progress in a project, and how fast they are."""
        return self.paces(annotator, [project], now)[project.pk]

    def paces(
        self, annotator: User, projects: Collection[Project], now: datetime
    ) -> dict[int, Pace]:
        """Return the same for several projects, by their primary keys, in two queries."""
        progress = items_rated(annotator, projects)
        day = annotator.today(now)
        values = {"annotator": annotator.pk, "projects": list(progress), "day": day}
        last_days = {
            last.project_id: (last.rated if last.day >= day else 0, tuple(last.recent))
            for last in self.raw(LAST_DAYS, values)
        }
        return {key: Pace(*both, *last_days.get(key, ())) for key, both in progress.items()}

    def ratings_by_day(self) -> dict[date, int]:
        """Return the number of ratings of each of these days that has any, oldest first."""
        rows = self.filter(rated__gt=0).order_by("day").values_list("day")
        return dict(rows.annotate(all=Sum("rated")))

    def rows(self) -> Iterator[tuple[date, str, int, int]]:
        """Yield each of these days with who worked, their ratings and active seconds."""
        days = self.order_by("day", "annotator__username")
        yield from days.values_list("day", "annotator__username", "rated", "seconds").iterator()

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
        return self.aggregate(all=Sum("seconds", default=0))["all"]

    def by(self, annotator: User) -> Self:
        """Return the days of an annotator."""
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

        Each has slug, title, `days`, `rated_items`, `active` seconds and the `last` day.
        """
        return list(
            self.order_by("project__title", "project")
            .values("project", slug=F("project__slug"), title=F("project__title"))
            .annotate(
                days=Count("day", filter=Q(seconds__gt=0) | Q(rated__gt=0)),
                rated_items=Sum("rated"),
                active=Sum("seconds"),
                last=Max("day"),
            )
            .filter(days__gt=0)
        )

    def note_opened(self, annotator: User, project: int, now: datetime) -> bool:
        """Count an item with a warning as opened.

        Return False, and count nothing, if the day's limit is reached.
        """
        values = {
            "project": project,
            "annotator": annotator.pk,
            "day": annotator.today(now),
            "now": now,
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

    objects: ClassVar[WorkdayQuerySet] = WorkdayQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("-day",)
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "project", "day"),
                name="an_annotator_has_one_day_a_day_in_a_project",
            ),
        )


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """How far a project is. Finished, started and untouched items add up to `items`."""

    # All without dropped items and their ratings, but for the last two.
    items: int
    finished: int  # items that have all the ratings they want
    counted: int  # ratings
    wanted: int  # ratings
    started: tuple[tuple[int, int], ...]  # pairs (ratings, items that have so many and want more)
    # In open batches, the only ones that hand out items:
    left: int  # ratings still wanted
    open_items: int
    unfinished: int  # items that want ratings
    # In all batches:
    dropped: int = 0  # items
    dropped_ratings: int = 0  # that filled places of these

    @property
    def untouched(self) -> int:
        """The items without a rating."""
        return self.items - self.finished - sum(items for _ratings, items in self.started)

    @property
    def is_complete(self) -> bool:
        """True if all the ratings wanted are there, and some are wanted."""
        return bool(self.wanted) and not self.left and not self.left_elsewhere

    @property
    def left_elsewhere(self) -> int:
        """The ratings still wanted in batches that are not open."""
        return max(0, self.wanted - self.counted - self.left)


def progress_of(project: Project) -> ProjectFigures:
    """Return how far a project is. The cost grows with the items that are started."""
    row = one_row(PROGRESS, {"projects": [project.pk]})
    assert row is not None
    return _figures(*row)


def progress_of_each(projects: Collection[int]) -> dict[int, ProjectFigures]:
    """Return how far each project is, by primary key, without the items that are started."""
    rows = all_rows(PROGRESS_OF_EACH, {"projects": list(projects)}) if projects else []
    empty = dict.fromkeys(projects, ProjectFigures(0, 0, 0, 0, (), 0, 0, 0))
    return empty | {project: _figures(*row) for *row, project in rows}


def _figures(
    items: int, finished: int, counted: int, wanted: int, started: str, *others: int
) -> ProjectFigures:
    pairs = tuple(map(tuple, json.loads(started)))
    return ProjectFigures(items, finished, counted, wanted, pairs, *others)
