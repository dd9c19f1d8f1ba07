"""The source's own text of a rubric's clauses, as leads add it to their project."""

from typing import Self

from django.conf import settings
from django.db import models

from config.web.people import User
from rubrics.models import Rubric

LONGEST_CLAUSE_TEXT = 4_000  # characters


class ClauseTextQuerySet(models.QuerySet["ClauseText"]):
    def read_by(self, user: User, rubric: Rubric) -> Self:
        """Return the texts in the projects of a user that are on this version of a rubric."""
        texts = self.filter(project__rubric=rubric, project__memberships__user=user)
        return texts.select_related("project").order_by("project__title", "clause").distinct()


class ClauseText(models.Model):
    """The text of one clause in a project, word for word."""

    project = models.ForeignKey("tasks.Project", models.PROTECT, related_name="clause_texts")
    clause = models.CharField(max_length=80)
    text = models.TextField(max_length=LONGEST_CLAUSE_TEXT)
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    written_at = models.DateTimeField()

    objects = ClauseTextQuerySet.as_manager()

    class Meta:
        ordering = ("project", "clause")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "clause"), name="a_clause_has_one_text_in_a_project"
            ),
        )

    def __str__(self) -> str:
        return self.clause
