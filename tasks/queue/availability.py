"""Say why an annotator gets no item, and when they may get one again.

This runs only after the queue has found nothing for them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from config.web.people import User
from config.web.raw_sql import all_rows, one_row
from tasks.models.batches import Batch
from tasks.models.projects import Project

from .selection import (
    GROUPS,
    HAS_FREE_PLACE,
    LAST,
    NOT_DONE_BY,
    NOT_WARNED,
    PLACE,
    THEIRS,
    WANTED,
    pick,
    pick_statement,
)
from .situation import Situation

# When the first lease of others ends whose item would then have a place for this annotator.
FIRST_LEASE = """
SELECT min(lease.expires_at)
FROM tasks_lease AS lease
JOIN tasks_item ON tasks_item.id = lease.item_id
JOIN tasks_batch AS batch ON batch.id = tasks_item.batch_id
WHERE lease.project_id = %(project)s AND lease.status = 'live'
  AND lease.annotator_id <> %(annotator)s AND batch.status = 'open' AND {theirs} AND {open}
"""
NO_BATCH_WARNING = """
  AND batch.warning = ''
"""
NOT_OPEN = """
SELECT id FROM tasks_batch AS batch
WHERE project_id = %(project)s AND status = %(status)s AND {theirs}
"""
GOES_ON = """
SELECT EXISTS (SELECT FROM tasks_batch AS batch
  WHERE project_id = %(project)s AND status = 'open' AND NOT complete AND {theirs})
"""
# A group has a free slot again once fewer annotators hold it than ratings are wanted.
FIRST_GROUP = """
SELECT min(hold.expires_at)
FROM tasks_item
JOIN tasks_batch AS batch ON batch.id = tasks_item.batch_id
CROSS JOIN LATERAL (
  SELECT hold.expires_at FROM tasks_grouphold AS hold
  WHERE hold.project_id = tasks_item.project_id AND hold."group" = tasks_item."group"
  ORDER BY hold.expires_at DESC OFFSET tasks_item.wanted - 1 LIMIT 1
) AS hold
WHERE batch.project_id = %(project)s AND batch.status = 'open' AND {theirs} AND {open}
"""
AN_ITEM = """EXISTS (
    SELECT FROM tasks_item
    WHERE tasks_item.batch_id = batch.id AND {place} BETWEEN {first} AND {last} AND {open}
      AND (project.grouping <> 'spread' OR (true {spread}))
      AND (project.grouping <> 'together' OR (true {together})))"""
# The open batches of several projects at once: how many items may come to the annotator at most, by
# the counts of batches and of batch progress, and whether one has a place for them now. Like the
# queue, it looks from their position on first.
PROSPECTS = """
SELECT batch.project_id, sum(rest.items)::int,
  bool_or(CASE WHEN rest.items > 0 THEN {next} OR {any} ELSE false END)
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
  AND batch.status = 'open' AND {theirs}
GROUP BY batch.project_id
"""


def prospects(
    projects: Collection[Project], annotator: User, now: datetime
) -> dict[int, tuple[int, bool]]:
    """Return what each project has for an annotator, without the day's limits, in one query.

    By its primary key: the items that may come to them at most, and whether one has a place now.
    """
    rules = {
        "place": PLACE,
        "last": LAST,
        "open": HAS_FREE_PLACE + NOT_DONE_BY,
        "spread": GROUPS[Project.Grouping.SPREAD],
        "together": GROUPS[Project.Grouping.TOGETHER],
    }
    following = AN_ITEM.format(first="coalesce(own.position, 0)", **rules)
    anywhere = AN_ITEM.format(first=0, **rules)
    statement = PROSPECTS.format(next=following, any=anywhere, theirs=THEIRS)
    by_project = {project.pk: (0, False) for project in projects}
    values = {"projects": list(by_project), "annotator": annotator.pk, "now": now}
    for key, left, has_item in all_rows(statement, values):
        by_project[key] = left, has_item
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
    if _finds(project, annotator, situation, now):
        return Availability("start")
    back = None
    if situation.may_rate:
        back = next_return(project, annotator, may_be_warned=situation.may_be_warned)
    if back is not None and back <= now:
        return Availability("start")
    unlimited = situation.unlimited
    if situation != unlimited:
        has_more = _finds(project, annotator, unlimited, now)
        if has_more or (back is None and next_return(project, annotator) is not None):
            return Availability("daily_warned" if situation.may_rate else "daily", back)
    if back is not None:
        return Availability("out", back)
    if wait_in(project, annotator, Batch.Status.PAUSED):
        return Availability("batches_paused")
    keys = {"project": project.pk, "annotator": annotator.pk}
    if one_row(GOES_ON.format(theirs=THEIRS), keys) == (True,):
        return Availability("goes_on")
    if wait_in(project, annotator, Batch.Status.CLOSED):
        return Availability("batches_closed")
    return Availability("nothing")


def _finds(project: Project, annotator: User, situation: Situation, now: datetime) -> bool:
    probes = situation.everywhere()
    may_be_warned = situation.may_be_warned
    return pick(project, annotator, probes, now, lock="", may_be_warned=may_be_warned) is not None


def next_return(
    project: Project, annotator: User, *, may_be_warned: bool = True
) -> datetime | None:
    """Return when the next item may come free for this annotator, or None.

    It counts items that they may rate too, and that others have leased or hold the group of.
    """
    # Judge the groups as they will be when the lease ends.
    groups = GROUPS[Project.Grouping(project.grouping)].replace("%(now)s", "lease.expires_at")
    limit = "" if may_be_warned else NOT_WARNED + NO_BATCH_WARNING
    parts = [FIRST_LEASE.format(theirs=THEIRS, open=WANTED + NOT_DONE_BY + limit + groups)]
    if project.grouping == Project.Grouping.TOGETHER:
        parts.append(FIRST_GROUP.format(theirs=THEIRS, open=HAS_FREE_PLACE + NOT_DONE_BY + limit))
    values = {"project": project.pk, "annotator": annotator.pk}
    row = one_row(f"SELECT least(({'), ('.join(parts)}))", values)
    return row[0] if row else None


def wait_in(project: Project, annotator: User, status: Batch.Status) -> bool:
    """Return whether an annotator would get more if the batches with that status were open."""
    keys = {"project": project.pk, "annotator": annotator.pk}
    rows = all_rows(NOT_OPEN.format(theirs=THEIRS), {**keys, "status": status})
    batches = [pk for (pk,) in rows]
    if not batches:
        return False
    condition = WANTED + NOT_DONE_BY
    # Groups that others hold come free sooner or later, so only SPREAD counts.
    if project.grouping == Project.Grouping.SPREAD:
        condition += GROUPS[Project.Grouping.SPREAD]
    size = len(batches)
    values = {**keys, "batches": batches, "firsts": [0] * size, "lasts": [LAST] * size}
    return one_row(pick_statement(condition), values) is not None
