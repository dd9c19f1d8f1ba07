"""Sessions: whose they are is found with them, and whether they still are is asked at every request."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import Session, User
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PAGE = "/"
ANEW = "another password of some length"


@pytest.fixture
def ada() -> User:
    return make_user(name="ada")


@pytest.fixture
def browser(ada: User) -> Client:
    """One that ada has logged in with."""
    client = Client()
    client.force_login(ada)
    assert is_logged_in(client)
    return client


def is_logged_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def looked_up(client: Client) -> list[str]:
    """The statements of a request that go for sessions or people."""
    with CaptureQueriesContext(connection) as seen:
        client.get(PAGE)
    tables = ("_session", "annotators_user")
    return [each["sql"] for each in seen if any(table in each["sql"] for table in tables)]


def test_a_session_and_its_person_are_one_statement(browser: Client, ada: User) -> None:
    assert Session.objects.get().person == ada
    [statement] = looked_up(browser)
    assert "annotators_session" in statement
    assert "annotators_user" in statement


def test_one_from_before_sessions_knew_their_person_goes_on(browser: Client) -> None:
    Session.objects.update(person=None)
    assert is_logged_in(browser)
    assert len(looked_up(browser)) == 2


def test_it_is_whose_it_was_signed_for(browser: Client) -> None:
    Session.objects.update(person=make_user(name="ben", admin=True))
    assert browser.get(PAGE).context["user"].username == "ada"


def test_a_new_password_ends_all_other_sessions(browser: Client, ada: User) -> None:
    other = Client()
    other.force_login(ada)
    ada.set_password(ANEW)
    ada.save()
    assert not is_logged_in(browser)
    assert not Session.objects.filter(pk=browser.cookies["sessionid"].value).exists()
    assert not is_logged_in(other)
    assert other.login(username="ada", password=ANEW)
    assert is_logged_in(other)


def test_who_is_deactivated_is_out_with_the_next_request(browser: Client, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert not is_logged_in(browser)


def test_what_one_changed_elsewhere_holds_from_the_next_request_on(browser: Client, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(theme="dark", is_superuser=True)
    user = browser.get(PAGE).context["user"]
    assert (user.theme, user.is_superuser) == ("dark", True)


def test_a_way_to_log_in_that_is_no_more_lets_nobody_in(browser: Client) -> None:
    with override_settings(AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend"]):
        assert not is_logged_in(browser)


def test_a_session_ends_by_the_clock_and_is_swept(browser: Client) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_logged_in(browser)
    call_command("clearsessions")
    assert not Session.objects.exists()


def test_a_key_that_was_changed_lets_those_in_who_logged_in_by_the_old_one(browser: Client) -> None:
    with override_settings(SECRET_KEY="another " * 8, SECRET_KEY_FALLBACKS=[]):
        assert not is_logged_in(browser)
    client = Client()
    client.force_login(User.objects.get())
    with override_settings(SECRET_KEY="another " * 8, SECRET_KEY_FALLBACKS=[str(settings.SECRET_KEY)]):
        assert is_logged_in(client)


def test_logging_out_ends_the_session(browser: Client, ada: User) -> None:
    [before] = Session.objects.values_list("pk", flat=True)
    browser.post("/accounts/logout/")
    assert not Session.objects.filter(pk=before).exists()
    assert not is_logged_in(browser)


def test_another_who_logs_in_where_one_was_is_not_taken_for_the_first(browser: Client, ada: User) -> None:
    ben = make_user(name="ben")
    browser.force_login(ben)
    assert browser.session[SESSION_KEY] == str(ben.pk)
    assert browser.get(PAGE).context["user"] == ben
    assert Session.objects.get(pk=browser.cookies["sessionid"].value).person == ben
