"""Logging in, and being sent there."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta
from time import time
from typing import Any
from unittest import mock

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotators.accounts.reset_emails import answer_resets
from annotators.models import ResetRequest, User
from tests.cases import cases
from tests.factories import make_item, make_lease, make_project, make_user
from tests.resets import forget, link_of_last_email
from tests.worker import work

PASSWORD = "a password of some length"


@pytest.fixture
def ada(db: None) -> User:
    """With an e-mail address, to log in by and to send e-mails to."""
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


def test_a_page_asks_for_a_log_in_and_is_come_back_to(client: Client) -> None:
    response = client.get("/accounts/password/change/")
    assert response.status_code == 302
    assert response.headers["Location"] == "/accounts/login/?next=/accounts/password/change/"


def test_an_htmx_request_without_log_in_redirects_the_page_it_came_from(
    client: Client,
) -> None:
    response = client.post(
        "/accounts/password/change/",
        headers={
            "HX-Request": "true",
            "HX-Current-URL": "http://testserver/projects/a%20b/?page=2",
        },
    )
    assert response.status_code == 200
    assert response.content == b""
    assert response.headers["HX-Redirect"] == "/accounts/login/?next=/projects/a%2520b/%3Fpage%3D2"
    assert response.headers["Cache-Control"] == "no-store"


def test_an_htmx_request_that_claims_to_come_from_elsewhere_comes_back_to_the_start(
    client: Client,
) -> None:
    response = client.post(
        "/accounts/password/change/",
        headers={"HX-Request": "true", "HX-Current-URL": "http://elsewhere.example/desk/"},
    )
    assert response.headers["HX-Redirect"] == "/accounts/login/?next=/"


@pytest.mark.parametrize("address", ["/accounts/login/", "/admin/login/"])
@pytest.mark.parametrize("following", ["http://[", "//[", "http://[::1", "javascript:x"])
def test_a_next_page_that_is_no_address_is_left_out(
    client: Client, ada: User, address: str, following: str
) -> None:
    client.get(address, {"next": following}, follow=True)
    sent = {"login": ada.username, "password": PASSWORD, "next": following}
    assert client.post("/accounts/login/", sent).headers["Location"] == "/"


@pytest.mark.parametrize("auto", ["false", "true"])
def test_an_htmx_request_that_comes_from_no_address_at_all_leads_to_the_log_in(
    client: Client, auto: str
) -> None:
    said = {"HX-Current-URL": "http://%5B", "HX-Current-URL-URI-AutoEncoded": "true"}
    told = said if auto == "true" else {"HX-Current-URL": "http://["}
    response = client.post("/accounts/password/change/", headers={"HX-Request": "true", **told})
    assert response.headers["HX-Redirect"] == "/accounts/login/?next=/"


@pytest.mark.parametrize("name", ["ada", "ada@example.org"])
def test_a_person_logs_in_by_name_or_e_mail(client: Client, ada: User, name: str) -> None:
    response = client.post("/accounts/login/", {"login": name, "password": PASSWORD})
    assert response.status_code == 302
    assert response.headers["Location"] == "/"
    assert client.session["_auth_user_id"] == str(ada.pk)


def test_a_name_that_is_too_long_for_an_e_mail_is_not_looked_up(client: Client, ada: User) -> None:
    with CaptureQueriesContext(connection) as seen:
        page = client.post("/accounts/login/", {"login": "a" * 255, "password": PASSWORD})
    assert "at most 254 characters (it has 255)" in page.content.decode()
    assert [each["sql"] for each in seen if "annotators_user" in each["sql"]] == []


def test_a_log_in_leads_on_without_a_message(client: Client, ada: User) -> None:
    there = "/accounts/login/?next=/work/"
    page = client.post(there, {"login": "ada", "password": PASSWORD}, follow=True)
    assert page.redirect_chain == [("/work/", 302)]
    assert "signed in" not in page.content.decode()


@pytest.mark.django_db
def test_nobody_signs_up_alone(client: Client) -> None:
    assert client.get("/accounts/signup/").status_code == 404


def test_guessing_a_password_is_slowed_down(client: Client, ada: User) -> None:
    for _ in range(10):
        client.post("/accounts/login/", {"login": "ada", "password": "a wrong guess"})
    response = client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert "_auth_user_id" not in client.session
    assert "Too many wrong passwords. Wait 5 minutes, then try again." in response.content.decode()


def test_a_refused_log_in_says_how_much_of_the_wait_is_left(
    client: Client, ada: User, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/3m/key"}
    wrong, began = {"login": "ada", "password": "a wrong guess"}, time()
    said = []
    for after in (0, 50, 51, 110, 170, 181):
        with mock.patch("time.time", return_value=began + after):
            page = client.post("/accounts/login/", wrong).content.decode()
            said += re.findall(r"Wait [^,]+|No account has", page)
    waits = ["Wait 3 minutes", "Wait 2 minutes", "Wait 1 minute"]
    assert said == ["No account has", "No account has", *waits, "No account has"]


def test_after_a_wrong_password_the_next_key_goes_into_the_password(page: Page, ada: User) -> None:
    page.goto("/accounts/login/?next=/accounts/password/change/")
    page.get_by_label("Name or e-mail", exact=True).fill("ada")
    page.get_by_label("Password", exact=True).fill("a wrong guess")
    page.keyboard.press("Enter")
    password = page.get_by_label("Password", exact=True)
    expect(password).to_have_accessible_description(
        "No account has this name or e-mail with this password."
    )
    expect(page.get_by_label("Name or e-mail", exact=True)).to_have_value("ada")
    expect(password).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/accounts/password/change/$"))


def test_a_name_that_cannot_be_is_what_the_focus_goes_to(page: Page, ada: User) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Name or e-mail", exact=True).fill("a" * 255)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".errorlist")).to_contain_text("at most 254 characters")
    expect(page.get_by_label("Name or e-mail", exact=True)).to_be_focused()


@cases(("width", "height"), [(1440, 900), (1280, 580), (390, 844)])
def test_the_purpose_of_the_site_is_beside_the_log_in_form_or_above_it_on_a_phone(
    page: Page, ada: User, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/accounts/login/")
    about, form = (page.locator(each).bounding_box() for each in ("header", "main"))
    assert about
    assert form
    if width > 390:
        assert (about["x"], about["y"], about["height"]) == (0, 0, height)
        assert form["x"] == about["width"]
        [middle] = {round(each["y"] + each["height"] / 2) for each in (about, form)}
        assert middle == height // 2
    else:
        assert (about["width"], form["width"]) == (390, 390)
        assert form["y"] == about["height"]
        scale = page.locator(".demo-scale")
        expect(scale).to_be_hidden()
    expect(page.get_by_text("No account yet?")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == width


SIGNED_OUT = {
    "/accounts/login/": "Sign in",
    "/accounts/inactive/": "Your account is inactive",
    "/accounts/password/reset/": "Forgot your password?",
    "/accounts/password/reset/done/": "Check your e-mail",
    "/accounts/password/reset/key/1-set-password/": "This link no longer works",
    "/accounts/password/reset/key/done/": "Your password is changed",
    "/join/cut/": "This link is not complete",
    "/no/such/page/": "There is nothing here",
}


@pytest.mark.parametrize("address", SIGNED_OUT)
def test_every_page_for_signed_out_people_has_the_same_frame(
    client: Client, ada: User, address: str
) -> None:
    page = client.get(address).content.decode()
    assert re.findall(r"<h1>(.*)</h1>", page) == [SIGNED_OUT[address]]
    assert '<body class="entrance">' in page
    assert "Rate answers by a rubric, and be able to say why" in page
    client.force_login(ada)
    assert '<body class="entrance">' not in client.get(address).content.decode()


@pytest.mark.django_db
def test_the_limits_count_in_the_database_so_that_all_workers_share_them(settings: Any) -> None:
    # The tests themselves count in memory; this is what the program uses.
    from django.core.cache import caches

    import config.settings as program

    settings.CACHES = program.CACHES
    call_command("createcachetable")
    assert caches["default"].add("limit", 1, 60)
    assert not caches["default"].add("limit", 1, 60)


def test_the_form_is_labelled_and_works_by_keyboard(page: Page, ada: User) -> None:
    page.goto("/accounts/login/?next=/accounts/password/change/")
    page.get_by_label("Name or e-mail", exact=True).fill("ada")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/accounts/password/change/$"))


@pytest.mark.django_db
def test_a_password_reset_does_the_same_whoever_has_an_account(client: Client, ada: User) -> None:
    """So neither the answer nor its time tells. `benchmarks.password_reset` measures the time."""
    answers = []
    for address in ("ada@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.post("/accounts/password/reset/", {"email": address})
        statements = [query["sql"].partition(" VALUES ")[0] for query in queries]
        answers.append((answer.status_code, answer.headers["Location"], statements))
    assert answers[0] == answers[1]
    assert answers[0][:2] == (302, "/accounts/password/reset/done/")
    assert mail.outbox == []
    work()
    assert [email.to for email in mail.outbox] == [["ada@example.org"]]
    assert not ResetRequest.objects.exists()


def test_a_reset_that_did_not_leave_is_sent_again_for_a_day(
    client: Client, ada: User, settings: Any
) -> None:
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    now = timezone.now()
    with mock.patch.object(EmailMessage, "send", side_effect=ConnectionRefusedError):
        answer_resets(now)
        answer_resets(now + timedelta(minutes=5))
    answer_resets(now + timedelta(minutes=6))
    assert mail.outbox == []
    answer_resets(now + timedelta(minutes=10))
    assert len(mail.outbox) == 1
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    with mock.patch.object(EmailMessage, "send", side_effect=ConnectionRefusedError):
        answer_resets(now + timedelta(days=2))
    assert not ResetRequest.objects.exists()


def test_an_email_leads_to_the_site_whatever_host_was_asked_for(
    client: Client, ada: User, settings: Any
) -> None:
    settings.SITE_URL = "https://evenhand.example"
    settings.ALLOWED_HOSTS = ["evenhand.example", "elsewhere.example"]
    forget(client, "ada@example.org", headers={"Host": "elsewhere.example"})
    [email] = mail.outbox
    assert "https://evenhand.example/accounts/password/reset/key/" in str(email.body)
    assert "elsewhere" not in str(email.message())


@pytest.mark.django_db
def test_an_odd_encoding_and_a_large_form_are_refused_in_words(client: Client) -> None:
    form = "application/x-www-form-urlencoded; charset=hex"
    odd = client.generic("POST", "/accounts/login/", b"login=a", content_type=form)
    assert odd.status_code == 400
    assert "“hex”. We only read UTF-8." in odd.content.decode()
    large = {"login": "x" * (17 * 2**20)}
    answer = client.post("/accounts/login/", large)
    assert answer.status_code == 413
    assert "You sent 17.0\xa0MB; the limit here is 16.0\xa0MB." in answer.content.decode()
    answer = client.post("/accounts/login/", large, headers={"Accept-Language": "fr"})
    assert '<html lang="fr">' in answer.content.decode()
    assert (
        "Vous avez envoyé 17,0\xa0Mio\u202f; la limite est ici de 16,0\xa0Mio"
        in answer.content.decode()
    )
    client.cookies["sessionid"] = "a\\000b"
    assert client.get("/accounts/login/").status_code == 200


def test_an_address_that_is_someones_no_more_leads_to_no_account(client: Client, ada: User) -> None:
    def change(**fields: str) -> None:
        chief = Client()
        chief.force_login(make_user(admin=True))
        page = chief.get(f"/admin/annotators/user/{ada.pk}/change/")
        form = {
            k: v
            for k, v in page.context["adminform"].form.initial.items()
            if isinstance(v, str) and v
        }
        form |= {"date_joined_0": "2026-03-02", "date_joined_1": "09:00:00", "is_active": "on"}
        answer = chief.post(f"/admin/annotators/user/{ada.pk}/change/", {**form, **fields})
        assert answer.status_code == 302

    forget(client, "ada@example.org")
    assert len(mail.outbox) == 1
    change(email="ada@example.com")
    forget(client, "ada@example.org")
    assert len(mail.outbox) == 1
    forget(client, "ada@example.com")
    assert mail.outbox[-1].to == ["ada@example.com"]


def test_to_leave_the_admins_pages_is_to_leave_like_everyone(client: Client, ada: User) -> None:
    client.force_login(make_user(admin=True))
    page = client.get("/admin/").content.decode()
    assert '<form id="logout-form" method="post" action="/accounts/logout/">' in page
    assert client.post("/admin/logout/").headers["Location"] == "/accounts/logout/"


def test_a_forgotten_password_is_replaced_from_page_to_page_in_a_browser(
    page: Page, ada: User
) -> None:
    page.goto("/accounts/login/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail", exact=True).fill("ada@example.org")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("main")).to_contain_text("The link works once, within three days.")
    answer_resets(timezone.now())
    link = link_of_last_email()
    page.goto(link)
    expect(page.get_by_role("main")).to_contain_text("It is for the account ada.")
    page.get_by_label("Your new password", exact=True).fill("short")
    page.get_by_label("Your new password again").fill("short")
    page.keyboard.press("Enter")
    chosen = page.get_by_label("Your new password", exact=True)
    expect(chosen).to_be_focused()
    expect(page.locator(".errorlist li")).to_have_text(
        "A password needs 12 characters or more; this one has 5."
    )
    for label in ("Your new password", "Your new password again"):
        page.get_by_label(label, exact=True).fill("another password of some length")
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_role("heading")).to_have_text("Your password is changed")
    expect(page.locator(".messages")).to_have_count(0)
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Name or e-mail", exact=True).fill("ada")
    page.get_by_label("Password", exact=True).fill("another password of some length")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"[^/]/$"))
    page.goto(link)
    expect(page.get_by_role("heading")).to_have_text("This link no longer works")
    page.get_by_role("link", name="Ask for another link").click()
    expect(page.get_by_role("heading")).to_have_text("Forgot your password?")


def test_a_forgotten_password_is_replaced_by_a_link_in_an_email(client: Client, ada: User) -> None:
    forget(client, "ada@example.org")
    link = link_of_last_email()
    page = client.get(link, follow=True)
    [(address, _status)] = page.redirect_chain
    new = "another password of some length"
    client.post(address, {"password1": new, "password2": new})
    assert client.login(username="ada", password=new)
    assert client.get(link, follow=True).context["token_fail"], "an e-mail is good for one password"


def test_a_link_to_a_new_password_signs_nobody_else_out_until_it_is_used(
    client: Client, ada: User
) -> None:
    forget(client, "ada@example.org")
    link = link_of_last_email()
    project = make_project(annotators=[ben := make_user(name="ben")])
    lease = make_lease(item=make_item(project=project), annotator=ben, now=timezone.now())
    client.force_login(ben)
    page = client.get(link, follow=True)
    assert "It is for the account ada." in page.content.decode()
    assert client.session["_auth_user_id"] == str(ben.pk)
    assert ben.leases.get().status == "live"
    new = "another password of some length"
    client.post(page.redirect_chain[0][0], {"password1": new, "password2": new})
    assert "_auth_user_id" not in client.session
    lease.refresh_from_db()
    assert lease.status == "released"
    assert client.login(username="ada", password=new)


@pytest.mark.django_db
def test_a_page_travels_compressed(client: Client) -> None:
    page = client.get("/accounts/login/", headers={"accept-encoding": "gzip"})
    assert page["Content-Encoding"] == "gzip"
    assert b"<!doctype html>" in gzip.decompress(page.content)
