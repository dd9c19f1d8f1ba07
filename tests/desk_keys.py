"""A person at the keyboard: presses keys, never points. What browser tests share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, ViewportSize, expect

from annotators.models import User
from tasks.models import Project
from tasks.queue.allocation import take_next
from tests.factories import PASSWORD

HOST = "127.0.0.1"

# What the foot says of a draft, with the time of day.
SAVED = re.compile(r"^\s*Saved \d\d:\d\d\s*$")


def tab_to(page: Page, target: Locator, most: int = 150, key: str = "Tab") -> None:
    """Press Tab (or "Shift+Tab") until the element has the focus; fail where a keyboard cannot get
    there."""
    expect(target).to_be_visible()
    place = target.element_handle()  # to find it anew, by its role and name, takes longer than Tab
    for _ in range(most):
        is_there, is_focused = place.evaluate(
            "element => [element.isConnected, element === document.activeElement]"
        )
        if is_focused:
            return
        if not is_there:
            place = target.element_handle()
        page.keyboard.press(key)
    raise AssertionError(f"{most} presses of Tab did not lead to {target}")


def go_by_tab(page: Page, target: Locator) -> None:
    """Tab to a link or button, and press Enter."""
    tab_to(page, target)
    page.keyboard.press("Enter")


def log_in(page: Page, name: str) -> None:
    """Have the page's browser logged in, without a page of the log-in: for tests of what comes
    after."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    cookie = settings.SESSION_COOKIE_NAME
    page.context.add_cookies(
        [{"name": cookie, "value": client.cookies[cookie].value, "domain": HOST, "path": "/"}]
    )


# The timers of a page, four times as fast, in the same order.
HURRY = """(() => {
  const wait = window.setTimeout;
  window.setTimeout = (act, time, ...more) => wait(act, (time ?? 0) / 4, ...more);
})();"""


def hurry(page: Page) -> None:
    """Have what waits in the page's scripts, for the next key or another try, wait a quarter."""
    page.context.add_init_script(HURRY)


def lease_item(slug: str, name: str = "ada") -> None:
    """Lease the next item of a project, so that it is on the desk of who opens it."""
    project, annotator = Project.objects.get(slug=slug), User.objects.get(username=name)
    assert take_next(project, annotator, now=timezone.now())


def take_item(page: Page, slug: str, name: str = "ada") -> None:
    """Take the next item of a project and open the desk, without the page that one starts on."""
    lease_item(slug, name)
    page.goto(f"/projects/{slug}/desk/")


# After a click that leads on, the page may be there before the desk's script. A name that does not
# exist is an error, where the lack of a property of the window is not.
HAS_VERDICTS = "() => window.evenhand && !evenhand.waiting"
IS_SETTLED = "() => window.evenhand && !evenhand.waiting && !evenhand.busy"


def settle(page: Page) -> None:
    """Wait until no request of the desk is under way."""
    page.wait_for_function(IS_SETTLED)


def await_verdicts(page: Page) -> None:
    """Wait until no verdict is under way; a submitted form may still be."""
    page.wait_for_function(HAS_VERDICTS)


def resize(page: Page, window: ViewportSize) -> None:
    """Change the window and let the page hear of it: the desk lays itself out anew in the frame
    after."""
    page.set_viewport_size(window)
    page.evaluate("""() => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(done));
    })""")


def enlarge(page: Page, size: str) -> None:
    """Change the size of the text as if one had chosen it: the desk lays itself out as for a
    window."""
    page.evaluate(
        """(size) => {
          document.documentElement.dataset.text = size;
          dispatchEvent(new Event("resize"));
        }""",
        size,
    )


# Whether all of each can be seen in the window, as scrolled as it and what is in it are.
IN_VIEW = """(selectors) => new Promise((done) => {
  const found = selectors.map((each) => [...document.querySelectorAll(each)]);
  if (!found.every((each) => each.length)) return done(false);
  const all = new IntersectionObserver((entries) => {
    all.disconnect();
    done(entries.every((entry) => entry.intersectionRatio > 1 - 1e-9));
  });
  for (const element of found.flat()) all.observe(element);
})"""


def in_view(page: Page, *selectors: str) -> None:
    """Wait until all of each can be seen: in one question, where `expect` asks for each by
    itself."""
    page.wait_for_function(IN_VIEW, arg=selectors)


def log_in_by_keys(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/accounts/login/")
    tab_to(page, page.get_by_label("Name or e-mail"))
    page.keyboard.type(name)
    tab_to(page, page.get_by_label("Password", exact=True))
    page.keyboard.type(password)
    go_by_tab(page, page.get_by_role("button", name="Sign in"))
    expect(page.locator(".me")).to_be_visible()


def sign_out(page: Page) -> None:
    """Sign out by the menu of the account, which may be open from a sign-out that was held up."""
    button = page.get_by_role("button", name="Sign out")
    if not button.is_visible():
        page.locator(".me").click()
    button.click()


def intercept(
    page: Page,
    url: str | re.Pattern[str],
    handler: Callable[[Route], Any],
    times: int | None = None,
) -> Callable[[], None]:
    """Answer the page's requests in the server's place, and return what lifts that again.

    The script makes sure that the page has heard of it: a request that a key sends at once goes by
    now and then. The route stays when it is lifted, and after so many `times`: a request that comes
    while a route is removed never gets an answer.
    """
    left = math.inf if times is None else times

    def answer(route: Route) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            route.continue_()
        else:
            handler(route)

    def lift() -> None:
        nonlocal left
        left = 0

    page.route(url, answer)
    page.evaluate("null")
    return lift


def focus_row(page: Page, row: str) -> None:
    """Bring the focus to a row of the form by its arrow keys, as a hand would."""
    for _ in range(30):
        if page.evaluate("document.activeElement.closest('[data-row]')?.id") == row:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the arrow keys do not lead to {row}")


def focused_row(page: Page) -> str:
    return str(page.evaluate("document.activeElement.closest('[data-row]')?.id ?? ''"))


def verdict(page: Page, row: str) -> Locator:
    return page.locator(f"#{row}-verdict")
