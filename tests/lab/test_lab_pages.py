"""What the pages and settings say of the lab's own sign-in, without a provider."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from annotators.accounts.reset_emails import answer_resets
from annotators.lab.claims import read_claims
from annotators.lab.signed_in import asks_second_factor
from annotators.models import ResetRequest, User
from annotators.names import free_name
from config.headers import content_security_policy
from config.lab_provider import LabProvider, lab_provider, passwords, sign_in_origins
from tests.cases import cases
from tests.factories import PASSWORD, make_project, make_user
from tests.invitations import make_link, path_of

LAB = LabProvider("https://login.example", "evenhand", "secret", "Example Lab")
NAMED = {
    "OIDC_ISSUER": "https://login.example/realms/lab",
    "OIDC_CLIENT": "evenhand",
    "OIDC_SECRET": "a secret",
}
LOG_IN = "/accounts/login/"


# --- settings ---


def test_a_provider_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (lab_provider(), sign_in_origins()) == (None, [])
    more = {"OIDC_DOMAINS": "Example.org, example.com", "OIDC_LEAD_CLAIM": "groups=leads"}
    for name, value in (NAMED | more).items():
        monkeypatch.setenv(name, value)
    assert lab_provider() == LabProvider(
        issuer="https://login.example/realms/lab",
        client_id="evenhand",
        secret="a secret",
        name="login.example",
        domains=("example.org", "example.com"),
        lead_claim="groups",
        lead_value="leads",
    )
    assert "a secret" not in repr(lab_provider())
    assert sign_in_origins() == ["https://login.example"]
    monkeypatch.setenv("OIDC_ORIGINS", "https://login.example, https://pages.example")
    assert content_security_policy(sign_in_origins()).endswith(
        "form-action 'self' https://login.example https://pages.example"
    )


@cases(
    ("wrong", "message"),
    [
        ({"OIDC_ISSUER": "http://login.example"}, "OIDC_ISSUER is 'http://login.example'; it must"),
        ({"OIDC_ISSUER": "https://login.example; script-src *"}, "OIDC_ISSUER is"),
        ({"OIDC_ISSUER": ""}, "OIDC_CLIENT is set without OIDC_ISSUER"),
        ({"OIDC_SECRET": ""}, "OIDC_ISSUER is set without OIDC_CLIENT or OIDC_SECRET"),
        ({"OIDC_DOMAINS": "@example.org"}, "OIDC_DOMAINS has '@example.org'"),
        ({"OIDC_LEAD_CLAIM": "groups"}, "OIDC_LEAD_CLAIM is 'groups'; it must look like"),
        ({"OIDC_ORIGINS": "login.example"}, "OIDC_ORIGINS has 'login.example'"),
        ({"OIDC_ISSUER": "", "OIDC_CLIENT": "", "PASSWORDS": "nobody"}, "PASSWORDS is 'nobody'"),
    ],
)
def test_a_setting_of_the_provider_that_is_wrong_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, str], message: str
) -> None:
    with monkeypatch.context() as patch:
        for name, value in (NAMED | wrong).items():
            patch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured, match=message):
            assert passwords(lab_provider()) in sign_in_origins()


# --- what a provider says ---


def test_claims_of_odd_types_are_as_if_they_were_not_made() -> None:
    stated = {"sub": "1", "email": ["a@example.org"], "email_verified": "no", "name": "Ada\0"}
    claims = read_claims(stated, lead_claim="groups", lead_value="leads")
    assert (claims.email, claims.confirmed_email, claims.first_name) == ("", "", "")
    assert not claims.may_lead
    assert read_claims({"groups": "leads"}, lead_claim="groups", lead_value="leads").may_lead
    assert not read_claims({"": ""}, lead_claim="", lead_value="").may_lead


@cases(
    ("wishes", "name"),
    [
        (("ada@example.org", "Ada King"), "ada"),
        (("", "Ada King"), "Ada.King"),
        (("a\u0430", "Ада"), "Ада"),
        (("!", " "), "person"),
    ],
)
def test_a_name_is_made_by_the_rules_of_all_names(
    db: None, wishes: tuple[str, ...], name: str
) -> None:
    assert free_name(wishes) == name


# --- pages ---


def test_the_sign_in_page_has_a_button_only_if_there_is_a_provider(
    client: Client, db: None, settings: Any
) -> None:
    assert 'action="/accounts/lab/"' not in client.get(LOG_IN).content.decode()
    assert client.post("/accounts/lab/").status_code == 404
    settings.LAB_PROVIDER = LAB
    page = client.get(LOG_IN).content.decode()
    assert 'action="/accounts/lab/"' in page
    assert "Sign in with Example Lab" in page
    assert 'name="password"' in page


@pytest.mark.parametrize(
    ("chosen", "opened"),
    [("everyone", {"ada", "chief"}), ("createsuperuser", {"chief"}), ("nobody", set())],
)
def test_passwords_can_be_switched_off_but_for_accounts_made_by_command(
    db: None, settings: Any, caplog: pytest.LogCaptureFixture, chosen: str, opened: set[str]
) -> None:
    settings.LAB_PROVIDER, settings.PASSWORDS = LAB, chosen
    make_user(name="ada", email="ada@example.org", admin=True)
    User.objects.create_superuser("chief", "chief@example.org", PASSWORD)
    come_in = set()
    for name in ("ada", "chief"):
        browser = Client()
        browser.post(LOG_IN, {"login": name, "password": PASSWORD})
        if "_auth_user_id" in browser.session:
            come_in.add(name)
        browser.force_login(User.objects.get(username=name))
        page = browser.get("/accounts/password/change/")
        assert page.status_code == (200 if name in opened else 404)
        assert ("/password/change/" in browser.get("/profile/").content.decode()) == (
            name in opened
        )
        Client().post("/accounts/password/reset/", {"email": f"{name}@example.org"})
    assert come_in == opened
    answer_resets(timezone.now())
    assert not ResetRequest.objects.exists()
    each_use = [text for text in caplog.messages if "log-in by a password that is left" in text]
    assert len(each_use) == (1 if chosen == "createsuperuser" else 0)
    assert ('name="password"' in Client().get(LOG_IN).content.decode()) == bool(opened)


def test_an_invitation_makes_no_account_while_passwords_are_off(
    client: Client, db: None, settings: Any
) -> None:
    settings.LAB_PROVIDER, settings.PASSWORDS = LAB, "createsuperuser"
    path = path_of(make_link(make_project(leads=[make_user()])))
    page = client.get(path).content.decode()
    assert 'name="password"' not in page
    assert f'href="/accounts/login/?next={path}"' in page
    client.post(path, {"username": "eve", "password": PASSWORD, "language": ""})
    assert not User.objects.filter(username="eve").exists()


def test_a_person_who_came_by_the_lab_is_asked_for_no_second_factor_unless_a_setting_says_so(
    client: Client, ada: User, settings: Any
) -> None:
    request = HttpRequest()
    request.session = client.session
    assert asks_second_factor(request, ada)
    settings.LAB_PROVIDER = LAB
    assert asks_second_factor(request, ada)
    request.session["account_authentication_methods"] = [{"method": "socialaccount"}]
    request.session["account_authentication_methods_user"] = str(ada.pk)
    assert not asks_second_factor(request, ada)
    settings.LAB_PROVIDER = LabProvider(
        "https://login.example", "evenhand", "secret", "Example Lab", asks_second_factor=True
    )
    assert asks_second_factor(request, ada)
