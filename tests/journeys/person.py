"""A person in a browser: clicks, presses keys, and is told things."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.desk_keys import settle

# All that is told, by kind, once it has been painted. The words of a place are told anew when they
# change, or when they went away and come back.
LISTEN = """
(() => {
  const PLACES = [
    ["page", "#desk.desk h1, main h1"],
    ["alert", "[role=alert]"],
    ["notice", ".notice, .note, .coach, .concern[open] .quiet"],
    ["error", ".errorlist, .fact .error"],
    ["asked", "[data-summary]"],
    ["flagged", "#flagged"],
    ["clock", ".clock"],
    ["remark", ".claims .remark"],
    ["verdict", "[data-row].current [data-verdict]"],
    ["text", ".target.current .told"],
    ["hint", "[data-hint]"],
    ["saved", "#draft-state"],
    ["status", "[role=status]"],
    ["dialog", "dialog[open]"],
  ];
  const CHANGES = { childList: true, subtree: true, characterData: true, attributes: true };
  const SECONDS = /\\b\\d:\\d\\d\\b(?= left)/;
  const before = new Map();
  let waits = false;
  const look = () => {
    waits = false;
    for (const [kind, selector] of PLACES) {
      const said = [...document.querySelectorAll(selector)]
        .filter((place) => place.checkVisibility({ visibilityProperty: true }))
        .map((place) => place.innerText.replace(/\\s+/g, " ").trim())
        .filter(Boolean);
      const known = before.get(kind) ?? [];
      const same = (words) => words.replace(SECONDS, "");
      const isNew = (words) => !known.map(same).includes(same(words));
      for (const words of said.filter(isNew)) journeyTold(kind, words);
      before.set(kind, said);
    }
  };
  const soon = () => {
    if (!waits) requestAnimationFrame(look);
    waits = true;
  };
  new MutationObserver(soon).observe(document, CHANGES);
  document.addEventListener("DOMContentLoaded", soon);
})();
"""
PAINTED = """() => new Promise((go) =>
  requestAnimationFrame(() => requestAnimationFrame(() => go(true))))"""
# The words in a text, as a mouse selects them.
SELECT = """(element, words) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = texts.nextNode();
  while (!text.data.includes(words)) text = texts.nextNode();
  const from = text.data.indexOf(words);
  getSelection().setBaseAndExtent(text, from, text, from + words.length);
}"""


def lose(route: Route) -> None:
    """Let a request end as without a connection."""
    route.abort("internetdisconnected")


class Person:
    """Someone at the program, and what became of it: steps, clicks, key presses, words told.

    `fields` and `buttons` count what is done to forms. To go into a field is part of filling it.

    `passwords`: those of the accounts that there are. `meet` makes the browser of someone else.
    `emails`: the folder where the program puts them.
    """

    def __init__(
        self,
        context: BrowserContext,
        *,
        touches: bool = False,
        name: str = "",
        passwords: Mapping[str, str] | None = None,
        meet: Callable[[], BrowserContext] | None = None,
        emails: Path | None = None,
    ) -> None:
        self.context = context
        self.touches = touches
        self.name, self.passwords = name, passwords or {}
        self.meet, self.emails = meet, emails
        self.others: list[Person] = []  # who have come into the journey, too
        self.clicks = 0
        self.fields = 0
        self.buttons = 0
        self.presses = 0
        self.steps = 0
        self.step, self.begun = "", 0.0
        self.heard: list[tuple[str, str, str]] = []  # step, kind, words
        context.expose_binding("journeyTold", self._hear)
        context.add_init_script(LISTEN)
        self.page: Page = context.new_page()

    def _hear(self, source: dict[str, Any], kind: str, words: str) -> None:
        if source["page"] is self.page:
            self.heard.append((self.step, kind, words))

    def other(self, name: str) -> Person:
        """Let someone else take part, at a browser of their own. Their words are heard here."""
        assert self.meet
        other = Person(self.meet(), name=name, passwords=self.passwords)
        other.heard = self.heard
        self.others.append(other)
        return other

    def acting(self) -> Person:
        """Return who began the last step: this person, or one of the others."""
        return max((self, *self.others), key=lambda each: each.begun)

    def does(self, step: str) -> None:
        """Begin a step. What the step before led to has been painted."""
        self.settle()
        self.steps += 1
        self.begun = time.monotonic()
        self.step = f"{self.name} {step}".strip()

    def signs_in(self) -> None:
        """Sign in at the log-in page, by one's name and password."""
        self.does("signs in")
        self.page.goto("/")
        self.click(self.page.get_by_label("Name or e-mail"))
        self.type(self.name)
        self.press("Tab")
        self.type(self.passwords[self.name])
        self.press("Enter")
        expect(self.page.locator(".me")).to_be_visible()

    def settle(self) -> None:
        self.page.wait_for_function(PAINTED)  # also of a page that is still to come

    def click(self, target: Locator) -> None:
        self.clicks += 1
        if self.touches:
            target.tap()
        else:
            target.click()

    def fill(self, field: Locator, text: str) -> None:
        """Click into a field that is empty, and type."""
        self.fields += 1
        self.click(field)
        self.type(text)

    def button(self, target: Locator) -> None:
        """Click a button, a link or a box, as a step through a form."""
        self.buttons += 1
        self.click(target)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.presses += 1
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.presses += len(text)
        self.page.keyboard.type(text)

    def choose(self, answer: Locator) -> None:
        """Click a score, an answer or a tick. One that is barred looks as if it could be clicked,
        and Playwright would wait until it can."""
        self.clicks += 1
        if self.touches:
            answer.tap(force=True)
        else:
            answer.click(force=True)

    def select(self, place: Locator, words: str) -> None:
        """Select words in a text, by a drag of the mouse."""
        self.clicks += 1
        place.evaluate(SELECT, words)

    def pick(self, field: Locator, answer: str) -> None:
        """Open a field of choices, and click one of them."""
        self.fields += 1
        self.clicks += 2
        field.select_option(label=answer)

    def choose_file(self, field: Locator, file: Path) -> None:
        """Press the button of a file field, and choose a file in the browser's own window."""
        self.clicks += 3
        field.set_input_files(file)

    def link_in_email(self, address: str) -> str:
        """Return the address of this site in the last e-mail to an e-mail address."""
        assert self.emails
        for _ in range(100):  # the worker sends it
            for file in sorted(self.emails.glob("*"), reverse=True):
                for email in file.read_text(encoding="utf-8").split("-" * 79):
                    if f"To: {address}" in email:
                        return next(word for word in email.split() if "/join/" in word)
            self.page.wait_for_timeout(100)
        raise AssertionError(f"no e-mail went to {address}")

    def opens(self, address: str) -> None:
        """Follow a link that stands outside of the browser."""
        self.clicks += 1
        self.page.goto(address)

    def goes_offline(self) -> None:
        """Lose the connection. The browser's own switch does nothing where answers come late."""
        self.context.set_offline(True)
        self.context.route("**/*", lose)

    def is_online_again(self) -> None:
        self.context.unroute("**/*", lose)
        self.context.set_offline(False)

    def close(self, tab: Page) -> None:
        """Close another tab by a key of the browser, and be back on one's own."""
        self.presses += 1
        tab.close()
        self.page.bring_to_front()

    def reload(self) -> None:
        """Load the page again by a key of the browser."""
        self.presses += 1
        self.page.reload()

    # --- the desk, by what stands on it ---

    def response(self, label: str) -> Locator:
        return self.page.get_by_role("region", name=f"Response {label}", exact=True)

    def score(self, label: str, score: int) -> Locator:
        return self.response(label).get_by_role("radio", name=re.compile(rf"^{score}\b"))

    def tick(self, label: str, name: str) -> Locator:
        return self.response(label).get_by_role("checkbox", name=name)

    def at_row(self, dimension: str) -> None:
        """Wait until the row of a dimension is the one that keys act on."""
        expect(self.page.locator("[data-row].current")).to_have_attribute("data-part", dimension)
        self.until_answered()

    def until_answered(self) -> None:
        """Wait until the desk takes keys and clicks again."""
        settle(self.page)

    def given(self, label: str, score: int) -> None:
        """Wait until the foot shows the score as given."""
        expect(self.scores().get_by_role("link", name=f"Response {label}: {score}")).to_be_visible()

    def scores(self) -> Locator:
        return self.page.get_by_role("navigation", name="Scores so far")

    def labels(self) -> list[str]:
        """Return the letters of the item's responses, as the foot shows them."""
        links = self.scores().get_by_role("link")
        names = [re.match(r"\s*Response (\w+)", each) for each in links.all_text_contents()]
        return [name[1] for name in names if name]

    def rated_item(self) -> str:
        return self.page.get_by_role("heading", level=1).inner_text()

    def until_next_item(self, act: Callable[[], None]) -> None:
        """Do what leads to another item, and wait until it stands there."""
        before = self.rated_item()
        act()
        expect(self.page.get_by_role("heading", level=1)).not_to_have_text(before)
        expect(self.hint()).to_have_text(re.compile("to go$"))
        self.settle()

    def hint(self) -> Locator:
        return self.page.locator("[data-hint]")

    def verdict(self, label: str) -> Locator:
        return self.response(label).locator("[data-headline]").first
