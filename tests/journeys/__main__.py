"""Walk the journeys, each at a demonstration of its own, and print what the person was told.

Usage: `make journeys`, `make journeys ONLY=name,…`, and with LATE=2000 all answers of the server
come so many milliseconds late. Where a journey can't be finished, it says at
which step, a picture shows the page, and the exit code is 1. `files` are the journeys of files, and
`gallery` those of the gallery's rubrics; they share a demonstration. `rubrics` are those in which a
rubric is written, and `ratings` is that of a sheet that people have rated.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from tests.demonstration import demonstration, installed_browser, manage, own_folder, sign_in

from . import gallery, imports, ratings, rubrics, studies, tasks
from .gallery import GalleryJourney
from .imports import FileJourney, Imported
from .person import Person

OF_LEADS = studies.JOURNEYS + rubrics.JOURNEYS + ratings.JOURNEYS
JOURNEYS = tasks.JOURNEYS + OF_LEADS
Journey = Callable[[Person], Imported | None]
SHARING: tuple[Journey, ...] = (*imports.JOURNEYS, *gallery.JOURNEYS)
Sharing = FileJourney | GalleryJourney
LAPTOP = {"viewport": {"width": 1440, "height": 900}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
PATIENCE = 10_000  # milliseconds, for anything that is to come
# Seconds of a practised person for a key, for a click with the way there, and for the thought
# before a step (Card, Moran & Newell 1980, the Keystroke-Level Model). Reading is not in them.
KEY, CLICK, THOUGHT = 0.2, 1.3, 1.35
STORED = """
from tasks.models import Item, Response
print(
    Item.objects.filter(project__title={title!r}).count(),
    Response.objects.filter(item__project__title={title!r}).count(),
)
"""


@dataclass(frozen=True)
class Walk:
    """A journey as it was walked; `stopped` is where and why, if it was not finished."""

    name: str
    seconds: float
    clicks: int
    presses: int
    heard: tuple[tuple[str, str, str], ...]
    stopped: str = ""
    steps: int = 0
    imported: Imported | None = None  # what became of a file

    @property
    def by_hand(self) -> float:
        """Return the seconds that people need for it, by the Keystroke-Level Model."""
        return self.steps * THOUGHT + self.clicks * CLICK + self.presses * KEY


def main(arguments: list[str]) -> int:
    """Walk the journeys that the command line asks for; 1 if one could not be finished."""
    names: dict[str, Sequence[Journey]] = {named(journey): [journey] for journey in JOURNEYS}
    names |= {named(journey): [journey] for journey in SHARING}
    names |= {"files": imports.JOURNEYS, "gallery": gallery.JOURNEYS, "rubrics": rubrics.JOURNEYS}
    parser = argparse.ArgumentParser(prog="python -m tests.journeys", description=__doc__)
    parser.add_argument("--only", default="", metavar="NAMES", help=", ".join(names))
    parser.add_argument("--late", type=int, default=0, metavar="MILLISECONDS")
    options = parser.parse_args(arguments)
    asked = [name.strip() for name in options.only.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in names]:
        parser.error(f"no journey is called {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [each for name in asked for each in names[name]]
    if not imports.REAL.is_dir():
        print("EVENHAND_REAL_DATA names no folder: no real files.", file=sys.stderr)
    walks = []
    for walked in walk_all(chosen or [*JOURNEYS, *SHARING], options.late):
        walks.append(walked)
        print(told(walked), flush=True)
    print(table(walks))
    if files := [each for each in walks if each.imported]:
        print(table_of_files(files))
    return int(any(each.stopped for each in walks))


def walk_all(chosen: list[Journey], late: int) -> Iterator[Walk]:
    """Walk one journey after the other in one browser."""
    expect.set_options(timeout=PATIENCE + 5 * late)
    with sync_playwright() as playwright:
        found = installed_browser("chromium-headless-shell", "chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for journey in chosen:
            if not isinstance(journey, Sharing):
                yield from_the_start(browser, journey, late)
        yield from at_one(browser, [each for each in chosen if isinstance(each, Sharing)], late)
        browser.close()


def named(journey: Journey) -> str:
    return journey.__name__.replace("_", "-")


def from_the_start(browser: Browser, journey: Journey, late: int) -> Walk:
    """Walk a journey at a demonstration of its own, with an empty browser."""
    on_phone = journey.__name__ == "on_a_phone"
    with own_folder() as home, demonstration(home / "data") as demo:
        if journey in OF_LEADS:
            person = lead_of(browser, demo, home / "data", late)
        else:
            person = Person(met(browser, demo, late, on_phone=on_phone), touches=on_phone)
            sign_in(person.page, demo, "ada")
        walked = walk(journey, person)
        for each in (person, *person.others):
            each.context.close()
    return walked


def at_one(browser: Browser, journeys: list[Sharing], late: int) -> Iterator[Walk]:
    """Walk the journeys that share a demonstration, each in a project of its own."""
    if not journeys:
        return
    with own_folder() as home, demonstration(home / "data") as demo:
        for journey in journeys:
            lead = lead_of(browser, demo, home / "data", late)
            walked = walk(journey, lead)
            for each in (lead, *lead.others):
                each.context.close()
            if walked.imported and isinstance(journey, FileJourney):
                code = STORED.format(title=journey.path.name)
                items, responses = manage(home / "data", "shell", "-v", "0", "-c", code).split()
                imported = replace(walked.imported, items=int(items), responses=int(responses))
                walked = replace(walked, imported=imported)
            yield walked


def lead_of(browser: Browser, demo: dict[str, Any], data: Path, late: int) -> Person:
    """Return the lead, in front of an empty browser."""
    meet = partial(met, browser, demo, late)
    passwords = {each["name"]: each["password"] for each in demo["accounts"]}
    emails = data / "emails"
    return Person(meet(), name=studies.LEAD, passwords=passwords, meet=meet, emails=emails)


def met(
    browser: Browser, demo: dict[str, Any], late: int, *, on_phone: bool = False
) -> BrowserContext:
    """Return an empty browser for a demonstration."""
    context = browser.new_context(
        **(PHONE if on_phone else LAPTOP), base_url=demo["url"], locale="en-GB"
    )
    context.set_default_timeout(PATIENCE + 5 * late)
    answer_the_world(context, demo["url"])
    if late:
        context.on("page", partial(answer_late, late=late))
    return context


def answer_late(page: Page, *, late: int) -> None:
    """Let each answer to a page come so many milliseconds late."""
    limits = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    cable = page.context.new_cdp_session(page)
    cable.send("Network.emulateNetworkConditions", limits | {"latency": late})


def answer_the_world(context: BrowserContext, url: str) -> None:
    """Answer every request that would leave the machine with a page that says so."""
    context.route(
        lambda address: not address.startswith(url),
        lambda route: route.fulfill(body="A search would stand here."),
    )


def walk(journey: Journey, person: Person) -> Walk:
    """Walk a journey to its end, or to the step that can't be done."""
    person.settle()
    person.heard.clear()
    begun = time.monotonic()
    stopped, imported = "", None
    try:
        imported = journey(person)
        person.settle()
    except (AssertionError, Error, ValueError) as error:
        picture = picture_of(journey)
        at = person.acting()
        at.page.screenshot(path=picture)
        why, *_ = str(error).split("Aria snapshot:")  # the picture shows more
        stopped = f"at “{at.step}”: {why.strip()}\nThe page then: {picture}"
    seconds = time.monotonic() - begun
    everyone = (person, *person.others)
    return Walk(
        named(journey),
        seconds,
        sum(each.clicks for each in everyone),
        sum(each.presses for each in everyone),
        tuple(person.heard),
        stopped,
        sum(each.steps for each in everyone),
        imported,
    )


def picture_of(journey: Journey) -> Path:
    """Return where the page is kept on which a journey stopped."""
    return Path(tempfile.gettempdir()) / f"evenhand-journey-{named(journey)}.png"


def told(walked: Walk) -> str:
    """Return the journey in words: its figures, then each step with what the person was told."""
    lines = [f"\n== {figures(walked)}"]
    step = ""
    for at, kind, words in walked.heard:
        if at != step:
            lines.append(f"-- {at}")
            step = at
        lines.append(f"   {kind:<8}{words}")
    if walked.imported:
        lines += walked.imported.told()
    if walked.stopped:
        lines.append(f"STOPPED {walked.stopped}")
    return "\n".join(lines)


def figures(walked: Walk) -> str:
    return (
        f"{walked.name}: {walked.seconds:.1f} s, {walked.clicks} clicks, "
        f"{walked.presses} key presses, {walked.by_hand:.0f} s by hand, "
        f"told {len(walked.heard)} times"
    )


def table(walks: list[Walk]) -> str:
    """Return all journeys, a line each."""
    head = f"\n{'journey':<26}{'s':>6}{'clicks':>8}{'keys':>6}{'by hand':>9}{'told':>6}"
    rows = [
        f"{each.name:<26}{each.seconds:>6.1f}{each.clicks:>8}{each.presses:>6}"
        f"{each.by_hand:>9.0f}{len(each.heard):>6}{'  not finished' if each.stopped else ''}"
        for each in walks
    ]
    return "\n".join([head, *rows])


def table_of_files(walks: list[Walk]) -> str:
    """Return what became of each file: its figures, then what was asked and refused."""
    lines = [f"\n{'file':<30}{'s':>6}{'clicks':>8}{'items':>8}{'responses':>11}  read as"]
    for each in walks:
        assert each.imported
        lines.append(
            f"{each.name:<30}{each.seconds:>6.1f}{each.clicks:>8}{each.imported.items:>8}"
            f"{each.imported.responses:>11}  {each.imported.shape}"
        )
        lines += each.imported.told()
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
