"""The desk in a real Chromium: from a key to the paint of what the server answers, against a page
that does as much with next to nothing on it; and what the desk takes to fetch.

Both pages are open in one browser (`benchmarks.hands`) and used in turns. In the end every item
that was submitted must be a rating in the database.
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

from tasks.models import Rating

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
        """Have something done on a page, and wait for what came of it."""
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
        """Waits in ms, by what was waited for."""
        waits = self.ask(who, press=items, latency=latency)
        assert len(waits["next"]) == items
        if who == "desk":
            self.submitted += items
        return waits


@contextmanager
def browser(place: Place) -> Iterator[Browser]:
    """Both pages open and used once. In the end what was submitted is counted."""
    world = place.world
    visits = {
        "desk": {
            "kind": "desk",
            "url": _url(place.ours.address, f"/projects/{SLUG}/desk/"),
            "session": world.sessions[-1],
        },
        "minimal": {
            "kind": "minimal",
            "url": _url(place.minimal.address, "/page/"),
            "session": world.minimal_sessions[-1],
        },
    }
    before = Rating.objects.filter(project=world.project).count()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    # What the browser puts aside goes with the folder.
    process = start(
        [sys.executable, "-m", "benchmarks.hands"],
        env={**os.environ, "TMPDIR": str(place.folder)},
        **pipes,
    )
    try:
        assert process.stdin
        print(json.dumps(visits), file=process.stdin, flush=True)
        hands = Browser(process, (place.ours, place.minimal))
        for who in visits:
            hands.rate(who, 2)
        yield hands
        process.stdin.close()
        process.wait()
    finally:
        end(process)
    found = Rating.objects.filter(project=world.project).count() - before
    if found != hands.submitted:
        raise RuntimeError(f"{hands.submitted} items were submitted; {found} ratings are there")


def _url(address: tuple[str, int], path: str) -> str:
    host, port = address
    return f"http://{host}:{port}{path}"


def keys(place: Place) -> Iterator[Figure]:
    """From Enter to the next item, from a tick to its verdict."""
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
    """The same over a line that takes a tenth of a second."""
    sizes = place.sizes
    with browser(place) as hands:
        rounds = in_turns(
            sizes.long_rounds,
            lambda: hands.rate("desk", sizes.keys_from_afar, LATENCY),
            lambda: hands.rate("minimal", sizes.keys_from_afar, LATENCY),
        )
    yield _figure(place, "key_to_next_item_100ms_p50_ms", rounds, "next", 0.5)


def first_load(place: Place) -> Iterator[Figure]:
    """What a browser that has seen nothing fetches for the desk with an item on it."""
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
