"""What is sent when a log-in is over goes along through the log-in page: for its writer, and nobody
else."""

from __future__ import annotations

import html
import re
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Concern, Draft, Lease, Project, Rating
from tests.desk_steps import HTMX, page as page_of_one, scored, start, url
from tests.factories import PASSWORD, make_item, make_project, make_rating

pytestmark = pytest.mark.django_db

DESK = "/projects/eggs/desk/"
SENT = re.compile(r'<input type="hidden" name="sent" value="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@pytest.fixture
def project(ada: User, ben: User) -> Project:
    """ben rates in it too."""
    return make_project(slug="eggs", annotators=[ada, ben], wanted=2)


@pytest.fixture
def lease(client: Client, project: Project, ada: User) -> Lease:
    """What ada held when her log-in came to its end."""
    make_item(project=project)
    client.force_login(ada)
    lease = start(client, project, ada)
    client.session.flush()
    return lease


def send(client: Client, where: str, form: dict[str, str]) -> str:
    answer = client.post(where, form, headers={"Referer": f"http://testserver{DESK}"})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    return answer.content.decode()


def log_in(client: Client, page: str, name: str = "ada", password: str = PASSWORD) -> Any:
    [sent] = SENT.findall(page)
    form = {"login": name, "password": password, "next": DESK, "sent": html.unescape(sent)}
    return client.post("/accounts/login/", form)


def fields_in(page: str) -> dict[str, str]:
    """What was sent before, without this page's own token."""
    found = {name: html.unescape(value) for name, value in HIDDEN.findall(page)}
    return {name: value for name, value in found.items() if name != "csrfmiddlewaretoken"}


@pytest.mark.parametrize("step", ["verdict", "draft", "submit"])
def test_a_form_comes_back_by_whatever_button_it_was_sent(
    client: Client, lease: Lease, step: str
) -> None:
    form = scored(lease) | page_of_one() | {"comment": 'Of two minds:\n"eggs" & <b>'}
    page = send(client, url(lease, step), form)
    assert "Nothing is lost: sign in" in page
    again = log_in(client, page, password="not this").content.decode()  # and once more
    assert "Nothing is lost: sign in" in again
    answer = log_in(client, again)
    page = answer.content.decode()
    assert f'action="{url(lease, step)}"' in page
    assert f'href="{DESK}"' in page
    sent = fields_in(page)
    assert sent == form
    assert (Draft.objects.count(), Rating.objects.count()) == (0, 0)
    client.post(url(lease, step), sent)
    said = (
        Rating.objects.get().comment if step == "submit" else Draft.objects.get().answers["comment"]
    )
    assert said == form["comment"]


def test_who_leaves_a_form_gets_to_its_page_without_a_referrer_too(
    client: Client, lease: Lease, ada: User
) -> None:
    lease.release(now=timezone.now())
    rating = make_rating(item=make_item(project=lease.project), annotator=ada)
    mine = f"/projects/eggs/ratings/{rating.pk}/"
    for step, where in ((url(lease, "submit"), DESK), (f"{mine}correct/", mine)):
        client.session.flush()
        page = client.post(step, {"comment": "x"}).content.decode()
        [following] = re.findall(r'name="next" value="([^"]+)"', page)
        [sent] = SENT.findall(page)
        form = {
            "login": "ada",
            "password": PASSWORD,
            "next": following,
            "sent": html.unescape(sent),
        }
        answer = client.post("/accounts/login/", form).content.decode()
        [left] = re.findall(r'<a href="([^"]+)">Discard and go on', answer)
        assert client.get(left, follow=True).redirect_chain[-1][0] == where


def test_a_correction_comes_back_and_the_reason_of_a_skip(
    client: Client, lease: Lease, ada: User
) -> None:
    lease.release(now=timezone.now())
    rating = make_rating(item=make_item(project=lease.project), annotator=ada)
    correct = f"/projects/eggs/ratings/{rating.pk}/correct/"
    page = log_in(
        client, send(client, correct, {"comment": "Mended", "revision": "1"})
    ).content.decode()
    assert fields_in(page) == {"comment": "Mended", "revision": "1"}
    client.session.flush()
    page = send(client, url(lease, "skip"), {"reason": "other", "note": "It is half a page"})
    client.post(url(lease, "skip"), fields_in(log_in(client, page).content.decode()))
    assert Concern.objects.get().note == "It is half a page"


def test_whoever_logs_in_instead_is_shown_nothing_of_it(
    client: Client, lease: Lease, ben: User
) -> None:
    page = send(client, url(lease, "verdict"), {"comment": "Of ada's"})
    answer = log_in(client, page, name="ben")
    assert (answer.status_code, answer.headers["Location"]) == (302, DESK)
    assert client.session[SESSION_KEY] == str(ben.pk)


def test_what_was_not_sealed_here_or_long_ago_leads_on_as_if_nothing_had_come(
    client: Client, lease: Lease
) -> None:
    sealed = html.unescape(SENT.findall(send(client, url(lease, "verdict"), {"comment": "x"}))[0])
    for sent in (f"{sealed}A", "of mine", ""):
        client.session.flush()
        form = {"login": "ada", "password": PASSWORD, "next": DESK, "sent": sent}
        assert client.post("/accounts/login/", form).headers["Location"] == DESK
    client.session.flush()
    with mock.patch("annotators.accounts.login.FORM_KEPT_FOR", -1):
        assert (
            log_in(client, f'<input type="hidden" name="sent" value="{sealed}"').status_code == 302
        )


def test_what_is_too_large_or_no_work_does_not_go_along(client: Client, lease: Lease) -> None:
    with mock.patch("annotators.accounts.login.LARGEST_FORM", 100):
        answer = client.post(url(lease, "verdict"), {"comment": "x" * 100})
    assert answer.status_code == 302
    for where in ("/profile/", "/accounts/password/change/", f"{DESK}start/"):
        answer = client.post(where, {"oldpassword": "secret"})
        assert answer.status_code == 302
        assert "secret" not in answer.headers["Location"]


def test_an_htmx_request_is_led_to_the_log_in_as_before(client: Client, lease: Lease) -> None:
    answer = client.post(url(lease, "verdict"), {"comment": "x"}, headers=HTMX)
    assert "/accounts/login/" in answer.headers["HX-Redirect"]
