"""Answers to the examples of a rubric, in rounds of practice, and how near they come.

`PracticeRound.answer` stores one. It is no rating, and no figure of ratings reads it.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction

from rubrics.judging.kinds import Better
from rubrics.judging.practice_rounds import ExampleName, UsableExample, examples_of

from .notices import Notice
from .projects import Project

ANSWERED_ONCE = "an_example_is_answered_once_in_a_round"


@dataclass(frozen=True, slots=True)
class ExampleAnswers:
    """How an example was answered by all who had it."""

    example: UsableExample
    answer_count: int
    wrong: int  # answers with another score
    disagree: int  # answers whose annotator sees it otherwise
    clauses: dict[str, int]  # how often each was missed


class PracticeAnswerQuerySet(models.QuerySet["PracticeAnswer"]):
    def by_example(self, project: Project) -> list[ExampleAnswers]:
        """Return how the examples of the project's rubric were answered, most missed first."""
        answers_by_name: dict[str, list[PracticeAnswer]] = defaultdict(list)
        for answer in self.filter(round__project=project, round__rubric=project.rubric):
            answers_by_name[answer.example].append(answer)
        examples = examples_of(project.rubric.schema)
        rows = []
        for name, answers in answers_by_name.items():
            wrong = [answer for answer in answers if not answer.is_exact]
            disagreeing = [answer for answer in answers if answer.disagrees]
            missed_clauses: Counter[str] = Counter()
            for practice_answer in answers:
                missed_clauses.update(practice_answer.missed)
            row = ExampleAnswers(
                example=examples[name],
                answer_count=len(answers),
                wrong=len(wrong),
                disagree=len(disagreeing),
                clauses=dict(missed_clauses),
            )
            rows.append(row)
        return sorted(rows, key=lambda row: -row.wrong)


class PracticeAnswer(models.Model):
    """One person's answer to an example, and how near it comes."""

    round = models.ForeignKey(
        "tasks.PracticeRound", on_delete=models.CASCADE, related_name="answers"
    )
    example = models.CharField(max_length=200)
    answers = models.JSONField()  # by the name of their field, as in a draft
    score = models.IntegerField(null=True)
    is_exact = models.BooleanField()
    is_near = models.BooleanField()
    is_automatic = models.BooleanField()  # a rule forces the score of the example
    missed = ArrayField(models.TextField())  # clauses
    disagrees = models.BooleanField(default=False, db_default=False)  # "I see it otherwise"
    answered_at = models.DateTimeField()

    # A `tasks.practice.comparison.Comparison`, if it was made along with the answer.
    compared: Any = None

    objects = PracticeAnswerQuerySet.as_manager()

    class Meta:
        ordering = ("round", "answered_at", "pk")
        constraints = (models.UniqueConstraint(fields=("round", "example"), name=ANSWERED_ONCE),)

    @property
    def sign(self) -> str:
        """The sign of the answer among the others: "+2", "✓", or "≠" without a number."""
        if self.is_exact:
            return "✓"
        expected = ExampleName.read(self.example)
        dimension = self.round.rubric.schema.dimension(expected.dimension)
        if self.score is None or dimension.better is Better.NONE:
            return "≠"
        return f"{self.score - expected.score:+}".replace("-", "−")

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
