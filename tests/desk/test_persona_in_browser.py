"""The persona: in sight wherever one reads, and its lines marked where a response contradicts or
reflects them (DQ-06)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import product

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from annotators.models import User
from tasks.models import Project, Score
from tests.desk_keys import await_verdicts, log_in, resize, tab_to
from tests.exports import text_of
from tests.factories import make_batch, make_item, make_lease, make_project, make_rubric

WIDE, PHONE = ViewportSize(width=1366, height=650), ViewportSize(width=390, height=780)
PERSONA = [
    "i keep bees.",
    "i have two sisters.",
    "my favourite food is soup.",
    "i live by the sea.",
]
LONG_PERSONA = [
    f"line {number} of a persona that says a great deal about itself." for number in range(30)
]
LONG = "i look after my bees, and then i have some soup. " * 60


@pytest.fixture
def open_desk(new_context: Callable[..., BrowserContext], ada: User) -> Callable[..., Page]:
    """Open the desk with an item that has a persona and one response."""

    def opened(
        size: ViewportSize = WIDE,
        *,
        response: str = LONG,
        persona: list[str] = PERSONA,
        script: bool = True,
    ) -> Page:
        project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[ada])
        item = make_item(
            batch=make_batch(project=project),
            persona=persona,
            messages=[("user", "what do you do all day?")],
            responses=[response],
        )
        make_lease(item=item, annotator=ada, now=timezone.now())
        page = new_context(java_script_enabled=script).new_page()
        page.set_viewport_size(size)
        log_in(page, "ada")
        page.goto("/projects/talk/desk/")
        expect(page.locator(".persona")).to_be_visible()
        return page

    return opened


def exported() -> list[str]:
    file = text_of(Project.objects.get())
    rows = csv.DictReader(io.StringIO(file, newline=""))
    return [row["checks"] for row in rows if row["dimension"] == "consistency"]


# --- marking ---


def test_lines_are_marked_by_keyboard_stored_and_exported(open_desk: Callable[..., Page]) -> None:
    page = open_desk(response="i keep wasps, and i love soup.")
    page.keyboard.press("4")
    expect(page.locator("#r1-consistency")).to_be_focused()
    lines = page.locator("#r1-consistency-contradicts .marks")
    expect(lines).to_be_hidden()  # a line bears out a yes
    for question, presses, marked in (("contradicts", "c", [1]), ("reflects", "r", [2, 3])):
        for key in presses:
            page.keyboard.press(key)
            await_verdicts(page)
        expect(page.locator(f"#r1-consistency-{question}-yes")).to_be_checked()
        tab_to(page, page.locator(f"#r1-consistency-{question} summary"))
        page.keyboard.press("Enter")
        for number in marked:
            box = page.locator(f"#r1-consistency-{question}-line-{number}")
            tab_to(page, box)
            expect(box).to_be_in_viewport()
            page.keyboard.press("Space")
            await_verdicts(page)
            expect(box).to_be_focused()
    for answer in ("no", "yes"):  # the letter still goes through the answers, and touches no line
        page.keyboard.press("r")
        await_verdicts(page)
        expect(page.locator(f"#r1-consistency-reflects-{answer}")).to_be_checked()
    page.keyboard.press("2")
    expect(page.locator("#r1-coherence")).to_be_focused()
    page.keyboard.press("4")
    expect(page.locator("#submit")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    wanted = {
        "contradicts": "yes",
        "contradicts.lines": "1",
        "reflects": "yes",
        "reflects.lines": "2,3",
    }
    assert Score.objects.get(dimension="consistency").checks == wanted
    assert exported() == ["contradicts=yes;reflects=yes;contradicts.lines=1;reflects.lines=2,3"]


def test_without_javascript_lines_are_marked_too(open_desk: Callable[..., Page]) -> None:
    page = open_desk(response="i keep wasps.", script=False)
    page.locator("#r1-quality-4").check(force=True)
    page.locator("#r1-consistency-contradicts-yes").check(force=True)
    page.locator("#r1-consistency-reflects-no").check(force=True)
    page.locator("#r1-consistency-contradicts summary").click()
    page.get_by_role("radiogroup", name="Contradicts the persona").get_by_label(
        "i keep bees."
    ).check()
    page.locator("#r1-consistency-1").check(force=True)
    page.locator("#r1-coherence-4").check(force=True)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert exported() == ["contradicts=yes;reflects=no;contradicts.lines=1"]


def test_lines_of_an_answer_that_is_taken_back_do_not_count(open_desk: Callable[..., Page]) -> None:
    page = open_desk(response="i keep wasps.")
    page.locator("#r1-quality-4").check(force=True)
    page.locator("#r1-consistency-contradicts-yes").check(force=True)
    await_verdicts(page)
    page.locator("#r1-consistency-contradicts summary").click()
    page.locator("#r1-consistency-contradicts-line-1").check()
    for answer in ("contradicts-no", "reflects-no", "3"):
        await_verdicts(page)
        page.locator(f"#r1-consistency-{answer}").check(force=True)
    await_verdicts(page)
    page.locator("#r1-coherence-4").check(force=True)
    await_verdicts(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert exported() == ["contradicts=no;reflects=no"]


# --- in sight ---

IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector(".persona").getBoundingClientRect();
  const head = document.querySelector(".bar").getBoundingClientRect().bottom;
  return top >= Math.max(0, head) - 1 && bottom < innerHeight / 2;
}"""


@pytest.mark.parametrize("script", [True, False], ids=["scripted", "plain"])
def test_the_persona_stays_in_sight_while_one_reads(
    open_desk: Callable[..., Page], script: bool
) -> None:
    page = open_desk(WIDE, persona=LONG_PERSONA, script=script)
    text = page.locator("#r1 .response > .text")
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        for part in ("start", "end"):
            text.evaluate("(element, block) => element.scrollIntoView({ block })", part)
            assert page.evaluate(IN_SIGHT), (size, part)


# The id of what has the focus, and what it is where it is under the persona, the head or the foot.
COVERED = """() => {
  const at = document.activeElement;
  const label = at.matches("input") ? document.querySelector(`label[for="${at.id}"]`) ?? at : at;
  const { top, bottom, left, right } = label.getBoundingClientRect();
  const inside = [top + 1, (top + bottom) / 2, bottom - 1].some((y) => {
    const seen = document.elementFromPoint((left + right) / 2, y);
    return seen && (at.contains(seen) || label.contains(seen) || seen.contains(at));
  });
  return [at.id, inside ? null : at.id || at.outerHTML.slice(0, 80)];
}"""


def test_nothing_that_has_the_focus_is_covered(open_desk: Callable[..., Page]) -> None:
    """A long persona takes as much of the window as any may."""
    page = open_desk(persona=LONG_PERSONA)
    page.locator("#r1-consistency-contradicts-yes").check(force=True)
    await_verdicts(page)
    ways = (("Tab", "#r1-quality"), ("Shift+Tab", "#submit"))
    for size, (key, begin) in product((WIDE, PHONE), ways):
        resize(page, size)
        page.locator(begin).focus()
        seen = []
        for _ in range(45):
            page.keyboard.press(key)
            where, covered = page.evaluate(COVERED)
            if where.startswith("r1-"):
                seen.append(where)
                assert covered is None, (size, key)
        assert len(set(seen)) > 8
