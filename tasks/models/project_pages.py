"""The project of a page on cases, with what its frame needs.

One plain statement: the ORM takes several times as long to write it, at each decision of a lead.
"""

from config.web.people import User
from config.web.raw_sql import Columns, instances, one_row
from rubrics.models import PARSED_COLUMNS, Rubric

from .project_queries import HAS_IMPORTED, LED_AS, NEWER_VERSION
from .projects import Project
from .roles import Role

HAS_MEMBER = """
EXISTS (SELECT FROM tasks_membership
  WHERE project_id = tasks_project.id AND user_id = %s AND role = ANY(%s))
"""
PROJECT = Columns(Project, "tasks_project")
RUBRIC = Columns(Rubric, "rubrics_rubric", defer=PARSED_COLUMNS)
TO_SETTLE = f"""
SELECT {PROJECT}, {RUBRIC}, {HAS_IMPORTED}, ({LED_AS}), ({NEWER_VERSION})
FROM tasks_project JOIN rubrics_rubric ON rubrics_rubric.id = tasks_project.rubric_id
WHERE tasks_project.slug = %s AND (%s OR {HAS_MEMBER})
"""  # noqa: S608 - constant parts


def project_to_settle(user: User, slug: str) -> Project | None:
    """Return a project whose cases a user may settle, or None.

    It has what `for_lead_pages` has, and `as_adjudicator`: True if the user is no lead. Then no
    page may show people, models or anything besides the cases and the rubric.
    """
    roles = [Role.LEAD.value, Role.ADJUDICATOR.value]
    values = (user.pk, Role.LEAD.value, slug, user.is_superuser, user.pk, roles)
    row = one_row(TO_SETTLE, values)
    if row is None:
        return None
    project, rubric, has_imported, led_as, newer_version = instances(row, PROJECT, RUBRIC)
    project.rubric = rubric
    project.has_imported = has_imported
    project.led_as = led_as
    project.newer_version = newer_version
    project.as_adjudicator = led_as is None and not user.is_superuser
    return project
