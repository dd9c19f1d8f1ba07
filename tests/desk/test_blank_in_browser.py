"""The answer without a score at the desk: by key, by mouse, without JavaScript, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Draft, Score
from tests.checkers import LOOKS, look
from tests.desk_keys import focus_row, focused_row, settle
from tests.exports import rows_of
from tests.made_rubrics import rule, tick
from tests.number_rubrics import CONTENT, LENGTH, open_minutes, scale
from tests.plain_forms import submit

SENSIBLE = {
    **scale(1, 5, "sensible", at_1="Never", at_5="Always"),
    "blank": "Not applicable",
    "checks": [{"code": "clear", "kind": "yes_no", "wording": "Clear"}, tick("empty_talk")],
    "rules": [rule("empty_is_1", "force", {"all_of": ["empty_talk"]}, score=1)],
}
SHARE = {**CONTENT, "blank": "Not applicable"}
PLACES = {**LENGTH, "blank": "Cannot be said"}


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk with an item of two responses, rated by these dimensions."""
    return partial(open_minutes, new_context)


def blank(page: Page, row: str) -> Any:
    return page.locator(f'[id="{row}--"]')


def stored() -> list[tuple[str, int | None]]:
    return [*Score.objects.order_by("position", "pk").values_list("dimension", "value")]


def test_a_minus_gives_it_leads_on_and_it_is_exported(start: Callable[..., Page]) -> None:
    page = start(SENSIBLE, SHARE, PLACES)
    page.keyboard.type("--3")  # a scale with a minus has no such key: its third place is 0
    settle(page)
    assert focused_row(page) == "r2-sensible"
    expect(page.locator("#strip-r1 .score")).to_have_text(["∅", "∅", "0"])
    page.keyboard.type("c2")
    settle(page)
    page.keyboard.type("85")
    page.keyboard.press("Enter")
    settle(page)
    blank(page, "r2-length").click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert stored() == [
        ("sensible", None),
        ("content", None),
        ("length", 0),
        ("sensible", 2),
        ("content", 85),
        ("length", None),
    ]
    lines = rows_of(Score.objects.all()[0].project)
    assert [line["score"] or line["without"] for line in lines] == [
        *("blank", "blank", "0"),
        *("2", "85", "blank"),
    ]


def test_a_score_or_a_number_takes_it_back_and_it_outlives_a_reload(
    start: Callable[..., Page],
) -> None:
    page = start(SENSIBLE, SHARE)
    page.keyboard.type("--")
    settle(page)
    page.reload()
    for row in ("r1-sensible", "r1-content"):
        expect(blank(page, row)).to_be_checked()
    assert Draft.objects.get().answers == {"r1.sensible": "-", "r1.content": "-"}
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    page.keyboard.press("Shift+A")
    page.keyboard.type("c4")
    settle(page)
    expect(blank(page, "r1-sensible")).not_to_be_checked()
    page.keyboard.press("Shift+A")
    focus_row(page, "r1-content")
    page.keyboard.type("6")
    expect(blank(page, "r1-content")).not_to_be_checked()
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("#strip-r1 .score")).to_have_text(["4", "6"])
    page.keyboard.press("Shift+A")
    blank(page, "r1-content").check()  # by mouse, and back again
    settle(page)
    expect(page.locator("#r1-content-number")).to_have_value("")
    page.keyboard.press("Shift+A")
    blank(page, "r1-content").uncheck()
    settle(page)
    expect(page.locator("#strip-r1 .score")).to_have_text(["4", "–"])


def test_not_applicable_takes_the_place_of_a_forced_score_and_gives_it_back(
    start: Callable[..., Page],
) -> None:
    page = start(SENSIBLE)
    page.keyboard.type("e")
    settle(page)
    expect(page.locator("#strip-r1 .score")).to_have_text("1")
    page.keyboard.type("-")
    settle(page)
    expect(page.locator("#r1-sensible-1")).not_to_be_checked()
    expect(page.locator("#strip-r1 .score")).to_have_text("∅")
    page.keyboard.press("Shift+A")
    page.keyboard.type("1")
    settle(page)
    expect(blank(page, "r1-sensible")).not_to_be_checked()
    expect(page.locator("#r1-sensible-verdict")).to_contain_text("The score is 1.")


def test_without_javascript_it_is_chosen_and_taken_back(start: Callable[..., Page]) -> None:
    page = start(SENSIBLE, SHARE, java_script_enabled=False)
    for place in ("r1", "r2"):
        blank(page, f"{place}-sensible").check()
        blank(page, f"{place}-content").check()
    blank(page, "r2-content").uncheck()
    submit(page)
    expect(page.get_by_role("group", name="Not saved")).to_contain_text("Response B")
    page.locator("#r2-content-number").fill("40")
    submit(page)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert [value for _dimension, value in stored()] == [None, None, None, 40]


def test_not_applicable_is_accessible_and_listed_among_the_keys(start: Callable[..., Page]) -> None:
    page = start(SENSIBLE, SHARE, PLACES)
    page.keyboard.type("--")
    settle(page)
    assert [*look(page, known=set(), looks=LOOKS[1:2])] == []
    shown = page.locator("#rubric section:not([hidden])").get_by_text("no score. No rule bars it")
    expect(shown).to_be_visible()
    page.keyboard.press("?")
    told = page.get_by_role("dialog", name="Keys")
    expect(told).to_contain_text("choose the answer without a score")
