"""The page on which leads make tokens: shown once, and only after the password."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import BrowserContext, expect

from annotators.models import User
from tasks.api_tokens.emails import announce_ends
from tasks.models import ApiToken, Membership, Project
from tests.api.calling import Caller, make_token, wait_for_others
from tests.cases import cases
from tests.factories import (
    PASSWORD,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_user,
)
from tests.worker import work

PAGE = "/projects/eggs/tokens/"
FORM = {"name": "nightly-export", "may": "read", "project": "eggs", "days": "90"}
CONFIRM = "/accounts/reauthenticate/"


@pytest.fixture
def project(lead: User) -> Project:
    """At /projects/eggs/, led by lea."""
    return make_project(slug="eggs", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which lea has logged in."""
    client.force_login(lead)
    return client


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(text.split())


def made_by(here: Client, **changes: str) -> Any:
    """The page after the form of a new token, with the password where it is asked for."""
    response = here.post(f"{PAGE}make/", FORM | changes)
    if response.status_code == 302:
        assert response["Location"].startswith(CONFIRM)
        response = here.post(response["Location"], {"password": PASSWORD, "next": f"{PAGE}make/"})
    return response


def secret_in(response: Any) -> str:
    [secret] = re.findall(r"evh_[A-Za-z0-9_-]{43}", response.content.decode())
    return str(secret)


# --- making one ---


def test_a_token_is_made_after_the_password_and_works(here: Client, lead: User) -> None:
    response = here.post(f"{PAGE}make/", FORM)
    assert response.status_code == 302
    assert not ApiToken.objects.exists()
    wrong = here.post(response["Location"], {"password": "wrong", "next": f"{PAGE}make/"})
    assert "This is not your password" in words(wrong)
    assert not ApiToken.objects.exists()
    page = here.post(response["Location"], {"password": PASSWORD, "next": f"{PAGE}make/"})
    assert page.status_code == 200
    assert "nightly-export is made. Copy it now: it is shown once." in words(page)
    assert Caller(secret_in(page)).get("projects/eggs").status_code == 200
    token = ApiToken.objects.get()
    assert (token.owner, token.may_write, token.days) == (lead, False, 90)
    assert (token.names_people, token.names_models) == (False, False)


def test_a_token_is_shown_once(here: Client) -> None:
    secret = secret_in(made_by(here))
    assert secret not in here.get(PAGE).content.decode()
    with connection.cursor() as cursor:  # the session would be a second place
        cursor.execute("SELECT session_data FROM annotators_session")
        assert all(secret not in data for (data,) in cursor.fetchall())


def test_the_choices_of_the_form_are_those_of_the_token(here: Client, lead: User) -> None:
    make_project(slug="ham", leads=[lead])
    ticks = {"names_people": "on", "names_models": "on"}
    made_by(here, may="write", project="ham", days="365", **ticks)
    token = ApiToken.objects.get()
    assert token.project
    assert (token.project.slug, token.may_write, token.days) == ("ham", True, 365)
    assert (token.names_people, token.names_models) == (True, True)
    assert token.expires_at - token.made_at == timedelta(days=365)
    made_by(here, name="for all", project="")
    assert ApiToken.objects.get(name="for all").project is None


@cases(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "x" * 61),
        ("may", "everything"),
        ("project", "of-others"),
        ("days", "3650"),
        ("days", ""),
    ],
)
def test_a_choice_that_there_is_not_is_refused_before_the_password(
    here: Client, field: str, value: str
) -> None:
    if not Project.objects.filter(slug="of-others").exists():
        make_project(slug="of-others")
    response = here.post(f"{PAGE}make/", FORM | {field: value})
    assert response.status_code == 200
    assert 'aria-invalid="true"' in response.content.decode() or field == "days"
    assert "errorlist" in response.content.decode()
    assert not ApiToken.objects.exists()


def test_a_name_stands_for_one_token_until_it_is_withdrawn(here: Client, lead: User) -> None:
    made_by(here)
    response = made_by(here, name="Nightly-Export")
    assert "You have a token of this name" in words(response)
    ApiToken.objects.get().withdraw(by=lead, now=timezone.now())
    secret_in(made_by(here))


def test_the_password_is_asked_for_once_in_five_minutes(here: Client) -> None:
    made_by(here)
    assert here.post(f"{PAGE}make/", FORM | {"name": "second"}).status_code == 200
    assert ApiToken.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_lines_for_python_run_as_they_stand(
    site: Any, client: Client, lead: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_rating(item=make_item(project=project, responses=["a", "b"]))
    client.force_login(lead)
    with override_settings(SITE_URL=site.url):
        page = html.unescape(client.get(PAGE).content.decode())
    [lines] = re.findall(r"(import json\n.*?)</textarea>", page, re.DOTALL)
    monkeypatch.setenv("EVENHAND_TOKEN", make_token(owner=lead, project=project)[1])
    wait_for_others()
    names: dict[str, Any] = {}
    exec(lines, names)  # noqa: S102 - our own
    assert len(names["scores"]) == 2


# --- who sees it ---


@pytest.mark.parametrize("role", ["annotator", "adjudicator", None])
def test_the_page_is_for_leads(client: Client, project: Project, role: str | None) -> None:
    user = make_user()
    if role:
        make_membership(project=project, user=user, role=Membership.Role(role))
    client.force_login(user)
    assert client.get(PAGE).status_code == 404
    assert client.post(f"{PAGE}make/", FORM).status_code == 404


def test_the_table_says_what_each_token_may_and_until_when(
    here: Client, lead: User, project: Project
) -> None:
    now = timezone.now()
    make_token(owner=lead, project=project, name="old-ci", days=30, now=now - timedelta(days=40))
    make_token(owner=lead, name="for-all", days=30, now=now - timedelta(days=29))
    make_token(owner=lead, project=project, name="item-upload", may_write=True)
    rows = re.findall(r"<tr[ >].*?</tr>", here.get(PAGE).content.decode(), re.DOTALL)[1:]
    texts = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]
    assert [text.split()[0] for text in texts] == ["item-upload", "for-all", "old-ci"]
    assert "read and write" in texts[0]
    assert "Withdraw" in texts[0]
    assert "Renew" not in texts[0]
    assert "all that you lead (1)" in texts[1]
    assert "tomorrow" in texts[1]
    assert "Renew" in texts[1]
    assert "Remove the line" in texts[2]
    assert "never" in texts[2]


def test_the_page_takes_as_many_queries_for_three_tokens_as_for_one(
    here: Client, lead: User, project: Project
) -> None:
    other = make_user()
    make_membership(project=project, user=other, role=Membership.Role.LEAD)
    numbers = []
    for _number in range(2):
        make_token(owner=lead, project=project)
        make_token(owner=other, project=project)
        here.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            here.get(PAGE)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


# --- renewing, withdrawing, removing ---


def test_a_token_is_renewed_for_as_long_as_it_was_made(
    here: Client, lead: User, project: Project
) -> None:
    made_by(here)  # the password was asked for
    begun = timezone.now() - timedelta(days=29)
    token, secret = make_token(owner=lead, project=project, name="a", days=30, now=begun)
    here.post(f"{PAGE}{token.pk}/renew/")
    token.refresh_from_db()
    assert token.expires_at > timezone.now() + timedelta(days=29)
    assert token.announce_at
    assert Caller(secret).get("projects").status_code == 200


def test_a_token_is_renewed_after_the_password_alone(
    here: Client, lead: User, project: Project
) -> None:
    token, _secret = make_token(owner=lead, project=project)
    response = here.post(f"{PAGE}{token.pk}/renew/")
    assert response["Location"].startswith(CONFIRM)
    renewed = here.post(
        response["Location"], {"password": PASSWORD, "next": f"{PAGE}{token.pk}/renew/"}
    )
    assert renewed["Location"] == PAGE


@pytest.mark.parametrize("over", ["ended", "withdrawn"])
def test_a_token_that_is_over_is_not_renewed_and_its_line_can_go(
    here: Client, lead: User, project: Project, over: str
) -> None:
    made_by(here)
    begun = timezone.now() - timedelta(days=31 if over == "ended" else 1)
    token, secret = make_token(owner=lead, project=project, days=30, now=begun)
    if over == "withdrawn":
        here.post(f"{PAGE}{token.pk}/withdraw/")
    here.post(f"{PAGE}{token.pk}/renew/")
    assert Caller(secret).get("projects").status_code == 401
    here.post(f"{PAGE}{token.pk}/remove/")
    assert not ApiToken.objects.filter(pk=token.pk).exists()


def test_a_line_of_a_token_that_works_stays(here: Client, lead: User, project: Project) -> None:
    token, secret = make_token(owner=lead, project=project)
    assert here.post(f"{PAGE}{token.pk}/remove/").status_code == 404
    assert Caller(secret).get("projects").status_code == 200


def test_any_lead_of_the_project_withdraws_its_token(
    client: Client, lead: User, project: Project
) -> None:
    token, secret = make_token(owner=lead, project=project, name="of-lea")
    other = make_user(name="mia")
    make_membership(project=project, user=other, role=Membership.Role.LEAD)
    client.force_login(other)
    assert "of-lea of lea" in words(client.get(PAGE))
    client.post(f"{PAGE}{token.pk}/withdraw/")
    token.refresh_from_db()
    assert token.withdrawn_by == other
    assert Caller(secret).get("projects").status_code == 401
    assert "“of-lea” is withdrawn." in words(client.get(PAGE))
    assert "of-lea" not in words(client.get(PAGE))


@pytest.mark.parametrize("is_admin", [False, True])
def test_a_token_for_all_is_withdrawn_by_whoever_leads_a_project_that_it_reaches(
    client: Client, lead: User, project: Project, is_admin: bool
) -> None:
    token, _secret = make_token(owner=lead, name="for-all")
    unreached = make_project(slug="ham")
    other = make_user(admin=is_admin)
    for led in (project, unreached):
        make_membership(project=led, user=other, role=Membership.Role.LEAD)
    client.force_login(other)
    assert client.post(f"/projects/ham/tokens/{token.pk}/withdraw/").status_code == 404
    page = words(client.get(PAGE))
    assert "for-all of lea" in page
    assert "Withdraw" in page
    client.post(f"{PAGE}{token.pk}/withdraw/")
    token.refresh_from_db()
    assert token.withdrawn_by == other


def test_a_token_of_another_project_is_nobodys_business(here: Client, project: Project) -> None:
    other = make_user()
    elsewhere = make_project(slug="ham", leads=[other])
    token, _secret = make_token(owner=other, project=elsewhere, name="of-ham")
    assert "of-ham" not in words(here.get(PAGE))
    made_by(here)
    for act in ("withdraw", "renew"):
        assert here.post(f"{PAGE}{token.pk}/{act}/").status_code == 404
    here.post(f"{PAGE}{token.pk}/remove/")
    token.refresh_from_db()
    assert token.is_usable(timezone.now())


# --- the e-mail ---


@pytest.fixture
def reachable(lead: User) -> User:
    """Lea, who reads German and has an address."""
    lead.email, lead.language = "lea@lab.example", "de"
    lead.save()
    return lead


@pytest.mark.django_db(transaction=True)
def test_an_e_mail_comes_once_a_week_before_the_end(reachable: User, project: Project) -> None:
    now = timezone.now()
    make_token(owner=reachable, project=project, days=30, now=now - timedelta(days=22))
    work()
    assert mail.outbox == []
    token, _secret = make_token(
        owner=reachable, project=project, name="night", days=30, now=now - timedelta(days=23)
    )
    for _round in range(2):
        work()
    [email] = mail.outbox
    assert email.to == ["lea@lab.example"]
    assert "night" in email.subject
    assert "Erneuern" in email.body
    assert PAGE in email.body
    token.refresh_from_db()
    token.renew(now=now)
    assert announce_ends(now + timedelta(days=24)) is False
    assert len(mail.outbox) == 2


def test_no_e_mail_is_sent_about_a_token_that_is_over_or_to_nobody(
    reachable: User, project: Project
) -> None:
    begun = timezone.now() - timedelta(days=25)
    token, _secret = make_token(owner=reachable, project=project, days=30, now=begun)
    token.withdraw(by=reachable, now=timezone.now())
    make_token(owner=make_user(admin=True), project=project, days=30, now=begun)
    announce_ends(timezone.now())
    assert mail.outbox == []


def test_an_e_mail_that_did_not_leave_is_tried_again_in_an_hour(
    reachable: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    make_token(owner=reachable, project=project, days=30, now=now - timedelta(days=25))
    with monkeypatch.context() as patch:
        patch.setattr("tasks.api_tokens.emails.deliver", lambda *_: "no server")
        announce_ends(now)
    announce_ends(now + timedelta(minutes=59))
    assert mail.outbox == []
    announce_ends(now + timedelta(minutes=61))
    assert len(mail.outbox) == 1


# --- in a browser ---


@pytest.mark.parametrize("scripts", [True, False])
def test_a_token_is_made_in_a_browser_with_and_without_javascript(
    new_context: Any, lead: User, project: Project, scripts: bool
) -> None:
    context: BrowserContext = new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"/accounts/login/?next={PAGE}")
    page.get_by_label("Name or e-mail").fill("lea")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name", exact=True).fill("notebook")
    page.get_by_label("in 30 days").check()
    page.get_by_role("button", name="Make token").click()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    secret = page.get_by_label("The new token").input_value()
    assert Caller(secret).get("projects/eggs").status_code == 200
    page.get_by_role("row", name="notebook").get_by_role("button").click()
    expect(page.get_by_text("“notebook” is withdrawn.")).to_be_visible()
    assert Caller(secret).get("projects/eggs").status_code == 401
