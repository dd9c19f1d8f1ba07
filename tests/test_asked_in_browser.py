"""What is asked follows from what was answered, in a browser: by keyboard, and what is stored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Placement, Score
from tests.asked_rubric import load
from tests.desk_keys import focused_row, log_in, take_item
from tests.factories import make_item, make_project, make_user


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


def settle(page: Page) -> None:
    page.wait_for_function("() => !evenhand.busy && !evenhand.waiting")


def test_it(start):
    page = start()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.on("pageerror", lambda m: print("ERR", m.stack[:400]))
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    n = 0

    def press(*keys):
        nonlocal n
        n += 1
        for key in keys:
            page.keyboard.press(key)
        settle(page)
        page.screenshot(path=f"/tmp/s{n}.png")
        print(n, keys, focused_row(page))

    press("m")
    press("k")
    press("Enter")
    press("ArrowUp", "ArrowUp", "ArrowUp")
    press("m")
    press("Enter")
    press("2")
    press("c")
    press("p")
    press("Enter")
    press("2")
    press("t")
    press("m", "m")
    press("Enter")
    press("3")
    press("c", "c")
    press("p", "p")
    press("q")
    press("Enter")
    press("1")
    press("Enter")
    page.wait_for_timeout(1000)
    press("Enter")
    page.keyboard.type("Because.")
    page.wait_for_timeout(300)
    press("Control+Enter")
    page.wait_for_timeout(1500)
    page.screenshot(path="/tmp/s30.png")
    print(
        list(Score.objects.values_list("dimension", "position", "value", "without", "checks")),
        list(Placement.objects.values_list("position", "comment", "checks")),
    )
