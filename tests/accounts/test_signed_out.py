"""A form that is sent when the log-in is over: the texts in it are shown, to be copied."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from annotators.models import Session
from tests.conftest import Complaints
from tests.desk_keys import log_in, take_item
from tests.factories import PASSWORD, make_item, make_project, make_user

SLUG = "response-quality"
pytestmark = pytest.mark.django_db


def test_a_page_shows_every_text_that_came_without_a_log_in_but_no_password(
    client: Client,
) -> None:
    sent = {"comment": 'Of two minds:\n"eggs" & <b>', "oldpassword": "a secret", "note": "Half it"}
    answer = client.post("/projects/eggs/desk/1/submit/", sent)
    page = answer.content.decode()
    assert (answer.status_code, answer.headers["Cache-Control"]) == (403, "no-store")
    assert "Of two minds:\n&quot;eggs&quot; &amp; &lt;b&gt;</textarea>" in page
    assert "Half it</textarea>" in page
    assert "secret" not in page


def test_a_form_without_a_text_is_led_to_the_log_in(client: Client) -> None:
    sent = {"r1.quality": "6", "comment": "", "seen": "r1.quality/a=6 sets"}
    answer = client.post("/projects/eggs/desk/1/verdict/", sent)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/?next=/")


def test_without_javascript_the_texts_stay_in_sight_beside_the_log_in_in_another_tab(
    new_context: Callable[..., BrowserContext], complaints: Complaints
) -> None:
    complaints.allow("403")
    project = make_project(slug=SLUG, annotators=[make_user(name="ada")])
    make_item(project=project, batch=project.batches.first(), responses=["Two."])
    context = new_context(java_script_enabled=False)
    page = context.new_page()
    log_in(page, "ada")
    take_item(page, SLUG)
    page.get_by_label("Comment on the whole item").fill("Of two minds")
    Session.objects.all().delete()
    page.get_by_role("button", name="Check", exact=True).first.click()
    with context.expect_page() as other_tab:
        page.get_by_role("link", name="Sign in in another tab").click()
    there = other_tab.value
    there.get_by_label("Name or e-mail").fill("ada")
    there.get_by_label("Password", exact=True).fill(PASSWORD)
    there.get_by_role("button", name="Sign in").click()
    expect(there.get_by_label("Comment on the whole item")).to_be_visible()
    expect(page.get_by_role("textbox", name="Not saved")).to_have_value("Of two minds")


def test_the_next_key_of_the_desk_lands_in_no_field_of_the_log_in(
    new_context: Callable[..., BrowserContext], complaints: Complaints
) -> None:
    complaints.allow("403|302")
    project = make_project(slug=SLUG, annotators=[make_user(name="ada")])
    make_item(project=project, responses=["Two."])
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, SLUG)
    expect(page.locator("#submit")).to_be_visible()
    Session.objects.all().delete()
    page.keyboard.press("l")
    page.wait_for_url("**/accounts/login/?next=**")
    expect(page.get_by_role("heading", name="Sign in")).to_be_focused()
    page.keyboard.type("a7")
    expect(page.get_by_label("Name or e-mail", exact=True)).to_have_value("")
    page.goto("/accounts/login/")  # asked for: there the name is next
    expect(page.get_by_label("Name or e-mail", exact=True)).to_be_focused()
