"""Items that people rated, with their cases in the queue."""

from __future__ import annotations

from datetime import timedelta

from annotators.models import User
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Choice, decide_case
from tasks.cases.rating_views import ratings_of
from tasks.models import Item, Project, Rating, Score
from tasks.models.list_renewal import renew_entry
from tasks.queue.submitting import correct_rating
from tests.factories import NOW, make_item, make_rating, make_submission

NAMES = ("ada", "ben", "cem")


def rated(
    project: Project, name: str, *values: int | None, ticks: dict[int, str] | None = None
) -> Item:
    """Return an item that people rated, with its case in the queue; `ticks`: by the person."""
    item = make_item(
        project=project, external_id=name, responses=[("heron", "Two.")], wanted=len(values)
    )
    for number, value in enumerate(values):
        annotator = User.objects.get(username=NAMES[number])
        rating = make_rating(item=item, annotator=annotator, values={1: value or 7})
        score = rating.scores.get()
        if value is None:
            Score.objects.filter(pk=score.pk).update(value=None, without="blank")
        if ticks and number in ticks:
            score.checks |= {ticks[number]: "yes"}
            score.save(update_fields=["checks"])
    item.refresh_from_db()
    item.project = project
    renew_entry(item)
    return item


def case_of(item: Item) -> Case:
    (case,) = cases_of(item, item.responses.get().pk, ratings_of(item))
    return case


def settle(item: Item, lead: User, number: int = 0) -> None:
    case = case_of(item)
    choice = Choice(case.answers[number].person, None, "slip")
    decide_case(case, choice, version=case.version, by=lead, now=NOW)


def correct(item: Item, name: str, value: int) -> None:
    rating = Rating.objects.get(item=item, annotator__username=name, superseded_by=None)
    assert rating.lease
    submission = make_submission(lease=rating.lease, values={1: value})
    correct_rating(rating, submission, based_on=rating.revision, now=NOW + timedelta(minutes=1))
    renew_entry(item)
