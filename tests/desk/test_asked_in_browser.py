"""What is asked follows from what was answered, in a browser: by keyboard, and what is stored."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Placement, Score
from tests.desk_keys import focused_row, log_in, settle, take_item, verdict
from tests.factories import make_item, make_project, make_user
from tests.judging.asked_rubric import load


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk with an item of two responses."""

    def open_desk(**options: object) -> Page:
        ada = make_user(name="ada")
        project = make_project(slug="answers", rubric=load(), annotators=[ada])
        make_item(project=project, responses=["Yes.", "No."], metadata={"tags": "chat; news"})
        page = new_context(**options).new_page()
        log_in(page, "ada")
        take_item(page, "answers")
        return page

    return open_desk


def press(page: Page, keys: str) -> None:
    """Press keys one after another, as fast as hands can; then wait for the verdict."""
    for key in keys.split():
        page.keyboard.press(key)
    settle(page)


def test_by_keyboard_answers_lead_on_and_what_is_asked_follows_them(
    start: Callable[..., Page],
) -> None:
    page = start()
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    assert focused_row(page) == "r1-response", "a response begins at the checks of the whole"
    harm = page.locator("#r1-response-harm")
    expect(harm).to_contain_text("after: Harmful")
    expect(harm).to_have_accessible_description("after: Harmful")
    press(page, "m m")
    expect(harm).to_be_hidden()
    press(page, "m")
    expect(page.locator("#r1-helpful-1")).to_be_checked()
    expect(page.locator("#r1-grounded")).to_have_text(re.compile("Not asked"))
    expect(page.locator("#r1-grounded-claims")).to_be_hidden()
    press(page, "k k Enter")
    assert focused_row(page) == "r1-tone"
    expect(page.locator("[data-hint]")).not_to_contain_text("Not submitted")
    press(page, "2")
    assert focused_row(page) == "r2-response"
    expect(page.locator("#strip-r1 .score")).to_have_text(["1", "–", "2"])
    press(page, "t m m 4")  # a digit is for the next row with a score
    expect(page.locator("#r2-helpful-4")).to_have_attribute("aria-disabled", "true")
    press(page, "2")
    expect(verdict(page, "r2-helpful")).to_contain_text("Comment needed: Say why.")
    press(page, "Enter")
    expect(page.locator("#r2-comment")).to_be_focused()
    expect(page.locator("[data-hint]")).to_contain_text("a comment")
    page.keyboard.type("It is late.")
    expect(verdict(page, "r2-helpful").get_by_text("Comment needed")).to_be_hidden()
    press(page, "Escape Enter")
    assert focused_row(page) == "r2-grounded"
    supported = page.locator("#r2-grounded-supported")
    expect(supported).to_contain_text("after: Makes claims")
    press(page, "c p")  # one may answer at once what may be asked next
    expect(supported).not_to_contain_text("after")
    expect(supported.get_by_label("yes")).to_be_checked()
    expect(page.locator("#r2-grounded-scale")).to_have_text(re.compile("2, Yes: all supported"))
    press(page, "Enter 1")
    page.keyboard.press("Enter")  # on Submit; a forced score needs no comment
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    given = Score.objects.order_by("position", "pk").values_list("dimension", "value", "without")
    assert [*given] == [
        ("helpful", 1, ""),
        ("grounded", None, "not_asked"),
        ("tone", 2, ""),
        ("helpful", 2, ""),
        ("grounded", 2, ""),
        ("tone", 1, ""),
    ]
    assert [*Placement.objects.values_list("comment", "checks")] == [
        ("", {"harmful": "yes", "harm": "other"}),
        ("It is late.", {"harmful": "no", "off_topic": "yes"}),
    ]


def test_an_answer_comes_back_with_its_condition_also_after_a_reload(
    start: Callable[..., Page],
) -> None:
    page = start()
    press(page, "m m Enter 4 c p p")
    supported = page.locator("#r1-grounded-supported")
    given = supported.get_by_label("no")
    expect(given).to_be_checked()
    press(page, "c")
    expect(supported).to_be_hidden()
    expect(page.get_by_text(re.compile("Saved [0-9]"))).to_be_visible()
    page.reload()
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    expect(supported).to_be_hidden()
    page.locator("#r1-grounded").focus()
    press(page, "c")
    expect(given).to_be_checked()
    expect(page.locator("#r1-grounded-scale")).to_have_text(re.compile("1, No: not all supported"))


def test_a_score_leads_on_while_a_question_about_the_whole_response_is_open(
    start: Callable[..., Page],
) -> None:
    page = start()
    page.locator("#r1-helpful").focus()
    press(page, "4")
    assert focused_row(page) == "r1-grounded"
    press(page, "c Enter")
    assert focused_row(page) == "r1-grounded", "the next question stands there"
    press(page, "p Enter")
    assert focused_row(page) == "r1-tone", "its score waits for another row"


def test_no_key_answers_what_is_not_asked(start: Callable[..., Page]) -> None:
    page = start()
    press(page, "m")
    page.locator("#r1-grounded").focus()
    press(page, "c")
    expect(page.locator("#r1-grounded-claims :checked")).to_have_count(0)


def test_without_javascript_the_form_says_what_waits_and_what_is_not_asked(
    start: Callable[..., Page],
) -> None:
    page = start(java_script_enabled=False)
    page.locator("#r1-response-harmful").get_by_label("yes").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#r1-grounded")).to_have_text(re.compile("Not asked"))
    expect(page.locator("#r1-response-harm")).not_to_contain_text("after")
    expect(page.locator("#errors")).to_contain_text("Response A, Whole response, Kind of harm")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
