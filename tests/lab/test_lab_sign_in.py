"""The lab's own sign-in, by a real provider: who comes in, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Page, expect

from annotators.accounts.erasure import erase_person
from annotators.lab.refusals import SignInFault
from annotators.models import User
from config.headers import HEADERS, content_security_policy
from config.lab_provider import LabProvider
from tests.cases import cases
from tests.factories import make_user
from tests.lab.provider import (
    BEGIN,
    CALLBACK,
    SECRET,
    RealProvider,
    come_back,
    go_to_provider,
    real_provider,
    sign_in,
)

pytestmark = [pytest.mark.ci, pytest.mark.django_db]
ADA = {
    "sub": "17",
    "name": "Ada King",
    "preferred_username": "ada@example.org",
    "email": "ada@example.org",
    "email_verified": True,
    "locale": "de-AT",
}


@pytest.fixture(scope="module")
def process() -> Iterator[RealProvider]:
    """One process for all tests of this file."""
    with real_provider(f"http://testserver{CALLBACK}") as provider:
        yield provider


@pytest.fixture
def provider(process: RealProvider, settings: Any) -> RealProvider:
    """The provider as the site's own, with Ada before it."""
    settings.SITE_URL = "http://testserver"
    settings.LAB_PROVIDER = LabProvider(
        issuer=process.issuer,
        client_id="evenhand",
        secret=SECRET,
        name="Example Lab",
        domains=("example.org",),
    )
    process.order(person=ADA, token={})
    return process


def change_settings(settings: Any, **changes: Any) -> None:
    settings.LAB_PROVIDER = replace(settings.LAB_PROVIDER, **changes)


def user_of(client: Client) -> User | None:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key) if key else None


def assert_refused(answer: Any, reason: SignInFault, client: Client) -> None:
    """The page says why in its reader's words, and nobody is signed in."""
    text = str(reason.label) % {"provider": "Example Lab"}
    page = answer.content.decode()
    assert text in page.replace("&#x27;", "'"), page
    assert "Go to the sign-in page" in page
    assert user_of(client) is None


# --- who comes in ---


def test_a_person_of_an_allowed_domain_gets_an_account(
    client: Client, provider: RealProvider
) -> None:
    answer = sign_in(client, next="/work/", zone="Europe/Vienna")
    assert answer.headers["Location"] == "/work/"
    ada = user_of(client)
    assert ada
    assert (ada.username, ada.email, ada.get_full_name()) == ("ada", "ada@example.org", "Ada King")
    assert (ada.language, ada.time_zone) == ("de", "Europe/Vienna")
    assert not ada.has_usable_password()
    again = Client()
    sign_in(again)
    assert user_of(again) == ada
    link = SocialAccount.objects.get()
    assert (link.provider, link.uid, link.extra_data) == (provider.issuer, "17", {})
    assert b"number at the lab's sign-in,,17" in client.get("/work/own-data.csv").getvalue()
    erase_person(ada, comments=False)
    assert not SocialAccount.objects.exists()


def test_a_person_joins_the_account_with_the_confirmed_address(
    client: Client, provider: RealProvider
) -> None:
    ada = make_user(name="countess", email="Ada@example.org", language="fr")
    sign_in(client)
    assert user_of(client) == ada
    ada.refresh_from_db()
    assert (ada.username, ada.language, ada.first_name) == ("countess", "fr", "Ada")
    assert ada.has_usable_password()


def test_a_password_that_an_admin_handed_out_ends_with_a_sign_in_by_the_lab(
    client: Client, provider: RealProvider
) -> None:
    make_user(name="ada", email="ada@example.org", must_change_password=True)
    sign_in(client)
    assert client.get("/").status_code == 200
    assert not User.objects.get(username="ada").has_usable_password()


def test_an_unconfirmed_address_joins_nothing(client: Client, provider: RealProvider) -> None:
    make_user(name="ada", email="ada@example.org")
    provider.order(person={**ADA, "email_verified": False})
    assert_refused(sign_in(client), SignInFault.UNCONFIRMED, client)
    assert not SocialAccount.objects.exists()


def test_an_address_of_another_domain_is_refused(client: Client, provider: RealProvider) -> None:
    provider.order(person={**ADA, "email": "ada@example.com"})
    make_user(email="ada@example.com")
    assert_refused(sign_in(client), SignInFault.DOMAIN, client)


def test_only_accounts_come_in_where_no_domain_is_named(
    client: Client, provider: RealProvider, settings: Any
) -> None:
    change_settings(settings, domains=())
    assert_refused(sign_in(client), SignInFault.UNKNOWN, client)
    ada = make_user(email="ada@example.org")
    sign_in(client)
    assert user_of(client) == ada


def test_an_inactive_account_stays_closed(client: Client, provider: RealProvider) -> None:
    make_user(email="ada@example.org", is_active=False)
    assert_refused(sign_in(client), SignInFault.INACTIVE, client)


def test_a_claim_makes_a_lead_for_as_long_as_it_is_made(
    client: Client, provider: RealProvider, settings: Any
) -> None:
    change_settings(settings, domains=(), lead_claim="groups", lead_value="leads")
    provider.order(person={**ADA, "groups": ["staff", "leads"]})
    sign_in(client)
    assert client.get("/projects/new/").status_code == 200
    provider.order(person=ADA)
    another = Client()
    sign_in(another)
    assert another.get("/projects/new/").status_code == 403


def test_a_name_in_use_gets_a_number(client: Client, provider: RealProvider) -> None:
    make_user(name="Ada")
    sign_in(client)
    ada = user_of(client)
    assert ada
    assert ada.username == "ada2"


# --- what is refused ---


def with_other(key: str, client: Client) -> Any:
    """Come back after something of the browser's own sign-in has changed."""
    answer = come_back(go_to_provider(client))
    session = client.session
    [(state, stashed)] = session["socialaccount_states"].items()
    stashed[0][key] = "x" * 43
    session["socialaccount_states"] = {state: stashed}
    session.save()
    return client.get(CALLBACK, answer)


def test_a_wrong_nonce_is_refused(client: Client, provider: RealProvider) -> None:
    assert_refused(with_other("nonce", client), SignInFault.NONCE, client)


def test_a_wrong_verifier_is_refused(client: Client, provider: RealProvider) -> None:
    assert_refused(with_other("pkce_code_verifier", client), SignInFault.CODE, client)


def test_a_wrong_state_is_refused_and_so_is_one_of_another_browser(
    client: Client, provider: RealProvider
) -> None:
    answer = come_back(go_to_provider(client))
    assert_refused(client.get(CALLBACK, {**answer, "state": "x"}), SignInFault.STALE, client)
    stranger = Client()
    assert_refused(stranger.get(CALLBACK, answer), SignInFault.STALE, stranger)
    client.get(CALLBACK, answer)
    assert user_of(client)
    used = client.get(CALLBACK, answer)
    assert used.status_code == 403


@cases(
    ("token", "reason"),
    [
        ({"exp": int(time.time()) - 1}, SignInFault.EXPIRED),
        ({"iat": int(time.time()) + 900}, SignInFault.EARLY),
        ({"aud": "another"}, SignInFault.AUDIENCE),
        ({"iss": "https://another.example"}, SignInFault.AUDIENCE),
        ({"aud": ["evenhand", "another"], "azp": "another"}, SignInFault.AUDIENCE),
        ({"sub": "18"}, SignInFault.AUDIENCE),
    ],
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    client: Client, provider: RealProvider, token: dict[str, object], reason: SignInFault
) -> None:
    provider.order(token=token)
    assert_refused(sign_in(client), reason, client)


def test_a_key_is_good_once_the_provider_announces_it(
    client: Client, process: RealProvider, provider: RealProvider
) -> None:
    provider.order(keys="secret")
    assert_refused(sign_in(client), SignInFault.SIGNATURE, client)
    provider.order(keys="changed")
    sign_in(client)
    assert user_of(client)


def test_a_person_who_stops_at_the_provider_is_told(client: Client, provider: RealProvider) -> None:
    provider.order(person={"stops": True})
    assert_refused(sign_in(client), SignInFault.CANCELED, client)


def test_a_wrong_secret_is_a_fault_of_the_site(
    client: Client, provider: RealProvider, settings: Any
) -> None:
    change_settings(settings, secret="another")
    assert_refused(sign_in(client), SignInFault.CLIENT, client)


def test_a_provider_that_is_away_is_named_on_a_page(
    client: Client, provider: RealProvider, settings: Any
) -> None:
    with real_provider(f"http://testserver{CALLBACK}") as leaving:
        change_settings(settings, issuer=leaving.issuer)
        leaving.order(person=ADA)
        answer = come_back(go_to_provider(client))
    for page in (client.get(CALLBACK, answer), client.post(BEGIN)):
        assert page.status_code == 503
        assert_refused(page, SignInFault.AWAY, client)
    change_settings(settings, issuer=provider.issuer)
    cache.clear()
    sign_in(client)
    assert user_of(client)


def test_another_provider_in_the_place_of_the_named_one_is_refused(
    client: Client, provider: RealProvider, settings: Any
) -> None:
    change_settings(settings, issuer=provider.issuer.replace("127.0.0.1", "localhost"))
    assert_refused(client.post(BEGIN), SignInFault.AWAY, client)


# --- in a browser ---


def test_a_browser_is_led_to_the_provider_and_back_under_the_policy(
    page: Page, base_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with real_provider(f"{base_url}{CALLBACK}") as provider:
        settings.SITE_URL = base_url
        settings.LAB_PROVIDER = LabProvider(
            issuer=provider.issuer,
            client_id="evenhand",
            secret=SECRET,
            name="Example Lab",
            domains=("example.org",),
        )
        policy = content_security_policy([provider.issuer])
        monkeypatch.setitem(HEADERS, "Content-Security-Policy", policy)
        provider.order(person={**ADA, "locale": "en"})
        page.goto("/accounts/login/?next=/profile/")
        page.get_by_role("button", name="Sign in with Example Lab").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Profile of ada")
