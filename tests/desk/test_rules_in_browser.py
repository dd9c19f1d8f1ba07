"""What the rules do at the desk while one rates by keyboard: automatic scores, exclusions, limits,
the order of responses and remarks."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.models import Score
from tests.desk_keys import await_verdicts, log_in, settle, take_item, verdict
from tests.factories import make_item, make_project


@pytest.fixture
def rate(page: Page, ada: User) -> Callable[..., Page]:
    """Open the desk with one item of these responses, or the first of so many."""

    def opened(*responses: str, items: int = 1) -> Page:
        project = make_project(slug="eggs", annotators=[ada])
        for _ in range(items):
            make_item(project=project, responses=list(responses))
        log_in(page, "ada")
        take_item(page, "eggs")
        expect(page.locator("#r1-quality")).to_be_focused()
        settle(page)
        return page

    return opened


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def lines(page: Page, row: str = "r1-quality") -> list[str]:
    shown = verdict(page, row).locator("p:visible").all_inner_texts()
    return [" ".join(text.split()) for text in shown]


def test_an_automatic_score_is_chosen_and_enter_submits_it(rate: Callable[..., Page]) -> None:
    page = rate("Six minutes.", items=4)
    for keys, score in (("m m", 1), ("n", 1), ("o", 1), ("y y y m", 3)):
        expect(page.locator("#r1-quality .level :checked")).to_have_count(0)
        settle(page)
        press(page, keys)
        expect(page.locator(f"#r1-quality-{score}")).to_be_checked()
        expect(verdict(page, "r1-quality")).to_contain_text(f"The score is {score}.")
        press(page, "Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert [each.value for each in Score.objects.order_by("pk")] == [1, 1, 1, 3]


def test_an_automatic_score_is_chosen_at_the_last_answer_it_needs_however_late(
    rate: Callable[..., Page],
) -> None:
    page = rate("Six minutes.")
    press(page, "y y y")
    await_verdicts(page)
    expect(verdict(page, "r1-quality")).not_to_contain_text("All scores are open.")
    press(page, "m")
    expect(page.locator("#r1-quality-3")).to_be_checked()


def test_all_best_answers_and_then_copied_is_the_3_and_no_question_more(
    rate: Callable[..., Page],
) -> None:
    page = rate("Six minutes.", items=2)
    helpful = page.locator(".segment:has(#r1-quality-helpful-entirely)")
    press(page, "a y y")
    expect(page.locator("#r1-quality-3")).to_be_checked()
    expect(helpful).to_have_class(re.compile("excluded"))
    assert (
        "Not counted: Helpful (entirely). A response that copies without being asked to counts"
        in (" ".join(lines(page)))
    )
    press(page, "y")
    expect(helpful).not_to_have_class(re.compile("excluded"))
    press(page, "y y Enter")
    settle(page)
    press(page, "a m y y")
    expect(verdict(page, "r1-quality")).to_contain_text("No effect now: A response that copies")
    expect(page.locator("#r1-quality-1")).to_be_checked()
    press(page, "Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    copied, harmful = Score.objects.order_by("pk")
    others = {"honest": "not_own_work", "comprehensive": "yes"}
    assert (copied.value, copied.checks) == (3, others | {"harmless": "yes"})
    assert harmful.value == 1
    assert harmful.checks == others | {"harmless": "no", "helpful": "entirely"}
    assert [remark["rule"] for remark in harmful.remarks] == ["plagiarised_is_not_helpful"]


def test_the_best_answers_leave_out_what_a_tick_excludes(rate: Callable[..., Page]) -> None:
    page = rate("Six minutes.")
    press(page, "n a")
    expect(page.locator("#r1-quality-harmless-yes")).to_be_checked()
    expect(page.locator("#r1-quality-honest-yes")).to_be_checked()
    expect(page.locator("#r1-quality-1")).to_be_checked()
    expect(page.locator("#r1-quality :is(.segment :checked)")).to_have_count(2)


def test_each_limit_is_a_line_with_its_clause_and_an_automatic_score_goes_with_its_tick(
    rate: Callable[..., Page],
) -> None:
    page = rate("Six minutes.")
    assert lines(page) == [
        "Open: 4, 5, 6.",
        "7: the best answer to all four questions first. RQ-08",
        "3, 2: say what is wrong first. RQ-23 our reading",
        "1: only if harmful, nonsense or off topic. RQ-25 our reading",
    ]
    reading = verdict(page, "r1-quality").get_by_role("link", name="our reading").first
    assert (reading.get_attribute("href") or "").endswith("#guidance-below_four")
    press(page, "n")
    expect(page.locator("#r1-quality-1")).to_be_checked()
    press(page, "n")
    expect(page.locator("#r1-quality-1")).not_to_be_checked()
    expect(verdict(page, "r1-quality")).to_contain_text("Open: 4, 5, 6.")
    press(page, "a")
    expect(page.locator("#r1-quality-7")).not_to_have_attribute("aria-disabled", "true")
    expect(page.locator("#r1-quality :is(.level :checked)")).to_have_count(0)


def test_rq_11_a_repeater_is_narrowed_by_the_score_of_a_sibling_as_it_is_given(
    rate: Callable[..., Page],
) -> None:
    page = rate("Six minutes.", "Sixe minute.")
    press(page, "a r")
    expect(verdict(page, "r1-quality")).to_contain_text("Open: 2, 3, 4, 5, 6, 7.")
    press(page, "Shift+B a l 4")
    expect(verdict(page, "r1-quality")).to_contain_text("Below B, which has a 4.")
    expect(verdict(page, "r1-quality")).to_contain_text("Open: 2, 3.")
    press(page, "Shift+A 3 Shift+B")
    expect(page.locator("#r2-quality")).to_be_focused()
    press(page, "3")
    for row in ("r1-quality", "r2-quality"):
        order = page.locator(f"#{row}-verdict .error")
        expect(order).to_contain_text("Response A must score lower than Response B.")
    press(page, "Control+Enter")
    expect(page.locator("#errors li")).to_have_count(1)
    expect(page.locator("#errors")).to_contain_text("Response A must score lower than Response B.")
    assert not Score.objects.exists()


def test_a_remark_seen_at_one_score_is_not_asked_at_another(rate: Callable[..., Page]) -> None:
    page = rate("Six minutes.", "Seven minutes.")
    press(page, "a g 4")
    expect(page.locator("#r1-quality-verdict .remark")).to_contain_text("answer Harmless with “no”")
    expect(page.locator("#r1-quality")).to_have_class(re.compile(r"\brow\b.*\bcurrent\b"))
    press(page, "3")
    expect(page.locator("#r2-quality")).to_be_focused()
    expect(page.locator("#r1-quality-verdict .remark")).to_have_count(0)
