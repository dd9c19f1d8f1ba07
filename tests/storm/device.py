"""A browser at the desk: what stands on its screen, and what was told on it.

Whatever is read here is what a person could see, or what the browser keeps; keys and clicks are
real ones.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page

LONGEST_REST = 20.0  # seconds until a browser that can reach the server is at rest
# What a browser says of a network that goes and of a version that was refused. What waits in htmx's
# queue and then fails rejects a promise without a reason that nobody holds: "undefined".
EXPECTED = re.compile(r"net::ERR|Failed to load resource|htmx:|Failed to fetch|^undefined$")

# What stands in the form, by field; views of the texts are no answers. Noted when a submit is
# sent; and so is who asked for one, and every word that is told aloud.
WATCH = """
(() => {
  const read = () => {
    const form = document.getElementById("rating");
    const found = {};
    for (const field of form?.elements ?? []) {
      if (!field.name || field.disabled) continue;
      if (["hidden", "submit", "button"].includes(field.type)) continue;
      if (["radio", "checkbox"].includes(field.type) && !field.checked) continue;
      const says = field.name.includes(".") || ["comment", "not_sure"].includes(field.name);
      if (says && field.value) found[field.name] = field.value;
    }
    return found;
  };
  const path = () => document.getElementById("rating")?.getAttribute("action");
  const lease = () => Number(path()?.match(/desk\\/(\\d+)\\//)?.[1] ?? 0);
  globalThis.storm = { read, lease };
  const ask = ({ isTrusted, key, ctrlKey, target }) => {
    const submits = key ? key === "Enter" && ctrlKey : target.closest?.("#submit");
    if (isTrusted && submits) stormNote({ kind: "asked", lease: lease() });
  };
  for (const kind of ["keydown", "click"]) addEventListener(kind, ask, true);
  addEventListener("pagehide", () => {
    const writer = document.querySelector("#rating [name=draft_writer]")?.value;
    if (writer) sessionStorage.setItem(`storm:${writer}`, JSON.stringify(read()));
  });
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt.id === "submit") stormNote({ kind: "sent", lease: lease(), values: read() });
  });
  document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("announcer");
    const tell = () => stormNote({ kind: "told", words: place.textContent });
    if (place) new MutationObserver(tell).observe(place, { childList: true });
  });
})();
"""
STATE = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (selector) => all(selector)[0]?.textContent.replace(/\\s+/g, " ").trim() ?? "";
  const unjudged = document.getElementById("rating")?.dataset.unjudged;
  const kept = () => Object.keys(localStorage).filter((name) => name.startsWith("evenhand:"));
  const choices = all("[data-take]").map((each) => each.dataset.take).filter(Boolean);
  const toChoose = (name) => choices.some((each) => name.endsWith(each));
  const unsent = () => kept().filter((name) => !toChoose(name));
  const ours = location.protocol === "http:"; /* else the browser's own page */
  const desk = globalThis.evenhand ?? {};
  return {
    lease: globalThis.storm?.lease() ?? 0,
    writer: document.querySelector("[name=draft_writer]")?.value ?? "",
    item: text("#desk h1"),
    values: globalThis.storm?.read() ?? {},
    saved: text("#draft-state"),
    covered: Boolean(document.querySelector(".covered")),
    conflict: Boolean(document.querySelector("#beside .conflict")),
    panels: all(".conflict[data-kept] h2").map(({ textContent }) => textContent),
    trouble: document.querySelector("#trouble:not([hidden])")?.textContent ?? "",
    versions: all("#beside a[href*='?draft=']").map(({ search }) => search.split("=")[1]),
    start: Boolean(document.querySelector("form[action$='/start/']")),
    idle: Boolean(document.querySelector(".idle")),
    login: Boolean(document.querySelector("[name=password]")),
    home: location.pathname === "/",
    unjudged: all("[data-headline]").filter((each) => each.textContent === unjudged).length,
    kept: ours ? kept().length : 0,
    /* Pages beside the desk send nothing. */
    unsent: ours && document.getElementById("trouble") ? unsent().length : 0,
    acts: Boolean(desk.busy || desk.waiting || document.querySelector(".htmx-request")),
    dialog: Boolean(document.querySelector("dialog[open]")),
    ready: document.readyState === "complete",
  };
}"""
# The middle of what is to be clicked: of all that a selector finds, the one at a share; null where
# it is not in sight or something else lies over it.
PLACE = """([selector, share]) => {
  const seen = (each) => ["radio", "checkbox"].includes(each.type) ? each.labels[0] : each;
  const all = [...document.querySelectorAll(selector)].filter((each) => !each.disabled);
  const visible = all.filter((each) => seen(each).checkVisibility());
  const one = visible[Math.floor(share * visible.length)];
  if (!one) return null;
  const shown = seen(one);
  shown.scrollIntoView({ block: "center" });
  const box = shown.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  if (!hit || !(shown.contains(hit) || one.contains(hit))) return null;
  return { x, y, what: one.id || one.name || one.textContent.trim() };
}"""


@dataclass(frozen=True)
class State:
    """What stands on the screen. `panels`: beside the form, what was kept of items that have their
    rating, as `about` and `fields`. `saved`: the word of the draft; `kept`: how many forms the
    browser keeps, and `unsent`: of them those that nothing newer stood in the way of, when they
    were sent."""

    lease: int
    writer: str
    item: str
    values: dict[str, str]
    saved: str
    covered: bool
    conflict: bool
    panels: list[str]
    trouble: str
    versions: list[str]
    start: bool
    idle: bool
    login: bool
    home: bool
    unjudged: int
    kept: int
    unsent: int
    acts: bool
    dialog: bool
    ready: bool

    @property
    def signed_anew(self) -> bool:
        """Whether the page says that it can send nothing more, and is to be opened again."""
        return "signed out or in elsewhere" in self.trouble

    @property
    def rests(self) -> bool:
        """Whether nothing is left to be done without the person."""
        if not self.ready or self.acts:
            return False
        if self.login or self.conflict or self.signed_anew:
            return True
        # What has had no answer and is no form, a skip for instance, is for the person to ask
        # again.
        is_away = self.saved == "Will be sent when you are back online"
        return not (is_away or self.saved == "Saving…" or self.unsent)


@dataclass
class Device:
    """One browser with one page. `told`: what was said on it, asked of it and sent for a rating, in
    order."""

    name: str
    context: BrowserContext
    url: str
    note: Callable[[str], None]
    told: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.expose_binding("stormNote", lambda _source, what: self._hear(what))
        self.context.add_init_script(WATCH)
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self._complain(str(error.error)))
        self.page: Page = self.context.new_page()
        self.context.on("page", lambda search: search.close())  # that a look-up opens beside
        self.page.set_default_timeout(LONGEST_REST * 1000)

    def _hear(self, what: dict[str, Any]) -> None:
        self.told.append(what)
        if what["kind"] == "told" and what["words"].strip():
            self.note(f"{self.name} is told: {what['words'].strip()[:90]}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._complain(
                f"{message.text} ({message.location['url']}:{message.location['lineNumber']})"
            )

    def _complain(self, words: str) -> None:
        if not EXPECTED.search(words):
            self.errors.append(words)

    def state(self) -> State:
        """What stands there now; while a page gives way to another one, what stands there then."""
        return State(**self._ask(STATE))

    def _ask(self, script: str, given: str = "") -> Any:
        deadline = time.monotonic() + LONGEST_REST
        while True:
            try:
                return self.page.evaluate(script, given)
            except Error:
                if time.monotonic() > deadline:
                    raise
                self.page.wait_for_timeout(20)

    def rest(self) -> State | None:
        """Wait until nothing is left to be done; what stands there then. None where that does not
        come."""
        deadline = time.monotonic() + LONGEST_REST
        while time.monotonic() < deadline:
            state = self.state()
            if state.rests:
                self.page.wait_for_timeout(30)  # what begins with the end of something else
                if self.state() == state:
                    return state
            self.page.wait_for_timeout(30)
        return None

    def press(self, keys: str) -> None:
        self.page.keyboard.press(keys)

    def click(self, selector: str, share: float = 0) -> str:
        """A real click on one of several things; what it was, "" where there is none in sight."""
        try:
            place = self.page.evaluate(PLACE, [selector, share])
        except Error:
            return ""  # the page has given way to another one
        if place is None:
            return ""
        self.page.mouse.click(place["x"], place["y"])
        return str(place["what"])

    def open(self) -> bool:
        """The desk, anew. False where the network or the server is away."""
        try:
            self.page.goto(self.url, wait_until="load")
        except Error as error:
            if "net::ERR" in str(error) or "interrupted by another navigation" in str(error):
                return False
            raise
        return True

    def left(self, writer: str) -> dict[str, str] | None:
        """What stood in the form of a page when it went, keys that had waited included."""
        found = self._ask("(name) => sessionStorage.getItem(name)", f"storm:{writer}")
        return json.loads(found) if found else None

    def reload(self) -> bool:
        try:
            self.page.reload(wait_until="load")
        except Error as error:
            if "net::ERR" in str(error) or "interrupted by another navigation" in str(error):
                return False
            raise
        return True
