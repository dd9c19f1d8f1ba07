"""Ratings that came after a question: the export marks them, and agreement leaves them out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotators.models import User
from tasks.agreement.results import renew, result
from tasks.agreement.stored import Figure
from tasks.cases.asking import Subject, ask
from tasks.cases.rating_views import ratings_of
from tasks.models import AgreementResult, Item, Project, Rating
from tasks.models.agreement_results import RatingChoice
from tasks.queue.submitting import correct_rating
from tests.exports import rows_of
from tests.factories import (
    NOW,
    make_decision,
    make_item,
    make_project,
    make_rating,
    make_submission,
)

pytestmark = pytest.mark.django_db
ASKED = NOW + timedelta(hours=2)


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    """ada and ben rated its two responses alike."""
    item = make_item(project=project)
    for annotator in (ada, ben):
        make_rating(item=item, annotator=annotator, values={1: 5, 2: 6})
    item.project = project
    return item


def ask_ada(item: Item, lead: User, number: int | None = None) -> None:
    target = item.responses.get(position=number).pk if number else ""
    views = [view for view in ratings_of(item) if view.name == "ada"]
    ask(Subject(item, "quality" if number else "", target), views, "Why?", by=lead, now=ASKED)


def correct(item: Item, name: str, value: int, *, hours: int) -> None:
    rating = Rating.objects.current().get(item=item, annotator__username=name)
    lease = rating.annotator.leases.get(item=item)
    submission = make_submission(lease=lease, values={1: value, 2: 6}, comment=f"{hours}")
    at = NOW + timedelta(hours=hours)
    correct_rating(rating, submission, based_on=rating.revision, reply="So.", now=at)


def marks(project: Project, **options: bool) -> dict[tuple[str, str, str], str]:
    rows = rows_of(project, **options)
    marks = {}
    for row in rows:
        marks[row["annotator"], row["revision"], row["target"]] = row["after_talk"]
    return marks


def test_a_correction_after_a_question_is_marked_at_its_target_alone(
    project: Project, item: Item, lead: User
) -> None:
    correct(item, "ada", 4, hours=1)
    ask_ada(item, lead, number=1)
    correct(item, "ada", 7, hours=3)
    correct(item, "ben", 7, hours=3)
    every = marks(project, revisions=True)
    after = [key for key, mark in every.items() if mark == "1"]
    assert after == [("ada", "3", "1")]
    assert len(every) == 10


def test_a_question_about_the_whole_item_marks_all_targets(
    project: Project, item: Item, lead: User
) -> None:
    ask_ada(item, lead)
    correct(item, "ada", 7, hours=3)
    after = sorted(key for key, mark in marks(project).items() if mark == "1")
    assert after == [("ada", "2", "1"), ("ada", "2", "2")]


def test_a_first_rating_is_never_marked(project: Project, item: Item, lead: User) -> None:
    ask_ada(item, lead, number=1)
    Rating.objects.update(submitted_at=ASKED + timedelta(hours=1))
    assert set(marks(project).values()) == {"0"}


def shares(project: Project, **choice: bool) -> float:
    """Return the share of pairs with the same score."""
    made = result(project, project.rubric.schema.dimensions[0], NOW, RatingChoice(**choice))
    figure = made.result.overall.figures["same"]
    assert isinstance(figure, Figure)
    return figure.value


def test_agreement_leaves_corrections_after_a_question_out_unless_they_are_chosen(
    project: Project, item: Item, lead: User
) -> None:
    correct(item, "ada", 4, hours=1)
    ask_ada(item, lead)
    correct(item, "ada", 5, hours=3)
    assert shares(project) == 0.5  # 4 and 5, 6 and 6
    assert shares(project, talk=True) == 1
    assert shares(project, first=True) == 1


def test_agreement_keeps_the_first_rating_of_whoever_was_asked_at_once(
    project: Project, item: Item, lead: User
) -> None:
    ask_ada(item, lead)
    correct(item, "ada", 4, hours=3)
    correct(item, "ben", 4, hours=3)
    assert shares(project) == 0.5  # of ada the first, of ben the last
    assert shares(project, talk=True) == 1


def test_agreement_is_stored_once_where_no_correction_followed_a_question(
    project: Project, item: Item, lead: User
) -> None:
    correct(item, "ada", 4, hours=1)
    ask_ada(item, lead)
    assert shares(project) == shares(project, talk=True) == 0.5
    assert not AgreementResult.objects.filter(talk=True).exists()
    correct(item, "ada", 5, hours=3)
    renew(project, NOW)
    assert AgreementResult.objects.filter(talk=True).count() == 1


def test_a_correction_of_whoever_decided_a_case_of_the_item_came_after_talk(
    project: Project, item: Item, ada: User
) -> None:
    """She saw the answer of ben then."""
    correct(item, "ben", 7, hours=1)
    make_decision(item, by=ada, now=ASKED)
    correct(item, "ada", 7, hours=3)
    after = [key for key, mark in marks(project).items() if mark == "1"]
    assert after == [("ada", "2", "1")]
    assert shares(project) == 0.5  # 5 and 7, 6 and 6
    assert shares(project, talk=True) == 1
