"""Key B, and a correction at the desk, in both rubrics; without JavaScript too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Batch, Draft, Lease, Project, Rating
from tests.conftest import Complaints
from tests.desk_keys import SAVED, log_in, resize, settle, take_item
from tests.factories import make_item, make_project, make_rating, make_user

SLUG = "response-quality"
# The row that is corrected, its score, and the one it is corrected to.
ROW, BEFORE, AFTER = "r1-quality", 6, 5


@pytest.fixture
def rating() -> Rating:
    """What ada said of the first of two items."""
    ada = make_user(name="ada")
    project = make_project(slug=SLUG, annotators=[ada])
    first, _second = (
        make_item(
            project=project,
            batch=project.batches.first(),
            external_id=name,
            responses=["Two: Phobos and Deimos."],
        )
        for name in ("first", "second")
    )
    now = timezone.now()
    return make_rating(item=first, annotator=ada, values={1: BEFORE}, now=now, submitted_at=now)


def at_desk(page: Page, item: str) -> None:
    """Wait until the page has the item and hears keys."""
    expect(page.locator("h1").first).to_contain_text(item)
    page.wait_for_function("() => document.activeElement.closest('[data-row], [data-summary]')")


def test_b_leads_to_the_last_rating_which_is_corrected_and_back_to_what_was_begun(
    new_context: Callable[..., BrowserContext], complaints: Complaints, rating: Rating
) -> None:
    context = new_context()
    page = context.new_page()
    log_in(page, "ada")
    take_item(page, SLUG)
    at_desk(page, "second")
    # A text whose pause of 800 ms has not come yet goes along.
    page.get_by_label("Comment on the whole item").fill("Of two minds")
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.wait_for_url("**/ratings/*/")
    at_desk(page, "first")
    assert Draft.objects.get().answers["comment"] == "Of two minds"
    expect(page.locator(f"#{ROW} .before")).to_contain_text(f"before: {BEFORE}")
    expect(page.locator(f"#{ROW}-{BEFORE}")).to_be_checked()
    # Begun, left, and come back to: nothing is lost on either side.
    page.locator(f"#{ROW} .level", has=page.locator(f"#{ROW}-{AFTER}")).click()
    settle(page)
    page.keyboard.press("b")
    page.wait_for_url("**/desk/")
    at_desk(page, "second")
    expect(page.get_by_label("Comment on the whole item")).to_have_value("Of two minds")
    page.wait_for_function("() => !Object.keys(localStorage).length")
    Draft.objects.filter(corrects=rating).update(active_seconds=500)
    page.keyboard.press("b")
    page.wait_for_url("**/ratings/*/")
    at_desk(page, "first")
    expect(page.get_by_role("heading", name="You started a correction")).to_be_visible()
    expect(page.locator(f"#{ROW}-{AFTER}")).to_be_checked()
    # Stored, by the keyboard, from far down the page; what is remarked on is read first.
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_label("Comment on the whole item").scroll_into_view_if_needed()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#asked, #desk > .notice").first).to_be_visible()
    settle(page)
    if page.locator("#asked").count():
        page.keyboard.press("Control+Enter")
    expect(page.locator("#desk > .notice")).to_have_text("Corrected. Your first answers are kept.")
    expect(page.locator("#desk > .notice")).to_be_in_viewport()
    expect(page.locator("#rated + p")).not_to_contain_text("earlier answers")  # said once
    expect(page.locator("[data-hint]")).not_to_contain_text("Corrected")
    expect(page.locator(f"#{ROW}.current")).to_be_visible()
    expect(page.get_by_role("button", name="Back to rating")).to_be_focused()
    expect(page.locator(f"#{ROW} .before")).to_contain_text(f"before: {AFTER}")
    [revised] = Rating.objects.filter(supersedes=rating)
    assert revised.scores.get(dimension="quality").value == AFTER
    # The next correction on this page has seconds of its own.
    page.wait_for_function("() => document.querySelector('[data-active-seconds]').value > 0")
    assert int(page.locator("[data-active-seconds]").input_value()) < 500
    # The batch is closed while the page stands open.
    settle(page)
    page.get_by_label("Comment on the whole item").fill("Too late")
    Batch.objects.update(status="closed")
    complaints.allow("409")
    page.keyboard.press("Control+Enter")
    refused = page.get_by_role("alert").filter(has_text="You can no longer save")
    expect(refused).to_contain_text("Too late")
    expect(page.get_by_text("is closed, so its ratings can’t be changed.")).to_be_visible()
    expect(page.locator(f"#{ROW}-{BEFORE}")).to_be_disabled()
    assert Rating.objects.count() == 2
    settle(page)
    page.keyboard.press("b")
    page.wait_for_url("**/desk/")
    at_desk(page, "second")
    assert Lease.objects.get(status="live").item.external_id == "second"


def test_the_outcome_of_a_correction_is_above_it_in_the_same_column(
    new_context: Callable[..., BrowserContext], rating: Rating
) -> None:
    page = new_context().new_page()
    log_in(page, "ada")
    page.goto(f"/projects/{SLUG}/ratings/{rating.pk}/")
    at_desk(page, "first")
    page.locator(f"#{ROW} .level", has=page.locator(f"#{ROW}-{AFTER}")).click()
    notice = page.locator("#desk > .notice")
    for _press in range(2):  # what is remarked on is read first
        settle(page)
        if not notice.count():
            page.keyboard.press("Control+Enter")
    expect(notice).to_be_visible()
    for width in (1440, 390):
        resize(page, {"width": width, "height": 900})
        above, below, bar = (
            page.locator(place).bounding_box() for place in ("#desk > .notice", ".rated", ".bar")
        )
        assert above
        assert below
        assert bar
        assert (above["x"], above["width"]) == pytest.approx((below["x"], below["width"]), abs=1)
        assert above["y"] >= bar["y"] + bar["height"] + 8
        assert below["y"] >= above["y"] + above["height"] + 8


def test_changes_that_are_discarded_are_kept_nowhere(
    new_context: Callable[..., BrowserContext], rating: Rating
) -> None:
    page = new_context().new_page()
    log_in(page, "ada")
    address = f"/projects/{SLUG}/ratings/{rating.pk}/"
    for window, words in ((page, "Of two minds"), (page.context.new_page(), "Of one mind")):
        window.goto(address)
        at_desk(window, "first")
        window.get_by_label("Comment on the whole item").fill(words)
        expect(window.locator("#draft-state")).to_have_text(SAVED)
        if window is page:
            page.reload()
            at_desk(page, "first")
    comment = page.get_by_label("Comment on the whole item")
    comment.fill("Of three minds")
    expect(page.get_by_role("link", name="Open that version")).to_be_visible()
    page.get_by_role("button", name="Discard my changes").click()
    expect(comment).to_have_value("Of one mind")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes(':'))") == []


def test_on_a_phone_a_rating_opens_with_what_it_is_and_whether_it_can_be_corrected(
    new_context: Callable[..., BrowserContext], rating: Rating
) -> None:
    page = new_context(has_touch=True).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "ada")
    for hours, told in (
        (0, "Read only. In this project"),
        (None, "If you save a correction, your earlier answers stay saved too."),
    ):
        Project.objects.update(correction_hours=hours)
        page.goto(f"/projects/{SLUG}/ratings/last/")
        at_desk(page, "first")
        expect(page.locator("h1")).to_be_in_viewport(ratio=1)
        expect(page.locator(".rated p").first).to_contain_text(told)
        expect(page.locator(".rated p").first).to_be_in_viewport(ratio=1)


def test_b_without_a_network_stays_and_says_so(
    new_context: Callable[..., BrowserContext], complaints: Complaints, rating: Rating
) -> None:
    complaints.allow("ERR_INTERNET_DISCONNECTED|htmx:")
    context = new_context()
    page = context.new_page()
    log_in(page, "ada")
    take_item(page, rating.project.slug)
    at_desk(page, "second")
    page.get_by_label("Comment on the whole item").fill("On a train")
    page.keyboard.press("Escape")
    context.set_offline(True)
    page.keyboard.press("b")
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.get_by_label("Comment on the whole item")).to_have_value("On a train")
    context.set_offline(False)
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers["comment"] == "On a train"


def test_without_javascript_one_goes_back_corrects_and_returns(
    new_context: Callable[..., BrowserContext], rating: Rating
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "ada")
    take_item(page, SLUG)
    page.get_by_label("Comment on the whole item").fill("Of two minds")
    page.get_by_role("button", name="Last rating").click()
    expect(page.locator("h1")).to_have_text("Your rating of first")
    page.locator(f"#{ROW}-{AFTER}").check(force=True)
    page.get_by_role("button", name="Save the correction").click()
    expect(page.locator("#asked, .messages").first).to_be_visible()
    if page.locator("#asked").count():
        page.get_by_role("button", name="Save the correction").click()
    expect(page.locator(".messages")).to_contain_text("Your first answers are kept")
    page.get_by_role("button", name="Back to rating").click()
    expect(page.get_by_label("Comment on the whole item")).to_have_value("Of two minds")
    Project.objects.update(correction_hours=0)
    page.get_by_role("button", name="Last rating").click()
    expect(
        page.get_by_text("In this project, ratings can’t be changed once submitted.")
    ).to_be_visible()
    expect(page.locator(f"#{ROW}-{AFTER}")).to_be_disabled()
    page.get_by_role("link", name="Back to rating").click()
    expect(page.locator("h1")).to_contain_text("second")
