"""Ratings that can't come, because too few people rate in a project.

An item takes at most one rating from each person. So if all of them rated all that they may still
get, and ratings were lacking even then, more people are needed: that is the shortage. The overview
and the start page of leads say it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model

from config.web.raw_sql import all_rows
from tasks.models import Project
from tasks.models.progress import ProjectFigures
from tasks.models.roles import Role
from tasks.queue.selection import is_open_to

ACCOUNTS = get_user_model()._meta.db_table
# The items that each active annotator of a project may still get: those of open batches that are
# theirs, without what they rated. Statements read it as a table. It reads stored counts, no items.
ITEMS_TO_GET = f"""(
  SELECT member.project_id, member.user_id,
    coalesce(sum(batch.size - batch.dropped - coalesce(own.rated - own.dropped, 0)), 0)::int
      AS items
  FROM tasks_membership AS member
  JOIN {ACCOUNTS} AS account ON account.id = member.user_id AND account.is_active
  LEFT JOIN tasks_batch AS batch ON batch.project_id = member.project_id
    AND batch.status = 'open' AND {is_open_to("member.user_id")}
  LEFT JOIN tasks_batchprogress AS own
    ON own.batch_id = batch.id AND own.annotator_id = member.user_id
  WHERE member.role = %(role)s
  GROUP BY member.project_id, member.user_id
)"""  # noqa: S608 - constant parts
ITEMS_BY_PROJECT = f"""
SELECT project_id, array_agg(items) FROM {ITEMS_TO_GET} AS person
WHERE project_id = ANY(%(projects)s) GROUP BY project_id
"""  # noqa: S608 - constant parts


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
    if not progress:
        return {}
    values = {"projects": [project.pk for project in progress], "role": Role.ANNOTATOR.value}
    items_to_get: dict[int, Sequence[int]] = dict(all_rows(ITEMS_BY_PROJECT, values))
    shortages = {}
    for project, figures in progress.items():
        if project.pk in items_to_get:
            shortages[project.pk] = shortage_of(project, figures, items_to_get[project.pk])
    return shortages


def shortage_of(
    project: Project, progress: ProjectFigures, items_to_get: Iterable[int]
) -> Shortage:
    """Return the shortage of a project. `items_to_get`: what each person may still get."""
    most = [min(max(0, items), progress.unfinished) for items in items_to_get]
    lacking = 0
    if most and project.status == Project.Status.OPEN:
        lacking = progress.left - sum(most)
    return Shortage(max(0, lacking), people=len(most), is_all_done=not any(most))
