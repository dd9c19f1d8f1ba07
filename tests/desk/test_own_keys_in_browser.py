"""Keys in a browser: a person's own, none at all, and keyboards of other countries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import Concern, Draft, Rating, Score
from tests.conftest import Complaints
from tests.desk_keys import (
    await_verdicts,
    focused_row,
    go_by_tab,
    log_in,
    settle,
    tab_to,
    take_item,
)
from tests.factories import make_item, make_project, make_user

SHIFT = 8  # CDP's modifier


@pytest.fixture
def start(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk of someone with these choices, with the first of two items."""

    def open_desk(context: BrowserContext | None = None, **chosen: Any) -> Page:
        project = make_project(slug="eggs", annotators=[make_user(name="ada", **chosen)])
        for name in ("first", "second"):
            make_item(
                project=project,
                batch=project.batches.first(),
                external_id=name,
                responses=("Six.", "Nine."),
            )
        page = (context or new_context()).new_page()
        log_in(page, "ada")
        take_item(page, "eggs")
        expect(page.locator("h1")).to_contain_text("first")
        page.wait_for_function("() => document.activeElement.closest('[data-row]')")
        return page

    return open_desk


def press(page: Page, key: str, code: str, *, shift: bool = False) -> None:
    """A key as a keyboard sends it: what it types, and the place where it lies on an American
    one."""
    keyboard = page.context.new_cdp_session(page)
    event = {"key": key, "code": code, "modifiers": SHIFT if shift else 0}
    if key == "Process":  # an IME has it
        event |= {"windowsVirtualKeyCode": 229}
        keyboard.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
    else:
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": key, **event})
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})
    await_verdicts(page)


def forget(page: Page) -> None:
    """Open the desk as if nothing had been entered and nothing chosen in it."""
    settle(page)
    page.evaluate("localStorage.clear()")
    page.route("**/draft/", lambda route: route.abort(), times=1)
    Draft.objects.all().delete()
    page.reload()
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")


# --- keyboards of other countries ---


def test_azerty_scores_by_the_digit_s_place_and_by_the_digit_itself(
    start: Callable[..., Page],
) -> None:
    page = start()
    press(page, "a", "KeyQ")  # A lies where Q is on QWERTY; what counts is what it types
    press(page, "è", "Digit7")
    expect(page.locator("#r1-quality-7")).to_be_checked()
    expect(page.locator("#r2-quality")).to_be_focused()
    press(page, "a", "KeyQ")
    press(page, "6", "Digit6", shift=True)
    expect(page.locator("#r2-quality-6")).to_be_checked()
    expect(page.locator("#submit")).to_be_focused()


def test_azerty_types_m_and_the_comma_where_others_have_other_signs(
    start: Callable[..., Page],
) -> None:
    page = start()
    press(page, "m", "Semicolon")
    expect(page.locator("#r1-quality-harmless input:checked")).to_have_count(1)
    press(page, ",", "KeyM")
    ticked = page.locator("#r1-quality [aria-keyshortcuts=',']")
    expect(ticked).to_be_checked()


def test_qwertz_is_heard_by_what_it_types(start: Callable[..., Page]) -> None:
    """And a sign with Shift is no digit of its place, as on QWERTY."""
    page = start()
    press(page, "z", "KeyY")  # Z pauses, wherever it lies
    expect(page.locator("#pause")).to_be_visible()
    press(page, "z", "KeyY")
    expect(page.locator("#pause")).not_to_be_visible()
    expect(page.locator("#r1-quality .answers input:checked")).to_have_count(0)
    press(page, "y", "KeyZ")
    expect(page.locator("#r1-quality-honest input:checked")).to_have_count(1)
    press(page, "?", "Minus", shift=True)
    expect(page.locator("#help")).to_be_visible()
    press(page, "?", "Minus", shift=True)
    expect(page.locator("#help")).not_to_be_visible()
    press(page, "a", "KeyA")
    press(page, "&", "Digit7", shift=True)
    expect(page.locator("#r1-quality .scale input:checked")).to_have_count(0)


# What is typed for the best answers, the response before, a skip and the rubric.
LAYOUTS = {
    "Cyrillic": ("ф", "Ф", "ы", "ю"),
    "Hebrew": ("ש", "A", "ד", "ץ"),
    "Hangul": ("ㅁ", "ㅁ", "ㄴ", "."),
    "IME": ("Process", "Process", "Process", "Process"),
}


def test_where_letters_are_not_latin_a_key_is_heard_by_its_place(
    start: Callable[..., Page], complaints: Complaints
) -> None:
    complaints.allow("ERR_FAILED")  # the last draft of each layout is not to be saved
    page = start()
    for best, response, skip, rubric in LAYOUTS.values():
        press(page, best, "KeyA")
        expect(page.locator("#r1-quality .answers input:checked")).to_have_count(4)
        press(page, best if best == "Process" else "7", "Digit7")
        expect(page.locator("#r1-quality-7")).to_be_checked()
        expect(page.locator("#r2-quality")).to_be_focused()
        press(page, response, "KeyA", shift=True)
        expect(page.locator("#r1-quality")).to_be_focused()
        press(page, rubric, "Period")
        expect(page.locator("#rubric")).not_to_be_visible()
        press(page, skip, "KeyS")
        expect(page.locator("#concern")).to_have_attribute("open", "")
        forget(page)


def test_a_key_of_a_latin_layout_is_never_heard_by_its_place(start: Callable[..., Page]) -> None:
    """Nor after a letter of another layout: it may be switched at any time."""
    page = start()
    press(page, "ф", "KeyA")
    expect(page.locator("#r1-quality .answers input:checked")).to_have_count(4)
    press(page, "o", "KeyS")  # Dvorak
    press(page, ";", "KeyZ")
    for name in ("#concern[open]", "#pause[open]"):
        expect(page.locator(name)).to_have_count(0)


def test_input_of_an_ime_in_a_text_field_is_no_key(start: Callable[..., Page]) -> None:
    page = start()
    page.keyboard.type("a7")
    expect(page.locator("#r2-quality")).to_be_focused()
    page.keyboard.type("a7")
    expect(page.locator("#submit")).to_be_focused()
    page.locator("#comment").focus()
    composed = {"bubbles": True, "cancelable": True, "key": "Enter", "code": "Enter"}
    for own in ({"isComposing": True}, {"keyCode": 229}):  # the latter is Safari's
        for pressed in ({}, {"ctrlKey": True}):
            event = composed | own | pressed
            assert page.locator("#comment").evaluate(
                "(field, event) => field.dispatchEvent(new KeyboardEvent('keydown', event))", event
            ), "the desk acted"
    expect(page.locator("h1")).to_contain_text("first")
    assert not Rating.objects.exists()
    assert page.evaluate("!evenhand.busy")


LAYOUT = """
Object.defineProperty(navigator, "keyboard", {value: {getLayoutMap: async () => new Map(%s)}});
"""


@pytest.mark.parametrize(
    ("layout", "caps"),
    [
        (
            [["KeyA", "ф"], ["KeyV", "м"], ["KeyB", "и"], ["Period", "ю"], ["Slash", "."]],
            "Ф М ⇧И .",
        ),
        ([["KeyQ", "a"], ["KeyV", "v"], ["KeyB", "b"], ["Period", ":"]], "A V ⇧B ."),
    ],
    ids=["Cyrillic", "AZERTY"],
)
def test_caps_show_what_another_layout_has_on_the_key(
    start: Callable[..., Page], page: Page, layout: list[list[str]], caps: str
) -> None:
    own = page.context
    own.add_init_script(LAYOUT % layout)
    start(context=own)
    desk = own.pages[-1]
    best = desk.locator("#r1-quality [data-best] kbd")
    names = [best, *(desk.locator(f"{each} kbd") for each in ("#look-view", "#strip-r2"))]
    for place, cap in zip(
        [*names, desk.locator("[data-rubric-button] kbd").last], caps.split(), strict=True
    ):
        expect(place).to_have_text(cap)
    press(desk, layout[0][1], str(layout[0][0]))
    expect(desk.locator("#r1-quality .answers input:checked")).to_have_count(4)
    expect(best).to_have_text(caps[0])  # in what the verdict swapped, too


# --- a person's own ---


def test_a_command_is_called_by_the_key_that_was_chosen(start: Callable[..., Page]) -> None:
    page = start(own_keys={"skip": "W", "best": "B", "rubric": "ß"})
    page.keyboard.type("sa")  # the usual ones mean nothing now
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    expect(page.locator("#r1-quality input:checked")).to_have_count(0)
    page.keyboard.type("b")
    expect(page.locator("#r1-quality .answers input:checked")).to_have_count(4)
    press(page, "ß", "Minus")
    expect(page.locator("#rubric")).not_to_be_visible()
    page.keyboard.press("w")
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("W")
    expect(page.locator("h1")).to_contain_text("second")
    assert [concern.kind for concern in Concern.objects.all()] == ["skip"]
    settle(page)
    page.keyboard.type("b")
    expect(page.locator("#r1-quality .answers input:checked")).to_have_count(4)


def test_the_keys_that_are_shown_are_one_s_own(start: Callable[..., Page]) -> None:
    page = start(own_keys={"skip": "W", "best": "B", "help": "Ä", "rubric": "N"})
    skip = page.locator("[data-concern-open]")
    expect(skip.locator("kbd")).to_have_text("W")
    expect(skip).to_have_attribute("aria-keyshortcuts", "W F")
    best = page.locator("#r1-quality [data-best]")
    expect(best.locator("kbd")).to_have_text("B")
    expect(best).to_have_attribute("aria-keyshortcuts", "B")
    press(page, "ä", "Quote")
    expect(page.locator("#help")).to_be_visible()
    assert {"W", "B", "Ä", "N", "F"} <= set(page.locator("#help kbd").all_inner_texts())
    assert not {"S", "A", "."} & set(page.locator("#help kbd").all_inner_texts())


def test_a_key_changed_in_another_tab_is_the_desk_s_with_the_next_item(
    start: Callable[..., Page],
) -> None:
    page = start()
    other = page.context.new_page()
    other.goto("/profile/")
    other.get_by_label("Skip the item").fill("p")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_role("status")).to_contain_text("Saved.")
    page.bring_to_front()
    page.keyboard.press("s")  # this page still shows S
    page.keyboard.press("Space")
    page.keyboard.press("s")
    expect(page.locator("h1")).to_contain_text("second")
    settle(page)
    expect(page.locator("[data-concern-open] kbd")).to_have_text("P")
    page.keyboard.press("s")
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    page.keyboard.press("p")
    expect(page.locator("#concern")).to_have_attribute("open", "")


# --- none at all ---


def test_switched_off_single_keys_do_nothing(start: Callable[..., Page]) -> None:
    page = start(single_keys=False)
    page.keyboard.type("a7cljks?f")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert focused_row(page) == "r1-quality"
    expect(page.locator("#rating input:checked")).to_have_count(0)
    expect(page.locator("#help")).not_to_be_visible()
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    expect(page.locator("#rating .panel kbd")).to_have_count(0)
    expect(page.locator("#rating [aria-keyshortcuts]")).to_have_count(1)  # Submit's
    # The button opens skipping, and Escape closes it.
    go_by_tab(page, page.locator("[data-concern-open]"))
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    assert focused_row(page) == "r1-quality"
    assert User.objects.get(username="ada").keys.on is False


def test_switched_off_tab_arrows_and_ctrl_enter_suffice(start: Callable[..., Page]) -> None:
    page = start(single_keys=False)
    for row in ("r1-quality", "r2-quality"):
        if row == "r2-quality":
            go_by_tab(page, page.locator("#strip-r2"))
        for question in ("helpful", "harmless", "honest", "comprehensive"):
            tab_to(page, page.locator(f"#{row}-{question} input").first)
            page.keyboard.press("Space")
            await_verdicts(page)
        tab_to(page, page.locator(f"#{row}-scale input").first)
        page.keyboard.press("ArrowLeft")  # to the last
        expect(page.locator(f"#{row}-7")).to_be_checked()
        page.keyboard.press("Enter")  # no way to submit by chance
        await_verdicts(page)
    assert not Rating.objects.exists()
    tab_to(page, page.locator("#comment"))
    page.keyboard.type("a 7?")
    page.keyboard.press("Escape")
    assert focused_row(page) != ""
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("second")
    assert [score.value for score in Score.objects.all()] == [7, 7]
    assert Rating.objects.get().comment == "a 7?"
