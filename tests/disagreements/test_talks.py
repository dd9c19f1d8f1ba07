"""The talk about a case: asked and answered by letters, in the history of the case."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from tasks.cases.ask_form import naming_of
from tasks.cases.asking import Subject, ask
from tasks.cases.history import HistoryEntry, history_of_case
from tasks.models import CaseEntry, Item, Membership, Project, Question
from tasks.models.list_renewal import renew_entry
from tasks.models.roles import Role
from tests.disagreements.asked import (
    LATER,
    ask_about,
    case_of,
    correct,
    decide,
    make_case_item,
    view_of,
)
from tests.factories import make_membership, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    return make_case_item(project, ada=ada, ben=ben)


def letter_of(item: Item, name: str) -> str:
    (answer,) = [answer for answer in case_of(item).answers if answer.name == name]
    return answer.letter


def history(item: Item, reader: User, *, days: int = 3) -> list[HistoryEntry]:
    """Return the history of the first response, without its decisions."""
    case = case_of(item)
    naming = naming_of(case, reader, shows_people=False)
    history = history_of_case(case, naming, now=LATER + timedelta(days=days))
    return [entry for entry in history if not entry.is_decision]


def address_of(item: Item) -> str:
    token = CaseEntry.objects.get(item=item, response__position=1).token
    return f"/projects/eggs/disagreements/{token}/ask/"


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.fixture(params=[Role.LEAD, Role.ADJUDICATOR])
def asker(request: pytest.FixtureRequest, client: Client, project: Project) -> Client:
    """A lead or an adjudicator."""
    eve = make_user(name="eve")
    make_membership(project=project, user=eve, role=Membership.Role(request.param))
    client.force_login(eve)
    return client


def test_a_question_waits_by_its_letter_and_since_when(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada")
    (entry,) = history(item, lead)
    assert entry.head == f"Question about answer {letter_of(item, 'ada')}"
    assert (entry.words, entry.state, entry.by) == ("Why?", "asked, 3 days", "you")
    assert entry.reply is None


def test_a_reply_says_if_another_score_came_with_it(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada", "ben")
    correct(item, "ada", value=5, reply="Once more.")
    correct(item, "ben", value=6, reply="So it is.")
    outcomes = {}
    for entry in history(item, lead):
        assert entry.reply
        outcomes[entry.reply.words] = entry.reply.outcome
    assert outcomes == {
        "Once more.": "answered, with another score",
        "So it is.": "answered, with the same score",
    }


def test_a_reply_about_all_of_an_item_says_of_each_case_if_its_score_changed(
    item: Item, lead: User
) -> None:
    ask(Subject(item), [view_of(item, "ada")], "And all of it?", by=lead, now=LATER)
    second = view_of(item, "ada").rating.scores.get(response__position=2).value
    correct(item, "ada", value=5)
    scores = view_of(item, "ada").rating.scores
    scores.filter(response__position=2).update(value=second)
    outcomes = []
    for number in (1, 2):
        case = case_of(item, number)
        naming = naming_of(case, lead, shows_people=True)
        (entry,) = history_of_case(case, naming, now=LATER)
        assert entry.reply
        outcomes.append(entry.reply.outcome)
    assert outcomes == ["answered, with another score", "answered, with the same score"]


def test_a_question_without_a_reply_ends_with_the_decision(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada")
    decide(item, lead)
    (entry,) = history(item, lead)
    assert (entry.state, entry.reply) == ("withdrawn by the decision", None)


def test_a_question_goes_to_a_letter_and_no_name_is_read(asker: Client, item: Item) -> None:
    sent = {"to": letter_of(item, "ben"), "text": "Why a 6?"}
    answer = asker.post(address_of(item), sent)
    assert answer["Location"] == address_of(item).removesuffix("ask/")
    question = Question.objects.get()
    assert (question.annotator.username, question.text) == ("ben", "Why a 6?")
    page = text_of(asker.get(address_of(item)))
    assert f"Question about answer {sent['to']} you, " in page
    assert "asked today Why a 6?" in page
    assert f"Answer {sent['to']} can’t be asked about" in page
    assert not re.search(r"\b(ada|ben)\b", page)


def test_all_are_asked_at_once(asker: Client, item: Item) -> None:
    asker.post(address_of(item) + "?state=asked", {"to": "all", "text": "Why?"})
    assert Question.objects.count() == 2


def test_a_refused_question_keeps_its_words(asker: Client, item: Item) -> None:
    letter = letter_of(item, "ada")
    Membership.objects.filter(user__username="ada").delete()
    answer = asker.post(address_of(item), {"to": letter, "text": "Why a 2?"})
    assert "This answer can’t be asked about any more." in text_of(answer)
    assert "Why a 2?</textarea>" in answer.content.decode()
    assert not Question.objects.exists()


@pytest.mark.parametrize("role", [None, Role.ANNOTATOR])
def test_a_question_is_for_those_who_settle_cases(
    client: Client, project: Project, item: Item, role: Role | None
) -> None:
    eve = make_user(name="eve")
    if role:
        make_membership(project=project, user=eve, role=Membership.Role(role))
    client.force_login(eve)
    sent = {"to": "A", "text": "Why?"}
    assert client.post(address_of(item), sent).status_code == 404
    assert not Question.objects.exists()


def test_the_page_of_a_case_has_its_talk_and_the_form(
    asker: Client, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada")
    correct(item, "ada", value=3, reply="Once more.")
    renew_entry(item)
    page = text_of(asker.get(address_of(item).removesuffix("ask/")))
    assert f"Question about answer {letter_of(item, 'ada')} " in page
    assert "Why? Once more. answered, with another score" in page
    assert "Ask instead" in page
