"""Measure the desk in a real Chromium, from a key to the paint of the server's response.

The floor is a page that does the same with almost no content. The size of the first load is
measured too. Both pages are open in one browser (`benchmarks.hands`) and used in turns. At the
end, every submitted item must be a rating in the database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tasks.models import Project, Rating

from .content import SLUG
from .frame import Figure, in_turns, quantile
from .place import Place
from .processes import end, start
from .serving import Server

LATENCY = 100  # milliseconds, as to a server in another country


@dataclass
class Browser:
    """The process that presses keys."""

    process: subprocess.Popen[str]
    servers: tuple[Server, ...]
    submitted: int = 0

    def ask(self, who: str, **command: Any) -> dict[str, Any]:
        """Send a command for a page, and wait for its outcome."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps({"who": who, **command}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr
            logs = "\n".join(server.log.read_text() for server in self.servers)
            raise RuntimeError(f"the hands ended: {self.process.stderr.read()}\n{logs}")
        return dict(json.loads(line))

    def rate(self, who: str, items: int, latency: float = 0) -> dict[str, list[float]]:
        """Rate items, and return the waits in ms by kind: "next" and "tick"."""
        waits = self.ask(who, press=items, latency=latency)
        assert len(waits["next"]) == items
        if who == "desk":
            self.submitted += items
        return waits

    def act(self, who: str, acts: list[tuple[str, str]], items: int) -> dict[str, int]:
        """Rate items by these acts, and return how often the page requested what."""
        if who == "desk":
            self.submitted += items
        return dict(self.ask(who, acts=acts, items=items)["sent"])


@contextmanager
def browser(place: Place) -> Iterator[Browser]:
    """Open the desk and the minimal page, and warm them up."""
    world = place.world
    visits = {
        "desk": desk(place, SLUG, world.sessions[-1]),
        "minimal": minimal_page(place, world.minimal_sessions[-1]),
    }
    with visiting(place, world.project, visits) as hands:
        for who in visits:
            hands.rate(who, 2)
        yield hands


def desk(place: Place, slug: str, session: str) -> dict[str, str]:
    """Return a visit to the desk of a project."""
    url = _url(place.ours.address, f"/projects/{slug}/desk/")
    return {"kind": "desk", "url": url, "session": session}


def minimal_page(place: Place, session: str) -> dict[str, str]:
    """Return a visit to the page of the minimal view."""
    url = _url(place.minimal.address, "/page/")
    return {"kind": "minimal", "url": url, "session": session}


@contextmanager
def visiting(
    place: Place, project: Project, visits: dict[str, dict[str, str]]
) -> Iterator[Browser]:
    """Open the pages. At the end, check that every item submitted in the project has a rating."""
    before = Rating.objects.filter(project=project).count()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    # The browser's temporary files are deleted with the folder.
    process = start(
        [sys.executable, "-m", "benchmarks.hands"],
        env={**os.environ, "TMPDIR": str(place.folder)},
        **pipes,
    )
    try:
        assert process.stdin
        print(json.dumps(visits), file=process.stdin, flush=True)
        hands = Browser(process, (place.ours, place.minimal))
        yield hands
        process.stdin.close()
        process.wait()
    finally:
        end(process)
    found = Rating.objects.filter(project=project).count() - before
    if found != hands.submitted:
        raise RuntimeError(f"{hands.submitted} items were submitted; {found} ratings are there")


def _url(address: tuple[str, int], path: str) -> str:
    host, port = address
    return f"http://{host}:{port}{path}"


def keys(place: Place) -> Iterator[Figure]:
    """Measure from Enter to the next item, and from a tick to its verdict."""
    sizes = place.sizes
    with browser(place) as hands:
        rounds = in_turns(
            sizes.long_rounds,
            lambda: hands.rate("desk", sizes.keys),
            lambda: hands.rate("minimal", sizes.keys),
        )
    for name, kind, share in (
        ("key_to_next_item_p50_ms", "next", 0.5),
        ("key_to_next_item_p95_ms", "next", 0.95),
        ("tick_to_verdict_p50_ms", "tick", 0.5),
    ):
        yield _figure(place, name, rounds, kind, share)


def keys_from_afar(place: Place) -> Iterator[Figure]:
    """Measure from Enter to the next item, with 100 ms of network latency."""
    sizes = place.sizes
    with browser(place) as hands:
        rounds = in_turns(
            sizes.long_rounds,
            lambda: hands.rate("desk", sizes.keys_from_afar, LATENCY),
            lambda: hands.rate("minimal", sizes.keys_from_afar, LATENCY),
        )
    yield _figure(place, "key_to_next_item_100ms_p50_ms", rounds, "next", 0.5)


def first_load(place: Place) -> Iterator[Figure]:
    """Measure the transfer size of the desk with an item, for a browser with an empty cache."""
    with browser(place) as hands:
        rounds = in_turns(
            place.sizes.long_rounds,
            lambda: hands.ask("desk", load=True),
            lambda: hands.ask("minimal", load=True),
        )
    for name, unit, what in (
        ("desk_first_load_kb", "kB", "kb"),
        ("desk_first_load_requests", "requests", "requests"),
    ):
        yield Figure(name, unit, tuple((ours[what], floor[what]) for ours, floor in rounds))


def _figure(
    place: Place,
    name: str,
    rounds: list[tuple[dict[str, list[float]], dict[str, list[float]]]],
    kind: str,
    share: float,
) -> Figure:
    return Figure(
        name,
        "ms",
        tuple(
            (quantile(ours[kind], share), quantile(floor[kind], share)) for ours, floor in rounds
        ),
        place.ours.peak_mb(),
        place.minimal.peak_mb(),
    )
