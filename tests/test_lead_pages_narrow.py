"""A lead's pages on a phone, and the frame that stays around each page of a project."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from tests.desk_keys import log_in
from tests.factories import make_item, make_project, make_rating, make_user

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 390, "height": 844}


def test_a_phone_shows_scores_of_items_and_the_current_tab(page: Page) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    item = make_item(project=project, external_id="a-long-name-of-an-item-0001", prompt="why " * 40)
    for _person in range(3):
        make_rating(item=item)
    log_in(page, "lena")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto("/projects/eggs/items/")
    scores = page.locator(".items tbody .scores").first
    expect(scores).to_be_in_viewport(ratio=0.95)
    name = page.get_by_role("link", name="a-long-name-of-an-item-0001")
    assert name.evaluate("it => it.scrollWidth <= it.clientWidth"), "the name is cut"
    # A chip has no frame of its own, and what is asked for once is no button.
    border = "it => getComputedStyle(it).borderTopColor"
    assert page.locator(".filter").first.evaluate(border) == "rgba(0, 0, 0, 0)"
    shown = page.get_by_role("button", name="Show models")
    assert "ghost" in (shown.get_attribute("class") or "")
    for part in ("settings", "export", "items"):
        page.goto(f"/projects/eggs/{part}/")
        expect(page.locator(".project-tabs [aria-current]")).to_be_in_viewport(ratio=0.95)
        expect(page.locator("h1")).to_be_visible()


def test_the_rubric_of_a_project_keeps_its_bar_and_tabs(client: Client) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    client.force_login(lena)
    address = f"/projects/eggs/rubric/{project.rubric.version}/"
    assert address in client.get("/projects/eggs/").content.decode()
    shown = client.get(address).content.decode()
    assert 'class="project-tabs"' in shown
    assert 'href="/projects/eggs/items/"' in shown
    assert client.get("/projects/eggs/rubric/99/").status_code == 404
    client.force_login(make_user(name="mo"))
    assert client.get(address).status_code == 404
