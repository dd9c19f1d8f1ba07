"""Show what a change of the style sheets changes: every page in every state (visits.py), with
the style sheets of a commit and with those of the checkout.

Usage: `make pictures BASE=commit`. It prints the pages whose pixels differ, keeps both pictures of
each, and fails if there are any.

Each page is kept as it stands in the browser, without its scripts. So both pictures show the same
texts, times and fonts, and nothing moves.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from django.contrib.staticfiles import finders
from django.db import connections
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, ViewportSize

from tests.checkers import ROOT, WIDE
from tests.conftest import Complaints, Site
from tests.visitor import Visitor

from .house.visits import (
    WALKS,
    WITHOUT_JAVASCRIPT,
)

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = (
    ViewportSize(width=1440, height=900),
    ViewportSize(width=1280, height=580),
    ViewportSize(width=390, height=844),
)
COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# The page as it is, with what was typed and chosen, and its style sheets by name.
KEEP = """() => {
  const copy = document.documentElement.cloneNode(true);
  const fields = "input, textarea, option, dialog";
  const copies = copy.querySelectorAll(fields);
  document.querySelectorAll(fields).forEach((each, place) => {
    const kept = copies[place];
    if (each.matches("input")) kept.setAttribute("value", each.value);
    if (each.matches("textarea")) kept.textContent = each.value;
    kept.toggleAttribute("checked", Boolean(each.checked));
    kept.toggleAttribute("selected", Boolean(each.selected));
    kept.toggleAttribute("data-modal", each.matches(":modal"));
  });
  for (const each of copy.querySelectorAll("script")) each.remove();
  /* The focus would scroll the page, at one time or another. */
  for (const each of copy.querySelectorAll("[autofocus]")) each.removeAttribute("autofocus");
  for (const each of copy.querySelectorAll("link[rel=stylesheet]")) {
    const style = document.createElement("style");
    style.dataset.sheet = new URL(each.href).pathname.replace("/static/", "");
    each.replaceWith(style);
  }
  return "<!doctype html>" + copy.outerHTML;
}"""
OPEN = """() => {
  for (const each of document.querySelectorAll("dialog[data-modal]")) {
    each.close();
    each.showModal();
  }
}"""
SETTLE = "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"


@dataclass(frozen=True)
class Kept:
    """A page in one state at one size."""

    name: str
    size: ViewportSize
    scripts: bool
    html: str


def keep_all(site: Site, browser: Browser, options: dict[str, Any]) -> Iterator[Kept]:
    """Walk through every page, and keep each state at every size."""
    for walk in WALKS:
        scripts = walk not in WITHOUT_JAVASCRIPT
        own = {"base_url": site.url, "java_script_enabled": scripts, "viewport": WIDE}
        context = browser.new_context(**{**options, **own})
        page = context.new_page()
        for number, state in enumerate(walk(Visitor(page, Complaints(), site.url))):
            site.wait_until_idle()
            for size in SIZES:
                page.set_viewport_size(size)
                if scripts:
                    page.evaluate(SETTLE)
                name = f"{walk.__name__}-{number:02} {state}, {size['width']}"
                yield Kept(name, size, scripts, page.evaluate(KEEP))
            page.set_viewport_size(WIDE)
        context.close()
        site.wait_until_idle()


def differing(browser: Browser, pages: list[Kept], base: str, folder: Path) -> Iterator[str]:
    """Return a line for each picture that differs; both stay in the folder."""
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts, reduced_motion="reduce")
        page = context.new_page()
        for kept in pages:
            if kept.scripts == scripts:
                yield from _compared(page, kept, base, folder)
        context.close()


def _compared(page: Page, kept: Kept, base: str, folder: Path) -> Iterator[str]:
    before, after = dressed(kept.html, base), dressed(kept.html, "")
    if before == after:
        return
    page.set_viewport_size(kept.size)
    for colours in COLOURS:
        page.emulate_media(color_scheme=colours)
        old, new = picture(page, before), picture(page, after)
        if pixels := difference(old, new):
            name = f"{kept.name}, {colours}"
            (folder / f"{name.replace('/', '-')} before.png").write_bytes(old)
            (folder / f"{name.replace('/', '-')} after.png").write_bytes(new)
            yield f"{name}: {pixels} pixels"


def dressed(html: str, commit: str) -> str:
    """Return a kept page with its style sheets as they were at a commit."""
    return re.sub(
        r'(<style data-sheet="([^"]+)">)', lambda found: found[1] + sheet(found[2], commit), html
    )


def picture(page: Page, html: str) -> bytes:
    """Return a picture of all of a page, loaded anew: what is only drawn again is rounded."""
    page.unroute_all()
    page.route("**/*", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto("http://kept.test/")
    if "data-modal" in html:
        page.evaluate(OPEN)
    return page.screenshot(full_page=True, animations="disabled")


@cache
def sheet(name: str, commit: str) -> str:
    """Return a style sheet as it was at a commit. Without one, or where it is new, as it is."""
    if commit:
        command = ["git", "show", f"{commit}:static/{name}"]
        shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if shown.returncode == 0:
            return shown.stdout
    return Path(str(finders.find(name))).read_text()


def difference(old: bytes, new: bytes) -> int:
    """Return the number of pixels that differ; all of them where the sizes do."""
    if old == new:
        return 0
    before, after = (Image.open(io.BytesIO(each)).convert("RGB") for each in (old, new))
    if before.size != after.size:
        return max(before.width * before.height, after.width * after.height)
    bands = ImageChops.difference(before, after).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return sum(most.histogram()[1:])


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The same browser, which draws no part of a page again: its edges would be rounded anew."""
    args = [*browser_type_launch_args["args"], "--disable-partial-raster"]
    return {**browser_type_launch_args, "args": args}


@pytest.fixture
def pages(
    _site: Site, browser: Browser, browser_context_args: dict[str, Any], django_db_blocker: Any
) -> list[Kept]:
    """Every page in every state at every size."""
    with django_db_blocker.unblock():
        kept = list(keep_all(_site, browser, browser_context_args))
        connections.close_all()
    return kept


def test_no_pixel_differs(pages: list[Kept], browser: Browser) -> None:
    folder = Path(tempfile.mkdtemp(prefix="evenhand-pictures-"))
    found = list(differing(browser, pages, os.environ["BASE"], folder))
    print(f"\n{len(pages) * len(COLOURS)} pictures; those that differ are in {folder}")
    assert found == []
