"""The clock of the desk: what is work and what is not, and the pause. Time is the test's own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import Lease, Rating
from tests.conftest import Complaints
from tests.desk_keys import focused_row, log_in, tab_to
from tests.factories import make_item, make_lease, make_project, make_user

HALF_AN_HOUR = 30 * 60


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """At the desk, with an item just begun, on a clock that stands still."""
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada], lease_minutes=60)
    item = make_item(project=project, persona=["I keep bees."], responses=["Six.", "Nine."])
    make_lease(item=item, annotator=ada, now=timezone.now() - timedelta(minutes=10))
    page = new_context().new_page()
    log_in(page, "ada")
    page.clock.install()
    page.goto("/projects/eggs/desk/")
    page.clock.pause_at(page.evaluate("() => Date.now() + 1000"))
    expect(page.locator("[data-row]:focus")).to_have_count(1)
    return page


def seconds(page: Page) -> int:
    return int(page.locator("[data-active-seconds]").input_value() or 0)


def at_work(page: Page, for_seconds: int) -> None:
    """Someone who moves a hand every ten seconds."""
    for _ in range(for_seconds // 10):
        page.keyboard.press("Shift")
        page.clock.run_for(10_000)


# --- what is work ---


def test_work_counts_and_neither_does_idle_time_beyond_a_minute_nor_a_page_out_of_sight(
    page: Page,
) -> None:
    begun = seconds(page)
    at_work(page, 30)
    assert seconds(page) - begun == 30
    page.keyboard.press("Shift")
    page.clock.run_for(3 * 60_000)
    assert seconds(page) - begun == 90, "reading for a minute without touching anything is work"
    at_work(page, 20)
    assert seconds(page) - begun == 110
    page.evaluate(
        "() => Object.defineProperty("
        "document, 'visibilityState', { value: 'hidden', configurable: true })"
    )
    at_work(page, 30)
    assert seconds(page) - begun == 110
    page.evaluate("() => { delete document.visibilityState; }")
    at_work(page, 10)
    assert seconds(page) - begun == 120


def test_a_pause_does_not_count_and_covers_the_item(page: Page) -> None:
    begun = seconds(page)
    at_work(page, 20)
    row = focused_row(page)
    page.keyboard.press("z")
    dialog = page.get_by_role("dialog", name="Paused")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Resume")).to_be_focused()
    expect(dialog).to_have_accessible_description(
        "The clock has stopped and your work is safe. We keep the item for you for "
        "half an hour. After that, someone else may get it, but you can still submit"
        " your rating."
    )
    # What lies beneath is inert, and covered by a ground without holes.
    assert page.locator("main").evaluate(
        "main => !main.contains(document.elementFromPoint(200, 300))"
    )
    ground = dialog.evaluate("dialog => getComputedStyle(dialog, '::backdrop').backgroundColor")
    assert ground.startswith(("rgb(", "color(srgb"))
    assert "/" not in ground
    page.keyboard.type("a7s")
    page.keyboard.press("Control+Enter")
    at_work(page, 120)
    assert seconds(page) - begun == 20
    assert page.locator("#rating input:checked").count() == 0
    assert not Rating.objects.exists()
    page.keyboard.press("z")
    expect(dialog).not_to_be_visible()
    assert focused_row(page) == row
    expect(page.locator("#announcer")).to_have_text("The clock is running again.")
    at_work(page, 10)
    assert seconds(page) - begun == 30


def test_a_comment_goes_on_where_it_was_after_a_pause(page: Page) -> None:
    comment = page.locator("#comment")
    comment.fill("Said of all.")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#pause")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#pause")).not_to_be_visible()
    expect(comment).to_be_focused()
    page.keyboard.type(" And more.")
    expect(comment).to_have_value("Said of all. And more.")


def test_while_paused_the_item_is_kept_for_half_an_hour_and_no_longer(page: Page) -> None:
    page.evaluate(
        "() => { window.told = 0;"
        " document.body.addEventListener('evenhand:active', () => { told += 1; }); }"
    )
    page.keyboard.press("z")
    expect(page.locator("#pause")).to_be_visible()
    for _ in range((HALF_AN_HOUR + 300) // 10):  # ten seconds at once: a page looks at its clock
        page.clock.fast_forward(10_000)
    # Every two minutes, the first after so much of the last two as was left.
    assert page.evaluate("() => told") in (14, 15)
    with page.expect_response("**/renew/"):
        page.keyboard.press("z")


def test_an_item_that_has_gone_meanwhile_is_said_and_what_was_entered_stays(
    page: Page, complaints: Complaints
) -> None:
    page.locator("#comment").fill("Said of all.")
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    expect(page.locator("#pause")).to_be_visible()
    Lease.objects.get().release(now=timezone.now())
    complaints.allow("409")
    page.keyboard.press("z")
    expect(page.get_by_text("Nothing is lost: submit")).to_be_visible()
    expect(page.locator("#comment")).to_have_value("Said of all.")


def test_a_pause_has_no_key_where_single_keys_are_off(page: Page) -> None:
    User.objects.update(single_keys=False)
    page.reload()
    page.keyboard.press("z")
    expect(page.locator("#pause")).not_to_be_visible()
    tab_to(page, page.get_by_role("button", name="Pause"), key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#pause")).to_be_visible()
    with page.expect_response("**/renew/"):
        page.keyboard.press("Enter")
    expect(page.locator("#pause")).not_to_be_visible()
