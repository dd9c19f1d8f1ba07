"""A warning in a browser: nothing of the item is there before it is opened, with and without
script."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import Concern, Lease, Project, Rating
from tests.desk_keys import focused_row, go_by_tab, log_in, settle, tab_to, take_item
from tests.factories import make_item, make_project, make_user

SECRET = "What nobody should see unasked."
Start = Callable[..., Page]


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Start:
    """Open the desk with an item that has a warning, and one that has none after it."""

    def open_desk(*, script: bool = True, **fields: Any) -> Page:
        project = make_project(slug="eggs", annotators=[make_user(name="ada")], **fields)
        first = make_item(
            project=project,
            external_id="first",
            warning="Speaks of violence.",
            prompt=SECRET,
            persona=[SECRET],
            responses=[SECRET, "Nine."],
        )
        make_item(batch=first.batch, external_id="second", responses=["Six.", "Nine."])
        page = new_context(java_script_enabled=script).new_page()
        log_in(page, "ada")
        take_item(page, "eggs")
        heading = page.get_by_role("heading", name="This item has a warning")
        expect(heading).to_be_visible()
        if script:
            expect(heading).to_be_focused()  # by the script: from now on it hears keys
        return page

    return open_desk


def test_the_item_is_not_in_the_page_before_it_is_opened_and_keys_score_nothing(
    start: Start,
) -> None:
    page = start()
    expect(page.get_by_text("Speaks of violence.")).to_be_visible()
    assert SECRET not in page.content()
    page.keyboard.type("a7gh")
    for key in ("Enter", "Control+Enter", "ArrowDown", "ArrowRight", "."):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="This item has a warning")).to_be_focused()
    assert not Rating.objects.exists()
    assert Lease.objects.get().opened_at is None
    go_by_tab(page, page.get_by_role("button", name="Open the item"))
    expect(page.get_by_text(SECRET).first).to_be_visible()
    settle(page)
    assert focused_row(page).startswith("r1-")
    expect(page.locator("#announcer")).to_have_text("The item is open.")
    assert page.locator("#rating input:checked").count() == 0


def test_the_cover_is_no_trap_and_has_its_keys(start: Start) -> None:
    page = start()
    for name in ("Open the item", "Skip it as distressing", "Your account: ada"):
        tab_to(page, page.get_by_role("button", name=name))
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("?")
    page.keyboard.press("s")
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    page.keyboard.press("z")
    expect(page.locator("#pause")).to_be_visible()
    page.keyboard.press("z")
    expect(page.locator("#pause")).not_to_be_visible()


def test_a_single_press_skips_an_item_with_a_warning_and_brings_the_next(start: Start) -> None:
    page = start()
    go_by_tab(page, page.get_by_role("button", name="Skip it as distressing"))
    expect(page.locator("h1")).to_contain_text("second")
    settle(page)
    expect(page.locator("#announcer")).to_have_text("Skipped. The next item is here.")
    assert focused_row(page).startswith("r1-")
    assert [(concern.kind, concern.reason) for concern in Concern.objects.all()] == [
        ("skip", "distressing")
    ]


def test_each_item_is_opened_by_itself_and_stays_open(start: Start) -> None:
    page = start()
    page.get_by_role("button", name="Open the item").click()
    expect(page.get_by_text(SECRET).first).to_be_visible()
    page.reload()
    expect(page.get_by_text(SECRET).first).to_be_visible()
    Project.objects.get().items.update(warning="Speaks of violence.")
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="This item has a warning")).to_be_focused()
    settle(page)
    page.keyboard.press("Enter")
    assert "Six." not in page.content()


def test_a_delayed_save_of_a_skipped_item_does_not_touch_the_next_one(start: Start) -> None:
    page = start()
    page.get_by_role("button", name="Open the item").click()
    expect(page.get_by_text(SECRET).first).to_be_visible()
    settle(page)
    Project.objects.get().items.update(warning="Speaks of violence.")
    page.evaluate("evenhand.keepQuietly()")  # it would be saved seconds later
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="This item has a warning")).to_be_focused()
    settle(page)
    page.keyboard.press("Tab")
    go_by_tab(page, page.get_by_role("button", name="Open the item"))
    expect(page.locator(".response:visible .text")).to_have_text(re.compile("Six|Nine"))


def test_without_script_it_is_opened_and_skipped_all_the_same(start: Start) -> None:
    page = start(script=False)
    assert SECRET not in page.content()
    page.get_by_role("button", name="Open the item").click()
    expect(page.get_by_text(SECRET).first).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text(SECRET).first).to_be_visible()


def test_without_script_one_skips_without_having_seen_it(start: Start) -> None:
    page = start(script=False)
    page.get_by_role("button", name="Skip it as distressing").click()
    expect(page.locator("h1")).to_contain_text("second")


def test_beyond_the_day_s_limit_the_desk_says_so_and_what_to_do(start: Start) -> None:
    page = start(most_warned_daily=1)
    Project.objects.get().items.update(warning="Speaks of violence.")
    page.get_by_role("button", name="Open the item").click()
    expect(page.get_by_text(SECRET).first).to_be_visible()
    settle(page)
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("s")
    expect(page.locator("#desk")).to_contain_text("today’s limit of 1 such item")
    expect(page.locator("#desk")).to_contain_text("You can go on tomorrow")
    expect(page.get_by_role("heading", name="eggs")).to_be_focused()


def test_the_browser_says_where_its_reader_is(start: Start) -> None:
    page = start()
    Lease.objects.get().release(now=timezone.now())
    page.reload()
    page.get_by_role("button", name="Start rating").click()
    expect(page.get_by_role("heading", name="This item has a warning")).to_be_visible()
    assert User.objects.get(username="ada").time_zone == "UTC"
