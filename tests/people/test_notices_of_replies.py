"""Notices of replies: leads and whoever asked are told, an adjudicator without any name."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.cases.asking import Subject, ask
from tasks.models import CaseEntry, Item, Membership, Notice, Project
from tests.disagreements.asked import LATER, ask_about, correct, make_case_item, view_of
from tests.factories import make_membership, make_project, make_user

pytestmark = pytest.mark.django_db
ANSWERED = "Your question about {} was answered."


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", title="Eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    return make_case_item(project, ada=ada, ben=ben)


@pytest.fixture
def judge(project: Project) -> User:
    judge = make_user(name="judy")
    make_membership(project=project, user=judge, role=Membership.Role.ADJUDICATOR)
    return judge


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def lines(user: User, address: str = "/inbox/") -> list[str]:
    """Return the lines of a user's inbox, as a reader sees them."""
    page = client_of(user).get(address).content.decode()
    texts = re.findall(r"<li.*?</li>", page.partition('class="notices')[2], re.DOTALL)
    words = [html.unescape(re.sub(r"<[^>]+>", " ", text)) for text in texts]
    return [" ".join(line.split()) for line in words]


def replies(user: User) -> list[str]:
    """Return the lines that tell of replies."""
    return [line for line in lines(user) if "question" in line]


def kinds(user: User) -> list[str]:
    return [notice.kind for notice in Notice.objects.of(user)]


@pytest.mark.parametrize("address", ["/inbox/", "/"])
def test_an_adjudicator_who_asked_is_told_of_the_reply_without_a_name(
    item: Item, judge: User, address: str
) -> None:
    ask_about(item, judge, "ada", text="Why a 2?")
    assert lines(judge, address) == []
    correct(item, "ada", value=2, reply="It is wrong.")
    [line] = lines(judge, address)
    assert ANSWERED.format(item) in line
    assert "Why a 2?" in line
    assert "ada" not in line


def test_the_notice_of_a_reply_leads_an_adjudicator_to_the_case(
    project: Project, item: Item, judge: User
) -> None:
    ask_about(item, judge, "ada")
    correct(item, "ada", value=2, reply="It is wrong.")
    notice = Notice.objects.get(user=judge)
    client = client_of(judge)
    address = client.post(f"/inbox/{notice.pk}/").headers["Location"]
    entry = CaseEntry.objects.get(item=item, response__position=1)
    assert address == f"/projects/eggs/disagreements/{entry.token}/"
    assert "It is wrong." in client.get(address).content.decode()


def test_a_lead_who_asked_is_told_once_and_an_adjudicator_who_did_not_is_not(
    item: Item, judge: User, lead: User
) -> None:
    make_membership(project=item.project, user=lead, role=Membership.Role.ADJUDICATOR)
    ask_about(item, lead, "ada")
    correct(item, "ada", reply="So.")
    [line] = replies(lead)
    assert f"ada answered the question about {item}." in line
    assert kinds(judge) == []


def test_an_admin_who_asked_is_told_by_name(item: Item) -> None:
    admin = make_user(name="root", admin=True)
    ask(Subject(item), [view_of(item, "ada")], "All of it?", by=admin, now=LATER)
    correct(item, "ada", reply="So.")
    [line] = lines(admin)
    assert f"ada answered the question about {item}." in line


def test_nobody_is_told_of_a_reply_of_their_own(item: Item, ada: User) -> None:
    make_membership(project=item.project, user=ada, role=Membership.Role.ADJUDICATOR)
    ask_about(item, ada, "ada")
    correct(item, "ada", reply="So.")
    assert "revised" not in kinds(ada)


def test_a_removed_adjudicator_is_told_nothing_and_reads_no_earlier_question(
    item: Item, judge: User, ada: User
) -> None:
    ask_about(item, judge, "ada", text="Why a 2?")
    correct(item, "ada", reply="So.")
    Membership.objects.filter(user=judge).delete()
    [line] = lines(judge)
    assert "You no longer settle disagreements in this project." in line
    assert "Why a 2?" not in line
    notice = Notice.objects.get(user=judge)
    assert client_of(judge).post(f"/inbox/{notice.pk}/").headers["Location"] == "/inbox/"
    ask_about(item, judge, "ben")
    correct(item, "ben", reply="So.")
    assert Notice.objects.filter(user=judge).count() == 1


def test_a_lead_who_becomes_an_adjudicator_reads_no_name_any_more(item: Item, lead: User) -> None:
    ask_about(item, lead, "ada")
    correct(item, "ada", reply="So.")
    Membership.objects.filter(user=lead).update(role=Membership.Role.ADJUDICATOR)
    [line] = replies(lead)
    assert ANSWERED.format(item) in line
    assert "ada" not in line


def test_an_inbox_of_an_adjudicator_takes_as_many_queries_however_many_replies_there_are(
    project: Project, ada: User, ben: User, judge: User
) -> None:
    counts = []
    for _time in range(2):
        for _item in range(2):
            item = make_case_item(project, ada=ada, ben=ben)
            ask_about(item, judge, "ada")
            correct(item, "ada", reply="So.")
        client = client_of(judge)
        with CaptureQueriesContext(connection) as seen:
            client.get("/inbox/")
        counts.append(len(seen))
    assert len(lines(judge)) == 4
    assert counts[0] == counts[1]
