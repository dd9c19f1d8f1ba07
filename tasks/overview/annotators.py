"""Everyone who rates or has rated in a project, in one statement.

The ORM takes longer to write the statement than PostgreSQL to answer it.
"""

from datetime import datetime
from typing import NamedTuple

from django.contrib.auth import get_user_model

from config.web.raw_sql import rows_as
from tasks.models import Lease, Membership, Project

from .shortage import MAY_GET, PEOPLE

NAME = get_user_model().USERNAME_FIELD
MEMBER = """
SELECT FROM tasks_membership AS member
WHERE member.project_id = %(project)s AND member.role = %(role)s AND member.user_id = person.id
"""
ANNOTATORS = f"""
SELECT person.id AS key, person.{NAME} AS name,
  (SELECT submitted_at FROM tasks_rating
    WHERE annotator_id = person.id AND project_id = %(project)s ORDER BY id DESC LIMIT 1) AS last,
  EXISTS (SELECT FROM tasks_lease WHERE annotator_id = person.id AND project_id = %(project)s
    AND status = %(live)s AND expires_at > %(now)s) AS is_rating,
  person.is_active AND EXISTS ({MEMBER}) AS may_rate,
  {MAY_GET} AS may_get
FROM {PEOPLE} AS person
WHERE person.id IN (
  SELECT user_id FROM tasks_membership WHERE project_id = %(project)s AND role = %(role)s
  UNION ALL SELECT annotator_id FROM tasks_batchprogress WHERE project_id = %(project)s)
ORDER BY person.{NAME}
"""  # noqa: S608 - constant parts


class Annotator(NamedTuple):
    """Somebody who may rate or has rated."""

    key: int
    name: str
    last: datetime | None  # time of the last rating
    is_rating: bool  # holds an item now
    may_rate: bool
    may_get: int  # items that they may still get (`shortage.MAY_GET`)


def annotators_of(project: Project, now: datetime) -> list[Annotator]:
    """Return the annotators of a project, by name."""
    values = {
        "project": project.pk,
        "role": Membership.Role.ANNOTATOR.value,
        "live": Lease.Status.LIVE.value,
        "now": now,
    }
    return rows_as(Annotator, ANNOTATORS, values)
