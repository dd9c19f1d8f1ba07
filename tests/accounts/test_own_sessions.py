"""Where one is signed in: seen and ended on the profile page."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from annotators.accounts import profile, user_agents as agents
from annotators.models import Session, User
from tests.cases import cases
from tests.factories import PASSWORD, make_user

PROFILE, END = "/profile/", "/profile/sessions/end/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)"
CHROME = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {KHTML} Chrome/140.0.0.0 Safari/537.36"
EDGE = f"{CHROME} Edg/140.0.0.0"
SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0"
ON_PHONE = (
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {SAFARI} Mobile/15E148 Safari/604.1"
)
ON_MAC = f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {SAFARI} Safari/605.1.15"
ANDROID = f"Mozilla/5.0 (Linux; Android 15; Pixel 9) {KHTML} Chrome/140.0.0.0 Mobile Safari/537.36"


@cases(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox, Linux"),
        (CHROME, "Chrome, Windows"),
        (EDGE, "Edge, Windows"),
        (ON_PHONE, "Safari, iPhone"),
        (ON_MAC, "Safari, macOS"),
        (ANDROID, "Chrome, Android"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("x" * 100, "x" * 60 + "…"),
        ("", ""),
    ],
)
def test_a_browser_is_named_in_words_where_it_is_known(agent: str, words: str) -> None:
    assert agents.in_words(agent) == words


# --- the page ---


def sign_in(agent: str, name: str = "ada") -> Client:
    """A browser that somebody signed in with."""
    client = Client(headers={"User-Agent": agent})
    assert client.post("/accounts/login/", {"login": name, "password": PASSWORD}).status_code == 302
    return client


@pytest.fixture
def here(ada: User) -> Client:
    """The browser that ada looks at her profile with."""
    return sign_in(FIREFOX)


@pytest.fixture
def there(ada: User) -> Client:
    return sign_in(ON_PHONE)


def is_signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def shown(client: Client) -> list[Any]:
    return list(client.get(PROFILE).context["sessions"])


def test_the_profile_lists_where_one_is_signed_in_this_one_first(
    there: Client, here: Client
) -> None:
    sign_in(CHROME, make_user(name="ben").username)
    assert [(each.agent, each.is_this) for each in shown(here)] == [
        ("Firefox, Linux", True),
        ("Safari, iPhone", False),
    ]
    assert all(each.first_seen <= each.last_used for each in shown(here))
    page = here.get(PROFILE).content.decode()
    assert "Firefox, Linux · this device" in page
    assert len(re.findall(r"First used [^<]*·\s+last used", page)) == 2


def test_the_page_tells_nobody_the_key_of_a_session(there: Client, here: Client) -> None:
    page = here.get(PROFILE).content.decode()
    assert [key for key in Session.objects.values_list("pk", flat=True) if key in page] == []


def test_the_name_of_a_browser_is_cut_and_never_runs_as_code(here: Client) -> None:
    sign_in("<script>alert(1)</script>" + "x" * 5_000)
    page = here.get(PROFILE).content.decode()
    assert "<script>alert" not in page
    assert [len(each.agent) for each in shown(here)] == [len("Firefox, Linux"), 61]
    assert len(Session.objects.latest("last_used").get_decoded()["agent"]) == 300


def test_a_session_is_ended_and_the_others_go_on(there: Client, here: Client) -> None:
    third = sign_in(CHROME)
    [phone] = [each for each in shown(here) if each.agent == "Safari, iPhone"]
    answer = here.post(END, {"session": phone.name}, follow=True)
    assert answer.redirect_chain == [(PROFILE, 302)]
    assert "Signed out on 1 other device." in answer.content.decode()
    assert [is_signed_in(each) for each in (here, there, third)] == [True, False, True]


def test_all_other_sessions_are_ended_at_once(there: Client, here: Client) -> None:
    third, bens = sign_in(CHROME), sign_in(CHROME, make_user(name="ben").username)
    answer = here.post(END, {"session": "others"}, follow=True)
    assert "Signed out on 2 other devices." in answer.content.decode()
    assert [is_signed_in(each) for each in (here, there, third, bens)] == [True, False, False, True]
    assert "Sign out everywhere else" not in answer.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shared", [False, True], ids=["of six browsers", "of one browser"])
def test_of_six_that_end_all_others_at_once_one_acts_and_the_others_say_done(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user(name="ada")
    browsers = [sign_in(CHROME) for _ in range(6)]
    if shared:
        for browser in browsers:
            browser.cookies["sessionid"] = browsers[0].cookies["sessionid"].value
    together = threading.Barrier(6, timeout=60)

    def all_in_the_view() -> Any:
        together.wait()
        return transaction.atomic()

    noted: list[str] = []
    monkeypatch.setattr(profile, "note", lambda what, *_args, **_who: noted.append(what))
    monkeypatch.setattr(profile, "transaction", SimpleNamespace(atomic=all_in_the_view))

    def press(browser: Client) -> tuple[str, str]:
        try:
            told = browser.post(END, {"session": "others"})
            return told.headers["Location"], browser.get("/profile/", follow=True).content.decode()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as many:
        answers = list(many.map(press, browsers))
    assert [where for where, _page in answers] == ["/profile/"] * 6
    assert noted == ["sessions ended: 5"]
    assert len(Session.objects.exclude(person=None)) == 1
    if not shared:  # else the six messages are in one session, for whichever page comes first
        pages = [page for _where, page in answers]
        assert sum("Signed out on 5 other devices." in page for page in pages) == 1
        assert sum("Done: this device was signed out by another" in page for page in pages) == 5


def test_all_other_sessions_are_ended_though_there_are_none(here: Client) -> None:
    answer = here.post(END, {"session": "others"}, follow=True)
    assert "Done: you are signed in nowhere else." in answer.content.decode()


def test_another_persons_session_is_a_404_and_goes_on(here: Client) -> None:
    bens = sign_in(CHROME, make_user(name="ben").username)
    [his] = shown(bens)
    assert here.post(END, {"session": his.name}).status_code == 404
    assert is_signed_in(bens)


def test_the_session_of_this_browser_is_ended_only_by_signing_out(here: Client) -> None:
    [this] = shown(here)
    assert here.post(END, {"session": this.name}).status_code == 404
    assert is_signed_in(here)


def test_nothing_ends_by_looking_or_by_an_empty_form(there: Client, here: Client) -> None:
    assert here.get(END, {"session": "others"}).headers["Location"] == PROFILE
    assert here.post(END).status_code == 404
    assert is_signed_in(there)


def test_sessions_that_a_new_password_ended_are_not_listed(there: Client, here: Client) -> None:
    new = "another password of some length"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert here.post("/accounts/password/change/", form).status_code == 302
    assert [each.agent for each in shown(here)] == ["Firefox, Linux"]


def test_a_session_without_a_noted_browser_is_listed_all_the_same(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    [this] = shown(client)
    assert (this.agent, this.first_seen) == ("Unknown browser", None)


def test_a_browser_that_says_nothing_of_itself_is_listed_too(here: Client) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert [each.agent for each in shown(here)][1:] == ["Unknown browser"]
