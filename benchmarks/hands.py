"""Press keys in a real Chromium and measure the time until the result is painted.

`key_to_next` starts `python -m benchmarks.hands` as a process. The first JSON line on standard
input lists the pages to visit ({name: {kind, url, session}}). The other lines are commands, each
answered by one JSON line:

- {who, press, latency}: rate `press` items, with two timed ticks and a timed submit each and
  `latency` ms added to every response → {next, tick}: ms from each key to the paint of the response
- {who, acts, items} → {sent}: rate `items` items, each by `acts`, a list of ["press", key] or
  ["click", selector] whose last one submits; what the page requested, by method and path
- {who, load} → {kb, requests}: the transfer size of a first visit, with an empty cache

A response counts as painted at the second animation frame after the swap, because the first frame
draws it. This module knows neither Django nor the program, only the content of the pages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request, TimeoutError, ViewportSize, sync_playwright

LONGEST_WAIT = 30_000  # milliseconds
WINDOW: ViewportSize = {"width": 1366, "height": 650}
# One response settles in several elements at once; only the first event counts.
WATCH = """() => {
  globalThis.waits = { next: [], tick: [] };
  let pressed = 0;
  let last = null;
  addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
  document.addEventListener("htmx:afterSettle", (event) => {
    const { requestConfig, xhr } = event.detail;
    if (!requestConfig || xhr === last) return;
    last = xhr;
    const kind = requestConfig.elt.id === "submit" ? "next" : "tick";
    const begun = pressed;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => waits[kind].push(performance.now() - begun)));
  });
}"""


# Nothing that the next act depends on is on its way.
RESTS = "() => !globalThis.evenhand?.busy && !globalThis.evenhand?.waiting"


class Hands:
    """One person in front of one page."""

    def __init__(self, browser: Browser, orders: dict[str, Any]) -> None:
        self.browser = browser
        self.orders = orders
        self.page = self.visit()
        self.page.evaluate(WATCH)
        self.line = self.page.context.new_cdp_session(self.page)
        self.line.send("Network.enable")

    @property
    def cookie(self) -> Any:
        """The session cookie of a logged-in user."""
        session = self.orders["session"]
        return {"name": "sessionid", "value": session, "domain": "127.0.0.1", "path": "/"}

    def visit(self) -> Page:
        """Open the page in a fresh browser context."""
        context = self.browser.new_context(viewport=WINDOW, reduced_motion="reduce")
        context.set_default_timeout(LONGEST_WAIT)
        context.add_cookies([self.cookie])
        page = context.new_page()
        page.goto(self.orders["url"])
        start = page.get_by_role("button", name="Start rating")
        if start.count():
            start.click()
        page.locator("#submit").wait_for()
        return page

    def rate(self, items: int, latency: float) -> dict[str, list[float]]:
        """Rate items one after another: tick, untick, answer everything, submit."""
        self.line.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": latency,
                "downloadThroughput": -1,
                "uploadThroughput": -1,
            },
        )
        for _ in range(items):
            self.press("l", "tick")
            self.press("l", "tick")
            if self.orders["kind"] == "desk":
                for _ in range(self.page.locator("[data-row]").count()):
                    self.press("a")
                    self.press("7")
                self.page.wait_for_function("() => document.activeElement.id === 'submit'")
            self.press("Enter", "next")
        return dict(
            self.page.evaluate(
                "Object.fromEntries(Object.entries(waits)"
                ".map(([kind, each]) => [kind, each.splice(0)]))"
            )
        )

    def act(self, acts: list[tuple[str, str]], items: int) -> dict[str, dict[str, int]]:
        """Rate items one after another by these acts. The last act submits."""
        sent: Counter[str] = Counter()

        def note(request: Request) -> None:
            path = re.sub(r"/\d+(?=/)", "", urlsplit(request.url).path)
            sent[f"{request.method} {path}"] += 1

        ways: dict[str, Callable[[str], None]] = {
            "press": self.page.keyboard.press,
            "click": self.page.click,
        }
        self.page.on("request", note)
        for _ in range(items):
            for place, (way, what) in enumerate(acts, start=1):
                self.wait_for(partial(ways[way], what), what, "next" if place == len(acts) else "")
        self.page.remove_listener("request", note)
        return {"sent": dict(sent)}

    def press(self, key: str, kind: str = "") -> None:
        """Press a key, and wait until its result is painted and the page accepts the next key."""
        self.wait_for(partial(self.page.keyboard.press, key), key, kind)

    def wait_for(self, act: Callable[[], None], what: str, kind: str) -> None:
        """Act, and wait until its result is painted and the page is at rest."""
        before = self.page.evaluate("kind => waits[kind]?.length", kind)
        act()
        try:
            if kind:
                self.page.wait_for_function(
                    "([kind, count]) => waits[kind].length > count", arg=[kind, before]
                )
            self.page.wait_for_function(RESTS)
        except TimeoutError:
            shown = self.page.locator("body").inner_text()
            sys.exit(f"nothing came of {what} on {self.orders['url']}, which says: {shown[:2000]}")

    def load(self) -> dict[str, float]:
        """Measure the transfer size of a first visit, response headers included."""
        context = self.browser.new_context(viewport=WINDOW)
        context.add_cookies([self.cookie])
        page = context.new_page()
        line = context.new_cdp_session(page)
        sizes: list[float] = []
        line.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        line.send("Network.enable")
        page.goto(self.orders["url"], wait_until="networkidle")
        page.locator("#submit").wait_for()
        context.close()
        return {"kb": sum(sizes) / 1000, "requests": len(sizes)}


def main() -> None:
    """Run the commands from standard input until it ends."""
    signal.signal(signal.SIGTERM, _leave)
    visits = json.loads(sys.stdin.readline())
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, names)), None),
            # Chromium refuses to run as root with its sandbox. No other option is changed.
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        hands = {name: Hands(browser, orders) for name, orders in visits.items()}
        for command in map(json.loads, sys.stdin):
            at_work = hands[command["who"]]
            if "press" in command:
                outcome: dict[str, Any] = at_work.rate(command["press"], command["latency"])
            elif "acts" in command:
                outcome = at_work.act(command["acts"], command["items"])
            else:
                outcome = at_work.load()
            print(json.dumps(outcome), flush=True)
        browser.close()


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
