"""Ratings that can't come, because too few people rate in a project."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model

from config.web.raw_sql import all_rows
from tasks.models import Project
from tasks.models.progress import ProjectFigures
from tasks.models.roles import Role
from tasks.queue.selection import THEIRS

PEOPLE = get_user_model()._meta.db_table
# The items that a person may still get: those of open batches that are theirs, by the stored
# counts, without what they rated.
ITEMS = """(
  SELECT coalesce(sum(batch.size - batch.dropped - coalesce(own.rated - own.dropped, 0)), 0)::int
  FROM tasks_batch AS batch LEFT JOIN tasks_batchprogress AS own
    ON own.batch_id = batch.id AND own.annotator_id = person.id
  WHERE batch.project_id = {project} AND batch.status = 'open' AND {theirs})"""
# What they skipped and have not rated, and does not come back: the lead has decided so, or they
# find it distressing.
SKIPPED = """(
  SELECT count(DISTINCT concern.item_id)::int FROM tasks_concern AS concern
  JOIN tasks_item AS item ON item.id = concern.item_id AND NOT item.dropped
  JOIN tasks_batch AS batch ON batch.id = item.batch_id AND batch.status = 'open' AND {theirs}
  WHERE concern.project_id = {project} AND concern.annotator_id = person.id
    AND concern.kind = 'skip'
    AND (concern.decision NOT IN ('', 'again') OR concern.reason = 'distressing')
    AND NOT EXISTS (SELECT FROM tasks_rating AS rated
      WHERE rated.item_id = item.id AND rated.annotator_id = person.id))"""
OF_EACH = """
SELECT member.project_id, array_agg({items})
FROM tasks_membership AS member JOIN {people} AS person ON person.id = member.user_id
WHERE member.project_id = ANY(%(projects)s) AND member.role = %(role)s AND person.is_active
GROUP BY member.project_id
"""


@dataclass(frozen=True, slots=True)
class Shortage:
    """Ratings that can't come from the people of a project; 0 if all of them can."""

    ratings: int
    people: int
    is_all_done: bool  # nobody has an item left


def shortages_of(progress: Mapping[Project, ProjectFigures]) -> dict[int, Shortage]:
    """Return the shortage of each project that has people, by primary key, from stored counts.

    An item that someone skipped counts as one that they may still get.
    """
    statement = OF_EACH.format(items=_of_person(ITEMS, "member.project_id"), people=PEOPLE)
    values = {"projects": [project.pk for project in progress], "role": Role.ANNOTATOR.value}
    rows = all_rows(statement, values) if progress else []
    items_left: dict[int, Sequence[int]] = dict(rows)
    shortages = {}
    for project, figures in progress.items():
        if project.pk in items_left:
            shortages[project.pk] = shortage_of(project, figures, items_left[project.pk])
    return shortages


def shortage_of(project: Project, progress: ProjectFigures, left: Iterable[int]) -> Shortage:
    """Return how many of the ratings left are more than one of each person for each item.

    `left`: the items that each person may still get.
    """
    most = [min(max(0, items), progress.unfinished) for items in left]
    lacking = 0
    if most and project.status == Project.Status.OPEN:
        lacking = progress.left - sum(most)
    return Shortage(max(0, lacking), people=len(most), is_all_done=not any(most))


def _of_person(expression: str, project: str) -> str:
    return expression.format(project=project, theirs=THEIRS.replace("%(annotator)s", "person.id"))


# Expression for the items of a project that a person may still get.
MAY_GET = _of_person(f"{ITEMS} - {SKIPPED}", "%(project)s")
