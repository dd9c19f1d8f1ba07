"""Questions of leads and adjudicators to annotators, with the replies.

A question goes to its annotator as a rating that came back (`returned_ratings.py`). The reply comes
with the revision that answers it, be that a change or the same answer again.
"""

from datetime import datetime
from functools import partial
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import RawSQL

from config.web.people import User
from config.web.raw_sql import one_row

from .decisions import CaseName, ScoreDecision
from .items import Item, Response
from .projects import Project
from .ratings import Rating

LONGEST_QUESTION = 2_000  # characters
# The scores that a question is about, in one revision of the rating.
_SCORES_ASKED_ABOUT = """
SELECT score.dimension, score.response_id, score.model, score.value, score.without
FROM tasks_score AS score
WHERE score.rating_id = {question}.{revision}
  AND {question}.dimension IN ('', score.dimension)
  AND ({question}.response_id IS NULL OR {question}.response_id = score.response_id)
  AND ({question}.response_id IS NOT NULL OR {question}.model = ''
    OR score.response_id IS NULL AND score.model = {question}.model) {narrowed}"""


def another_score(question: str, narrowed: str = "") -> str:
    """Return the expression that is true if another score came with the reply.

    `question`: its table in the statement. `narrowed`: more conditions on `score`, from AND on.
    """
    scores = partial(_SCORES_ASKED_ABOUT.format, question=question, narrowed=narrowed)
    before = scores(revision="rating_id")
    after = scores(revision="revision_id")
    return f"({question}.replied_at IS NOT NULL AND EXISTS ({before} EXCEPT {after}))"


ARE_ASKED = "SELECT FROM tasks_question WHERE item_id = %(item)s LIMIT 1"


def has_talk(project: Project) -> bool:
    """Return True if somebody revised a rating after talk about its item: see `after_talk`."""
    questions = Question.objects.filter(project=project).with_revision()
    decisions = ScoreDecision.objects.filter(project=project).with_revision()
    return questions.exists() or decisions.exists()


class QuestionQuerySet(models.QuerySet["Question"]):
    def waiting(self) -> Self:
        """Return the questions without a reply that were not withdrawn."""
        return self.filter(replied_at=None, withdrawn_at=None)

    def are_about(self, item: Item) -> bool:
        """Return True if somebody was asked about an item or a part of it."""
        return one_row(ARE_ASKED, {"item": item.pk}) is not None

    def waiting_on(self, rating: Rating) -> Self:
        """Return the questions that wait for the next revision of a rating, oldest first."""
        about = self.filter(item=rating.item_id, annotator=rating.annotator_id)
        return about.waiting().filter(rating__attempt=rating.attempt).order_by("pk")

    def with_revision(self) -> Self:
        """Return the questions after which their annotator revised the rating."""
        revisions = Rating.objects.filter(
            item=OuterRef("item"),
            annotator=OuterRef("annotator"),
            revision__gt=1,
            submitted_at__gt=OuterRef("asked_at"),
        )
        return self.filter(Exists(revisions))

    def about_case(self, item: Item, dimension: str, target: int | str) -> Self:
        """Return the questions about one case, oldest first."""
        questions = self.filter(item=item, dimension=dimension)
        if isinstance(target, int):
            return questions.filter(response=target).order_by("pk")
        return questions.filter(response=None, model=target).order_by("pk")

    def touching_case(self, item: Item, dimension: str, target: int | str) -> Self:
        """Return the questions about a case, about all of its target, or about the whole item."""
        of_target = Q(response=None, model=target)
        if isinstance(target, int):
            of_target = Q(response=target)
        of_item = Q(response=None, model="", dimension="")
        about = of_item | of_target & Q(dimension__in=("", dimension))
        return self.filter(about, item=item).order_by("pk")

    def with_changes(self, case: CaseName | None = None) -> Self:
        """Annotate whether another score came with the reply; of a case, if one is named."""
        narrowed = ""
        values: list[int | str] = []
        if case:
            _item, dimension, target = case
            of_target = "response_id = %s"
            if isinstance(target, str):
                of_target = "response_id IS NULL AND score.model = %s"
            narrowed = f"AND score.dimension = %s AND score.{of_target}"
            values = [dimension, target]
        expression = another_score(Question._meta.db_table, narrowed)
        is_changed = RawSQL(expression, values * 2, models.BooleanField())  # noqa: S611 - constant
        return self.annotate(has_other_score=is_changed)

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
    """One question to one annotator, about a case, a response or the whole item."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="questions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="questions"
    )
    # The revision that was asked about.
    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="questions", db_index=False
    )
    # The case: "" and None for the whole item, a target without a dimension for all of it.
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

    has_other_score: bool  # set by `with_changes`: another score came with the reply

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
    def target(self) -> int | str:
        """The primary key of the response, or the model of the candidate set; "" for the item."""
        return self.model if self.response_id is None else self.response_id
