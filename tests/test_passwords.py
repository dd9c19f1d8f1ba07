"""Passwords: how they are kept, and which ones are taken."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.test import Client

import config.settings as program
from annotators.models import User
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db
LOG_IN = "/accounts/login/"


@pytest.fixture
def kept_as_in_the_program(settings: Any) -> None:
    """The tests themselves keep passwords by a quick hash."""
    settings.PASSWORD_HASHERS = program.PASSWORD_HASHERS


# --- how they are kept ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("kept_as_in_the_program")
def test_a_password_is_kept_by_argon2id_at_the_least_that_owasp_asks_for() -> None:
    assert make_user().password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


@pytest.mark.usefixtures("kept_as_in_the_program")
def test_one_that_was_kept_otherwise_is_hashed_anew_at_the_log_in(client: Client) -> None:
    ada = make_user(name="ada")
    ada.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt-of-the-tests-and-so-on", iterations=1000)
    ada.save()
    assert client.post(LOG_IN, {"login": "ada", "password": PASSWORD}).status_code == 302
    ada.refresh_from_db()
    assert ada.password.startswith("argon2$argon2id$")
    assert ada.check_password(PASSWORD)


@pytest.fixture
def hashed() -> Any:
    """The passwords that were hashed, one by one."""
    hasher = type(get_hasher())
    encode = hasher.encode

    def counted(self: Any, password: str, salt: str) -> str:
        seen.append(password)
        return encode(self, password, salt)

    seen: list[str] = []
    with mock.patch.object(hasher, "encode", counted):
        yield seen


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "nobody", "nobody@example.org"])
@pytest.mark.parametrize("password", [PASSWORD, "a wrong guess"])
def test_a_log_in_costs_one_hash_whoever_and_whatever_it_is(
    client: Client, name: str, password: str, hashed: list[str]
) -> None:
    User.objects.create_user("ada", "ada@example.org", PASSWORD)
    hashed.clear()
    client.post(LOG_IN, {"login": name, "password": password})
    assert hashed == [password]
