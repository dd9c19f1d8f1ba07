"""`python -m tests.storm`: the storm with a database and a server of its own, which is killed now
and then. Exit code 0 when nothing was seen to be wrong, 3 when something was."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.frame import SMALL
from benchmarks.place import ON_DISK, own_place
from benchmarks.processes import leave_on_signals

from .broken import BREAKS

if TYPE_CHECKING:
    from benchmarks.serving import Server

    from .run import Storm

RUBRICS = ("response-quality", "dialogue")
ITEMS = 1_000
MANY_STEPS = 300  # among which an item is submitted several times
WRONG = 3


def main(arguments: list[str]) -> int:
    """Run what the command line asks for, each rubric for its share of the time, and say what came
    of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.storm", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--rubric", choices=RUBRICS, help="one of them only")
    parser.add_argument("--broken", choices=BREAKS, help="break the program first")
    parser.add_argument(
        "--folder", type=Path, default=ON_DISK, help="where to work; it must be on a disk"
    )
    options = parser.parse_args(arguments)
    rubrics = [options.rubric] if options.rubric else [*RUBRICS]
    # Playwright's loop counts as running in this thread; whenever this code runs, it stands still.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "yes"
    begun = time.monotonic()
    breaches: list[str] = []
    with own_place(options.folder, SMALL) as place, ExitStack() as stack:
        if options.broken:
            os.environ["STORM_BREAKS"] = options.broken
        browser = stack.enter_context(sync_playwright()).chromium.launch(**_how_to_launch())
        stack.callback(browser.close)
        for rubric in rubrics:
            storm = run(place.folder, browser, rubric, options)
            breaches += storm.breaches
            print(json.dumps(report(rubric, storm), indent=2), flush=True)
    for breach in breaches:
        print(f"WRONG: {breach}", file=sys.stderr)
    print(f"{'WRONG' if breaches else 'all is well'}, {time.monotonic() - begun:.0f} s in all")
    return WRONG if breaches else 0


def run(folder: Path, browser: Browser, rubric: str, options: argparse.Namespace) -> Storm:
    """The storm over one rubric."""
    # Only now: these need Django, which is set up in the place.
    from benchmarks.serving import Server

    from .around import SLUG, Around
    from .device import Device
    from .network import Network
    from .run import Storm

    around = Around.make(rubric, ITEMS)
    application = "tests.storm.broken" if options.broken else "config.wsgi"
    with ExitStack() as stack:
        servers: list[Server] = []

        def start() -> None:
            servers.append(stack.enter_context(Server(folder, application, "config.settings")))

        def revive() -> None:
            for process in (*servers[-1].workers(), servers[-1].process):
                process.send_signal(signal.SIGKILL)
            start()
            network.server = servers[-1].address

        start()
        network = Network(servers[-1].address)
        stack.callback(network.close)
        url = f"{network.url}/projects/{SLUG}-{rubric}/desk/"
        devices = []
        for name in ("first", "second"):
            context = browser.new_context(
                user_agent=f"device-{name}", locale="en-GB", viewport={"width": 1280, "height": 800}
            )
            stack.callback(context.close)
            devices.append(Device(name, context, url, note=print))
        chance = random.Random(f"{options.seed}/{rubric}")  # noqa: S311 - what is done, no secret
        storm = Storm(around, network, devices, chance, revive)
        storm.run(seconds=options.seconds / (1 if options.rubric else len(RUBRICS)))
        if storm.steps > MANY_STEPS and not around.ratings():
            storm.breach(
                f"{storm.steps} steps, and nothing was rated: this storm shows nothing of submits"
            )
        log = servers[-1].log.read_text(errors="replace")
        if "Internal Server Error" in log:
            storm.breach(f"the server had an error: {log[-3000:]}")
    return storm


def report(rubric: str, storm: Storm) -> dict[str, Any]:
    """In figures."""
    from .checks import summary

    faults = Counter(str(sent.fault) for sent in storm.network.log if sent.fault)
    return {
        "rubric": rubric,
        "steps": storm.steps,
        "did": dict(sorted(storm.counts.items())),
        "forms sent": len(storm.network.log),
        "of them": dict(sorted(faults.items())),
        "refused for another version": sum(sent.status == 409 for sent in storm.network.log),
        "ratings": len(storm.around.ratings()),
        "called stored": sum(summary(device.told) for device in storm.devices),
    }


def _how_to_launch() -> dict[str, Any]:
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    return {
        "executable_path": next(filter(None, map(shutil.which, names)), None),
        # Chromium refuses to run as root in its box.
        "args": ["--no-sandbox"] if os.geteuid() == 0 else [],
    }


if __name__ == "__main__":
    leave_on_signals()
    sys.exit(main(sys.argv[1:]))
