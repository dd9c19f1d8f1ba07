"""Questions of leads and adjudicators to annotators, with the replies.

A question goes to its annotator as a rating that came back (`returned_ratings.py`). The reply comes
with the revision that answers it, be that a change or the same answer again. `tasks/cases/` asks
and shows questions; `tasks/queue/submitting.py` stores replies.
"""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import RawSQL

from config.web.people import User
from config.web.raw_sql import one_row

from .decisions import ScoreDecision
from .items import Item, Response
from .projects import Project
from .ratings import Rating
from .targets import Target, is_on, target_of

LONGEST_QUESTION = 2_000  # characters
# For each question with a reply, the scores that it is about and that the reply changed: the
# revision that came with the reply has no equal one. Pages and an export read this as a table.
CHANGED_SCORES = """(
  SELECT question.id AS question_id, before.dimension, before.response_id, before.model
  FROM tasks_question AS question
  JOIN tasks_score AS before ON before.rating_id = question.rating_id
  LEFT JOIN tasks_score AS after ON after.rating_id = question.revision_id
    AND after.dimension = before.dimension
    AND after.response_id IS NOT DISTINCT FROM before.response_id
    AND after.model = before.model
    AND after.value IS NOT DISTINCT FROM before.value
    AND after.without = before.without
  WHERE question.replied_at IS NOT NULL
    AND after.id IS NULL
    AND question.dimension IN ('', before.dimension)
    AND CASE
      WHEN question.response_id IS NOT NULL THEN before.response_id = question.response_id
      WHEN question.model <> '' THEN before.response_id IS NULL AND before.model = question.model
      ELSE true
    END
)"""
HAS_CHANGED = f"""
EXISTS (SELECT FROM {CHANGED_SCORES} AS changed
  WHERE changed.question_id = tasks_question.id)
"""
HAS_CHANGED_RESPONSE = f"""
EXISTS (SELECT FROM {CHANGED_SCORES} AS changed
  WHERE changed.question_id = tasks_question.id
    AND changed.dimension = %s AND changed.response_id = %s)
"""
HAS_CHANGED_CANDIDATES = f"""
EXISTS (SELECT FROM {CHANGED_SCORES} AS changed
  WHERE changed.question_id = tasks_question.id
    AND changed.dimension = %s AND changed.response_id IS NULL AND changed.model = %s)
"""
# Each decision asks this, and the ORM takes longer to write it than PostgreSQL to answer it.
FIRST_OF_ITEM = "SELECT FROM tasks_question WHERE item_id = %s LIMIT 1"


def has_questions(item: Item) -> bool:
    """Return True if anybody was ever asked about an item or a part of it."""
    return one_row(FIRST_OF_ITEM, [item.pk]) is not None


def has_talk(project: Project) -> bool:
    """Return True if somebody revised a rating after talk about its item: see `after_talk`."""
    questions = Question.objects.filter(project=project).with_revision()
    decisions = ScoreDecision.objects.filter(project=project).with_revision()
    return questions.exists() or decisions.exists()


class QuestionQuerySet(models.QuerySet["Question"]):
    def waiting(self) -> Self:
        """Return the questions without a reply that were not withdrawn."""
        return self.filter(replied_at=None, withdrawn_at=None)

    def waiting_on(self, rating: Rating) -> Self:
        """Return the questions that wait for the next revision of a rating, oldest first."""
        of_annotator = self.filter(item=rating.item_id, annotator=rating.annotator_id)
        return of_annotator.waiting().filter(rating__attempt=rating.attempt).order_by("pk")

    def with_revision(self) -> Self:
        """Return the questions after which their annotator revised the rating."""
        revisions = Rating.objects.filter(
            item=OuterRef("item"),
            annotator=OuterRef("annotator"),
            revision__gt=1,
            submitted_at__gt=OuterRef("asked_at"),
        )
        return self.filter(Exists(revisions))

    def about_case(self, item: Item, dimension: str, target: Target) -> Self:
        """Return the questions about one case and nothing else, oldest first."""
        return self.filter(is_on(target), item=item, dimension=dimension).order_by("pk")

    def touching_case(self, item: Item, dimension: str, target: Target) -> Self:
        """Return the questions about a case, about all of its target, or about the whole item."""
        on_case_or_target = is_on(target) & Q(dimension__in=("", dimension))
        on_item = Q(response=None, model="", dimension="")
        return self.filter(on_item | on_case_or_target, item=item).order_by("pk")

    def with_changes(self) -> Self:
        """Annotate whether the reply changed any score that the question is about."""
        has_changed = RawSQL(HAS_CHANGED, [], models.BooleanField())  # noqa: S611 - constant
        return self.annotate(has_other_score=has_changed)

    def with_changes_of_case(self, dimension: str, target: Target) -> Self:
        """Annotate whether the reply changed the score of one case, which the question touches."""
        statement = HAS_CHANGED_RESPONSE if isinstance(target, int) else HAS_CHANGED_CANDIDATES
        values = [dimension, target]
        has_changed = RawSQL(statement, values, models.BooleanField())  # noqa: S611 - constant
        return self.annotate(has_other_score=has_changed)

    def replied_to(self, user: User) -> Self:
        """Return the questions of a person that have a reply, in their order."""
        return self.filter(asked_by=user, replied_at__isnull=False).order_by("pk")

    def askers_of(self, revision: Rating) -> list[int]:
        """Return the keys of those whose questions a revision answered."""
        answered = self.filter(item=revision.item_id, revision=revision, asked_by__isnull=False)
        return list(answered.order_by().values_list("asked_by", flat=True).distinct())

    def close(self, rating: Rating, revision: Rating, reply: str, *, now: datetime) -> int:
        """Answer all that waits about a rating by its next revision; return how many that were."""
        return self.waiting_on(rating).update(reply=reply, revision=revision, replied_at=now)


class Question(models.Model):
    """One question to one annotator, about a case, a target or the whole item."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="questions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="questions"
    )
    # The revision that was asked about.
    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="questions", db_index=False
    )
    # What it is about, for example:
    #                                         dimension  response  model
    #     a response in one dimension         "quality"  7         ""
    #     a candidate set in one dimension    "quality"  None      "gull"
    #     a response in all dimensions        ""         7         ""
    #     the whole item                      ""         None      ""
    dimension = models.CharField(max_length=80, blank=True, default="", db_default="")
    response = models.ForeignKey(
        Response, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    model = models.TextField(blank=True, default="", db_default="")
    text = models.TextField(max_length=LONGEST_QUESTION)
    # None: asked by a version of the program that did not store it.
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    asked_at = models.DateTimeField()
    reply = models.TextField(max_length=LONGEST_QUESTION, blank=True, default="", db_default="")
    # The revision that answered: the same scores again, or others.
    revision = models.ForeignKey(
        Rating, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    replied_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)  # a decision made it needless

    has_other_score: bool  # set by `with_changes` and `with_changes_of_case`

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("project", "item"),
                condition=Q(replied_at=None, withdrawn_at=None),
                name="questions_that_wait",
            ),
        )

    @property
    def target(self) -> Target:
        """The response or the candidate set; "" for the whole item."""
        return target_of(self.response_id, self.model)
