"""Accounts look like the product, and a password that was handed out is changed first."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client

from annotators.models import User
from tests.desk_steps import HTMX
from tests.factories import PASSWORD, make_project, make_user
from tests.resets import forget, link_of_last_email

CHANGE, PEOPLE = "/accounts/password/change/", "/admin/annotators/user/"
OWN = "plum saddle north 71"
GIVEN = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}


@pytest.fixture
def chief(db: None) -> Client:
    """A browser in which an admin has logged in."""
    client = Client()
    client.force_login(make_user(name="chief", admin=True))
    return client


def logged_in(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": password})
    return client


def choose(client: Client, password: str, *, old: str = PASSWORD) -> Any:
    said = {"oldpassword": old, "password1": password, "password2": password}
    return client.post(CHANGE, said)


# --- passwords that were handed out ---


def test_of_a_new_account_the_owner_changes_the_password_first(chief: Client) -> None:
    chief.post(f"{PEOPLE}add/", {"username": "gil", **GIVEN})
    gil = User.objects.get(username="gil")
    make_project(slug="p", annotators=[gil], leads=[gil])
    here = logged_in("gil")
    for path in ("/", "/projects/p/desk/", "/projects/p/", "/profile/", "/admin/", "/join/x/"):
        assert here.get(path).headers["Location"] == CHANGE
    assert here.post("/projects/p/desk/start/").headers["Location"] == CHANGE
    assert here.get("/", headers=HTMX).headers["HX-Redirect"] == CHANGE
    page = here.get(CHANGE).content.decode()
    assert "Somebody else chose your password, and knows it." in page
    assert choose(here, OWN).headers["Location"] == "/"
    assert here.get("/").status_code == 200
    assert "Somebody else" not in here.get(CHANGE).content.decode()


def test_the_password_that_was_handed_out_is_no_choice(chief: Client) -> None:
    chief.post(f"{PEOPLE}add/", {"username": "gil", **GIVEN})
    here = logged_in("gil")
    page = choose(here, PASSWORD).content.decode()
    assert "This is the password you were given. Choose another." in page
    assert here.get("/").headers["Location"] == CHANGE


def test_the_page_of_a_first_password_has_no_link_that_leads_back_to_it(chief: Client) -> None:
    chief.post(f"{PEOPLE}add/", {"username": "gil", **GIVEN})
    here = logged_in("gil")
    page = here.get(CHANGE).content.decode()
    ways = ("/accounts/password/reset/", "/inbox/", "/work/", "/profile/")
    assert [way for way in ways if f'href="{way}"' in page] == []
    assert "gil" in page
    assert 'action="/accounts/logout/"' in page
    choose(here, OWN)
    page = here.get(CHANGE).content.decode()
    assert [way for way in ways if f'href="{way}"' in page] == list(ways)


def test_a_person_who_must_choose_a_password_can_sign_out_instead(chief: Client) -> None:
    chief.post(f"{PEOPLE}add/", {"username": "gil", **GIVEN})
    here = logged_in("gil")
    assert here.get("/accounts/logout/").status_code == 200
    here.post("/accounts/logout/")
    assert "_auth_user_id" not in here.session


def test_a_password_that_an_admin_sets_for_someone_else_is_changed_first(
    chief: Client, ada: User
) -> None:
    chief.post(f"{PEOPLE}{ada.pk}/password/", {**GIVEN, "set-password": "1"})
    assert logged_in("ada").get("/").headers["Location"] == CHANGE


def test_an_admins_own_password_is_their_own(chief: Client) -> None:
    own = User.objects.get(username="chief")
    chief.post(f"{PEOPLE}{own.pk}/password/", {**GIVEN, "set-password": "1"})
    assert logged_in("chief").get("/").status_code == 200


def test_a_password_that_is_refused_changes_nothing(chief: Client, ada: User) -> None:
    chief.post(f"{PEOPLE}{ada.pk}/password/", {"password1": "x", "password2": "x"})
    assert logged_in("ada").get("/").status_code == 200


def test_a_password_reset_by_email_counts_as_chosen(chief: Client) -> None:
    gil = make_user(name="gil", email="gil@example.org", must_change_password=True)
    here = Client()
    forget(here, gil.email)
    page = here.get(link_of_last_email(), follow=True)
    here.post(page.request["PATH_INFO"], {"password1": OWN, "password2": OWN})
    assert logged_in("gil", OWN).get("/").status_code == 200


# --- e-mails and pages ---


def reset_email(**headers: str) -> Any:
    """The e-mail with a link to choose a password."""
    make_user(name="gil", email="gil@example.org")
    forget(Client(headers=headers), "gil@example.org")
    [email] = mail.outbox
    return email


def test_an_email_about_a_password_names_product_account_and_site(db: None) -> None:
    email = reset_email()
    assert email.subject == "[Evenhand] A new password"
    assert email.from_email == "Evenhand <evenhand@localhost>"
    body = str(email.body)
    assert body.startswith("Hello,\n\nSomebody, most likely you, asked for a new password")
    assert "for your Evenhand account gil." in body
    assert body.endswith("\n\nEvenhand\nhttp://127.0.0.1:8000")
    assert settings.PASSWORD_RESET_TIMEOUT == 3 * 24 * 3600
    assert "The link works once, within three days. If that was not you, ignore this" in body


def test_an_email_about_a_password_is_in_the_language_of_who_asks(db: None) -> None:
    email = reset_email(**{"Accept-Language": "de"})
    assert email.subject == "[Evenhand] Ein neues Passwort"


def test_the_page_of_an_inactive_account_says_whom_to_ask(db: None) -> None:
    page = " ".join(Client().get("/accounts/inactive/").content.decode().split())
    assert (
        "Your ratings stay saved. Ask the lead of your project, or whoever runs this site" in page
    )


def test_a_wrong_current_password_is_told_in_one_sentence(desk: Client) -> None:
    page = choose(desk, OWN, old="a wrong guess")
    assert page.context["form"].errors == {"oldpassword": ["This is not your password."]}


def test_a_page_says_what_a_changed_password_or_a_sign_out_means(desk: Client) -> None:
    choose(desk, OWN)
    said = "Your password is changed. You are signed out everywhere else."
    assert said in desk.get("/").content.decode()
    answer = desk.post("/accounts/logout/", follow=True)
    assert "You are signed out." in answer.content.decode()


def test_the_profile_leads_to_the_change_of_the_password_and_back(desk: Client) -> None:
    assert f'href="{CHANGE}?next=/profile/"' in desk.get("/profile/").content.decode()
    answer = desk.post(
        f"{CHANGE}?next=/profile/",
        {"oldpassword": PASSWORD, "password1": OWN, "password2": OWN, "next": "/profile/"},
    )
    assert answer.headers["Location"] == "/profile/"


def test_the_administration_bears_the_products_name_and_is_found_by_those_who_may(
    chief: Client, desk: Client
) -> None:
    page = chief.get("/admin/").content.decode()
    assert "Evenhand administration" in page
    assert "Django" not in page
    for path in ("/", "/profile/"):
        assert '<a href="/admin/"' in chief.get(path).content.decode().replace(
            'class="secondary" ', ""
        )
        assert "/admin/" not in desk.get(path).content.decode()


def test_an_admin_is_a_superuser_whatever_django_calls_staff(client: Client, db: None) -> None:
    person = make_user(name="eve", is_staff=True)
    client.force_login(person)
    assert client.get("/admin/").status_code == 302
    User.objects.filter(pk=person.pk).update(is_staff=False, is_superuser=True)
    page = client.get(f"/admin/annotators/user/{person.pk}/change/").content.decode()
    assert 'name="is_superuser"' in page
    assert "is_staff" not in page


# --- one address, one account ---


def test_an_admin_is_told_that_an_address_has_an_account(chief: Client) -> None:
    make_user(name="ada", email="ada@example.org")
    gil = make_user(name="gil")
    page = chief.get(f"{PEOPLE}{gil.pk}/change/")
    sent = page.context["adminform"].form.initial | {"email": "Ada@Example.org"}
    answer = chief.post(f"{PEOPLE}{gil.pk}/change/", {k: v for k, v in sent.items() if v})
    assert "Another account has this address." in answer.content.decode()
    gil.refresh_from_db()
    assert gil.email == ""
