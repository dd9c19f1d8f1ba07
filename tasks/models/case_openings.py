"""The cases that people have open, so that no two settle the same one at the same time."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models

from config.web.people import User
from config.web.raw_sql import all_rows, run

from .projects import Project

OPEN_FOR = timedelta(minutes=10)


NOTE = """
INSERT INTO tasks_caseopening (project_id, user_id, token, opened_at)
VALUES (%(project)s, %(user)s, %(token)s, %(now)s)
ON CONFLICT (project_id, user_id)
DO UPDATE SET token = excluded.token, opened_at = excluded.opened_at
"""
OF_OTHERS = """
SELECT token FROM tasks_caseopening
WHERE project_id = %(project)s AND user_id <> %(user)s AND opened_at > %(since)s
"""


class CaseOpeningQuerySet(models.QuerySet["CaseOpening"]):
    def note(self, project: Project, user: User, token: str, *, now: datetime) -> None:
        """Store which case a person opened last in a project."""
        run(NOTE, {"project": project.pk, "user": user.pk, "token": token, "now": now})

    def tokens_of_others(self, project: Project, user: User, *, now: datetime) -> frozenset[str]:
        """Return the names of the cases that others have open."""
        values = {"project": project.pk, "user": user.pk, "since": now - OPEN_FOR}
        return frozenset(token for (token,) in all_rows(OF_OTHERS, values))


class CaseOpening(models.Model):
    """The case that a person opened last in a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    token = models.CharField(max_length=16)
    opened_at = models.DateTimeField()

    objects = CaseOpeningQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "user"), name="a_person_has_one_case_open_in_a_project"
            ),
        )
