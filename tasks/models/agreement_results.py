"""Results of agreement: the figures of one dimension, stored so that no page computes them.

`tasks/agreement/results.py` makes and reads them.
"""

from datetime import datetime
from typing import NamedTuple, Self

from django.db import models
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from rubrics.models import Rubric

from .projects import Project
from .stored_figures import ScoreCounts


class RatingChoice(NamedTuple):
    """The ratings that a result of agreement is of: else the last revisions before any talk."""

    first: bool = False  # the first revisions
    sound: bool = False  # without ratings that break a rule
    # The current revisions, those after a question too. Stored only where there are such.
    talk: bool = False


ALL_RATINGS = RatingChoice()


class AgreementResultQuerySet(models.QuerySet["AgreementResult"]):
    def of(self, project: Project, dimension: str, choice: RatingChoice) -> Self:
        """Return the result of a dimension under the project's rubric, of these ratings."""
        return self.filter(
            project=project, rubric=project.rubric_id, dimension=dimension, **choice._asdict()
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
    # As in `RatingChoice`.
    first = models.BooleanField()
    sound = models.BooleanField(default=False, db_default=False)
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
