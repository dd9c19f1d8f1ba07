"""Answers about all responses of a model in a batch."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.web.people import User

from .batches import Batch
from .imported import ImportedRater, RatingFile
from .projects import Project

OF_AN_ACCOUNT = Q(annotator__isnull=False, rater__isnull=True)
OF_A_FILE = Q(annotator__isnull=True, rater__isnull=False)


class CorpusAnswerQuerySet(models.QuerySet["CorpusAnswer"]):
    def latest_of(self, annotator: User, batch: int) -> dict[tuple[str, str, str], str]:
        """Return the latest answer for each (model, dimension, check code) of a batch.

        `batch` is a primary key.
        """
        answers = self.filter(annotator=annotator, batch=batch).order_by("revision")
        rows = answers.values_list("model", "dimension", "code", "answer")
        return {(model, dimension, code): answer for model, dimension, code, answer in rows}


class CorpusAnswer(models.Model):
    """An answer about all responses of a model in a batch (DQ-11).

    It is given once, before the first score that it affects. It can be revised, and every revision
    stays.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="corpus_answers")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="corpus_answers")
    # One of these two answered, as with a rating.
    annotator: models.ForeignKey[User, User] = models.ForeignKey(  # type: ignore[misc]
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="corpus_answers",
    )
    rater = models.ForeignKey(
        ImportedRater,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="corpus_answers",
    )
    file = models.ForeignKey(
        RatingFile, on_delete=models.PROTECT, null=True, blank=True, related_name="answers"
    )
    model = models.TextField()
    dimension = models.CharField(max_length=80)
    code = models.CharField("check", max_length=80)
    answer = models.CharField(max_length=80)
    revision = models.PositiveSmallIntegerField(default=1)
    answered_at = models.DateTimeField()

    objects = CorpusAnswerQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "batch", "model", "dimension", "code", "revision"),
                name="revisions_of_a_corpus_answer_are_numbered",
            ),
            models.UniqueConstraint(
                fields=("rater", "batch", "model", "dimension", "code", "revision"),
                condition=Q(rater__isnull=False),
                name="revisions_of_an_imported_answer_are_numbered",
            ),
            models.CheckConstraint(
                condition=OF_AN_ACCOUNT | OF_A_FILE,
                name="a_corpus_answer_is_an_accounts_or_came_in_a_file",
            ),
        )
