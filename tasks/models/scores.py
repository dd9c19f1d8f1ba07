"""Scores and what they rest on: the order shown, looked-up claims, answers about a corpus."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from rubrics import schema
from rubrics.rules import judge

from .concerns import ReturnedRating
from .imported import ImportedRater, RatingFile
from .items import Batch, Response
from .projects import Project
from .ratings import Rating

UNITS = [
    (schema.Unit.RESPONSE.value, _("response")),
    (schema.Unit.CANDIDATE_SET.value, _("candidate set")),
]
WITHOUT = [
    (schema.Without.BLANK.value, _("not applicable")),
    (schema.Without.NOT_ASKED.value, _("not asked")),
]


class Placement(models.Model):
    """A response's position on the desk, and the comment on it."""

    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="placements", db_index=False
    )
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="placements")
    position = models.PositiveSmallIntegerField()  # 1 is the first, shown as A
    comment = models.TextField(blank=True)
    # The answers about the whole response, by check code.
    checks = models.JSONField(default=dict, blank=True, db_default={})

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "position"), name="one_response_stands_at_a_place"
            ),
            models.UniqueConstraint(
                fields=("rating", "response"), name="a_response_stands_at_one_place"
            ),
        )


class Score(models.Model):
    """The score of a response, or of a model's candidate set if `response` is empty."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="scores")
    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="scores")
    dimension = models.CharField(max_length=80)
    unit = models.CharField(max_length=20, choices=UNITS)
    response = models.ForeignKey(
        Response,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="scores",
    )
    model = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField()
    value = models.SmallIntegerField(null=True, blank=True)
    # Why there is no value.
    without = models.CharField(
        max_length=10, choices=WITHOUT, blank=True, default="", db_default=""
    )
    open = ArrayField(models.SmallIntegerField())
    # Clauses of the rules that barred the other scores.
    clauses = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    # Names of the rules that an imported score breaks.
    breaks = ArrayField(models.TextField(), default=list, blank=True, db_default=[])
    # The remarks that the annotator saw and did not follow, as [{clause, rule, text}].
    remarks = models.JSONField(default=list, blank=True)
    # All answers, by check code.
    checks = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "dimension", "response"),
                condition=Q(response__isnull=False),
                name="a_response_has_one_score_for_a_dimension",
            ),
            models.UniqueConstraint(
                fields=("rating", "dimension", "model"),
                condition=Q(response__isnull=True),
                name="a_candidate_set_has_one_score_for_a_dimension",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, without="")
                | Q(value__isnull=True, without__in=("blank", "not_asked")),
                name="a_score_has_a_value_or_says_why_not",
            ),
        )

    @property
    def target(self) -> int | str:
        """The primary key of the response that is scored, or the model of the candidate set."""
        return self.model if self.response_id is None else self.response_id


class FactCheck(models.Model):
    """A claim that was looked up (RQ-02, RQ-03)."""

    class Outcome(models.TextChoices):
        HOLDS = "holds", _("it holds")
        REFUTED = "refuted", _("it is refuted")
        UNDETERMINED = "undetermined", _("undetermined")

    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="fact_checks", db_index=False
    )
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="fact_checks")
    position = models.PositiveSmallIntegerField()
    claim = models.TextField()
    outcome = models.CharField(max_length=12, choices=Outcome)
    sources = models.TextField(blank=True)  # URLs, one per line
    # From the start of the look-up to its outcome; None if it was not timed.
    seconds = models.PositiveIntegerField(null=True, blank=True)
    # The look-up took all the time that the rubric allows, or more.
    over_time = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "response", "position"),
                name="fact_checks_of_a_response_are_numbered",
            ),
            models.CheckConstraint(
                condition=Q(over_time=False) | Q(seconds__isnull=False),
                name="a_look_up_over_time_was_timed",
            ),
        )


class CorpusAnswerQuerySet(models.QuerySet["CorpusAnswer"]):
    def latest_of(self, annotator: User, batch: int) -> dict[tuple[str, str, str], str]:
        """Return the latest answer for each (model, dimension, check code) of a batch.

        `batch` is a primary key.
        """
        answers = self.filter(annotator=annotator, batch=batch).order_by("revision")
        return {
            (model, dimension, code): answer
            for model, dimension, code, answer in answers.values_list(
                "model", "dimension", "code", "answer"
            )
        }

    def record(
        self,
        *,
        annotator: User,
        batch: Batch,
        model: str,
        dimension: schema.Dimension,
        code: str,
        answer: str,
        now: datetime,
    ) -> None:
        """Store an answer; one that differs from the last is a new revision.

        Earlier scores that it bars come back to the annotator. Scores that it allows again no
        longer need to come back.
        """
        with transaction.atomic():
            _take_turn(annotator)
            latest = (
                self.filter(annotator=annotator, batch=batch, model=model)
                .filter(dimension=dimension.code, code=code)
                .order_by("-revision")
                .first()
            )
            if latest is not None and latest.answer == answer:
                return
            self.create(
                project_id=batch.project_id,
                batch=batch,
                annotator=annotator,
                model=model,
                dimension=dimension.code,
                code=code,
                answer=answer,
                revision=latest.revision + 1 if latest else 1,
                answered_at=now,
            )
            self._send_back(annotator, batch, model, dimension, code, now)
        # A request that stores a score checks it afterwards against the corpus answers (`hold`),
        # but does not see this one before the commit. Scores stored until then are checked here.
        self.hold(
            annotator=annotator, batch=batch, model=model, dimension=dimension, code=code, now=now
        )

    def hold(
        self,
        *,
        annotator: User,
        batch: Batch,
        model: str,
        dimension: schema.Dimension,
        code: str,
        now: datetime,
    ) -> None:
        """Check an annotator's scores of a model against their latest answers about its corpus.

        `code`: the check that they answered last.
        """
        with transaction.atomic():
            _take_turn(annotator)
            self._send_back(annotator, batch, model, dimension, code, now)

    def _send_back(
        self,
        annotator: User,
        batch: Batch,
        model: str,
        dimension: schema.Dimension,
        code: str,
        now: datetime,
    ) -> None:
        about = dict(  # a later revision takes the place of one before
            self.filter(annotator=annotator, batch=batch, model=model, dimension=dimension.code)
            .order_by("revision")
            .values_list("code", "answer")
        )
        cause = f"{model} {dimension.code}"
        scores = Score.objects.filter(
            rating__in=Rating.objects.current().by(annotator).filter(item__batch=batch),
            dimension=dimension.code,
            response=None,
            model=model,
            value__isnull=False,
        )
        waiting = ReturnedRating.objects.waiting_for(annotator, batch)
        barred: dict[int, str] = {}
        stand: list[int] = []
        for score in scores:
            before = waiting.get(score.rating_id, {}).get(cause, "")
            reason = _why_barred(dimension, score, about, code)
            if reason and reason != before:
                barred[score.rating_id] = reason
            elif before and not reason:
                stand.append(score.rating_id)
        # The annotator is at the desk, which tells them.
        ReturnedRating.objects.send_all_back(barred, cause=cause, now=now, tell=False)
        if stand:
            ReturnedRating.objects.withdraw(stand, cause=cause, now=now)


def _take_turn(annotator: User) -> None:
    """Lock the annotator's row, so that two requests of the same annotator take turns.

    A changed answer may arrive while the first is still being stored. Before the first answer there
    is no row of an answer to lock.
    """
    get_user_model().objects.select_for_update(no_key=True).get(pk=annotator.pk)


def _why_barred(
    dimension: schema.Dimension, score: Score, about: Mapping[str, str], code: str
) -> str:
    """Return the reason why the corpus answers bar a score, or "" if they allow it."""
    if _stands(dimension, {**score.checks, **about}, score.value):
        return ""
    check = dimension.check(_barring(dimension, score, about, code))
    given = about[check.code]
    wordings = {choice.code: choice.wording for choice in check.answers}
    return gettext(
        "You changed “%(check)s” to %(answer)s. With that, you can’t give %(score)s here."
    ) % {
        "check": check.wording,
        "answer": wordings.get(given, given),
        "score": score.value,
    }


def _stands(dimension: schema.Dimension, answers: Mapping[str, str], value: int | None) -> bool:
    verdict = judge(dimension, dimension.asserted_by(answers))
    return isinstance(verdict, schema.Verdict) and value in verdict.open


def _barring(dimension: schema.Dimension, score: Score, about: Mapping[str, str], code: str) -> str:
    """Return the corpus check that bars a score: another answer to it would allow the score.

    If several checks do, prefer `code`, the one answered last. Return `code` too if no single
    answer would be enough.
    """
    for each in (code, *about):
        others = (
            answer.code for answer in dimension.check(each).answers if answer.code != about[each]
        )
        if any(
            _stands(dimension, {**score.checks, **about, each: other}, score.value)
            for other in others
        ):
            return each
    return code


class CorpusAnswer(models.Model):
    """An answer about all responses of a model in a batch (DQ-11).

    It is given once, before the first score that it affects. It can be revised, and every revision
    stays.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="corpus_answers")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="corpus_answers")
    # One of these two answered, as with a rating.
    annotator: "models.ForeignKey[User, User]" = models.ForeignKey(  # type: ignore[misc]
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

    objects: ClassVar[CorpusAnswerQuerySet] = CorpusAnswerQuerySet.as_manager()  # type: ignore[assignment]

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
                condition=Q(annotator__isnull=False, rater__isnull=True)
                | Q(annotator__isnull=True, rater__isnull=False),
                name="a_corpus_answer_is_an_accounts_or_came_in_a_file",
            ),
        )
