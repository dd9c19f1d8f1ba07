"""Rows of any rubric in a browser: where the question stands, what is nearest, what is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from rubrics.documents import document
from rubrics.models import Rubric
from tests.checkers import look
from tests.conftest import Complaints
from tests.desk_keys import focus_row, log_in, resize, settle, take_item
from tests.factories import NOW, make_item, make_project, make_user
from tests.made_rubrics import ANSWERS, SKILLS, WORDS, Content, rule, scale, scales

PHONE = ViewportSize(width=390, height=844)
GRADE = scale("grade", "Grade", 1, ["Terrible", *[""] * 3, "Fair", *[""] * 4, "Superb"])


@pytest.fixture
def rate(new_context: Callable[..., BrowserContext]) -> Callable[[Content], Page]:
    """Open the desk with an item of four responses, rated by a document."""

    def opened(content: Content) -> Page:
        rubric, _ = Rubric.objects.load(document.parse(content), now=NOW)
        project = make_project(slug="made", rubric=rubric, annotators=[make_user(name="ada")])
        make_item(project=project, responses=["They met. " * 40] * 4)
        page = new_context().new_page()
        log_in(page, "ada")
        take_item(page, "made")
        expect(page.locator("#rubric [data-part]:not([hidden])")).to_be_visible()
        page.wait_for_function("() => document.activeElement.closest('[data-row]')")
        return page

    return opened


def test_only_the_current_row_says_its_question_and_no_score_moves_under_the_mouse(
    rate: Callable[[Content], Page],
) -> None:
    page = rate(SKILLS)
    asked = page.locator(".asks:visible, #rubric section > p:visible")
    for key, title in (("ArrowDown", "Logical correctness"), ("Shift+C", "Logical robustness")):
        page.keyboard.press(key)
        expect(asked).to_have_text(f"How is it, as to {title}?")
    assert page.locator("#r3-logical_robustness > .row-head + .asks").count() == 1
    focus_row(page, "r3-facts")
    score = page.locator("#r3-logical_correctness .level").nth(3)
    before = score.bounding_box()
    assert before
    page.mouse.move(before["x"] + 9, before["y"] + 3)  # a line further down it is another row
    page.mouse.down()
    expect(score.locator("input")).to_be_focused()
    assert score.bounding_box() == before
    page.mouse.up()
    expect(score.locator("input")).to_be_checked()


def test_beside_a_row_that_is_the_only_one_the_rubric_says_the_question(
    rate: Callable[[Content], Page],
) -> None:
    page = rate(scales(GRADE))
    asked = page.locator(".asks:visible, #rubric section > p:visible")
    expect(asked).to_have_text("How is it, as to Grade?")
    assert asked.evaluate("it => it.closest('#rubric') !== null")
    page.keyboard.press(".")
    expect(asked).to_have_text("How is it, as to Grade?")
    assert asked.evaluate("it => it.closest('#rubric') === null")


def test_a_score_without_words_marks_those_of_the_nearest_score_that_has_some(
    rate: Callable[[Content], Page],
) -> None:
    page = rate(scales(GRADE, SKILLS["dimensions"][0]))
    level = page.locator("#rubric [data-part=grade] [data-level]")
    page.locator("#r1-grade-9").hover()
    expect(level.and_(page.locator(".pointed"))).to_have_attribute("data-level", "10")
    page.mouse.move(0, 0)
    page.keyboard.press("7")
    page.keyboard.press("ArrowUp")
    chosen = level.and_(page.locator(".chosen"))
    expect(chosen).to_have_attribute("data-level", "5")
    expect(chosen.locator("[data-cause]")).to_have_text("nearest to 7")
    page.keyboard.press("5")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#r1-grade-5")).to_be_checked()
    expect(chosen.locator("[data-cause]")).to_be_empty()


def test_the_label_of_a_score_that_needs_no_verdict_comes_to_the_title_at_once(
    rate: Callable[[Content], Page],
) -> None:
    page = rate(scales(*WORDS["dimensions"][1:]))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.keyboard.press("4")
    expect(page.locator("#r1-clear .in-words")).to_have_text("Mostly understandable")
    expect(page.locator("#strip-r1")).to_contain_text("4")
    assert not [url for url in sent if "verdict" in url]


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        (ANSWERS, "Missing for A Comprehensiveness: 4 questions and the score. Then Risk, B, C"),
        (SKILLS, "Missing for A Logical robustness: the score. Then 11 other rows, B, C"),
    ],
)
def test_missing_answers_are_counted_where_there_are_several(
    rate: Callable[[Content], Page], content: Content, missing: str
) -> None:
    page = rate(content)
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_contain_text(missing)


def test_on_a_phone_no_score_of_the_response_one_is_at_is_cut(
    rate: Callable[[Content], Page],
) -> None:
    page = rate(WORDS)
    page.keyboard.press("Shift+B")
    for key in "13412":
        page.keyboard.press(key)
    page.keyboard.press("Shift+B")
    resize(page, PHONE)
    cut = """() => {
      const strip = document.querySelector(".strip ol").getBoundingClientRect();
      const seen = [...document.querySelectorAll(".strip .score")].filter((it) => it.offsetWidth);
      const boxes = seen.map((it) => it.getBoundingClientRect());
      return [seen.map((it) => it.textContent).join(" "),
              boxes.filter((it) => it.left < strip.left || it.right > strip.right).length];
    }"""
    assert page.evaluate(cut) == ["1 3 4 -2 -1", 0]


def test_a_scale_alone_is_judged_anew_once_the_network_is_back(
    rate: Callable[[Content], Page], complaints: Complaints
) -> None:
    asks = [rule("why", "advise", scores=[2], reason="Really a 2?")]
    page = rate(scales(scale("clear", "Clear", 1, ["Poor", "Fair", "Good"], rules=asks), GRADE))
    row = page.locator("#r1-clear")
    expect(row.locator("[data-headline]")).to_have_text("All scores are open.")
    complaints.allow("ERR_INTERNET_DISCONNECTED|htmx:|^undefined$")
    page.context.set_offline(True)
    page.keyboard.press("2")
    expect(row.locator("[data-headline]")).to_have_text("Rules not checked: offline")
    page.context.set_offline(False)
    expect(row.locator(".remark")).to_have_text("Really a 2? X-1")
    settle(page)
    expect(page.locator("#r1-clear-2")).to_be_checked()
    assert not row.evaluate("it => 'unjudged' in it.dataset")


def test_the_table_of_many_scales_can_be_read_by_everyone(
    new_context: Callable[..., BrowserContext],
) -> None:
    """On a phone only the table scrolls sideways."""
    Rubric.objects.load(document.parse(SKILLS), now=NOW)
    make_user(name="ada")
    page = new_context().new_page()
    log_in(page, "ada")
    page.goto("/rubrics/skills/1/")
    expect(page.get_by_role("table")).to_contain_text("Logical robustness")
    assert [*look(page, known=set())] == []
    resize(page, PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.locator(".scroller").evaluate("it => it.scrollWidth > it.clientWidth")
