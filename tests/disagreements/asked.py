"""Questions about cases, as tests ask and answer them."""

from __future__ import annotations

from datetime import timedelta

from annotators.models import User
from tasks.cases.asking import Obstacle, Subject, ask
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Choice, decide_case
from tasks.cases.rating_views import RatingView, ratings_of
from tasks.models import Item, Project, Rating
from tasks.models.list_renewal import renew_entry
from tasks.queue.submitting import correct_rating
from tests.factories import NOW, make_item, make_rating, make_submission

LATER = NOW + timedelta(hours=1)


def make_case_item(project: Project, *, ada: User, ben: User) -> Item:
    """Return an item whose two responses ada and ben rated, and differ on both."""
    item = make_item(project=project)
    make_rating(item=item, annotator=ada, values={1: 2, 2: 3})
    make_rating(item=item, annotator=ben, values={1: 6, 2: 7})
    item.refresh_from_db()
    item.project = project
    renew_entry(item)
    return item


def case_of(item: Item, number: int = 1) -> Case:
    target = item.responses.get(position=number).pk
    (case,) = cases_of(item, target, ratings_of(item))
    return case


def subject_of(item: Item, number: int = 1) -> Subject:
    case = case_of(item, number)
    return Subject(item, case.dimension.code, case.target)


def view_of(item: Item, name: str) -> RatingView:
    (view,) = [view for view in ratings_of(item) if view.name == name]
    return view


def ask_about(
    item: Item, lead: User, *names: str, text: str = "Why?", number: int = 1
) -> dict[int, Obstacle]:
    views = [view_of(item, name) for name in names]
    return dict(ask(subject_of(item, number), views, text, by=lead, now=LATER))


def correct(item: Item, name: str, *, value: int = 4, reply: str = "") -> Rating:
    rating = view_of(item, name).rating
    lease = rating.annotator.leases.get(item=item)
    submission = make_submission(lease=lease, values={1: value})
    at = LATER + timedelta(hours=1)
    return correct_rating(rating, submission, based_on=rating.revision, reply=reply, now=at)


def decide(item: Item, lead: User) -> None:
    case = case_of(item)
    (ben,) = [answer for answer in case.answers if answer.value == 6]
    choice = Choice(ben.person, None, "slip")
    decide_case(case, choice, version=case.version, by=lead, now=LATER)
