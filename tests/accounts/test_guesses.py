"""Guessing passwords: who is slowed down by it, who is not, and who learns of it."""

from __future__ import annotations

import json
import logging
import time
from itertools import count
from smtplib import SMTPServerDisconnected
from typing import Any
from unittest import mock

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotators.accounts.adapter import find_user
from annotators.accounts.reset_emails import answer_resets
from annotators.models import User
from config import settings as site_settings
from tests.factories import PASSWORD, make_user
from tests.resets import forget, link_of_last_email

pytestmark = pytest.mark.django_db
LOG_IN, RESET = "/accounts/login/", "/accounts/password/reset/"
HERE, ELSEWHERE = "192.0.2.1", "203.0.113.9"
WRONG = "a wrong guess"


@pytest.fixture
def ada() -> User:
    """With a capital and an e-mail address: both are one account, whatever their case."""
    return make_user(name="Ada", email="ada@example.org")


def gets_in(
    name: str = "Ada", password: str = PASSWORD, *, address: str = HERE, **headers: str
) -> bool:
    """Whether somebody with a browser of their own gets in from there."""
    client = Client(REMOTE_ADDR=address, headers=headers)
    client.post(LOG_IN, {"login": name, "password": password})
    return "_auth_user_id" in client.session


def guess(times: int, name: str = "Ada", *, address: str = ELSEWHERE) -> None:
    for _ in range(times):
        assert not gets_in(name, WRONG, address=address)


# --- who is slowed down ---


def test_the_address_of_a_guesser_is_refused_and_that_of_the_owner_is_not(ada: User) -> None:
    guess(30)
    assert not gets_in(address=ELSEWHERE)
    assert gets_in(address=HERE)


def test_guesses_from_many_places_keep_nobody_out(ada: User) -> None:
    for number in range(30):
        guess(2, address=f"203.0.113.{number}")
    assert gets_in()


def test_a_name_is_one_whatever_its_case(ada: User) -> None:
    for name in ("Ada", "ADA", "aDA", "ada", " ada "):
        guess(2, name)
    assert not gets_in("Ada", address=ELSEWHERE)


def test_a_refusal_tells_nobody_which_e_mail_goes_with_a_name_or_a_number(ada: User) -> None:
    for name in ("Ada", str(ada.pk)):
        guess(10, name)
        assert "Too many wrong" in said(name)
    for other in ("ada@example.org", "nobody@example.org"):
        assert "No account has this name" in said(other)


def said(name: str) -> str:
    """What the page says to one more guess."""
    client = Client(REMOTE_ADDR=ELSEWHERE)
    return client.post(LOG_IN, {"login": name, "password": WRONG}).content.decode()


def test_a_guesser_of_one_account_gets_into_another_with_its_password(ada: User) -> None:
    make_user(name="ben")
    guess(12)
    assert gets_in("ben", address=ELSEWHERE)


def test_a_guesser_at_many_accounts_is_refused_at_all_of_them(ada: User) -> None:
    for number in range(30):
        guess(2, f"name-{number}")
    assert not gets_in(address=ELSEWHERE)
    assert gets_in(address=HERE)


def test_behind_a_proxy_each_client_counts_by_itself(ada: User, settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for _ in range(12):
        assert not gets_in(password=WRONG, **{"X-Forwarded-For": f"10.0.0.1, {ELSEWHERE}"})
    assert not gets_in(**{"X-Forwarded-For": f"10.0.0.2, {ELSEWHERE}"})
    assert gets_in(**{"X-Forwarded-For": f"{ELSEWHERE}, 198.51.100.7"})


def test_without_a_proxy_nobody_chooses_their_address(ada: User) -> None:
    for number in range(12):
        assert not gets_in(password=WRONG, **{"X-Forwarded-For": f"198.51.100.{number}"})
    assert not gets_in(**{"X-Forwarded-For": "198.51.100.99"})


# --- what the owner learns ---


def guess_from_everywhere(times: int, name: str = "Ada") -> None:
    for number in range(times):
        guess(1, name, address=f"203.0.113.{number}")


def test_after_many_guesses_from_anywhere_the_owner_gets_one_email(
    ada: User, settings: Any
) -> None:
    settings.SITE_URL = "https://evenhand.example"
    guess_from_everywhere(20)
    assert mail.outbox == []
    guess_from_everywhere(5, "ada@example.org")
    [email] = mail.outbox
    assert (email.to, email.subject) == (
        ["ada@example.org"],
        "[Evenhand] Wrong passwords for Ada",
    )
    assert "203.0.113.0" in str(email.body)
    assert "https://evenhand.example/accounts/password/change/" in str(email.body)


def test_an_owner_gets_another_email_about_guesses_the_next_day(ada: User) -> None:
    guess_from_everywhere(25)
    with mock.patch(
        "time.time", side_effect=count(time.time() + 24 * 60 * 60 + 60, 0.001).__next__
    ):
        guess_from_everywhere(20)
        assert len(mail.outbox) == 1
        guess_from_everywhere(5)
    assert len(mail.outbox) == 2


def test_the_email_is_in_the_owners_language(ada: User) -> None:
    User.objects.update(language="de")
    guess_from_everywhere(21)
    assert mail.outbox[0].subject == "[Evenhand] Falsche Passwörter für Ada"


@pytest.mark.parametrize("of_nobody", [{"email": ""}, {"is_active": False}], ids=str)
def test_an_owner_without_an_address_or_access_gets_no_email_about_guesses(
    ada: User, of_nobody: dict[str, Any]
) -> None:
    User.objects.update(**of_nobody)
    guess_from_everywhere(25)
    assert mail.outbox == []


def test_an_email_that_cannot_be_sent_is_no_error_for_whoever_guesses(
    ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    with mock.patch("django.core.mail.EmailMessage.send", side_effect=SMTPServerDisconnected):
        guess_from_everywhere(21)
    assert [each["event"] for each in lines(caplog)][-2:] == ["log-in failed", "e-mail not sent"]


# --- what the log says ---


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The lines about access, each of which is one line of printable ASCII, without a traceback."""
    records = [each for each in caplog.records if each.name == "evenhand.access"]
    for each in records:
        assert each.exc_info is None
        assert each.getMessage().isascii()
        assert each.getMessage().isprintable()
    return [json.loads(each.getMessage()) for each in records]


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> Any:
    """With the level that the program has beside a database."""
    with caplog.at_level(logging.INFO, logger="evenhand.access"):
        yield caplog
    assert WRONG not in caplog.text
    assert PASSWORD not in caplog.text


def mark(name: str) -> str:
    """How the log names who has no account here: the name may be a password in the wrong field."""
    return salted_hmac("annotators.access", name).hexdigest()[:12]


def test_a_log_in_is_a_line(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    assert gets_in("ada@example.org")
    assert lines(caplog) == [{"event": "log-in", "account": ada.pk, "address": HERE}]


def test_a_failed_one_is_a_line_with_the_account_or_else_the_name(
    ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    guess(1)
    guess(1, "n\u2028obody\x1b[2K" + "!" * 200)
    assert lines(caplog) == [
        {"event": "log-in failed", "account": ada.pk, "address": ELSEWHERE},
        {
            "event": "log-in failed",
            "tried": mark("n\u2028obody\x1b[2K" + "!" * 200),
            "address": ELSEWHERE,
        },
    ]
    assert {each.levelname for each in caplog.records} == {"WARNING"}


def test_a_refused_log_in_is_a_line_of_the_log(
    ada: User, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    guess(11)
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    Client(REMOTE_ADDR=HERE).post(LOG_IN, {"login": "Ada", "password": WRONG})
    Client(REMOTE_ADDR=HERE).post(LOG_IN, {"login": "Ada", "password": WRONG})
    assert lines(caplog)[10] == {
        "event": "refused: too many failed log-ins",
        "account": ada.pk,
        "address": ELSEWHERE,
    }
    assert lines(caplog)[-1] == {
        "event": "refused: too many requests to /accounts/login/",
        "tried": mark("Ada"),
        "address": HERE,
    }


def test_a_log_in_of_a_deactivated_account_is_a_line_of_the_log(
    ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    User.objects.update(is_active=False)
    assert not gets_in()
    assert lines(caplog) == [
        {"event": "log-in refused: not active", "account": ada.pk, "address": HERE}
    ]


def test_a_password_reset_is_a_line_when_it_is_asked_and_when_it_is_done(
    ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    browser = Client(REMOTE_ADDR=HERE)
    forget(browser, "nobody@example.org")
    forget(browser, "ada@example.org")
    form = browser.get(link_of_last_email(), follow=True).redirect_chain[0][0]
    browser.post(
        form, {"password1": f"another {PASSWORD[2:]}", "password2": f"another {PASSWORD[2:]}"}
    )
    assert lines(caplog) == [
        {"event": "password reset asked", "tried": mark("nobody@example.org"), "address": HERE},
        {"event": "password reset asked", "tried": mark("ada@example.org"), "address": HERE},
        {"event": "password reset sent", "account": ada.pk, "address": HERE},
        {"event": "password reset", "account": ada.pk, "address": HERE},
    ]


def test_a_changed_password_is_a_line(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    browser = Client(REMOTE_ADDR=HERE)
    browser.force_login(ada)
    new = f"another {PASSWORD[2:]}"
    browser.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}
    )
    assert lines(caplog) == [{"event": "password changed", "account": ada.pk, "address": HERE}]


# --- the client's address ---


def test_a_stranger_on_ipv4_keeps_nobody_out_where_the_server_listens_on_ipv6(ada: User) -> None:
    stranger = Client(REMOTE_ADDR="::ffff:203.0.113.5")
    for _ in range(11):
        stranger.post(LOG_IN, {"login": "ada", "password": WRONG})
    owner = Client(REMOTE_ADDR="::ffff:198.51.100.7")
    assert owner.post(LOG_IN, {"login": "ada", "password": PASSWORD}).status_code == 302


@pytest.mark.parametrize(
    ("proxies", "header"), [(2, "203.0.113.9"), (1, "unknown"), (1, "[2001:db8::1]")]
)
def test_a_header_of_a_proxy_that_does_not_fit_keeps_nobody_out(
    ada: User, settings: Any, proxies: int, header: str
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    browser = Client(REMOTE_ADDR=HERE, HTTP_X_FORWARDED_FOR=header)
    assert browser.post(LOG_IN, {"login": "ada", "password": PASSWORD}).status_code == 302


def test_a_name_is_one_account_by_the_rules_of_the_database(db: None) -> None:
    person = make_user(name="İlker")
    assert find_user("İLKER") == find_user("İlker") == person


def test_an_email_that_cannot_be_sent_says_nothing_to_who_asked(
    ada: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    answers = [
        Client(REMOTE_ADDR=HERE).post(RESET, {"email": email}).status_code
        for email in ("ada@example.org", "nobody@example.org")
    ]
    answer_resets(timezone.now())
    assert answers == [302, 302]
    assert [each["event"] for each in lines(caplog)].count("e-mail not sent") == 1


def test_the_cache_of_the_counters_is_not_full_after_a_few_hundred_names() -> None:
    options = site_settings.CACHES["default"]["OPTIONS"]
    assert isinstance(options, dict)
    assert options["MAX_ENTRIES"] >= 100_000
