"""Adjudicators come into a project, have another role beside it, and leave."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from annotators.models import User
from tasks.models import Membership, Project
from tasks.models.progress import progress_of
from tasks.overview.shortage import shortages_of
from tests.factories import make_item, make_membership, make_project, make_user
from tests.invitations import make_email, path_of

pytestmark = pytest.mark.django_db
Role = Membership.Role
PEOPLE = "/projects/eggs/people/"
CASES = "/projects/eggs/disagreements/"
SETTLES = "invites you to settle disagreements in"


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="eggs", title="Eggs", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


@pytest.fixture
def judge(project: Project) -> User:
    judge = make_user(name="judy", email="judy@example.org")
    make_membership(project=project, user=judge, role=Role.ADJUDICATOR)
    return judge


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def words(response: Any) -> str:
    """Return the words of a page, without its markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def roles_of(project: Project, user: User) -> list[str]:
    held = project.memberships.filter(user=user).order_by("role")
    return list(held.values_list("role", flat=True))


def change(here: Client, user: User, role: str) -> str:
    return words(here.post(f"/projects/eggs/members/{user.pk}/", {"role": role}, follow=True))


# --- on the page of people ---


def test_a_lead_adds_an_adjudicator_who_reads_where_to_begin(
    here: Client, project: Project
) -> None:
    judge = make_user(name="judy")
    sent = {"name": "judy", "role": "adjudicator"}
    page = words(here.post("/projects/eggs/members/", sent, follow=True))
    assert "judy is now adjudicator in this project." in page
    assert "1 adjudicator" in page
    inbox = browser_of(judge).get("/inbox/").content.decode()
    assert "You now settle disagreements in this project." in inbox
    notice = re.findall(r'href="(/inbox/\d+/)"|action="(/inbox/\d+/)"', inbox)[0]
    answer = browser_of(judge).post(next(filter(None, notice)))
    assert answer.headers["Location"] == CASES


def test_an_adjudicator_who_left_has_no_link_to_cases_in_the_inbox(
    here: Client, project: Project
) -> None:
    judge = make_user(name="judy")
    here.post("/projects/eggs/members/", {"name": "judy", "role": "adjudicator"})
    change(here, judge, "none")
    inbox = browser_of(judge).get("/inbox/").content.decode()
    assert "You now settle disagreements in this project." in inbox
    assert not re.findall(r'"/inbox/\d+/"', inbox)


def test_a_project_without_adjudicators_counts_none(here: Client) -> None:
    assert "adjudicator" not in words(here.get(PEOPLE)).split("Name")[0]


def test_a_person_both_rates_and_adjudicates(here: Client, project: Project, judge: User) -> None:
    assert "judy is now annotator and adjudicator" in change(here, judge, "adjudicator+annotator")
    assert roles_of(project, judge) == ["adjudicator", "annotator"]
    page = here.get(PEOPLE).content.decode()
    assert '<option value="adjudicator+annotator" selected>annotator and adjudicator' in page
    assert "judy is now annotator in this project." in change(here, judge, "annotator")
    assert roles_of(project, judge) == ["annotator"]


def test_a_lead_with_both_roles_is_shown_as_a_lead(
    here: Client, project: Project, lead: User
) -> None:
    make_membership(project=project, user=lead, role=Role.ADJUDICATOR)
    page = here.get(PEOPLE).content.decode()
    assert '<option value="lead" selected>lead</option>' in page


def test_an_adjudicator_is_no_lead_when_the_last_lead_would_leave(
    here: Client, project: Project, lead: User, judge: User
) -> None:
    assert "A project needs a lead: add another one first." in change(here, lead, "adjudicator")
    assert roles_of(project, lead) == ["lead"]


def test_an_adjudicator_who_is_removed_reaches_no_case(
    here: Client, project: Project, judge: User
) -> None:
    hers = browser_of(judge)
    assert hers.get(CASES).status_code == 200
    change(here, judge, "none")
    assert hers.get(CASES).status_code == 404


def test_an_adjudicator_is_nobody_who_rates(here: Client, project: Project, judge: User) -> None:
    make_item(project=project)
    progress = progress_of(project)
    shortage = shortages_of({project: progress}).get(project.pk)
    assert shortage is None or shortage.people == 0
    assert "Nobody rates here yet" in words(here.get("/projects/eggs/"))
    row = words(here.get(PEOPLE))
    assert re.search(r"Change judy does not rate in this project", row)


def test_a_duplicate_of_a_project_has_its_adjudicators(here: Client, judge: User) -> None:
    here.post("/projects/eggs/duplicate/", {"title": "More eggs"})
    copy = Project.objects.get(title="More eggs")
    assert roles_of(copy, judge) == ["adjudicator"]


# --- by invitation ---


def test_an_invitation_to_adjudicate_says_so_in_its_e_mail_and_on_its_page(
    here: Client, project: Project
) -> None:
    here.post("/projects/eggs/invitations/", {"email": "gil@example.org", "role": "adjudicator"})
    make_email(project, "hana@example.org", role="adjudicator")
    texts = [" ".join(str(message.body).split()) for message in mail.outbox]
    assert len(texts) == 2
    for text in texts:
        assert f"lea {SETTLES} the project “Eggs”" in text
    page = words(Client().get(path_of(project.invitations.emails()[0])))
    assert f"lea {SETTLES} this project." in page
    assert "As an adjudicator you read what annotators score differently" in page
    assert "As an annotator you read an item" not in page


def test_the_cases_open_to_whoever_accepts_to_adjudicate(project: Project) -> None:
    gil = make_user(name="gil", email="gil@example.org")
    invitation = make_email(project, role="adjudicator")
    answer = browser_of(gil).post(path_of(invitation), {"as": str(gil.pk)})
    assert answer.headers["Location"] == CASES
    assert roles_of(project, gil) == ["adjudicator"]


def test_only_the_invited_address_can_accept_to_adjudicate(project: Project, ada: User) -> None:
    invitation = make_email(project, role="adjudicator")
    client = browser_of(ada)
    page = words(client.get(invitation.path))
    assert "This offer went to one e-mail address." in page
    client.post(invitation.path, {"as": str(ada.pk)})
    assert roles_of(project, ada) == []


def test_a_list_of_addresses_is_invited_to_adjudicate(here: Client, project: Project) -> None:
    sent = {"people": "gil@example.org\nhana@example.org", "role": "adjudicator", "send": "yes"}
    here.post("/projects/eggs/invitations/list/", sent)
    roles = project.invitations.emails().values_list("role", flat=True)
    assert list(roles) == ["adjudicator", "adjudicator"]


# --- at the desk ---


def test_an_adjudicator_who_rates_too_has_her_desk(project: Project, judge: User) -> None:
    make_item(project=project)
    hers = browser_of(judge)
    assert hers.get("/projects/eggs/desk/").status_code == 404
    make_membership(project=project, user=judge)
    assert hers.get("/projects/eggs/desk/").status_code == 200
