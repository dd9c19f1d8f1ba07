"""The cases that people have open, so that no two settle the same one at the same time."""

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models

from config.web.people import User

from .projects import Project

OPEN_FOR = timedelta(minutes=10)


class CaseOpeningQuerySet(models.QuerySet["CaseOpening"]):
    def note(self, project: Project, user: User, token: str, *, now: datetime) -> None:
        """Store which case a person opened last in a project."""
        self.update_or_create(
            project=project, user=user, defaults={"token": token, "opened_at": now}
        )

    def by_others(self, project: Project, user: User, *, now: datetime) -> Self:
        """Return the cases that others have open."""
        recent = self.filter(project=project, opened_at__gt=now - OPEN_FOR)
        return recent.exclude(user=user)


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
