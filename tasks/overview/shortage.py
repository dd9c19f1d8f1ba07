"""Ratings that can't come, because too few people rate in a project."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model

from config.web.raw_sql import all_rows
from tasks.models import Project
from tasks.models.progress import ProjectFigures
from tasks.models.roles import Role
from tasks.queue.selection import THEIRS

# For each project the items that each of its people may still get: those of open batches that are
# theirs, by the stored counts, without what they rated.
LEFT = """
SELECT member.project_id, array_agg(items.number - {skipped})
FROM tasks_membership AS member JOIN {people} AS person ON person.id = member.user_id
CROSS JOIN LATERAL (
  SELECT coalesce(sum(batch.size - batch.dropped - coalesce(own.rated - own.dropped, 0)), 0)::int
    AS number
  FROM tasks_batch AS batch LEFT JOIN tasks_batchprogress AS own
    ON own.batch_id = batch.id AND own.annotator_id = member.user_id
  WHERE batch.project_id = member.project_id AND batch.status = 'open' AND {theirs}
) AS items
WHERE member.project_id = ANY(%(projects)s) AND member.role = %(role)s AND person.is_active
GROUP BY member.project_id
"""
# What someone skipped and has not rated, as `queue.selection` leaves it out.
SKIPPED = """(
  SELECT count(DISTINCT concern.item_id)::int FROM tasks_concern AS concern
  JOIN tasks_item AS item ON item.id = concern.item_id AND NOT item.dropped
  JOIN tasks_batch AS batch ON batch.id = item.batch_id AND batch.status = 'open' AND {theirs}
  WHERE concern.project_id = member.project_id AND concern.annotator_id = member.user_id
    AND concern.kind = 'skip' AND (concern.decision <> 'again' OR concern.reason = 'distressing')
    AND NOT EXISTS (SELECT FROM tasks_rating AS rated
      WHERE rated.item_id = item.id AND rated.annotator_id = member.user_id))"""


@dataclass(frozen=True, slots=True)
class Shortage:
    """Ratings that can't come from the people of a project."""

    ratings: int
    people: int
    is_all_done: bool  # nobody has an item left


def shortages(progress: Mapping[Project, ProjectFigures]) -> dict[int, Shortage]:
    """Return the shortage of each project that has people, by primary key, from stored counts.

    `ratings` is 0 where all can come. An item that someone skipped counts as left to them here.
    """
    left = _left(progress, skipped="0")
    return {
        project.pk: _shortage(project, progress[project], left[project.pk])
        for project in progress
        if project.pk in left
    }


def shortage_of(project: Project, progress: ProjectFigures) -> Shortage | None:
    """Return the shortage of a project, or None."""
    left = _left([project], skipped=SKIPPED)
    if project.pk not in left:
        return None
    shortage = _shortage(project, progress, left[project.pk])
    return shortage if shortage.ratings else None


def _left(projects: Collection[Project], *, skipped: str) -> dict[int, Sequence[int]]:
    statement = LEFT.replace("{skipped}", skipped).format(
        people=get_user_model()._meta.db_table,
        theirs=THEIRS.replace("%(annotator)s", "member.user_id"),
    )
    values = {"projects": [each.pk for each in projects], "role": Role.ANNOTATOR.value}
    return dict(all_rows(statement, values)) if projects else {}


def _shortage(project: Project, progress: ProjectFigures, left: Sequence[int]) -> Shortage:
    """Return how many of the ratings left are more than one of each person for each item."""
    most = sum(min(max(0, each), progress.unfinished) for each in left)
    lacking = progress.left - most if project.status == Project.Status.OPEN else 0
    return Shortage(max(0, lacking), people=len(left), is_all_done=not most)
