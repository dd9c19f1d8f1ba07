"""Decide first: the answers of a case are hidden until one's own score is stored."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotators.models import User
from tasks.models import CaseEntry, Project, Question, ScoreDecision
from tasks.models.roles import Role
from tests.factories import make_membership, make_user

from .made_cases import PAGE, address_of, decide, part, project_with_people, rated, shown, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(lead: User) -> Project:
    return project_with_people(lead, decides_first=True)


@pytest.fixture
def entry(project: Project) -> CaseEntry:
    return rated(project, "wide", 4, 7, 7, ticks={1: "punctuation_error"})


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def test_the_answers_are_nowhere_on_the_page_before_the_first_score(
    here: Client, entry: CaseEntry
) -> None:
    page = shown(here, address_of(entry))
    assert "Give your own score first." in page
    assert "A chirp every minute" in page
    case = page[page.index('<div id="case"') :]
    for hidden in ("Answer A", "Comment 0", "spread", "barred", "median", 'class="score', "Ticked"):
        assert hidden not in case, hidden
    assert "Punctuation" not in part(page, "nav", "queue").partition("<ol")[2]


def test_the_first_score_is_stored_and_shown_beside_the_answers(
    here: Client, project: Project, entry: CaseEntry
) -> None:
    page = decide(here, entry, choice="5")
    assert "<h1>wide" in page
    form = part(page, "form", "decide")
    assert "yours, before the answers: 5" in words(form)
    assert re.search(r'value="5"[^>]*\schecked', form)
    assert "Answer A" in form
    assert 'class="score' in part(page, "nav", "queue")
    first = ScoreDecision.objects.get()
    assert (first.source, first.value, first.checks) == ("first", 5, {})
    assert CaseEntry.objects.get().decision == CaseEntry.Decision.NONE


def test_the_first_score_is_confirmed_or_changed_and_both_stay(
    here: Client, entry: CaseEntry
) -> None:
    decide(here, entry, choice="5")
    page = decide(here, entry, choice="5", cause="judgement", reason="In between.")
    assert "All is decided" in page
    history = words(shown(here, address_of(entry, "?state=decided")).partition('id="history"')[2])
    assert history.index("Score before the answers") < history.index("anew · a judgement call")
    stored = ScoreDecision.objects.order_by("revision").values_list("source", "value")
    assert list(stored) == [("first", 5), ("anew", 5)]


def test_a_first_score_needs_no_reason_which_would_tell_of_the_answers(
    here: Client, entry: CaseEntry
) -> None:
    assert "Say why" not in decide(here, entry, choice="6")
    assert ScoreDecision.objects.get().value == 6


def test_no_answer_can_be_adopted_before_the_first_score(here: Client, entry: CaseEntry) -> None:
    page = decide(here, entry, choice="A")
    assert "This answer does not count any more." in page
    assert "Give your own score first." in page
    assert not ScoreDecision.objects.exists()


def test_a_first_score_shows_the_answers_to_nobody_else(
    here: Client, project: Project, entry: CaseEntry
) -> None:
    decide(here, entry, choice="5")
    other = make_user(name="eve")
    make_membership(project=project, user=other, role=Role.LEAD)
    client = Client()
    client.force_login(other)
    assert "Give your own score first." in shown(client, PAGE)
    decide(client, entry, choice="6")
    assert "Answer A" in shown(client, PAGE)
    assert list(ScoreDecision.objects.values_list("source", flat=True)) == ["first", "first"]


def test_the_page_that_asks_leads_to_the_case_before_the_first_score(
    here: Client, lead: User, entry: CaseEntry
) -> None:
    """Its talk would tell what people answered."""
    ask = f"{address_of(entry)}ask/"
    for answer in (here.get(ask), here.post(ask, {"to": "all", "text": "Why?"})):
        assert (answer.status_code, answer.headers["Location"]) == (302, address_of(entry))
    assert not Question.objects.exists()
    decide(here, entry, choice="5")
    assert here.get(ask).status_code == 200
