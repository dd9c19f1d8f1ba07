"""Results of agreement: the figures of one dimension, stored so that no page computes them.

`tasks/agreement/results.py` makes and reads them.
"""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from rubrics.models import Rubric

from .projects import Project
from .stored_figures import ScoreCounts


class AgreementResultQuerySet(models.QuerySet["AgreementResult"]):
    def of(self, project: Project, dimension: str, *, first: bool, sound: bool, talk: bool) -> Self:
        """Return the result of a dimension under the project's rubric, of these ratings."""
        return self.filter(
            project=project,
            rubric=project.rubric_id,
            dimension=dimension,
            first=first,
            sound=sound,
            talk=talk,
        )

    def with_acts(self) -> Self:
        """Annotate how often an item was dropped or taken back by now, and when last."""
        counts = ScoreCounts.objects.filter(project=OuterRef("project"))
        acts = Coalesce(Subquery(counts.values("acts")), 0)
        acted_at = Subquery(counts.values("acted_at"))
        return self.annotate(acts_now=acts, acted_at=acted_at)


class AgreementResult(models.Model):
    """The figures of one dimension of a project, as the page and the command show them.

    They hold for as many ratings as the project had (`ratings`, revisions included). Whoever takes
    a file back deletes them, so an equal number means that no rating came since. `acts`: as of
    `ScoreCounts`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="+", db_index=False)
    dimension = models.CharField(max_length=80)
    first = models.BooleanField()  # of the first revisions, not of the last ones
    sound = models.BooleanField(default=False, db_default=False)  # without those that break a rule
    # With the revisions after a question. Stored only where there are any; else both are the same.
    talk = models.BooleanField(default=False, db_default=False)
    ratings = models.PositiveIntegerField()
    acts = models.PositiveIntegerField(default=0, db_default=0)
    made_at = models.DateTimeField()
    figures = models.JSONField()

    objects = AgreementResultQuerySet.as_manager()

    # Set by `with_acts`.
    acts_now: int
    acted_at: datetime | None

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "rubric", "dimension", "first", "sound", "talk"),
                name="a_dimension_has_one_result_of_agreement",
            ),
        )
