"""Everyone who rates or has rated in a project, in one statement.

The ORM takes longer to write the statement than PostgreSQL to answer it.
"""

from datetime import datetime
from typing import NamedTuple

from django.contrib.auth import get_user_model

from config.web.raw_sql import rows_as
from tasks.models import Project
from tasks.models.roles import Role
from tasks.queue.selection import is_open_to

from .shortage import ACCOUNTS, ITEMS_TO_GET

NAME = get_user_model().USERNAME_FIELD
# `may_get` leaves out what they skipped, have not rated, and does not come back: the lead has
# decided so, or they find it distressing.
ANNOTATORS = f"""
SELECT person.id AS key, person.{NAME} AS name,
  (SELECT submitted_at FROM tasks_rating
    WHERE annotator_id = person.id AND project_id = %(project)s ORDER BY id DESC LIMIT 1) AS last,
  EXISTS (SELECT FROM tasks_lease WHERE annotator_id = person.id AND project_id = %(project)s
    AND status = 'live' AND expires_at > %(now)s) AS is_rating,
  person.is_active AND EXISTS (SELECT FROM tasks_membership AS member
    WHERE member.project_id = %(project)s AND member.role = %(role)s
      AND member.user_id = person.id) AS may_rate,
  coalesce((SELECT items FROM {ITEMS_TO_GET} AS unrated
    WHERE unrated.project_id = %(project)s AND unrated.user_id = person.id), 0)
  - (SELECT count(DISTINCT concern.item_id)::int FROM tasks_concern AS concern
    JOIN tasks_item AS item ON item.id = concern.item_id AND NOT item.dropped
    JOIN tasks_batch AS batch ON batch.id = item.batch_id AND batch.status = 'open'
      AND {is_open_to("person.id")}
    WHERE concern.project_id = %(project)s AND concern.annotator_id = person.id
      AND concern.kind = 'skip'
      AND (concern.decision NOT IN ('', 'again') OR concern.reason = 'distressing')
      AND NOT EXISTS (SELECT FROM tasks_rating AS rated
        WHERE rated.item_id = item.id AND rated.annotator_id = person.id)) AS may_get
FROM {ACCOUNTS} AS person
WHERE person.id IN (
  SELECT user_id FROM tasks_membership WHERE project_id = %(project)s AND role = %(role)s
  UNION ALL SELECT annotator_id FROM tasks_batchprogress WHERE project_id = %(project)s)
ORDER BY person.{NAME}
"""  # noqa: S608 - constant parts


class Annotator(NamedTuple):
    """Somebody who may rate or has rated. Its fields are the columns of `ANNOTATORS`."""

    key: int
    name: str
    last: datetime | None  # time of the last rating
    is_rating: bool  # holds an item now
    may_rate: bool
    may_get: int  # items that they may still get, if they may rate


def annotators_of(project: Project, now: datetime) -> list[Annotator]:
    """Return the annotators of a project, by name."""
    values = {"project": project.pk, "role": Role.ANNOTATOR.value, "now": now}
    return rows_as(Annotator, ANNOTATORS, values)
