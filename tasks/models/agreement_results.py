"""Results of agreement, kept until ratings come."""

from django.db import models

from rubrics.models import Rubric

from .projects import Project


class AgreementResult(models.Model):
    """The figures of one dimension of a project, as the page and the command show them.

    They hold for as many ratings as the project had (`ratings`, revisions included). Ratings are
    never deleted, so an equal number means that none came since.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="+", db_index=False)
    dimension = models.CharField(max_length=80)
    first = models.BooleanField()  # of the first revisions, not of the current ones
    ratings = models.PositiveIntegerField()
    made_at = models.DateTimeField()
    figures = models.JSONField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "rubric", "dimension", "first"),
                name="a_dimension_has_one_result_of_agreement",
            ),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.dimension}"
