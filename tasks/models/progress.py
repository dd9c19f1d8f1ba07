"""How far a project, its batches and its annotators are."""

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Q, Sum

from config.web.people import User
from config.web.raw_sql import rows_as

from .batches import Batch
from .projects import Project

# One statement sees one moment: its sums belong together, whatever is rated meanwhile. A batch has
# what was counted last (`Batch.recount`), the progress of its annotators what came since.
SUMS = """
WITH part AS (
  SELECT project_id, status = 'open' AS is_open, size - dropped AS items, finished,
    imported - dropped_ratings AS counted, wanted, dropped, dropped_ratings,
    NOT complete AS goes_on
  FROM tasks_batch WHERE project_id = ANY(%(projects)s)
  UNION ALL
  SELECT own.project_id, batch.status = 'open', 0, own.finished, own.counted, 0, 0, 0,
    false
  FROM tasks_batchprogress AS own JOIN tasks_batch AS batch ON batch.id = own.batch_id
  WHERE own.project_id = ANY(%(projects)s)
)
SELECT project_id,
  sum(items)::int AS items, sum(finished)::int AS finished,
  sum(counted)::int AS counted, sum(wanted)::int AS wanted,
  {started} AS started,
  greatest(0, coalesce(sum(wanted - counted) FILTER (WHERE is_open), 0))::int AS left,
  coalesce(sum(items - finished) FILTER (WHERE is_open), 0)::int AS unfinished,
  sum(dropped)::int AS dropped, sum(dropped_ratings)::int AS dropped_ratings,
  bool_or(goes_on) AS goes_on
FROM part GROUP BY project_id
"""
# The items that are started, by their ratings. A list of projects, which has none, reads no items.
STARTED = """
  (SELECT jsonb_agg(jsonb_build_array(counted, number) ORDER BY counted DESC) FROM (
    SELECT counted, count(*) AS number FROM tasks_item
    WHERE project_id = part.project_id AND counted > 0 AND counted < wanted AND NOT dropped
    GROUP BY counted) AS started)
"""
PROGRESS = SUMS.format(started="NULL")
PROGRESS_WITH_STARTED = SUMS.format(started=STARTED)


class ItemsRated(NamedTuple):
    """How many items of a project an annotator has rated, and how many there are."""

    rated: int
    items: int


def items_rated(annotator: User, projects: Collection[Project]) -> dict[int, ItemsRated]:
    """Return the number of items that an annotator has rated in each project, and of all items.

    The keys are the primary keys of the projects. Both numbers include the dropped items that they
    have rated, because that work is done. Neither includes any other dropped item.
    """
    by_annotator = Q(batch_progress__annotator=annotator)
    rows = (
        Batch.objects.filter(project__in=projects)
        .order_by()
        .annotate(
            rated=Sum("batch_progress__rated", filter=by_annotator, default=0),
            rated_dropped=Sum("batch_progress__dropped", filter=by_annotator, default=0),
        )
        .values_list("project", "rated", "size", "dropped", "rated_dropped")
    )
    rated_items: Counter[int] = Counter()
    all_items: Counter[int] = Counter()
    for project, rated, size, dropped, rated_dropped in rows:
        rated_items[project] += rated
        all_items[project] += size - dropped + rated_dropped
    return {row.pk: ItemsRated(rated_items[row.pk], all_items[row.pk]) for row in projects}


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


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """How far a project is. Finished, started and untouched items add up to `items`."""

    # All without dropped items and their ratings, but for `dropped` and `dropped_ratings`.
    items: int
    finished: int  # items that have all the ratings they want
    counted: int  # ratings
    wanted: int  # ratings
    started: tuple[tuple[int, int], ...]  # pairs (ratings, items that have so many and want more)
    # In open batches, the only ones that hand out items:
    left: int  # ratings still wanted
    unfinished: int  # items that want ratings
    # In all batches:
    dropped: int = 0  # items
    dropped_ratings: int = 0  # that filled places of these
    goes_on: bool = False  # a batch is not complete

    @property
    def untouched(self) -> int:
        """The items without a rating."""
        started = sum(items for _ratings, items in self.started)
        return self.items - self.finished - started

    @property
    def is_complete(self) -> bool:
        """True if all the ratings wanted are there, some are wanted, and no more items come."""
        is_rated = bool(self.wanted) and not self.left and not self.left_elsewhere
        return is_rated and not self.goes_on

    @property
    def left_elsewhere(self) -> int:
        """The ratings still wanted in batches that are not open."""
        return max(0, self.wanted - self.counted - self.left)


def progress_of(project: Project) -> ProjectFigures:
    """Return how far a project is. The cost grows with the items that are started."""
    return _progress(PROGRESS_WITH_STARTED, [project.pk])[project.pk]


def progress_by_project(projects: Collection[int]) -> dict[int, ProjectFigures]:
    """Return how far each project is, by primary key, without the items that are started."""
    return _progress(PROGRESS, projects) if projects else {}


def _progress(statement: str, projects: Collection[int]) -> dict[int, ProjectFigures]:
    progress = dict.fromkeys(projects, ProjectFigures(0, 0, 0, 0, (), 0, 0))  # without a batch
    for row in rows_as(_ProgressRow, statement, {"projects": list(projects)}):
        started = [(ratings, items) for ratings, items in json.loads(row.started or "[]")]
        progress[row.project_id] = ProjectFigures(
            items=row.items,
            finished=row.finished,
            counted=row.counted,
            wanted=row.wanted,
            started=tuple(started),
            left=row.left,
            unfinished=row.unfinished,
            dropped=row.dropped,
            dropped_ratings=row.dropped_ratings,
            goes_on=row.goes_on,
        )
    return progress


class _ProgressRow(NamedTuple):
    """The columns of `SUMS`."""

    project_id: int
    items: int
    finished: int
    counted: int
    wanted: int
    started: str | None  # JSON
    left: int
    unfinished: int
    dropped: int
    dropped_ratings: int
    goes_on: bool
