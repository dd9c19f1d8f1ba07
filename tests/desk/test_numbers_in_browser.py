"""Scores as numbers and as places, in a browser: two digits are one score, in one row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Draft, Score
from tests.checkers import LOOKS, look
from tests.desk_keys import focused_row, settle
from tests.number_rubrics import CONTENT, LENGTH, open_minutes, scale
from tests.plain_forms import submit

GRADE = scale(1, 10, "grade", at_1="Bad", at_10="Good")
ANSWER = scale(0, 10, "answer", at_0="Never", at_10="Always")
SHIFT = scale(-50, 50, "shift", at_0="As before")


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk with an item of two responses, rated by these dimensions."""
    return partial(open_minutes, new_context)


def stored() -> dict[str, list[int | None]]:
    """The scores that are stored, by dimension, in the order of the desk."""
    found: dict[str, list[int | None]] = {}
    for score in Score.objects.order_by("position"):
        found.setdefault(score.dimension, []).append(score.value)
    return found


def field(page: Page, row: str = "r1-content") -> Any:
    return page.locator(f"#{row}-number")


def finish(page: Page) -> None:
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()


def test_numbers_tens_and_places_are_stored_as_they_were_typed(start: Callable[..., Page]) -> None:
    page = start(CONTENT, GRADE, LENGTH, SHIFT)
    for content, grade, length, shift in (("85", "0", "1", "-2"), ("7", "1", "5", "10")):
        page.keyboard.type(content)
        page.keyboard.press("Enter")
        page.keyboard.type(grade + length + shift)  # as fast as hands can
        page.keyboard.press("Enter")
        settle(page)
    finish(page)
    assert stored() == {
        "content": [85, 7],
        "grade": [10, 1],
        "length": [-2, 2],
        "shift": [-2, 10],
    }


def test_a_ten_on_a_scale_from_0_has_no_key_and_no_digit_is_half_of_it(
    start: Callable[..., Page],
) -> None:
    page = start(ANSWER)
    page.keyboard.type("10")
    settle(page)
    assert focused_row(page) == "r1-answer"
    expect(page.locator(".scale :checked")).to_have_count(0)
    page.keyboard.press("?")
    told = page.get_by_role("dialog", name="Keys")
    expect(told).to_contain_text("go to a scale whose scores have no key, such as a 10")
    page.keyboard.press("?")
    page.locator("#r1-answer-10").focus()
    page.keyboard.press("Space")
    expect(page.locator("#r1-answer-10")).to_be_checked()


def test_a_number_is_judged_when_it_is_left_and_not_while_one_types(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT)
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "row=" in sent.url else None)
    page.keyboard.type("62")
    expect(field(page)).to_be_focused()
    page.wait_for_timeout(1000)  # longer than the pause after which a text is saved
    assert asked == []
    expect(page.locator("#r1-content-nearest")).to_have_text("")
    page.keyboard.press("Tab")
    expect(page.locator("#r1-content-nearest")).to_contain_text("50, Half. The main decision")
    expect(page.locator("#rubric .chosen")).to_contain_text("nearest to 62")
    assert len(asked) == 1


def test_enter_leads_on_from_a_number_and_never_submits_the_form(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT)
    for row in ("r1-content", "r2-content"):
        assert focused_row(page) == row
        page.keyboard.type("40")
        page.keyboard.press("Enter")
        settle(page)
    field(page, "r2-content").focus()
    page.keyboard.press("Enter")  # nothing was changed, and all is answered
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    assert not Score.objects.exists()


def test_a_number_off_the_scale_or_barred_stays_in_its_field_with_the_reason(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT)
    verdict = page.locator("#r1-content-verdict")
    for wrong in ("120", "-5", "8.5"):
        page.keyboard.type(wrong)
        page.keyboard.press("Enter")
        expect(verdict).to_contain_text(f"“{wrong}” is no score here: write a whole number, 0 to")
        expect(field(page)).to_have_value(wrong)
        expect(field(page)).to_have_attribute("aria-invalid", "true")
        assert focused_row(page) == "r1-content"
    expect(page.locator("#strip-r1 .score")).to_have_text("–")
    page.keyboard.type("85m")  # the letter leaves the number, and ticks
    expect(verdict).to_contain_text("You can’t give 85.")
    expect(verdict).to_contain_text("Open: 0 to 60.")
    expect(field(page)).to_have_value("85")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_contain_text("85")
    page.keyboard.type("60")  # in its place
    page.keyboard.press("Enter")
    settle(page)
    assert focused_row(page) == "r2-content"
    expect(page.locator("#strip-r1 .score")).to_have_text("60")


def test_arrows_move_in_the_number_and_outside_of_it_from_row_to_row(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT, LENGTH)
    page.keyboard.type("15")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(field(page)).to_be_focused()
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("ArrowDown")
    assert focused_row(page) == "r1-length"


def test_half_a_number_outlives_a_reload_and_a_verdict_that_comes_meanwhile(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT)
    page.keyboard.type("4")
    page.reload()
    expect(field(page)).to_have_value("4")
    assert Draft.objects.get().answers["r1.content"] == "4"
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    page.keyboard.press("Shift+A")
    page.evaluate("""() => {
      document.getElementById("r1-content-made_up").click();
      document.getElementById("r1-content-number").focus();
      document.execCommand("insertText", false, "7");
    }""")
    expect(page.locator("#r1-content-verdict")).to_contain_text("Open: 0 to 60.")
    expect(field(page)).to_be_focused()
    assert "7" in field(page).input_value()


def test_by_mouse_a_number_is_sent_with_a_submit_that_follows_at_once(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT)
    field(page).click()
    page.keyboard.type("85")
    page.get_by_role("link", name="Response B").first.click()
    field(page, "r2-content").click()
    page.keyboard.type("100")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert stored() == {"content": [85, 100]}


def test_a_minus_that_is_a_digit_on_another_keyboard_goes_into_the_number(
    start: Callable[..., Page],
) -> None:
    page = start(SHIFT)
    for key, code in (("-", "Digit6"), ("_", "Digit8")):  # AZERTY, without Shift
        page.evaluate(
            """([key, code]) => document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))""",
            [key, code],
        )
        page.evaluate("() => evenhand.row().focus()")
        expect(field(page, "r1-shift")).to_have_value("-" if key == "-" else "8")
        settle(page)


def test_numbers_and_places_shut_nobody_out(start: Callable[..., Page]) -> None:
    page = start(CONTENT, GRADE, LENGTH)
    page.keyboard.type("85m")
    expect(page.locator("#r1-content-verdict")).to_contain_text("You can’t give 85.")
    assert [*look(page, known=set(), looks=LOOKS[:1])] == []


def test_without_single_keys_a_number_is_typed_in_its_field(start: Callable[..., Page]) -> None:
    page = start(CONTENT)
    page.evaluate("() => delete document.querySelector('[data-rating]').dataset.keys")
    page.keyboard.type("85")
    expect(field(page)).to_have_value("")
    field(page).focus()
    page.keyboard.type("85")
    page.keyboard.press("Enter")
    settle(page)
    assert focused_row(page) == "r2-content"


def test_without_javascript_a_number_is_refused_with_its_reason_and_stored(
    start: Callable[..., Page],
) -> None:
    page = start(CONTENT, LENGTH, java_script_enabled=False)
    for letter, place in (("A", "r1"), ("B", "r2")):
        page.get_by_role("textbox", name=f"Response {letter}, Keeps the content").fill("101")
        page.locator(f"#{place}-length").get_by_role("radio", name="-2 Much too short").check()
    submit(page)
    expect(page.get_by_role("group", name="Not saved")).to_contain_text("“101” is no score here")
    for place, number in (("r1", "85"), ("r2", "0")):
        expect(field(page, f"{place}-content")).to_have_value("101")
        field(page, f"{place}-content").fill(number)
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert stored() == {"content": [85, 0], "length": [-2, -2]}
