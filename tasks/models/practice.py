"""Rounds of practice on the examples of a rubric.

The pages of `annotators/desk/practice.py` begin a round and store its answers. A round has the
names of its examples, in their order; the first one is at place 1:

    PracticeRound(number=1, examples=["quality.5.1", "quality.2.3"])

Nothing here is a lease, a draft or a rating, and no figure of ratings reads it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Count, F, Q
from django.utils.functional import cached_property

from config.web.people import User
from rubrics.judging.practice_rounds import UsableExample, draw_round, examples_of
from rubrics.models import PARSED_COLUMNS, Rubric

from .admissions import Admission
from .practice_answers import ANSWERED_ONCE, PracticeAnswer
from .projects import Project

LEAST_ROUNDS = 5  # finished ones, from which on their median time is told


@dataclass(frozen=True, slots=True)
class PracticeProgress:
    """How far an annotator has come with the practice of a project."""

    admitted: bool
    tries_left: int  # finished rounds that can still admit
    under_way: "PracticeRound | None"  # the round to go on with


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """A place of a round, from 1, and the answer to its example."""

    place: int
    answer: PracticeAnswer | None


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """How many examples a round has, and how many scores of its answers are right or close."""

    examples: int
    exact: int
    close: int  # exact or within one
    automatic: int  # which a rule forces
    automatic_right: int


class Median(models.Aggregate):
    """The median of an expression."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"


def _minutes(duration: timedelta) -> int:
    return max(1, round(duration.total_seconds() / 60))


class PracticeRoundQuerySet(models.QuerySet["PracticeRound"]):
    def of(self, user: User, project: Project) -> Self:
        """Return a user's rounds in a project, newest first."""
        return self.filter(annotator=user, project=project).order_by("-number")

    def under_way(self) -> Self:
        """Return the rounds that someone can go on with."""
        return self.filter(ended_at=None)

    def finished(self) -> Self:
        """Return the rounds in which every example was answered."""
        return self.filter(is_finished=True)

    def progress_of(self, user: User, project: Project) -> PracticeProgress:
        """Return how far a user has come in a project."""
        rounds = list(self.of(user, project))
        finished = [row for row in rounds if row.is_finished]
        under_way = [row for row in rounds if row.ended_at is None]  # one at most
        return PracticeProgress(
            admitted=Admission.objects.holds(project, user),
            tries_left=max(0, project.practice_tries - len(finished)),
            under_way=under_way[0] if under_way else None,
        )

    def loaded(self) -> Self:
        """Return the rounds with project and rubric, without their long texts."""
        rubric_texts = [f"rubric__{column}" for column in PARSED_COLUMNS]
        rounds = self.select_related("project", "rubric")
        return rounds.defer("project__introduction", *rubric_texts)

    def begin(self, user: User, project: Project, *, now: datetime) -> "PracticeRound":
        """Return the user's round that is under way; draw a new one if there is none."""
        with transaction.atomic():
            # One request at a time draws for a member.
            list(project.memberships.filter(user=user).order_by("pk").select_for_update())
            rounds = list(self.of(user, project))
            if rounds and rounds[0].ended_at is None:
                return rounds[0]
            rubric = Project.objects.select_related("rubric").get(pk=project.pk).rubric
            number = rounds[0].number + 1 if rounds else 1
            earlier = [row.examples for row in rounds if row.rubric_id == rubric.pk]
            seed = f"{project.seed}/practice/{user.pk}/{number}"
            names = draw_round(rubric.schema, project.practice_examples, earlier, seed)
            return self.create(
                project=project,
                annotator=user,
                rubric=rubric,
                number=number,
                examples=names,
                started_at=now,
            )

    def median_minutes(self, rubrics: Collection[int]) -> dict[int, int]:
        """Return the median minutes of a round, by the versions that have enough finished ones."""
        finished = self.finished().filter(rubric__in=rubrics).order_by()
        by_rubric = finished.values("rubric").annotate(
            rounds=Count("pk"), median=Median(F("ended_at") - F("started_at"))
        )
        medians = by_rubric.filter(rounds__gte=LEAST_ROUNDS).values_list("rubric", "median")
        return {rubric: _minutes(median) for rubric, median in medians}


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
    # As `rubrics.judging.practice_rounds` names them.
    examples = ArrayField(models.CharField(max_length=200))
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    is_finished = models.BooleanField(default=False, db_default=False)

    objects = PracticeRoundQuerySet.as_manager()

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

    def example_at(self, place: int) -> UsableExample:
        """Return the example at a place, from 1. Raises IndexError for another place."""
        if place < 1:
            raise IndexError(place)
        return examples_of(self.rubric.schema)[self.examples[place - 1]]

    @property
    def minutes(self) -> int:
        """The time from the first page to the last answer, pauses included."""
        return _minutes((self.ended_at or self.started_at) - self.started_at)

    @cached_property
    def answers_by_place(self) -> dict[int, PracticeAnswer]:
        """Return the answers so far, by place."""
        return {self.examples.index(answer.example) + 1: answer for answer in self.answers.all()}

    def _read_answers_again(self) -> None:
        """Have `answers_by_place` read the answers anew when it is next used."""
        vars(self).pop("answers_by_place", None)

    @property
    def places(self) -> list[RoundPlace]:
        """The places of the round, from 1, each with its answer or None."""
        numbers = range(1, len(self.examples) + 1)
        return [RoundPlace(number, self.answers_by_place.get(number)) for number in numbers]

    @property
    def next_place(self) -> int | None:
        """The place of the first example without an answer."""
        for row in self.places:
            if not row.answer:
                return row.place
        return None

    @property
    def counts(self) -> RoundCounts:
        """How many scores are exact, within one, and of the automatic ones right."""
        answers = self.answers_by_place.values()
        automatic = [answer for answer in answers if answer.is_automatic]
        exact = [answer for answer in answers if answer.is_exact]
        close = [answer for answer in answers if answer.is_near]
        return RoundCounts(
            examples=len(self.examples),
            exact=len(exact),
            close=len(close),
            automatic=len(automatic),
            automatic_right=sum(answer.is_exact for answer in automatic),
        )

    def passes(self, project: Project) -> bool:
        """Return True if it has what the project asks for."""
        counts = self.counts
        wanted = min(project.practice_near, counts.examples)
        return counts.close >= wanted and counts.automatic_right == counts.automatic

    def answer(self, practice_answer: PracticeAnswer, *, now: datetime) -> None:
        """Store the answer to an example, unless there is one: that one stays.

        The last answer ends the round, which may admit its annotator.
        """
        practice_answer.round = self
        practice_answer.answered_at = now
        place = self.examples.index(practice_answer.example) + 1
        try:
            with transaction.atomic():
                practice_answer.save(force_insert=True)
                # Not read again: the answer has its comparison, which its page shows next.
                self.answers_by_place = {**self.answers_by_place, place: practice_answer}
                if self.next_place is None:
                    self._finish(now)
        except IntegrityError as error:
            if ANSWERED_ONCE not in str(error):
                raise
            self._read_answers_again()  # another page was quicker

    def _finish(self, now: datetime) -> None:
        stored = PracticeRound.objects.under_way().filter(pk=self.pk)
        if stored.update(ended_at=now, is_finished=True):
            self.ended_at = now
            self.is_finished = True
            self._admit(now)

    def _admit(self, now: datetime) -> None:
        """Admit the annotator if this try is one of those allowed, and right enough."""
        project = self.project
        tries = PracticeRound.objects.of(self.annotator, project).finished().count()
        if tries <= project.practice_tries and self.passes(project):
            Admission.objects.admit(project, self.annotator, Admission.How.PASSED, now=now)
