"""What a row shows of its consequences, in a browser: nothing moves when it appears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from tests.desk_keys import log_in, resize, settle, take_item, verdict
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user

WINDOWS = {
    "wide": ViewportSize(width=1440, height=900),
    "low": ViewportSize(width=1280, height=580),
    "phone": ViewportSize(width=390, height=844),
}
# Where each control, heading and row of the page stands, by its id, and its size.
PLACES = """() => {
  for (const panel of document.querySelectorAll(".panel")) panel.scrollTop = 0;
  const selector = ".current :is([data-row], .tick, .question, .level, .consequence, .verdict)";
  const boxes = [...document.querySelectorAll(selector)].map((it) => {
    const { x, y, width, height } = it.getBoundingClientRect();
    const name = it.id || it.querySelector("input").id;
    return [name, [x, y + scrollY, width, height].map(Math.round)];
  });
  return Object.fromEntries(boxes);
}"""


@pytest.fixture
def rate(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk of a project with these consequences, on an item of two responses."""

    def open_desk(slug: str, consequences: str, **how: Any) -> Page:
        ada = make_user(name="ada")
        rubric = make_rubric(slug=slug)
        project = make_project(slug="p", rubric=rubric, annotators=[ada], consequences=consequences)
        make_item(batch=make_batch(project=project), responses=["A first one.", "Another."])
        page = new_context(**how).new_page()
        page.set_viewport_size(WINDOWS["wide"])
        log_in(page, "ada")
        take_item(page, "p")
        return page

    return open_desk


def places(page: Page) -> dict[str, Any]:
    """Return where all stands in each window."""
    by_window = {}
    for window, size in WINDOWS.items():
        resize(page, size)
        by_window[window] = page.evaluate(PLACES)
    return by_window


def test_nothing_moves_when_the_consequences_appear(rate: Callable[..., Page]) -> None:
    page = rate("response-quality", "after")
    page.locator("#r1-quality-helpful-entirely").check()
    page.locator("#r1-quality-language_error").check()
    settle(page)
    for code in ("harmless", "honest"):
        page.locator(f"#r1-quality-{code}-yes").check()
        settle(page)
    headings = page.locator("#r1 .consequence")
    expect(headings.first).to_have_text("Faults")
    expect(page.locator("#r1 .level.barred")).to_have_count(0)
    before = places(page)
    page.locator("#r1-quality-comprehensive-yes").check()
    settle(page)
    expect(headings.first).to_have_text("makes it 1")
    expect(page.locator("#r1 .level.barred").first).to_be_visible()
    assert places(page) == before


def test_nothing_moves_when_a_score_of_a_row_of_ticks_is_tried(rate: Callable[..., Page]) -> None:
    page = rate("dialogue", "after")
    page.locator("#r1-quality-grammar_errors").check()
    settle(page)
    before = places(page)
    page.locator("#r1-quality-5").click()
    settle(page)
    expect(verdict(page, "r1-quality")).to_contain_text("You can’t give 5.")
    expect(page.locator("#r1-quality .consequence").first).to_have_text("1 or 2")
    assert places(page) == before


def test_the_rubric_beside_the_item_names_no_score_but_its_levels_until_the_row_is_answered(
    rate: Callable[..., Page],
) -> None:
    page = rate("response-quality", "after")
    rubric, tick = page.locator("#rubric"), page.locator("#r1-quality-instructions_missed")
    tick.focus()
    help_text = rubric.locator("#about-quality-instructions_missed")
    expect(help_text).to_contain_text("limits are not met")
    hidden = help_text.get_by_text("Most missed fits a 3")
    expect(hidden).to_be_hidden()
    place = rubric.locator("[data-level='7']").bounding_box()
    page.locator("#r1-quality [data-best]").click()
    settle(page)
    tick.focus()
    expect(hidden).to_be_visible()
    assert rubric.locator("[data-level='7']").bounding_box() == place


def test_never_refuses_a_barred_score_with_its_reason_and_takes_the_next(
    rate: Callable[..., Page],
) -> None:
    page = rate("response-quality", "never")
    page.locator("#r1-quality [data-best]").click()
    page.keyboard.press("l")
    settle(page)
    said = verdict(page, "r1-quality")
    expect(said).to_have_text("")
    page.keyboard.press("7")
    expect(said).to_contain_text("You can’t give 7. Language error: at most 4.")
    expect(page.locator("#announcer")).to_contain_text("You can’t give 7.")
    settle(page)
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_contain_text("another score, since 7 is barred")
    page.keyboard.press("4")
    expect(page.locator("#r2-quality")).to_be_focused()
    expect(page.locator("#strip-r1")).to_have_class("complete")


def test_without_javascript_the_page_that_is_sent_holds_back_too(
    rate: Callable[..., Page],
) -> None:
    page = rate("dialogue", "never", java_script_enabled=False)
    page.locator("#r1-quality-grammar_errors").check()
    page.locator("#r1-quality-5").check()
    page.get_by_role("button", name="Check").click()
    expect(verdict(page, "r1-quality")).to_contain_text("You can’t give 5.")
    expect(page.locator("#r1-quality .consequence").first).to_have_text("Faults")
    expect(page.locator(".level.barred")).to_have_count(0)


def test_enter_names_the_order_of_two_responses_that_is_in_the_way(
    rate: Callable[..., Page],
) -> None:
    """It used to name a comment, which nobody had asked for."""
    page = rate("response-quality", "always")
    for keys in (("A", "a", "r", "4"), ("B", "a", "5"), ("B", "4")):
        page.keyboard.press(f"Shift+{keys[0]}")
        for key in keys[1:]:
            page.keyboard.press(key)
            settle(page)
    page.keyboard.press("Shift+B")
    page.keyboard.press("Enter")
    hint = page.locator("[data-hint]")
    expect(hint).to_contain_text("Missing for B: the order of A and B.")
