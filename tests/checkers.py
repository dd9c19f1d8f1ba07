"""What looks at a page for those who cannot say that it shuts them out: axe, the Nu HTML checker,
and a few rules of WCAG 2.2 that neither of them sees.

axe is the file in axe-playwright-python. The Nu HTML checker comes from npm (package.json) and
needs Java: a test that asks it is marked `ci`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Page, ViewportSize

from tests.conftest import Served
from tests.contrast import below

ROOT = Path(__file__).resolve().parent.parent
NU = ROOT / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
WIDE, PHONE = ViewportSize(width=1366, height=650), ViewportSize(width=390, height=780)
# 1366 × 650 at a zoom of 400 %, in CSS pixels: WCAG 2.2, 1.4.10, asks for 320 × 256 at most.
ZOOMED = ViewportSize(width=341, height=162)
SIZES = {"wide": WIDE, "phone": PHONE}
Look: TypeAlias = tuple[Literal["wide", "phone"], Literal["light", "dark"]]
# The first two have each size and each scheme.
LOOKS: tuple[Look, ...] = (
    ("wide", "light"),
    ("phone", "dark"),
    ("wide", "dark"),
    ("phone", "light"),
)
LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# A rule of level A that axe took for an experiment until 4.13, and leaves out unless it is named.
NAMED = {"label-content-name-mismatch": {"enabled": True}}
# What of that the colours decide: the rest is the same in the other scheme, and looked at once.
OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
# Two thirds of axe's time go into contrast. `below` sees the same in a fiftieth of it, unless
# something lies over a text or lets its ground through: that is left to axe, once for each page.
WITHOUT_CONTRAST = NAMED | {"color-contrast": {"enabled": False}}

# What it would load first is what a page plays; without that it reads every style sheet in vain.
# The foot of the desk or of a form stays at the window's edge, over whatever one scrolls under it
# next: while axe looks, it stands at its end, so that it hides half of nothing.
AXE = """async ([tags, rules, kinds]) => {
  const plays = Boolean(document.querySelector("audio, video"));
  const foot = document.querySelector(".foot, .page-foot");
  foot?.style.setProperty("position", "static");
  const options = { runOnly: tags, rules, resultTypes: ["violations"], preload: plays };
  const where = kinds ? { include: window.fresh } : document;
  const { violations, passes } = await axe.run(where, options);
  foot?.style.removeProperty("position");
  const rows = violations.flatMap(({ id, nodes }) => nodes.map((node) =>
    `${id}: ${node.target.join(" ")}: ${
      node.failureSummary.split("\\n").slice(1).join(";").trim()}`));
  return [passes.length, rows];
}"""

# Whether something on the page lies over a text that is not in it, or lets the ground through.
# The foot is left out, as for axe.
COVERS = """() => {
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const boxes = [];
  for (const element of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || !isSeen(element) || style.clipPath !== "none") continue;
    if (style.opacity !== "1") return true;
    const isLifted = /fixed|absolute|sticky/.test(style.position);
    if (isLifted && !element.closest(".foot, .page-foot")) boxes.push([element, box]);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (boxes.length && texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.trim() || !isSeen(text.parentElement)) continue;
    range.selectNode(text);
    for (const line of range.getClientRects())
      for (const [element, box] of boxes)
        if (!element.contains(text) && line.left < box.right && box.left < line.right
          && line.top < box.bottom && box.top < line.bottom) return true;
  }
  return false;
}"""

# The elements of a page whose kind is not among those of `looked`, by their hashes.
FRESH = """(looked) => {
  const hash = (text) => [...text].reduce((sum, each) => (sum * 31 + each.charCodeAt()) | 0, 0);
  const told = ({ name, value }) =>
    (/^(class|role|type|aria-[hip])/.test(name) ? name + value : name);
  const named = (element) => element.tagName + [...element.attributes].map(told);
  const kind = (element) =>
    hash(named(element) + named(element.parentElement) + Boolean(element.textContent.trim()));
  const known = new Set(JSON.parse(looked));
  const all = [...document.body.querySelectorAll("*")];
  window.fresh = all.filter((each) => !known.has(kind(each)));
  for (const each of window.fresh) known.add(kind(each));
  return [window.fresh.length, JSON.stringify([...known])]; /* Playwright takes long over a list */
}"""

# What is to be true of the document whatever is in it.
STRUCTURE = """() => {
  const wrong = [];
  const say = (holds, what) => { if (!holds) wrong.push(what); };
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  say(/^[a-z]{2}/.test(document.documentElement.lang), "the page does not say its language");
  say(document.title.replace(/·.*/, "").trim(), "the page has no title of its own");
  const heads = [...document.querySelectorAll("h1")].filter(seen);
  say(heads.length === 1, `the page has ${heads.length} h1`);
  const skip = document.querySelector("a, button, input, [tabindex='0']");
  const entry = skip?.matches("a[href^='#']") ? document.getElementById(skip.hash.slice(1)) : null;
  say(entry?.matches("main, main *"), "nothing skips to the main part before all else");
  say(document.querySelector("main"), "the page has no main part");
  say(document.querySelector("[role=status], [role=alert]") || !document.forms.namedItem("rating"),
    "the desk announces nothing");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const again = ids.filter((id, place) => ids.indexOf(id) !== place);
  for (const id of new Set(again)) wrong.push(`two things are #${id}`);
  for (const name of ["for", "form", "headers", "list", "aria-labelledby", "aria-describedby",
    "aria-controls", "aria-errormessage", "aria-owns"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(/\\s+/).filter(Boolean)) {
        if (!document.getElementById(id)) wrong.push(`${name}="${id}" leads nowhere`);
      }
    }
  }
  for (const link of document.querySelectorAll("a[href^='#']:not([role=button])")) {
    const there = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    say(there, `${link.hash} leads nowhere`);
  }
  for (const field of document.querySelectorAll("[aria-invalid=true]")) {
    const said = [field, field.closest("fieldset, [role=group], [role=radiogroup]")]
      .flatMap((each) => each?.getAttribute("aria-describedby")?.split(" ") ?? []);
    say(said.some((id) => document.getElementById(id)?.textContent.trim()),
      `#${field.id} is wrong, and what is wrong is not tied to it`);
  }
  return wrong;
}"""

# What the focus changes in the looks of each thing that takes it, or of its label: nothing is a
# finding. What was seen before (the same kind of thing in the same place) is not asked again.
FOCUS = """(known) => {
  const before = document.activeElement;
  const kind = (element) => [element, element.parentElement, element.closest("[data-row]")]
    .map((each) => `${each?.tagName}.${each?.className}.${each?.type ?? ""}`).join(" in ");
  const looks = (element) => {
    const style = getComputedStyle(element);
    const outline =
      style.outlineStyle === "none" ? "" : `${style.outlineWidth} ${style.outlineColor}`;
    return [outline, style.boxShadow, style.borderColor, style.backgroundColor, style.top].join();
  };
  const around = (element) =>
    [element, ...element.labels ?? [], element.parentElement, element.closest("[data-row]")]
      .filter((each) => each?.checkVisibility());
  const takers = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const stops = [...document.querySelectorAll(takers)]
    .filter((element) => !element.disabled && element.type !== "hidden"
      && element.checkVisibility({ visibilityProperty: true }));
  const wrong = [];
  const fresh = new Map(stops.map((each) => [kind(each), each]));
  for (const each of known) fresh.delete(each);
  for (const element of fresh.values()) {
    element.blur();
    const without = around(element).map(looks).join();
    element.focus({ focusVisible: true, preventScroll: true });
    if (document.activeElement !== element) continue;
    if (without === around(element).map(looks).join()) {
      wrong.push(`the focus on ${element.outerHTML.slice(0, 120)} cannot be seen`);
    }
  }
  document.activeElement?.blur();
  before?.focus?.({ preventScroll: true });
  return [stops.length, [...fresh.keys()], wrong];
}"""

# Whether all of a page can be read by scrolling one way only. Tables may be wider, in a box that
# scrolls by itself.
REFLOW = """() => {
  const page = document.scrollingElement;
  const wide = [...document.querySelectorAll("body *")].filter((element) => {
    const style = getComputedStyle(element);
    return element.checkVisibility({ visibilityProperty: true }) && style.clipPath === "none"
      && element.getBoundingClientRect().right > page.clientWidth + 1;
  });
  if (page.scrollWidth <= page.clientWidth) return [];
  return [`at 400 % one has to scroll sideways: ${page.scrollWidth} px, as ${
    wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 100)).join(" and ")}`];
}"""


# What takes the focus and is still under the desk's foot when one has scrolled as far as one can.
# What scrolls by itself above the foot is left out.
UNDER_FOOT = """() => {
  const foot = document.querySelector(".foot");
  const before = scrollY;
  scrollTo(0, document.documentElement.scrollHeight);
  const wrong = [];
  if (foot?.checkVisibility() && getComputedStyle(foot).position !== "static") {
    const { top } = foot.getBoundingClientRect();
    const takers = "main :is(a[href], button, input, select, textarea, summary, label)";
    for (const element of document.querySelectorAll(takers)) {
      const box = element.getBoundingClientRect();
      const isIn = element.closest("dialog, .foot, .panel, .concern, [hidden]");
      if (!isIn && element.checkVisibility() && box.width > 2 && box.bottom > top + 1)
        wrong.push(`the foot hides ${element.outerHTML.slice(0, 120)}`);
    }
  }
  scrollTo(0, before);
  return wrong;
}"""


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def look(
    page: Page,
    *,
    known: set[str],
    scripts: bool = True,
    looks: Sequence[Look] = LOOKS[:2],
    looked: dict[str, str] | None = None,
    whole: int = 1,
    large: bool = False,
) -> Iterator[str]:
    """All that is wrong with a page as it stands: in its `looks`, and zoomed. The page is wide and
    light again afterwards. Without `scripts` axe has no clock, and is left out. `known`: the kinds
    of controls whose focus was seen, to which those of the page are added. `looked`: the same of
    what axe saw at a size. In so many first looks it sees the `whole` page, in the others only what
    is not among `looked`. `below` sees contrast in all of them, unless the letters are large."""
    yield from page.evaluate(STRUCTURE)
    stops, fresh, unseen = page.evaluate(FOCUS, list(known))
    known.update(fresh)
    yield from unseen
    if not stops:
        yield "nothing takes the focus"
    if scripts:
        yield from _ask_axe(page, looks, looked if looked is not None else {}, whole, large)
    page.set_viewport_size(ZOOMED)
    yield from page.evaluate(REFLOW)
    page.set_viewport_size(WIDE)


def _ask_axe(
    page: Page, looks: Sequence[Look], looked: dict[str, str], wholes: int, large: bool
) -> Iterator[str]:
    sizes = set()
    scheme = "light"
    for number, (size, colours) in enumerate(looks):
        whole = number < wholes
        # Each change lays the page out anew, even one to what it is already.
        if page.viewport_size != SIZES[size]:
            page.set_viewport_size(SIZES[size])
        if colours != scheme:
            page.emulate_media(color_scheme=colours)
            scheme = colours
        yield from page.evaluate(UNDER_FOOT)
        fresh, looked[size] = page.evaluate(FRESH, looked.get(size, "[]"))
        if not large:
            pale = below(page, "text", LEAST_CONTRAST)
            yield from (f"{size}, {colours}: contrast of {ratio}: {words}" for words, ratio in pale)
        if not whole and not fresh:
            continue
        if not page.evaluate("() => 'axe' in window"):
            # Through the browser's own tools, which no policy of a page concerns.
            page.evaluate(_axe())
        tags = OF_COLOURS if size in sizes else TAGS
        is_covered = whole and page.evaluate(COVERS)
        rules = NAMED if large or is_covered else WITHOUT_CONTRAST
        passed, found = page.evaluate(AXE, [tags, rules, not whole])
        sizes.add(size)
        yield from (f"{size}, {colours}: {each}" for each in found)
        if not passed and whole:
            yield f"{size}, {colours}: axe looked at nothing"
    if scheme != "light":
        page.emulate_media(color_scheme="light")


# --- the Nu HTML checker ---


@dataclass(frozen=True)
class Allowed:
    """A kind of message that is no finding here, and why."""

    message: str
    reason: str


# What a fragment cannot show by itself; what it refers to is looked up in the page that it went
# into, by STRUCTURE.
OF_FRAGMENTS: tuple[Allowed, ...] = (
    Allowed(
        r"must (point|refer) to an element|must refer to a form element|must be a descendant of",
        "the fragment's page has the element",
    ),
    Allowed("none of them has a computed heading level of 1", "the fragment's page has the h1"),
)
ALLOWED: tuple[Allowed, ...] = ()


def check_html(pages: Iterable[tuple[str, Served]], folder: Path) -> list[str]:
    """What the Nu HTML checker says of pages and fragments, each with its name: one run for all of
    them."""
    names: dict[str, tuple[str, bool]] = {}
    for number, (name, served) in enumerate(pages):
        whole = served.html.lstrip().lower().startswith("<!doctype html")
        file = folder / f"{number:04}.html"
        file.write_text(served.html if whole else _framed(served.html), encoding="utf-8")
        names[file.as_uri().replace("file:///", "file:/")] = (
            f"{name} ({served.method} {served.address})",
            whole,
        )
    java = shutil.which("java")
    assert java, (
        "java is missing: `make node` brings it on Debian as root; else install a JRE, 11 or newer"
    )
    assert NU.exists(), f"{NU} is missing: run `make node`, which takes it from npm"
    command = [
        java,
        "-XX:+UseSerialGC",
        "-jar",
        str(NU),
        "--format",
        "json",
        "--stdout",
        "--skip-non-html",
    ]
    said = subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, timeout=300, check=False
    )
    try:
        messages: list[dict[str, Any]] = json.loads(said.stdout)["messages"]
    except json.JSONDecodeError as error:
        raise AssertionError(
            f"the Nu HTML checker broke off: {said.stdout}{said.stderr}"
        ) from error
    found = set()
    for message in messages:
        name, whole = names[message["url"]]
        text = message["message"]
        if not any(
            re.search(each.message, text) for each in (ALLOWED if whole else ALLOWED + OF_FRAGMENTS)
        ):
            found.add(f"{name}: {message['type']}: {text} … {message.get('extract', '').strip()}")
    return sorted(found)


def _framed(fragment: str) -> str:
    head = '<!doctype html>\n<html lang="en"><head><title>Fragment</title></head>'
    return f"{head}<body>\n{fragment}\n</body></html>"
