"""Passwords: how they are kept, and which ones are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import mock

import pytest
import zxcvbn
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

import config.settings as program
from annotators.models import User
from tests.cases import cases
from tests.factories import PASSWORD, make_user
from tests.resets import forget, link_of_last_email

pytestmark = pytest.mark.django_db
LOG_IN = "/accounts/login/"
Way: TypeAlias = Callable[[Client, User, str], Any]


@pytest.fixture
def kept_as_in_the_program(settings: Any) -> None:
    """The tests themselves keep passwords by a quick hash."""
    settings.PASSWORD_HASHERS = program.PASSWORD_HASHERS


# --- how they are kept ---


@pytest.mark.usefixtures("kept_as_in_the_program")
def test_a_password_is_kept_by_argon2id_at_the_least_that_owasp_asks_for() -> None:
    assert make_user().password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


@pytest.mark.usefixtures("kept_as_in_the_program")
def test_a_password_with_an_older_hash_is_hashed_anew_at_the_log_in(client: Client) -> None:
    ada = make_user(name="ada")
    ada.password = PBKDF2PasswordHasher().encode(
        PASSWORD, "salt-of-the-tests-and-so-on", iterations=1000
    )
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


# --- which ones are taken ---

LONG = PASSWORD + "".join(f" {number}" for number in range(1_000))
LONGEST, TOO_LONG = LONG[:1_024], LONG[:1_025]
TOLD = "Ensure this value has at most 1024 characters (it has 1025)."


def told(response: Any) -> list[str]:
    """What is wrong with the form of a page."""
    context = response.context
    form = context["adminform"].form if "adminform" in context else context["form"]
    return [fault for faults in form.errors.values() for fault in faults]


def email_for(client: Client, ada: User) -> str:
    """The address of the form that an e-mail leads to."""
    forget(client, ada.email)
    return str(client.get(link_of_last_email(), follow=True).redirect_chain[0][0])


def log_in(client: Client, ada: User, password: str) -> Any:
    return client.post(LOG_IN, {"login": ada.username, "password": password})


def reauthenticate(client: Client, ada: User, password: str) -> Any:
    client.force_login(ada)
    return client.post("/accounts/reauthenticate/", {"password": password})


def change_from(client: Client, ada: User, password: str) -> Any:
    client.force_login(ada)
    new = {"password1": f"another {PASSWORD[2:]}", "password2": f"another {PASSWORD[2:]}"}
    return client.post("/accounts/password/change/", {"oldpassword": password, **new})


def change_to(client: Client, ada: User, password: str) -> Any:
    client.force_login(ada)
    new = {"password1": password, "password2": password}
    return client.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new})


def reset_to(client: Client, ada: User, password: str) -> Any:
    return client.post(email_for(client, ada), {"password1": password, "password2": password})


def set_first(client: Client, ada: User, password: str) -> Any:
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    return client.post("/accounts/password/set/", {"password1": password, "password2": password})


def give(client: Client, ada: User, password: str) -> Any:
    client.force_login(make_user(name="chief", admin=True))
    new = {"password1": password, "password2": password, "usable_password": "true"}
    return client.post(f"/admin/annotators/user/{ada.pk}/password/", {**new, "set-password": "1"})


def make_another(client: Client, ada: User, password: str) -> Any:
    client.force_login(make_user(name="chief", admin=True))
    new = {"password1": password, "password2": password, "usable_password": "true"}
    return client.post("/admin/annotators/user/add/", {"username": "new", **new})


SAID, CHOSEN = (
    (log_in, reauthenticate, change_from),
    (change_to, reset_to, set_first, give, make_another),
)


@pytest.fixture
def ada() -> User:
    """With an e-mail address, to log in by and to send e-mails to."""
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


@pytest.mark.parametrize("way", SAID)
def test_a_long_password_is_said_like_any_other_up_to_a_length(
    client: Client, ada: User, way: Way, hashed: list[str]
) -> None:
    ada.set_password(LONGEST)
    ada.save()
    assert told(way(client, ada, TOO_LONG)) == [TOLD]
    assert TOO_LONG not in hashed
    assert way(Client(), ada, LONGEST).status_code == 302


@pytest.mark.parametrize("way", CHOSEN)
def test_a_long_password_is_chosen_like_any_other_up_to_a_length(
    client: Client, ada: User, way: Way, hashed: list[str]
) -> None:
    answer = way(client, ada, TOO_LONG)
    assert told(answer) == [TOLD]
    assert TOO_LONG not in hashed
    User.objects.filter(username="chief").delete()
    ada.set_password(PASSWORD)
    ada.save()
    assert way(Client(), ada, LONGEST).status_code == 302
    assert LONGEST in hashed


@pytest.mark.parametrize("password", ["ada", "password", "1234", "aaaaaaaaaaa"])
@pytest.mark.parametrize("way", CHOSEN)
def test_a_password_with_several_faults_is_told_one_of_them(
    client: Client, ada: User, way: Way, password: str
) -> None:
    [said] = told(way(client, ada, password))
    assert said == f"A password needs 12 characters or more; this one has {len(password)}."


@pytest.mark.parametrize("password", ["123456789012", "ada@example.org", "qwertyuiop[]"])
@pytest.mark.parametrize("way", [reset_to, change_to])
def test_a_password_that_is_easy_to_guess_for_several_reasons_is_told_so_once(
    client: Client, ada: User, way: Way, password: str
) -> None:
    [said] = told(way(client, ada, password))
    assert said.startswith("This password is easy to guess: choose a few unrelated words,")
    assert said.count(".") == 1


@pytest.mark.parametrize("way", CHOSEN[:3])
def test_the_field_of_a_new_password_says_what_a_good_one_is(
    client: Client, ada: User, way: Way
) -> None:
    page = way(client, ada, "short")
    helps = [field.help_text for field in page.context["form"] if field.help_text]
    assert "12 characters or more. A few unrelated words are good." in helps
    assert "<ul>" not in "".join(map(str, helps))


REPEATS = "This password repeats one character or a short pattern: choose another."


@pytest.mark.parametrize(
    "password",
    ["x" * 12, "abababababab", "aBaBABababab", "xyzxyzxyzxyzx", "horse4uphorse4up", "ab" * 512],
)
@pytest.mark.parametrize("way", CHOSEN)
def test_a_password_that_repeats_itself_is_refused(
    client: Client, ada: User, way: Way, password: str
) -> None:
    assert told(way(client, ada, password)) == [REPEATS]


@cases(
    "password",
    [
        *(
            "password1234",
            "P@ssw0rd1234",
            "qwertyuiop[]",
            "1q2w3e4r5t6y",
            "iloveyou1234",
            "liverpoolfc1",
        ),
        *(
            "starwars1977",
            "abcdefghijkl",
            "administrator",
            "letmein-letmein-letmein",
            "Evenhand2024",
        ),
        *("ada-lovelace", "Lovelace1815", "ada@example.org", "ada.example.org"),
    ],
)
def test_a_password_that_is_guessed_first_is_refused(password: str) -> None:
    ada = User(username="ada", email="ada@example.org", first_name="Ada", last_name="Lovelace")
    with pytest.raises(ValidationError):
        validate_password(password, ada)


@cases(
    "password",
    [
        *(
            PASSWORD,
            LONGEST,
            "kittens and dogs",
            "correct horse battery staple",
            "x7f9qk2lmz8w",
            "tr0ub4dor&3x9",
        ),
        *(
            "Straßenlaterne Käse",
            "три поросёнка и волк",
            "abababab rose wall",
            "ab" * 6 + "cd" * 6 + "moon lamp",
        ),
    ],
)
def test_a_good_password_is_accepted(password: str) -> None:
    validate_password(password, User(username="ada", email="ada@example.org"))


def test_a_long_password_is_weighed_by_its_first_40_letters() -> None:
    with mock.patch("zxcvbn.zxcvbn", wraps=zxcvbn.zxcvbn) as weighed:
        validate_password(LONGEST, None)
    [call] = weighed.call_args_list
    assert len(call.args[0]) == 40
