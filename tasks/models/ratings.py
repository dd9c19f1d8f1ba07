"""What annotators said. Append-only: a correction is a new revision that supersedes the old one, and both
stay."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Case, Q, When
from django.utils.translation import gettext as _

from rubrics import schema
from rubrics.models import Rubric
from rubrics.rules import judge
from tasks.submission import Submission

from .items import Batch, Item, Response
from .projects import Project, View
from .storing import store

if TYPE_CHECKING:
    from annotators.models import User


class Outdated(Exception):
    """A correction of a revision that is no more the latest, `rating`."""

    def __init__(self, rating: Rating) -> None:
        self.rating = rating
        super().__init__(f"revision {rating.revision} has come meanwhile")


class RatingQuerySet(models.QuerySet["Rating"]):
    def current(self) -> Self:
        """Those that no later revision supersedes."""
        return self.filter(superseded_by=None)

    def by(self, annotator: User) -> Self:
        return self.filter(annotator=annotator)


class Rating(models.Model):
    """All that one annotator said of one item in one round.

    `kind` counted fills one of the places that the project wants; extra is kept but fills none (it came when
    the lease had ended and the places were taken). `order` in which the responses were shown is in
    `placements`. `view`: how the texts were shown when it was submitted, where a desk told. `active_seconds`:
    time with the page in sight and in use, as the browser measured it, where it did.
    """

    class Kind(models.TextChoices):
        COUNTED = "counted", "counted"
        EXTRA = "extra", "extra"
        GOLD = "gold", "gold"
        REPEAT = "repeat", "repeat"
        ADJUDICATION = "adjudication", "adjudication"
        PROGRAM = "program", "program"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="ratings")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="ratings")
    lease = models.OneToOneField(
        "tasks.Lease", on_delete=models.PROTECT, null=True, blank=True, related_name="rating"
    )
    round = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.COUNTED)
    revision = models.PositiveSmallIntegerField(default=1)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    comment = models.TextField(blank=True)
    # Of what was said: the same sent again is known by it.
    fingerprint = models.CharField(max_length=64, blank=True, default="", db_default="")
    asked = models.JSONField(default=dict, blank=True)
    view = models.CharField(max_length=12, choices=View, blank=True, default="", db_default="")
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    elapsed_seconds = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField()

    objects: ClassVar[RatingQuerySet] = RatingQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("item", "annotator", "round", "revision"),
                name="an_annotator_rates_an_item_once_in_a_round",
            ),
            models.CheckConstraint(
                condition=Q(revision=1, supersedes=None) | Q(revision__gt=1, supersedes__isnull=False),
                name="a_later_revision_supersedes_one",
            ),
            models.CheckConstraint(
                condition=~Q(kind="counted") | Q(round=0), name="what_counts_is_of_the_first_round"
            ),
            models.CheckConstraint(
                condition=Q(view__in=("", "text", "rendered", "difference")),
                name="a_rating_was_made_in_a_view_that_there_is",
            ),
        )

    def __str__(self) -> str:
        return f"{self.annotator} on {self.item}"

    def correct(self, submission: Submission, *, based_on: int, now: datetime) -> Rating:
        """A new revision of what was said, beside the old one; `based_on`: the number of the revision that it
        was made from. The same correction sent again gives the revision that it led to.

        Raises Outdated where another revision has come meanwhile.
        """
        with transaction.atomic():
            Item.objects.select_for_update(no_key=True).get(pk=self.item_id)
            revisions = Rating.objects.filter(
                item=self.item_id, annotator=self.annotator_id, round=self.round
            ).order_by("-revision")
            latest = revisions[0]
            if latest.revision != based_on:
                told = revisions.filter(
                    revision=based_on + 1, fingerprint=submission.fingerprint, lease=None
                ).first()
                if told is None:
                    raise Outdated(latest)
                return told
            revised = Rating(
                project_id=self.project_id,
                item_id=self.item_id,
                annotator_id=self.annotator_id,
                rubric_id=self.rubric_id,
                round=self.round,
                kind=latest.kind,
                revision=latest.revision + 1,
                supersedes=latest,
                active_seconds=submission.active_seconds,
                elapsed_seconds=submission.active_seconds or 0,
                started_at=now,
                submitted_at=now,
            )
            order = latest.placements.order_by("position").values_list("response", flat=True)
            store(revised, submission, list(order))
            ReturnedRating.objects.filter(rating=latest, mended_at=None).update(mended_at=now)
            return revised


class Placement(models.Model):
    """Where a response stood on the desk (1 is the first, shown as A), and what was said of it in words."""

    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="placements", db_index=False)
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="placements")
    position = models.PositiveSmallIntegerField()
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("rating", "position"), name="one_response_stands_at_a_place"),
            models.UniqueConstraint(fields=("rating", "response"), name="a_response_stands_at_one_place"),
        )

    def __str__(self) -> str:
        return f"{self.response} at {self.position}"


class Score(models.Model):
    """One score: of a response, or (`response` empty) of a model's candidate set.

    `open`: the scores that the verdict left open. `clauses`: of the rules that barred the others. `checks`:
    every answer, by check code. `remarks`: what was remarked on and kept, as [{clause, rule, text}].
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="scores")
    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="scores")
    dimension = models.CharField(max_length=80)
    unit = models.CharField(max_length=20)
    response = models.ForeignKey(
        Response, on_delete=models.PROTECT, null=True, blank=True, related_name="scores"
    )
    model = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField()
    value = models.SmallIntegerField()
    open = ArrayField(models.SmallIntegerField())
    clauses = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    remarks = models.JSONField(default=list, blank=True)
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
        )

    def __str__(self) -> str:
        return f"{self.dimension} {self.value}"


class FactCheck(models.Model):
    """One claim looked up (RQ-02, RQ-03). `sources` are addresses, a line each. `seconds`: from the beginning
    of the look-up to its outcome, None where the claim was entered without one; `over_time`: it took all the
    time that the rubric gives it, or more."""

    class Outcome(models.TextChoices):
        HOLDS = "holds", "holds"
        REFUTED = "refuted", "refuted"
        UNDETERMINED = "undetermined", "undetermined"

    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="fact_checks", db_index=False)
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="fact_checks")
    position = models.PositiveSmallIntegerField()
    claim = models.TextField()
    outcome = models.CharField(max_length=12, choices=Outcome)
    sources = models.TextField(blank=True)
    seconds = models.PositiveIntegerField(null=True, blank=True)
    over_time = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "response", "position"), name="fact_checks_of_a_response_are_numbered"
            ),
            models.CheckConstraint(
                condition=Q(over_time=False) | Q(seconds__isnull=False),
                name="a_look_up_over_time_was_timed",
            ),
        )

    def __str__(self) -> str:
        return f"{self.claim[:60]}: {self.outcome}"


class CorpusAnswerQuerySet(models.QuerySet["CorpusAnswer"]):
    def current(self, annotator: User, batch: Batch) -> dict[tuple[str, str, str], CorpusAnswer]:
        """The newest answer for each (model, dimension, check code) of a batch."""
        answers = self.filter(annotator=annotator, batch=batch).order_by("revision")
        return {(answer.model, answer.dimension, answer.code): answer for answer in answers}

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
        first: bool = False,
    ) -> None:
        """Keep an answer; one that differs from the last is a revision, and `first` keeps none of those.
        Earlier scores that a revision bars come back to the annotator, and those that it opens again need
        not come any more."""
        with transaction.atomic():
            # A browser that changed its mind may have two requests on the way. They take turns on their
            # annotator's row: before the first answer there is no row of this table to lock.
            get_user_model().objects.select_for_update(no_key=True).get(pk=annotator.pk)
            latest = (
                self.filter(
                    annotator=annotator, batch=batch, model=model, dimension=dimension.code, code=code
                )
                .order_by("-revision")
                .first()
            )
            if latest is not None and (first or latest.answer == answer):
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
            scores = Score.objects.filter(
                rating__in=Rating.objects.current().by(annotator).filter(item__batch=batch),
                dimension=dimension.code,
                response=None,
                model=model,
            )
            for score in scores.select_related("rating"):
                verdict = judge(dimension, dimension.asserted_by({**score.checks, code: answer}))
                stands = isinstance(verdict, schema.Verdict) and score.value in verdict.open
                if stands:
                    ReturnedRating.objects.filter(rating=score.rating, mended_at=None).update(mended_at=now)
                else:
                    reason = _why_returned(dimension, code, answer, score.value)
                    ReturnedRating.objects.send_back(score.rating, reason, now=now)


def _why_returned(dimension: schema.Dimension, code: str, answer: str, value: int) -> str:
    check = dimension.check(code)
    given = next(choice.wording for choice in check.answers if choice.code == answer)
    return _(
        "You have changed “%(check)s” to %(answer)s; the %(score)s that you gave here is barred by it."
    ) % {
        "check": check.wording,
        "answer": given,
        "score": value,
    }


class CorpusAnswer(models.Model):
    """An answer about all that a model said in a batch (DQ-11). Given once, before the first score that
    it bears on, and revisable; every revision stays."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="corpus_answers")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="corpus_answers")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="corpus_answers"
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
        )

    def __str__(self) -> str:
        return f"{self.code} of {self.model}: {self.answer}"


class ReturnedRatingQuerySet(models.QuerySet["ReturnedRating"]):
    def pending(self, project: Project, annotator: User) -> Self:
        """What is to be mended by someone, where the project and the batch are open."""
        return self.filter(
            project=project,
            project__status=Project.Status.OPEN,
            rating__item__batch__status=Batch.Status.OPEN,
            annotator=annotator,
            mended_at=None,
        )

    def asked_of(self, annotator: User) -> Self:
        """What came back to someone in any project: what is to be mended first, then newest first."""
        return self.filter(annotator=annotator).order_by(
            Case(When(mended_at=None, then=0), default=1), "-returned_at", "-pk"
        )

    def send_back(self, rating: Rating, reason: str, *, now: datetime) -> None:
        """Have a rating come to its annotator once more; one that did already comes for this reason now."""
        self.update_or_create(
            rating=rating,
            defaults={
                "project_id": rating.project_id,
                "annotator_id": rating.annotator_id,
                "reason": reason,
                "returned_at": now,
                "mended_at": None,
            },
        )


class ReturnedRating(models.Model):
    """A rating that comes back to its annotator, because something it rests on was revised. It is mended by
    a new revision."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="returned_ratings")
    rating = models.OneToOneField(Rating, on_delete=models.PROTECT, related_name="returned")
    # The rating's, beside it: everybody's next item asks first whether something of theirs came back.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="returned_ratings", db_index=False
    )
    reason = models.TextField()
    returned_at = models.DateTimeField()
    mended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[ReturnedRatingQuerySet] = ReturnedRatingQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("annotator", "project"), condition=Q(mended_at=None), name="ratings_to_be_mended"
            ),
            models.Index(fields=("annotator", "returned_at"), name="ratings_that_came_back"),
        )

    def __str__(self) -> str:
        return f"{self.rating}: {self.reason}"
