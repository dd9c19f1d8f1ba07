"""What a browser kept while the server was away, and sends from another page than its own: what
became of it is said there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from tasks.models import Draft, Lease, Membership, Rating
from tasks.queue.allocation import take_next
from tasks.queue.submitting import submit_lease
from tests.conftest import Complaints
from tests.desk_keys import SAVED, await_verdicts, hurry, intercept, log_in, take_item
from tests.factories import make_item, make_membership, make_project, make_submission, make_user

AWAY = "ERR_FAILED|htmx:|^undefined$"
KEPT = "() => Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"
NOT_KEPT = "() => !Object.keys(localStorage).some((name) => name.startsWith('evenhand:'))"

FILL = """() => {
  let size = 5_000_000;
  for (let number = 0; size > 50; number += 1) {
    try {
      localStorage.setItem(`full-${number}`, "x".repeat(size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
}"""


@pytest.fixture
def page(new_context: Callable[..., BrowserContext], complaints: Complaints) -> Page:
    """At the desk with the only item of a project, which wants one rating; there is another
    project."""
    complaints.allow(AWAY)
    ada = make_user(name="ada")
    for slug in ("eggs", "moons"):
        project = make_project(slug=slug, annotators=[ada], wanted=1)
        make_item(project=project, external_id=f"{slug}-1", responses=["Six minutes."])
    page = new_context().new_page()
    hurry(page)
    log_in(page, "ada")
    start(page, "eggs")
    return page


def start(page: Page, slug: str) -> None:
    take_item(page, slug)
    expect(page.locator("h1")).to_contain_text(f"{slug}-1")
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")


def submit_without_an_answer(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        await_verdicts(page)
    lift = intercept(page, "**/submit/", lambda route: route.abort())
    page.keyboard.press("Control+Enter")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.wait_for_function(KEPT)
    lift()


def test_a_rating_sent_from_another_page_is_stored_and_brings_no_new_lease(page: Page) -> None:
    submit_without_an_answer(page, "a7")
    make_item(project=Lease.objects.get().project, external_id="eggs-2")
    page.goto("/projects/moons/desk/")
    note = page.locator("[data-kept]")
    expect(note).to_contain_text("eggs-1 is saved")
    page.wait_for_function(NOT_KEPT)
    assert Rating.objects.get().kind == Rating.Kind.COUNTED
    assert not Lease.objects.filter(status=Lease.Status.LIVE).exists()
    note.get_by_role("button", name="Close").click()
    expect(note).to_have_count(0)


def test_a_rating_sent_late_from_another_page_is_said_to_be_extra(page: Page) -> None:
    submit_without_an_answer(page, "a7")
    mine, ben = Lease.objects.get(), make_user(name="ben")
    Lease.objects.update(expires_at=mine.started_at + timedelta(milliseconds=1))
    make_membership(project=mine.project, user=ben)
    lease = take_next(mine.project, ben, now=timezone.now())
    assert lease
    assert lease.item == mine.item
    submit_lease(lease, make_submission(lease=lease), now=timezone.now())
    page.goto("/projects/moons/desk/")
    expect(page.locator("[data-kept]")).to_contain_text("as an extra one")
    page.wait_for_function(NOT_KEPT)
    assert Rating.objects.filter(kind=Rating.Kind.EXTRA).count() == 1


def test_an_incomplete_form_is_said_to_be_not_stored_and_is_found_saved(
    page: Page,
) -> None:
    submit_without_an_answer(page, "a")
    page.goto("/projects/moons/desk/")
    note = page.get_by_role("alert").filter(has_text="eggs-1 is not submitted yet")
    expect(note).to_contain_text("Everything you entered is saved")
    page.wait_for_function(NOT_KEPT)
    assert not Rating.objects.exists()
    assert Draft.objects.get().answers["r1.quality.helpful"] == "entirely"
    note.get_by_role("link", name="Open", exact=True).click()
    expect(page.locator("h1")).to_contain_text("eggs-1")
    expect(page.locator("[name='r1.quality.helpful']:checked")).to_have_value("entirely")


def test_the_page_of_its_own_item_shows_what_was_saved_and_still_says_so(page: Page) -> None:
    submit_without_an_answer(page, "a")
    page.reload()
    expect(page.locator("[name='r1.quality.helpful']:checked")).to_have_value("entirely")
    expect(page.get_by_role("alert").filter(has_text="eggs-1 is not submitted yet")).to_be_visible()
    page.wait_for_function(NOT_KEPT)
    page.reload()
    expect(page.locator("[name='r1.quality.helpful']:checked")).to_have_value("entirely")
    expect(page.locator("[data-kept]")).to_have_count(0)


def test_a_text_that_no_server_takes_is_still_there_after_the_page_was_loaded_once_more(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow(f"{AWAY}|404")
    submit_without_an_answer(page, "a")
    page.evaluate(
        """() => {
          const [name] = Object.keys(localStorage).filter((each) => each.startsWith("evenhand:"));
          const kept = JSON.parse(localStorage.getItem(name));
          kept.to = kept.to.replace(/\\d+/, "999999");
          kept.fields = [["comment", "Mine"]];
          localStorage.setItem(name.replace(/:[^:]+:[^:]+$/, ":elsewhere:0"), JSON.stringify(kept));
        }"""
    )
    page.reload()
    expect(page.locator("[name='r1.quality.helpful']:checked")).to_have_value("entirely")
    expect(page.get_by_role("alert").filter(has_text="eggs-1 is not submitted yet")).to_be_visible()
    expect(page.locator("section[data-kept] textarea")).to_have_value("comment: Mine")


def test_a_page_of_its_own_item_does_not_show_it_as_open_once_it_is_stored(page: Page) -> None:
    submit_without_an_answer(page, "a7")
    make_item(project=Lease.objects.get().project, external_id="eggs-2")
    page.reload()
    expect(page.get_by_role("button", name="Start rating")).to_be_visible()
    expect(page.locator("[data-kept]")).to_contain_text("eggs-1 is saved")


def test_a_correction_in_the_browser_is_sent_from_another_page(page: Page) -> None:
    page.keyboard.press("a")
    await_verdicts(page)
    page.keyboard.press("7")
    await_verdicts(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => !document.querySelector('#rating')")
    page.goto(f"/projects/eggs/ratings/{Rating.objects.get().pk}/")
    lift = intercept(page, "**/correct/", lambda route: route.abort())
    page.locator("[data-row]").first.focus()
    page.keyboard.press("6")
    await_verdicts(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    lift()
    page.goto("/projects/moons/desk/")
    expect(page.locator("[data-kept]")).to_contain_text("Your first answers are kept")
    assert Rating.objects.latest("revision").revision == 2


def test_forms_of_two_items_in_the_browser_are_saved_as_drafts_of_their_own(
    page: Page, new_context: Callable[..., BrowserContext], complaints: Complaints
) -> None:
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    comment = page.get_by_label("Comment on the whole item")
    comment.fill("Here")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    elsewhere = new_context().new_page()
    log_in(elsewhere, "ada")
    elsewhere.goto("/projects/eggs/desk/")
    elsewhere.get_by_label("Comment on the whole item").fill("Elsewhere")
    expect(elsewhere.locator("#draft-state")).to_have_text(SAVED)
    start(page, "moons")
    comment.fill("Of the moons")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    page.reload()
    lift()
    expect(comment).to_have_value("Of the moons")
    page.wait_for_function(NOT_KEPT)
    said = sorted(each.answers["comment"] for each in Draft.objects.all())
    assert said == ["Elsewhere", "Here", "Of the moons"]


def test_a_form_that_the_server_refuses_for_good_is_shown_and_discarded_by_a_click(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow("404")
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    page.get_by_label("Comment on the whole item").fill("Boiled too long")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    lift()
    intercept(page, "**/eggs/desk/*/draft/", lambda route: route.fulfill(status=404))
    page.goto("/projects/moons/desk/")
    panel = page.get_by_role("alert").filter(has_text="Not saved, only stored in this browser")
    expect(panel.get_by_label("Not saved")).to_have_value("comment: Boiled too long")
    page.wait_for_function(KEPT)
    page.goto("/projects/moons/desk/")
    panel.get_by_role("button", name="Discard").click()
    expect(panel).to_have_count(0)
    page.wait_for_function(NOT_KEPT)


def test_a_page_says_what_the_server_refuses_for_good_and_does_not_try_it_again(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow("413")
    tried: list[Route] = []

    def refuse(route: Route) -> None:
        tried.append(route)
        route.fulfill(status=413)

    intercept(page, "**/draft/", refuse)
    page.get_by_label("Comment on the whole item").fill("Boiled too long")
    expect(page.locator("#trouble")).to_contain_text("This can’t be saved: the item was removed")
    page.wait_for_function(KEPT)
    page.wait_for_timeout(1_000)  # longer than the pause before another try
    assert len(tried) == 1


def test_a_browser_without_room_says_so_and_sends_what_was_entered_later(
    page: Page,
) -> None:
    page.evaluate(FILL)
    away = True

    def answer(route: Route) -> None:
        if away:
            route.abort()
        else:
            route.continue_()

    intercept(page, "**/draft/", answer)
    page.get_by_label("Comment on the whole item").fill("Boiled too long")
    expect(page.locator("#trouble")).to_contain_text("no room")
    expect(page.locator("#draft-state")).to_have_text("Saving…")
    away = False
    expect(page.locator("#draft-state")).to_have_text(SAVED, timeout=10_000)
    expect(page.locator("#trouble")).to_be_hidden()
    assert Draft.objects.get().answers["comment"] == "Boiled too long"


def test_a_form_in_the_browser_of_a_project_that_one_left_is_shown_and_not_sent(
    page: Page, complaints: Complaints
) -> None:
    complaints.allow("404")
    lift = intercept(page, "**/draft/", lambda route: route.abort())
    page.get_by_label("Comment on the whole item").fill("Boiled too long")
    expect(page.locator("#draft-state")).to_have_text("Will be sent when you are back online")
    lift()
    Membership.objects.filter(project__slug="eggs").delete()
    page.goto("/projects/moons/desk/")
    panel = page.get_by_role("alert").filter(has_text="Not saved, only stored in this browser")
    expect(panel.get_by_label("Not saved")).to_have_value("comment: Boiled too long")
    page.wait_for_function(KEPT)
    assert not Draft.objects.exists()
