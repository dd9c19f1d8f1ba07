"""Text, rendered and the differences in a browser: nothing entered is lost, and nothing jumps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, Route, ViewportSize, expect

from annotators.models import User
from tasks.models import Draft, Project, Rating
from tests.contrast import below
from tests.desk_keys import (
    await_verdicts,
    focused_row,
    go_by_tab,
    intercept,
    log_in,
    resize,
    tab_to,
)
from tests.factories import make_batch, make_item, make_lease, make_project, make_rubric, make_user

from .hostile import HOSTILE

WIDE, PHONE = ViewportSize(width=1366, height=650), ViewportSize(width=390, height=780)
MARKDOWN = """The *answer*, in **short**:

1. Boil it.
2. Wait for $\\frac{m}{2}$ minutes.

```python
def egg(minutes: int) -> str:  # soft
    return "soft"
```

| minutes | yolk |
|---------|------|
| 6       | soft |

![A hen](https://remote.example/hen.png) and [more](https://remote.example/more).
"""
LONG = "\n\n".join(
    f"- *Point* {number}: boil it with **care**.\n  - And with patience." for number in range(60)
)


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk with the first of two items, at the first row, its texts as they were written;
    every request to another host fails the test."""

    def open_desk(
        *responses: str,
        rubric: str = "response-quality",
        script: bool = True,
        size: ViewportSize = WIDE,
        user: User | None = None,
        project: dict[str, Any] | None = None,
        **fields: Any,
    ) -> Page:
        ada = user or make_user(name="ada")
        fields_of_project = {"view": "text"} | (project or {})
        made = make_project(
            slug="eggs", annotators=[ada], rubric=make_rubric(slug=rubric), **fields_of_project
        )
        batch = make_batch(project=made)
        item = make_item(batch=batch, external_id="first", responses=responses, **fields)
        make_item(batch=batch, external_id="second", responses=["*Later*", "*Much later*"])
        make_lease(item=item, annotator=ada, now=timezone.now())
        page = new_context(java_script_enabled=script).new_page()
        page.set_viewport_size(size)
        intercept(page, re.compile("remote"), refuse)
        log_in(page, "ada")
        page.goto("/projects/eggs/desk/")
        expect(page.locator("h1")).to_contain_text("first")
        return page

    return open_desk


def refuse(route: Route) -> None:
    raise AssertionError(f"{route.request.url} was asked for")


def text(page: Page, name: str = "r1") -> Locator:
    return page.locator(f"[data-said='{name}']").first


def top(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["y"]


def press(page: Page, key: str, view: str) -> None:
    """A key, and what it leads to."""
    page.keyboard.press(key)
    expect(page.locator("#look input[name=view]")).to_have_value(view)


# --- by key ---


def test_a_key_switches_between_text_and_rendered(start: Callable[..., Page]) -> None:
    turns = [("user", "How?"), ("assistant", "*So.*"), ("user", "Why?")]
    page = start(MARKDOWN, "*B*", rubric="dialogue", messages=turns, persona=["i keep bees."])
    expect(text(page)).to_contain_text("**short**")
    press(page, "v", "rendered")
    expect(text(page).locator("strong")).to_have_text("short")
    expect(text(page).locator("math mfrac")).to_be_visible()
    expect(text(page).locator("pre .r-keyword").first).to_have_text("def")
    expect(text(page).locator("td").first).to_have_text("6")
    expect(text(page, "2").locator("em")).to_have_text("So.")
    press(page, "v", "text")
    expect(text(page)).to_contain_text("**short**")
    expect(text(page, "2")).to_have_text("*So.*")


def test_a_key_underlines_where_the_responses_differ_and_takes_the_marks_away(
    start: Callable[..., Page],
) -> None:
    page = start("Six *minutes*.", "Nine *minutes*.", project={"view": "rendered"})
    expect(text(page).locator("em")).to_be_visible()
    press(page, "u", "difference")
    expect(text(page).locator("> ins")).to_have_text("Six")
    expect(text(page)).not_to_contain_text("Nine")
    style = "element => getComputedStyle(element).textDecorationLine"  # more than a colour
    assert text(page).locator("> ins").evaluate(style) == "underline"
    press(page, "u", "rendered")
    expect(text(page).locator("em")).to_be_visible()


# --- nothing is lost, nothing jumps ---


def test_answers_and_focus_outlive_a_change_of_view(start: Callable[..., Page]) -> None:
    page = start(MARKDOWN, MARKDOWN.replace("soft", "hard"))
    page.keyboard.press("l")
    page.locator("#comment").fill("So-so.")
    page.locator("#comment").press("Escape")
    await_verdicts(page)
    before = page.evaluate("document.activeElement.id")
    for key, view in (("v", "rendered"), ("u", "difference")):
        page.locator("#announcer").evaluate("it => it.replaceChildren()")
        press(page, key, view)
        assert page.evaluate("document.activeElement.id") == before
        assert focused_row(page) == "r1-quality"
        expect(page.locator("#r1-quality-language_error")).to_be_checked()
        expect(page.locator("#comment")).to_have_value("So-so.")
        expect(page.locator("#announcer")).not_to_be_empty()


def test_text_in_view_stays_in_its_place_when_the_view_changes(start: Callable[..., Page]) -> None:
    turns = [("user", MARKDOWN), ("assistant", LONG), ("user", "So?")]
    page = start(MARKDOWN, "*B*", messages=turns)
    for size in (WIDE, PHONE):
        resize(page, size)
        page.evaluate("window.scrollTo(0, 0)")
        page.wait_for_function("() => window.scrollY === 0")
        page.evaluate(
            "document.querySelector('[data-said=\"3\"]').scrollIntoView({ block: 'center' })"
        )
        before = page.evaluate(DEPTH, "2")
        assert 0 < before < 1
        for view in ("rendered", "text"):
            press(page, "v", view)
            assert page.evaluate(DEPTH, "2") == pytest.approx(before, abs=0.02)


# How deep in a text the window begins, as a part of its height.
DEPTH = """(name) => {
  const { top, height } = document.querySelector(`[data-said="${name}"]`).getBoundingClientRect();
  return -top / height;
}"""


def test_the_button_keeps_the_focus_and_sends_nothing_of_the_rating(
    start: Callable[..., Page],
) -> None:
    """So it takes no number of the form, saves no draft, and meets none of another window."""
    page = start("*Six*", "*Nine*")
    button = page.get_by_role("button", name="Rendered")
    expect(button).to_have_attribute("aria-pressed", "false")
    with page.expect_request(re.compile("/texts/")) as sent:
        go_by_tab(page, button)
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    assert sent.value.method == "POST"
    assert re.findall(r"(\w+)=", sent.value.post_data or "") == [
        *("csrfmiddlewaretoken", "show", "view", "back")
    ]
    assert not Draft.objects.exists()
    page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(button).to_be_focused()


def test_the_view_that_one_switched_to_is_stored_and_the_next_item_begins_in_it(
    start: Callable[..., Page],
) -> None:
    page = start("*Six*", "*Nine*")
    press(page, "v", "rendered")
    press(page, "u", "difference")
    press(page, "u", "rendered")
    for _ in range(2):
        page.keyboard.press("a")
        page.keyboard.press("6")
        await_verdicts(page)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("second")
    assert Rating.objects.get().view == "rendered"
    expect(text(page).locator("em")).to_be_visible()
    page.reload()
    expect(text(page).locator("em")).to_be_visible()


def test_texts_that_come_late_do_not_take_the_place_of_the_next_item_s(
    start: Callable[..., Page],
) -> None:
    page = start("*Six*", "*Nine*")
    held: list[Route] = []
    intercept(page, re.compile("/texts/"), lambda route: held.append(route))
    for _ in range(2):
        page.keyboard.press("a")
        page.keyboard.press("6")
        await_verdicts(page)
    with page.expect_request(re.compile("/texts/")):
        page.keyboard.press("v")
    with page.expect_event("requestfailed", lambda request: "/texts/" in request.url):
        page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("second")
    expect(text(page)).to_contain_text("ater*")
    assert len(held) == 1


def test_the_response_that_others_are_compared_with_can_be_chosen(
    start: Callable[..., Page],
) -> None:
    page = start("one egg", "two egg", "one pan")
    press(page, "u", "difference")
    expect(text(page)).to_contain_text("The other responses are compared with this one.")
    choice = page.get_by_role("combobox", name="compared with")
    tab_to(page, choice)
    choice.select_option(label="Response C")
    expect(text(page)).to_contain_text("Compared with Response C")
    expect(choice).to_be_focused()
    expect(text(page).locator("> ins")).to_have_text("egg")
    page.keyboard.press(".")  # a key of the desk's, which types nothing in a list of choices
    expect(choice).to_be_focused()


def test_the_keys_are_one_s_own(start: Callable[..., Page]) -> None:
    ada = make_user(name="ada", own_keys={"view": "Q", "compare": "V"})
    page = start("*Six*", "*Nine*", user=ada)
    press(page, "q", "rendered")
    press(page, "v", "difference")
    page.keyboard.press("?")
    expect(page.locator("#help dt", has_text="Q")).to_be_visible()


def test_without_single_keys_the_buttons_remain(start: Callable[..., Page]) -> None:
    page = start("*Six* eggs", "*Nine* eggs", user=make_user(name="ada", single_keys=False))
    page.keyboard.press("v")
    go_by_tab(page, page.get_by_role("button", name="Differences"))
    expect(text(page).locator("> ins")).to_have_text("Six")
    expect(page.locator("#look input[name=view]")).to_have_value("difference")


# --- without JavaScript ---


def test_without_javascript_the_buttons_lose_nothing(start: Callable[..., Page]) -> None:
    page = start("one *egg*", "two *egg*", "one *pan*", rubric="dialogue", script=False)
    page.locator("#comment").fill("So-so.")
    page.locator("#r2-quality-4").check(force=True)
    page.get_by_role("button", name="Rendered").click()
    expect(text(page).locator("em")).to_have_text("egg")
    page.get_by_role("button", name="Differences").click()
    expect(text(page, "r3").locator("> ins")).to_have_text("pan")
    page.get_by_label("compared with").select_option(label="Response C")
    page.get_by_role("button", name="Show").click()
    expect(text(page, "r1").locator("> ins")).to_have_text("egg")
    page.get_by_role("button", name="Check").click()
    expect(text(page, "r1").locator("> ins")).to_have_text("egg")  # a verdict changes no view
    expect(page.locator("#comment")).to_have_value("So-so.")
    expect(page.locator("#r2-quality-4")).to_be_checked()


def test_without_javascript_enter_submits_and_switches_nothing(start: Callable[..., Page]) -> None:
    page = start("*Six*", script=False)
    page.locator("#r1-quality-4").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Not saved")).to_be_visible()
    expect(page.locator("#look input[name=view]")).to_have_value("text")


# --- what a text may not do ---


def test_a_hostile_text_does_nothing_and_nothing_is_fetched_from_elsewhere(
    start: Callable[..., Page],
) -> None:
    """The console is watched, and so is every request."""
    page = start(HOSTILE, f"{HOSTILE} {MARKDOWN}", messages=[("user", HOSTILE)])
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    for view, other in (("text", "rendered"), ("rendered", "text")):
        Project.objects.update(view=view)
        Draft.objects.all().delete()
        page.reload()
        for key, seen in (("u", "difference"), ("u", view), ("v", other)):
            press(page, key, seen)
            expect(text(page)).to_contain_text("alert(1)")
        expect(
            page.locator(
                ":is(#rating, .text) :is(img, script, iframe, object, embed, a[href*=remote])"
            )
        ).to_have_count(0)
        expect(page.locator("#rating")).to_have_count(1)
        expect(page.locator("#announcer")).not_to_contain_text("me")
    here = page.evaluate("location.origin")
    assert asked
    assert [address for address in asked if not address.startswith(here)] == []


# --- how it looks ---


def test_rendered_texts_and_differences_can_be_read(start: Callable[..., Page]) -> None:
    page = start(MARKDOWN, MARKDOWN.replace("soft", "hard"), project={"view": "rendered"})
    themes = {"light": 4.5, "dark": 4.5, "contrast-light": 7, "contrast-dark": 7}
    for view in ("rendered", "difference"):
        if view == "difference":
            press(page, "u", view)
        for theme, least in themes.items():
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            least = least if view == "difference" else 4.5
            assert (view, theme, below(page, "text", least)) == (view, theme, [])


def test_code_in_a_text_as_it_was_written_is_in_monospace_and_copied_as_it_is(
    start: Callable[..., Page],
) -> None:
    written = "Call `egg(6)`:\n\n~~~python\nif x:\n    egg(<x>)\n~~~\nDone."
    page = start(written)
    family = "element => getComputedStyle(element).fontFamily"
    for code in text(page).locator("code").all():
        assert "monospace" in code.evaluate(family)
    assert "monospace" not in text(page).evaluate(family)
    expect(text(page).locator("code")).to_have_count(2)
    text(page).evaluate("element => getSelection().selectAllChildren(element)")
    assert page.evaluate("String(getSelection())") == written


def test_no_text_is_wider_than_the_page_of_a_phone(start: Callable[..., Page]) -> None:
    table = f"|{'cell|' * 30}\n|{'-|' * 30}\n"
    wide = f"{'word' * 80}\n\n    {'code ' * 60}\n\n$${'a + ' * 80}b$$\n\n{table}"
    page = start(wide, size=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    press(page, "v", "rendered")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
