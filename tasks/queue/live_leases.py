"""Load the leases of an annotator with all that the desk shows, in one statement.

The desk's views call `lease_of` and `lease_to_submit` with the numbers in an address, and
`take_next` calls `live_lease`. A lease comes with its item and responses, batch, project and
rubric, and with the drafts of the item: reading them takes no further query.
"""

from datetime import datetime
from functools import cache
from typing import Any

from config.web.people import User
from config.web.raw_sql import Columns, instances, one_row
from rubrics.models import Rubric
from tasks.models import Batch, Draft, Item, Lease, Project
from tasks.models.drafts import OF_ITEM
from tasks.models.roles import Role

from .selection import RESPONSES, give_responses

# The models in braces are their columns. The last column is NULL if the annotator no longer rates
# in the project, else how they view texts.
LEASE_AND_ALL = """
SELECT {lease}, {item}, {batch}, {project}, {rubric}, {responses}, {drafts},
  (SELECT membership.view FROM tasks_membership AS membership
    WHERE membership.project_id = project.id AND membership.user_id = lease.annotator_id
      AND membership.role = %(role)s)
FROM tasks_lease AS lease
JOIN tasks_item AS item ON item.id = lease.item_id
JOIN tasks_batch AS batch ON batch.id = item.batch_id
JOIN tasks_project AS project ON project.id = lease.project_id
JOIN rubrics_rubric AS rubric ON rubric.id = project.rubric_id
WHERE lease.annotator_id = %(annotator)s AND {condition}
"""

MADE = ("created_by", "created_at")  # columns of several models


def lease_of(annotator: User, slug: str, pk: int) -> Lease | None:
    """Return an annotator's lease in any state.

    Return None if there is none, or if the annotator no longer rates in the project.
    """
    lease = _by_key(annotator, slug, pk)
    return lease if lease is not None and lease.annotator_is_member else None


def lease_to_submit(annotator: User, slug: str, pk: int, now: datetime) -> Lease | None:
    """Return an annotator's lease as `lease_of` does, or the one that their removal just ended.

    That one takes a submit and nothing else. Its `annotator_is_member` is false.
    """
    lease = _by_key(annotator, slug, pk)
    if lease is None or lease.annotator_is_member or lease.takes_removed_submit(now):
        return lease
    return None


def live_lease(annotator: User, project: Project, now: datetime) -> Lease | None:
    """Return the annotator's live lease in a project, or None; there is one at most."""
    return _load(
        annotator,
        "lease.project_id = %(project)s AND lease.status = 'live' AND lease.expires_at > %(now)s",
        project=project.pk,
        now=now,
    )


def _by_key(annotator: User, slug: str, pk: int) -> Lease | None:
    """Return an annotator's lease in any state, also after they left the project."""
    return _load(annotator, "lease.id = %(lease)s AND project.slug = %(slug)s", lease=pk, slug=slug)


def _load(annotator: User, condition: str, **parameters: Any) -> Lease | None:
    """Return the annotator's lease that meets a condition in SQL, which has these parameters."""
    statement, parts = _statement(condition)
    parameters |= {"annotator": annotator.pk, "role": Role.ANNOTATOR.value}
    row = one_row(statement, parameters)
    if row is None:
        return None
    lease, item, batch, project, rubric, responses, drafts, view = instances(row, *parts)
    project.rubric = rubric
    lease.project = item.project = batch.project = project
    lease.item = item
    item.batch = batch
    lease.annotator = annotator
    lease.annotator_is_member = view is not None
    lease.chosen_view = view
    lease.drafts = Draft.read(drafts)
    give_responses(item, responses)
    return lease


@cache
def _statement(condition: str) -> tuple[str, tuple[Columns[Any], ...]]:
    """Return the statement that loads a lease for the desk, and its columns, model by model."""
    # Without what the desk does not show. Each process parses a published version of a rubric once
    # (`Rubric.schema`).
    of_batch = (*MADE, "file_name", "digest", "mapping")
    of_project = (*MADE, "archived_at", "form_key", "introduction")
    of_rubric = ("checks", "clauses", "dimensions", "guidance", "sources", "summary")
    model_columns: dict[str, Columns[Any]] = {
        "lease": Columns(Lease, "lease"),
        "item": Columns(Item, "item", defer=("metadata",)),
        "batch": Columns(Batch, "batch", defer=of_batch),
        "project": Columns(Project, "project", defer=of_project),
        "rubric": Columns(Rubric, "rubric", defer=(*MADE, *of_rubric, "published_at")),
    }
    statement = LEASE_AND_ALL.format(
        **model_columns,
        responses=RESPONSES.format(item="item.id"),
        drafts=OF_ITEM.format(item="lease.item_id", annotator="lease.annotator_id"),
        condition=condition,
    )
    return statement, tuple(model_columns.values())
