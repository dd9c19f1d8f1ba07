"""Practice on the examples of a rubric: rounds, answers, and who may rate after it.

Nothing here is a lease, a draft or a rating, and no figure of ratings reads it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from rubrics.models import PARSED_COLUMNS, Rubric
from rubrics.practice import Named, draw, examples_of
from rubrics.schema import Better

from .notices import Notice
from .projects import Project
from .ratings import Rating

SHOWN_TIMES = 5  # finished rounds from which on their time is told


@dataclass(frozen=True, slots=True)
class Standing:
    """How far an annotator has come with the practice of a project."""

    admitted: bool
    tries_left: int  # finished rounds that can still admit
    open: "PracticeRound | None"  # the round to go on with


class Median(models.Aggregate):
    """The median of an expression."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"


def _minutes(lasted: timedelta) -> int:
    return max(1, round(lasted.total_seconds() / 60))


class PracticeRoundQuerySet(models.QuerySet["PracticeRound"]):
    def of(self, user: User, project: Project) -> Self:
        """Return a user's rounds in a project, newest first."""
        return self.filter(annotator=user, project=project).order_by("-number")

    def open(self) -> Self:
        """Return the rounds that someone can go on with."""
        return self.filter(ended_at=None)

    def finished(self) -> Self:
        """Return the rounds in which every example was answered."""
        return self.filter(is_finished=True)

    def standing(self, user: User, project: Project) -> Standing:
        """Return how far a user has come in a project."""
        rounds = list(self.of(user, project))
        return Standing(
            Admission.objects.holds(project, user),
            max(0, project.practice_tries - sum(each.is_finished for each in rounds)),
            next((each for each in rounds if each.ended_at is None), None),
        )

    def loaded(self) -> Self:
        """Return the rounds with project and rubric, without their long texts."""
        return self.select_related("project", "rubric").defer(
            "project__introduction", *(f"rubric__{column}" for column in PARSED_COLUMNS)
        )

    def begin(self, user: User, project: Project, *, now: datetime) -> "PracticeRound":
        """Return the user's open round; draw a new one if there is none."""
        with transaction.atomic():
            # One request at a time draws for a member.
            list(project.memberships.filter(user=user).order_by("pk").select_for_update())
            rounds = list(self.of(user, project))
            if rounds and rounds[0].ended_at is None:
                return rounds[0]
            rubric = Project.objects.select_related("rubric").get(pk=project.pk).rubric
            number = rounds[0].number + 1 if rounds else 1
            earlier = [each.examples for each in rounds if each.rubric_id == rubric.pk]
            names = draw(
                rubric.schema,
                project.practice_examples,
                earlier,
                f"{project.seed}/practice/{user.pk}/{number}",
            )
            return self.create(
                project=project,
                annotator=user,
                rubric=rubric,
                number=number,
                examples=names,
                started_at=now,
            )

    def median_minutes(self, rubrics: Collection[int]) -> dict[int, int]:
        """Return the median minutes of the rounds of versions that have five finished ones."""
        times = (
            self.finished()
            .filter(rubric__in=rubrics)
            .order_by()
            .values_list("rubric")
            .annotate(all=Count("pk"), middle=Median(F("ended_at") - F("started_at")))
            .filter(all__gte=SHOWN_TIMES)
        )
        return {key: _minutes(middle) for key, _all, middle in times}


class PracticeRound(models.Model):
    """Examples that one person practises on, in their order.

    It ends when all of them are answered, or when the project moves to another version.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="practice_rounds")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="practice_rounds"
    )
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()  # of the person in the project, from 1
    examples = ArrayField(models.CharField(max_length=200))  # as `rubrics.practice` names them
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    is_finished = models.BooleanField(default=False, db_default=False)

    objects: ClassVar[PracticeRoundQuerySet] = PracticeRoundQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("project", "annotator", "number")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "annotator", "number"), name="a_round_is_numbered_once"
            ),
            models.UniqueConstraint(
                fields=("project", "annotator"),
                condition=Q(ended_at=None),
                name="one_practises_in_one_round_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(is_finished=False) | Q(ended_at__isnull=False),
                name="a_finished_round_has_ended",
            ),
        )

    def named(self, place: int) -> Named:
        """Return the example at a place, from 1. Raises IndexError for another place."""
        if place < 1:
            raise IndexError(place)
        return examples_of(self.rubric.schema)[self.examples[place - 1]]

    @property
    def minutes(self) -> int:
        """The time from the first page to the last answer, pauses included."""
        return _minutes((self.ended_at or self.started_at) - self.started_at)

    @cached_property
    def answers_by_place(self) -> dict[int, "PracticeAnswer"]:
        """Return the answers so far."""
        return {self.examples.index(each.example) + 1: each for each in self.answers.all()}

    @property
    def places(self) -> list[dict[str, Any]]:
        """The places of the round, from 1, each with its answer or None."""
        places = range(1, len(self.examples) + 1)
        return [{"place": each, "answer": self.answers_by_place.get(each)} for each in places]

    @property
    def next_place(self) -> int | None:
        """The place of the first example without an answer."""
        return next((each["place"] for each in self.places if not each["answer"]), None)

    @property
    def counts(self) -> dict[str, int]:
        """How many scores are exact, within one, and of the automatic ones right."""
        given = self.answers_by_place.values()
        automatic = [each for each in given if each.is_automatic]
        return {
            "examples": len(self.examples),
            "exact": sum(each.is_exact for each in given),
            "near": sum(each.is_near for each in given),
            "automatic": len(automatic),
            "automatic_right": sum(each.is_exact for each in automatic),
        }

    def passes(self, project: Project) -> bool:
        """Return True if it has what the project asks for."""
        counts = self.counts
        wanted = min(project.practice_near, counts["examples"])
        return counts["near"] >= wanted and counts["automatic_right"] == counts["automatic"]

    def answer(self, answer: "PracticeAnswer", *, now: datetime) -> None:
        """Store the answer to an example, unless there is one: that one stays.

        The last answer ends the round, which may admit its annotator.
        """
        answer.round, answer.answered_at = self, now
        try:
            with transaction.atomic():
                answer.save(force_insert=True)
                self.answers_by_place[self.examples.index(answer.example) + 1] = answer
                here = PracticeRound.objects.open().filter(pk=self.pk)
                if self.next_place is None and here.update(ended_at=now, is_finished=True):
                    self.ended_at, self.is_finished = now, True
                    self._admit(now)
        except IntegrityError:  # another page was quicker
            vars(self).pop("answers_by_place", None)

    def _admit(self, now: datetime) -> None:
        """Admit the annotator if this try is one of those allowed, and right enough."""
        project = self.project
        tries = PracticeRound.objects.of(self.annotator, project).finished().count()
        if tries <= project.practice_tries and self.passes(project):
            Admission.objects.admit(project, self.annotator, Admission.How.PASSED, now=now)


class PracticeAnswerQuerySet(models.QuerySet["PracticeAnswer"]):
    def by_example(self, project: Project) -> Iterator[dict[str, Any]]:
        """Yield how the examples of the project's rubric were answered, the most missed first."""
        found: dict[str, list[PracticeAnswer]] = defaultdict(list)
        for answer in self.filter(round__project=project, round__rubric=project.rubric):
            found[answer.example].append(answer)
        named = examples_of(project.rubric.schema)
        for name, answers in sorted(
            found.items(), key=lambda pair: -sum(not each.is_exact for each in pair[1])
        ):
            yield {
                "named": named[name],
                "answers": len(answers),
                "wrong": sum(not each.is_exact for each in answers),
                "disagree": sum(each.disagrees for each in answers),
                "clauses": dict(Counter(clause for each in answers for clause in each.missed)),
            }


class PracticeAnswer(models.Model):
    """One person's answer to an example, and how near it comes."""

    round = models.ForeignKey(PracticeRound, on_delete=models.CASCADE, related_name="answers")
    example = models.CharField(max_length=200)
    answers = models.JSONField()  # by the name of their field, as in a draft
    score = models.IntegerField(null=True)
    is_exact = models.BooleanField()
    is_near = models.BooleanField()
    is_automatic = models.BooleanField()  # a rule forces the score of the example
    missed = ArrayField(models.TextField())  # clauses
    disagrees = models.BooleanField(default=False, db_default=False)  # "I see it otherwise"
    answered_at = models.DateTimeField()

    compared: Any = None  # a `tasks.practice.Comparison`, if it was made along with the answer

    objects: ClassVar[PracticeAnswerQuerySet] = PracticeAnswerQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("round", "answered_at", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("round", "example"), name="an_example_is_answered_once_in_a_round"
            ),
        )

    @property
    def sign(self) -> str:
        """The sign of the answer among the others: "+2", "✓", or "≠" without a number."""
        if self.is_exact or self.score is None:
            return "✓" if self.is_exact else "≠"
        code, there, _place = self.example.split(".")
        is_class = self.round.rubric.schema.dimension(code).better is Better.NONE
        return "≠" if is_class else f"{self.score - int(there):+}".replace("-", "−")

    @transaction.atomic
    def disagree(self, *, now: datetime) -> None:
        """Store that its annotator sees it otherwise, and tell the leads, once."""
        if PracticeAnswer.objects.filter(pk=self.pk, disagrees=False).update(disagrees=True):
            Notice.objects.tell_leads(
                self.round.project_id,
                Notice.Kind.PRACTICE,
                words=self.example,
                by=self.round.annotator_id,
                now=now,
            )


class AdmissionQuerySet(models.QuerySet["Admission"]):
    def admit(
        self,
        project: Project,
        user: User,
        how: str,
        *,
        by: User | None = None,
        reason: str = "",
        now: datetime,
    ) -> bool:
        """Let someone rate. Return False if they may already."""
        values = {"how": how, "by": by, "reason": reason, "at": now}
        return self.get_or_create(project=project, annotator=user, defaults=values)[1]

    def holds(self, project: Project, user: User) -> bool:
        """Return True if someone gets items: nobody has to practise, or they may rate already."""
        return (
            not project.asks_practice
            or self.filter(project=project, annotator=user).exists()
            or Rating.objects.filter(project=project, annotator=user, rater=None).exists()
        )

    def in_project(self, project: Project) -> "dict[int, Admission]":
        """Return the admissions by the annotator's key, with those by a rating of one's own."""
        first = Rating.objects.filter(project=project, annotator=OuterRef("annotator"), rater=None)
        rated = (
            project.batch_progress.filter(rated__gt=0)
            .order_by()
            .values_list("annotator")
            .annotate(at=Subquery(first.order_by("pk").values("submitted_at")[:1]))
            .distinct()
        )
        by_rating = {
            key: Admission(project=project, annotator_id=key, how=Admission.How.RATED, at=at)
            for key, at in rated
        }
        stored = self.filter(project=project).select_related("by", "annotator")
        return by_rating | {each.annotator_id: each for each in stored}


class Admission(models.Model):
    """A row says that someone may rate in a project that asks for practice first.

    It outlives a removal. Whoever has rated there needs none.
    """

    class How(models.TextChoices):
        PASSED = "passed", _("passed the practice")
        LET_IN = "let_in", _("let in by a lead")
        RATED = "rated", _("has rated here")  # never stored: the rating says it

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="admissions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    how = models.CharField(max_length=12, choices=How)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    objects: ClassVar[AdmissionQuerySet] = AdmissionQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "annotator"), name="one_is_admitted_once"),
        )
