"""Say what there is for an annotator in a project: an item, or why none, and until when.

`availability_of` is for one project, once the queue has found nothing for them; the desk shows it.
`prospects` is a first look at several projects, for the start page.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from config.web.people import User
from config.web.raw_sql import all_rows, one_row
from tasks.models.batches import Batch
from tasks.models.projects import Project
from tasks.models.wanted_ratings import WANTED

from .selection import (
    GROUPS,
    HAS_FREE_PLACE,
    LAST,
    NOT_DONE_BY,
    NOT_WARNED,
    PLACE,
    THEIRS,
    all_of,
    pick,
    pick_statement,
)
from .situation import Situation

SPREAD = GROUPS[Project.Grouping.SPREAD]
TOGETHER = GROUPS[Project.Grouping.TOGETHER]

# When the first lease of others ends whose item meets the condition, and would then have a place.
FIRST_LEASE = """
SELECT min(lease.expires_at)
FROM tasks_lease AS lease
JOIN tasks_item ON tasks_item.id = lease.item_id
JOIN tasks_batch AS batch ON batch.id = tasks_item.batch_id
WHERE lease.project_id = %(project)s AND lease.status = 'live'
  AND lease.annotator_id <> %(annotator)s AND batch.status = 'open' AND {theirs} AND {condition}
"""
# When the first group of others is free again that has an item with the condition. A group has a
# free slot again once fewer annotators hold it than ratings are wanted.
FIRST_GROUP = """
SELECT min(hold.expires_at)
FROM tasks_item
JOIN tasks_batch AS batch ON batch.id = tasks_item.batch_id
CROSS JOIN LATERAL (
  SELECT hold.expires_at FROM tasks_grouphold AS hold
  WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
  ORDER BY hold.expires_at DESC OFFSET tasks_item.wanted - 1 LIMIT 1
) AS hold
WHERE batch.project_id = %(project)s AND batch.status = 'open' AND {theirs} AND {condition}
"""
BATCHES_IN_STATUS = f"""
SELECT id FROM tasks_batch AS batch
WHERE project_id = %(project)s AND status = %(status)s AND {THEIRS}
"""  # noqa: S608 - constant parts
GOES_ON = f"""
SELECT EXISTS (SELECT FROM tasks_batch AS batch
  WHERE project_id = %(project)s AND status = 'open' AND NOT complete AND {THEIRS})
"""  # noqa: S608 - constant parts
NO_BATCH_WARNING = "batch.warning = ''"


def _has_item(first_position: str) -> str:
    """Return the SQL condition that `batch` has an item for the annotator from a position on."""
    return f"""EXISTS (
    SELECT FROM tasks_item
    WHERE tasks_item.batch_id = batch.id AND {PLACE} BETWEEN {first_position} AND {LAST}
      AND {HAS_FREE_PLACE} AND {NOT_DONE_BY}
      AND (project.grouping <> 'spread' OR {SPREAD})
      AND (project.grouping <> 'together' OR {TOGETHER}))"""


# Of several projects at once, in their open batches: how many items may come to the annotator at
# most, by the counts of batches and of batch progress, and whether one has a place for them now.
# Like the queue, it looks from their position on first.
PROSPECTS = f"""
SELECT batch.project_id, sum(rest.items)::int,
  bool_or(CASE WHEN rest.items > 0
    THEN {_has_item("coalesce(own.position, 0)")} OR {_has_item("0")} ELSE false END)
FROM tasks_batch AS batch
JOIN tasks_project AS project ON project.id = batch.project_id
LEFT JOIN tasks_batchprogress AS own ON own.batch_id = batch.id AND own.annotator_id = %(annotator)s
CROSS JOIN LATERAL (
  SELECT coalesce(sum(own.finished), 0) AS finished FROM tasks_batchprogress AS own
  WHERE own.batch_id = batch.id
) AS newly
CROSS JOIN LATERAL (
  SELECT greatest(0, batch.size - batch.dropped - greatest(
    coalesce(own.rated - own.dropped, 0), batch.finished + newly.finished)) AS items
) AS rest
WHERE project.id = ANY(%(projects)s::bigint[]) AND project.status = 'open'
  AND batch.status = 'open' AND {THEIRS}
GROUP BY batch.project_id
"""  # noqa: S608 - constant parts


class Prospect(NamedTuple):
    """The items that a project has for an annotator, whatever the day's limits are."""

    left: int = 0  # items that may come to them, at most
    has_item: bool = False  # one of them has a place now


def prospects(projects: Collection[Project], annotator: User, now: datetime) -> dict[int, Prospect]:
    """Return what each project has for an annotator, by primary key, in one query."""
    by_project = {project.pk: Prospect() for project in projects}
    values = {"projects": list(by_project), "annotator": annotator.pk, "now": now}
    for project, left, has_item in all_rows(PROSPECTS, values):
        by_project[project] = Prospect(left, has_item)
    return by_project


@dataclass(frozen=True, slots=True)
class Availability:
    """The answer for an annotator without an item.

    The states are:
    - returned: a rating that came back waits for them, and comes before the next item;
    - practice: they practise before their first item;
    - start: there is an item;
    - out: others have what is left;
    - daily: the day's limit of items is reached;
    - daily_warned: the day's limit of items with a warning is reached;
    - batches_paused, batches_closed: there would be more if these batches were open;
    - goes_on: more items will come into a batch;
    - nothing: there is nothing more;
    - the project's status, if the project is not open.
    """

    state: str
    back: datetime | None = None  # when others may give something back

    @property
    def is_work(self) -> bool:
        return self.state in ("returned", "practice", "start")

    @property
    def is_over(self) -> bool:
        """True if there is nothing to wait for either."""
        return self.state in ("nothing", "closed", "batches_closed")


def availability_of(project: Project, annotator: User, now: datetime) -> Availability:
    """Return what there is for an annotator; "nothing" only if there is nothing at all."""
    situation = Situation.of(project, annotator, now)
    if situation is None:
        project.refresh_from_db(fields=["status"])
        return Availability(str(project.status))
    if situation.has_returned:
        return Availability("returned")
    if not situation.admitted:
        return Availability("practice")
    if _has_more(project, annotator, situation, now):
        return Availability("start")
    back = None
    if situation.may_rate:
        back = next_return(project, annotator, may_be_warned=situation.may_be_warned)
    if back is not None and back <= now:
        return Availability("start")
    unlimited = situation.unlimited
    if situation != unlimited:
        is_limited = _has_more(project, annotator, unlimited, now)
        if is_limited or (back is None and next_return(project, annotator) is not None):
            return Availability("daily_warned" if situation.may_rate else "daily", back)
    if back is not None:
        return Availability("out", back)
    if wait_in(project, annotator, Batch.Status.PAUSED):
        return Availability("batches_paused")
    keys = {"project": project.pk, "annotator": annotator.pk}
    if one_row(GOES_ON, keys) == (True,):
        return Availability("goes_on")
    if wait_in(project, annotator, Batch.Status.CLOSED):
        return Availability("batches_closed")
    return Availability("nothing")


def _has_more(project: Project, annotator: User, situation: Situation, now: datetime) -> bool:
    """Return whether there is an item for an annotator in this situation, and lock nothing."""
    ranges = situation.everywhere()
    may_be_warned = situation.may_be_warned
    return pick(project, annotator, ranges, now, lock="", may_be_warned=may_be_warned) is not None


def next_return(
    project: Project, annotator: User, *, may_be_warned: bool = True
) -> datetime | None:
    """Return when the next item may come free for this annotator, or None.

    It counts items that they may rate too, and that others have leased or hold the group of.
    """
    rules = [NOT_DONE_BY]
    if not may_be_warned:
        rules += [NOT_WARNED, NO_BATCH_WARNING]
    # Judge the groups as they will be when the lease ends.
    groups = GROUPS[Project.Grouping(project.grouping)].replace("%(now)s", "lease.expires_at")
    of_leases = all_of(WANTED, *rules, groups)
    parts = [FIRST_LEASE.format(theirs=THEIRS, condition=of_leases)]
    if project.grouping == Project.Grouping.TOGETHER:
        of_groups = all_of(HAS_FREE_PLACE, *rules)
        parts.append(FIRST_GROUP.format(theirs=THEIRS, condition=of_groups))
    values = {"project": project.pk, "annotator": annotator.pk}
    row = one_row(f"SELECT least(({'), ('.join(parts)}))", values)
    return row[0] if row else None


def wait_in(project: Project, annotator: User, status: Batch.Status) -> bool:
    """Return whether an annotator would get more if the batches with that status were open."""
    keys = {"project": project.pk, "annotator": annotator.pk}
    batches = [pk for (pk,) in all_rows(BATCHES_IN_STATUS, {**keys, "status": status})]
    if not batches:
        return False
    condition = all_of(WANTED, NOT_DONE_BY)
    # Groups that others hold come free sooner or later, so only SPREAD counts.
    if project.grouping == Project.Grouping.SPREAD:
        condition = all_of(condition, SPREAD)
    size = len(batches)
    values = {**keys, "batches": batches, "firsts": [0] * size, "lasts": [LAST] * size}
    return one_row(pick_statement(condition), values) is not None
