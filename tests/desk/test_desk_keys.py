"""Where the focus goes and what keys do, in a browser: never past something that was to be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tasks.models import Rating, Score
from tests.conftest import Complaints
from tests.desk_keys import focused_row, go_by_tab, intercept, log_in, settle
from tests.factories import make_item, make_project, make_user

SAID_FIVE_TIMES = "Put the egg into boiling water now. " * 5


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    def open_desk(*responses: str) -> Page:
        project = make_project(slug="eggs", title="Eggs", annotators=[make_user(name="ada")])
        make_item(project=project, responses=responses)
        page = new_context().new_page()
        log_in(page, "ada")
        page.goto("/projects/eggs/desk/")
        go_by_tab(page, page.get_by_role("button", name="Start rating"))
        expect(page.locator("#rating")).to_be_visible()
        return page

    return open_desk


def submit(page: Page) -> None:
    settle(page)
    page.keyboard.press("Control+Enter")


def test_a_remark_is_read_before_the_desk_goes_on(start: Callable[..., Page]) -> None:
    page = start("Six minutes.", "Seven minutes.")
    page.keyboard.type("ai6")
    remark = page.locator("#r1-quality-verdict .remark").first
    expect(remark).to_be_visible()
    assert focused_row(page) == "r1-quality"
    page.keyboard.press("6")
    page.wait_for_function(
        "() => document.activeElement.closest('[data-row]')?.id === 'r2-quality'"
    )


def test_a_refused_submit_shows_the_response_that_it_is_about(start: Callable[..., Page]) -> None:
    page = start("Six minutes.", SAID_FIVE_TIMES)
    repeating = "r1" if page.locator("#r1 .text").inner_text().startswith("Put") else "r2"
    for key in ("r1", "r2"):
        page.wait_for_function(
            "row => document.activeElement.closest('[data-row]')?.id === row", arg=f"{key}-quality"
        )
        page.keyboard.type("ac6" if key == repeating else "ac5")
        expect(page.locator(f"#{key}-quality-verdict[data-complete]")).to_be_attached()
    submit(page)
    summary = page.locator("[data-summary]")
    expect(summary).to_be_focused()
    question = page.locator(f"#{repeating}-quality-repeats_itself-asked")
    for place in (summary, page.locator(f"#{repeating} .text"), question):
        expect(place).to_be_in_viewport(ratio=1)
    assert question.evaluate("""element => {
      const box = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(box.x + box.width / 2, box.bottom - 4));
    }"""), "the scale lies over it"
    settle(page)
    page.keyboard.press("2")  # nothing is looked at but the summary: nothing is scored
    page.keyboard.press("Enter")
    expect(page.locator(f"#{repeating}-quality-repeats_itself-asked-yes")).to_be_focused()
    page.keyboard.press("r")
    expect(page.locator(f"#{repeating}-quality-repeats_itself-asked-yes")).to_be_checked()
    page.keyboard.press("4")
    expect(page.locator(f"#{repeating}-quality-4")).to_be_checked()
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert Rating.objects.count() == 1
    assert {score.value for score in Score.objects.all()} == {4, 5}


def test_keys_typed_in_a_comment_score_nothing(start: Callable[..., Page]) -> None:
    page = start("Six minutes.")
    page.keyboard.press("a")
    page.locator("#comment").focus()
    page.keyboard.type("a 7 of 7, or 3?")
    page.keyboard.press("Escape")
    assert focused_row(page) == "r1-quality"
    expect(page.locator("#r1-quality-scale :checked")).to_have_count(0)
    page.keyboard.press("7")
    expect(page.locator("#r1-quality-7")).to_be_checked()
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert Rating.objects.get().comment == "a 7 of 7, or 3?"


def test_a_second_click_on_submit_stores_one_rating(start: Callable[..., Page]) -> None:
    page = start("Six minutes.")
    page.keyboard.type("a7")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert Rating.objects.count() == 1


def test_a_page_of_a_log_in_that_is_over_says_so(
    start: Callable[..., Page], complaints: Complaints
) -> None:
    complaints.allow("403")
    page = start("Six minutes.")
    rubric: list[Route] = []
    intercept(page, "**/beside/**", rubric.append)
    page.reload()
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    page.context.add_cookies(
        [{"name": "csrftoken", "value": "x" * 32, "domain": "127.0.0.1", "path": "/"}]
    )
    page.keyboard.press("a")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("You signed out or in somewhere else")
    rubric[-1].continue_()  # it needs no token
    expect(page.locator("#rubric [data-part]").first).to_be_attached()
    expect(told).to_be_visible()
