"""Fields of forms, messages and cards look the same on every page."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.models import Project
from tests.desk_keys import log_in, take_item
from tests.factories import make_item

pytestmark = pytest.mark.django_db


def test_a_field_is_its_label_the_control_and_its_help(client: Client, lead: User) -> None:
    client.force_login(lead)
    page = client.get("/profile/").content.decode()
    about = re.findall(r'aria-describedby="(id_\w+)_helptext', page)
    assert about
    for field in about:
        if re.search(rf'<input type="checkbox"[^>]*id="{field}"', page):
            continue  # a box stands before its label
        places = [
            re.search(mark, page)
            for mark in (f'for="{field}"', f'id="{field}"', f'id="{field}_helptext"')
        ]
        starts = [place.start() for place in places if place]
        assert starts == sorted(starts), field


def test_messages_are_as_wide_as_the_page_that_they_are_on(page: Page, ada: User) -> None:
    log_in(page, "ada")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/")
    page.evaluate(
        """() => {
          const box = document.createElement("div");
          [box.className, box.innerHTML] = ["messages", "<p class=note>Saved.</p>"];
          document.querySelector("main").before(box);
        }"""
    )
    widths = page.evaluate(
        """[".messages", "main"].map((each) => document.querySelector(each).offsetWidth)"""
    )
    assert widths[0] == widths[1]


def test_a_radio_button_is_on_the_line_of_its_label_and_has_a_round_focus(
    page: Page, ada: User, project: Project
) -> None:
    make_item(project=project)
    log_in(page, "ada")
    take_item(page, "eggs")
    expect(page.locator("#submit")).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.press("ArrowDown")
    radio = page.locator("[data-concern] input:focus")
    assert radio.evaluate("each => getComputedStyle(each).borderTopLeftRadius") == "50%"
    box = radio.bounding_box()
    label = page.locator("[data-concern] label", has=page.locator("input:focus")).bounding_box()
    assert box
    assert label
    assert label["y"] - 1 <= box["y"] < label["y"] + label["height"]
    assert label["height"] < 40  # one line
