"""Ask annotators about their ratings.

A question sends its rating back (`returned_ratings.py`), with a cause of its own: several questions
about one rating wait beside each other. The reply comes with the rating's next revision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from tasks.models import Batch, Item, Membership, Project, Question, ReturnedRating
from tasks.models.case_entries import token_of
from tasks.models.questions import has_questions

from .rating_views import RatingView


class Obstacle(models.TextChoices):
    """The reasons why someone cannot be asked, as they follow “can’t be asked:”."""

    IMPORTED = "imported", _("the rating came in a file")
    CLOSED = "closed", _("the project or the batch is not open")
    LEFT = "left", _("has left the project")
    ASKED = "asked", _("has a question that waits for its reply")
    CORRECTED = "corrected", _("has just corrected the rating")


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a question: a case, a response in all its dimensions, or the whole item."""

    item: Item
    dimension: str = ""
    target: int | str = ""  # the key of a response, or the model of a candidate set

    @property
    def cause(self) -> str:
        """The cause for which a rating goes back."""
        if self.dimension:
            item = self.item
            return f"case {token_of(item.project, item.pk, self.dimension, self.target)}"
        return f"lead {self.target}" if self.target else "lead"

    def place_in(self, rating_view: RatingView) -> int:
        """Return the place of the response as its annotator saw it; 0 for anything else."""
        words = rating_view.targets.get(self.target)
        return words.target.place if words and words.target.label else 0


def out_of_reach(item: Item, ratings: Sequence[RatingView]) -> dict[int, Obstacle]:
    """Return why ratings, by their keys, cannot be asked about, whatever the question is."""
    is_open = item.project.status == Project.Status.OPEN and item.batch.status == Batch.Status.OPEN
    raters = [view.rating.annotator_id for view in ratings if view.rating.annotator_id]
    members = item.project.memberships.filter(
        role=Membership.Role.ANNOTATOR, user__in=raters, user__is_active=True
    )
    annotators = set(members.values_list("user", flat=True))
    obstacles = {}
    for view in ratings:
        rating = view.rating
        if rating.annotator_id is None:
            obstacles[rating.pk] = Obstacle.IMPORTED
        elif not is_open:
            obstacles[rating.pk] = Obstacle.CLOSED
        elif rating.annotator_id not in annotators:
            obstacles[rating.pk] = Obstacle.LEFT
    return obstacles


def obstacles_to(subject: Subject, ratings: Sequence[RatingView]) -> dict[int, Obstacle]:
    """Return why ratings, by their keys, cannot be asked about; all others can be."""
    questions = Question.objects.about_case(subject.item, subject.dimension, subject.target)
    waiting = set(questions.waiting().values_list("annotator", "rating__attempt"))
    obstacles = {}
    for view in ratings:
        if (view.rating.annotator_id, view.rating.attempt) in waiting:
            obstacles[view.rating.pk] = Obstacle.ASKED
    return obstacles | out_of_reach(subject.item, ratings)


@transaction.atomic
def ask(
    subject: Subject, ratings: Sequence[RatingView], text: str, *, by: User, now: datetime
) -> Mapping[int, Obstacle]:
    """Ask the annotators of these ratings, and return why some, by their keys, were not asked."""
    # As a correction and a decision do: what is asked comes before it or after it.
    Item.objects.select_for_update(of=("self",), no_key=True).get(pk=subject.item.pk)
    obstacles = obstacles_to(subject, ratings)
    for view in sorted(ratings, key=lambda view: view.rating.pk):
        if view.rating.pk in obstacles:
            continue
        is_sent = ReturnedRating.objects.send_back(
            view.rating, text, cause=subject.cause, now=now, place=subject.place_in(view)
        )
        if is_sent:
            _store(subject, view, text, by, now)
        else:
            obstacles[view.rating.pk] = Obstacle.CORRECTED
    return obstacles


def _store(subject: Subject, rating_view: RatingView, text: str, by: User, now: datetime) -> None:
    of_response = isinstance(subject.target, int)
    Question.objects.create(
        project=subject.item.project,
        item=subject.item,
        annotator=rating_view.rating.annotator,
        rating=rating_view.rating,
        dimension=subject.dimension,
        response_id=subject.target if of_response else None,
        model="" if of_response else str(subject.target),
        text=text,
        asked_by=by,
        asked_at=now,
    )


def withdraw_questions(subject: Subject, *, now: datetime) -> None:
    """Take back the questions about a case that wait: it is decided without their replies.

    The caller has locked the item. A rating that came back for them alone waits no longer.
    """
    if not has_questions(subject.item):
        return
    about_case = Question.objects.about_case(subject.item, subject.dimension, subject.target)
    waiting = about_case.waiting()
    annotators = list(waiting.values_list("annotator", flat=True))
    if not annotators:
        return
    returned = ReturnedRating.objects.filter(
        rating__item=subject.item, annotator__in=annotators, settled_at=None
    )
    ratings = list(returned.values_list("rating", flat=True))
    ReturnedRating.objects.withdraw(ratings, cause=subject.cause, now=now)
    waiting.update(withdrawn_at=now)
