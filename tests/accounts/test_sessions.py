"""Sessions: whose they are is found with them, and whether they still are is asked at every
request."""

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

from annotators.accounts.sessions import SessionStore
from annotators.models import Session, User
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db
PAGE = "/"
ANEW = "another password of some length"


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
    sources = ("_session", 'FROM "annotators_user"')
    return [each["sql"] for each in seen if any(source in each["sql"] for source in sources)]


def test_a_session_and_its_person_are_one_statement(browser: Client, ada: User) -> None:
    assert Session.objects.get().person == ada
    [statement] = looked_up(browser)
    assert "annotators_session" in statement
    assert "annotators_user" in statement


def test_a_session_without_a_stored_person_goes_on(browser: Client) -> None:
    Session.objects.update(person=None)
    assert is_logged_in(browser)
    assert len(looked_up(browser)) == 2


def test_a_session_belongs_to_the_person_it_was_signed_for(browser: Client) -> None:
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


def test_a_deactivated_person_is_out_with_the_next_request(browser: Client, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert not is_logged_in(browser)


def test_a_change_of_the_user_holds_from_the_next_request_on(browser: Client, ada: User) -> None:
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
    with override_settings(
        SECRET_KEY="another " * 8, SECRET_KEY_FALLBACKS=[str(settings.SECRET_KEY)]
    ):
        assert is_logged_in(client)


def test_logging_out_ends_the_session(browser: Client, ada: User) -> None:
    [before] = Session.objects.values_list("pk", flat=True)
    browser.post("/accounts/logout/")
    assert not Session.objects.filter(pk=before).exists()
    assert not is_logged_in(browser)


def test_a_second_person_in_a_browser_is_not_taken_for_the_first(
    browser: Client, ada: User
) -> None:
    ben = make_user(name="ben")
    browser.force_login(ben)
    assert browser.session[SESSION_KEY] == str(ben.pk)
    assert browser.get(PAGE).context["user"] == ben
    assert Session.objects.get(pk=browser.cookies["sessionid"].value).person == ben


# --- how long one lasts ---

HOURS = timedelta(seconds=settings.SESSION_COOKIE_AGE)


def written(browser: Client) -> list[str]:
    """The statements of a request that write."""
    with CaptureQueriesContext(connection) as seen:
        browser.get(PAGE)
    return [each["sql"] for each in seen if each["sql"].startswith(("UPDATE", "INSERT", "DELETE"))]


def leave_alone(left: timedelta, *, used: timedelta) -> Session:
    """The only session, so long before its end and after its last use."""
    now = timezone.now()
    Session.objects.update(expire_date=now + left, last_used=now - used)
    return Session.objects.get()


def test_a_session_lasts_for_twelve_hours() -> None:
    make_user(name="ada")
    client = Client()
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    session = Session.objects.get()
    assert timedelta(hours=12) == HOURS
    assert HOURS - timedelta(minutes=1) < session.expire_date - session.last_used <= HOURS
    assert client.cookies["sessionid"]["max-age"] == 12 * 60 * 60


def test_use_makes_it_last_anew_in_the_table_and_in_the_browser(browser: Client) -> None:
    before = leave_alone(timedelta(hours=1), used=timedelta(hours=11))
    browser.cookies["sessionid"]["max-age"] = ""
    assert is_logged_in(browser)
    after = Session.objects.get()
    assert after.session_data == before.session_data
    assert after.last_used - before.last_used > timedelta(hours=10)
    assert after.expire_date - before.expire_date > timedelta(hours=10)
    assert browser.cookies["sessionid"]["max-age"] == 12 * 60 * 60


def test_a_session_is_written_only_every_few_minutes(browser: Client) -> None:
    leave_alone(HOURS - timedelta(minutes=4), used=timedelta(minutes=4))
    assert written(browser) == []
    leave_alone(HOURS - timedelta(minutes=6), used=timedelta(minutes=6))
    [statement] = written(browser)
    assert "session_data" not in statement
    assert written(browser) == []


def test_a_session_from_when_sessions_lasted_longer_ends_like_all_others(browser: Client) -> None:
    long_ago = browser.session
    long_ago["_session_expiry"] = 14 * 24 * 60 * 60
    long_ago.save()
    leave_alone(timedelta(days=13), used=timedelta(days=1))
    assert is_logged_in(browser)
    assert Session.objects.get().expire_date <= timezone.now() + HOURS


def test_the_noted_use_of_a_session_undoes_nothing_of_another_request(browser: Client) -> None:
    key = browser.cookies["sessionid"].value
    leave_alone(timedelta(hours=1), used=timedelta(hours=1))
    one, other = SessionStore(key), SessionStore(key)
    assert one["_auth_user_id"]
    other["said"] = "meanwhile"
    other.save()
    one.note_use(timezone.now())
    one.save()
    assert SessionStore(key)["said"] == "meanwhile"
    other.delete()
    one.save()
    assert not Session.objects.exists()


def test_a_session_without_a_stored_person_stores_the_person_at_its_next_use(
    browser: Client, ada: User
) -> None:
    leave_alone(timedelta(hours=1), used=timedelta(hours=1))
    Session.objects.update(person=None)
    assert is_logged_in(browser)
    assert Session.objects.get().person == ada


# --- who is ended ---


def test_a_deactivated_person_has_no_session_left(browser: Client, ada: User) -> None:
    def make_active(*, active: bool) -> None:
        form = {"username": "ada", "date_joined_0": "2026-03-02", "date_joined_1": "09:00:00"}
        told = {**form, "is_active": "on"} if active else form
        answer = chief.post(f"/admin/annotators/user/{ada.pk}/change/", told)
        assert answer.status_code == 302

    chief = Client()
    chief.force_login(make_user(name="chief", admin=True))
    make_active(active=False)
    assert not Session.objects.filter(person=ada).exists()
    make_active(active=True)
    assert not is_logged_in(browser)
    assert is_logged_in(chief)


def test_a_session_met_while_its_person_is_not_active_does_not_come_back_with_them(
    client: Client,
) -> None:
    ada = make_user(name="ada")
    client.force_login(ada)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert client.get("/").status_code == 302
    User.objects.filter(pk=ada.pk).update(is_active=True)
    assert client.get("/").status_code == 302
