"""Measure submit and next over HTTP: the desk's form with three responses against the minimal view.

Each response has 1 kB. For one annotator, the bench measures the wait for the answer, and the CPU
time of the web workers and PostgreSQL per rating. For sixteen at once, it measures the answers per
second and the wait that 1 in 100 exceeds (p99). Both servers run all the time on one database, and
receive requests in turns. At the end, every acknowledged rating must be in the database, once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tasks.models import Lease, Rating, Score

from .content import SLUG, World, answers
from .frame import Figure, in_turns, quantile
from .minimal.models import Note
from .place import Place
from .processes import end, start
from .serving import Server, database_cpu

KINDS_OF_ANSWERS = 24  # different forms, sent in rotation


@dataclass(frozen=True)
class Burst:
    """The outcome of a series of requests."""

    waits: list[float]  # ms
    per_second: float
    cpu: float  # ms per request
    database_cpu: float  # ms per request


@dataclass
class Load:
    """The process that sends requests (`benchmarks.load`), and its server."""

    server: Server
    process: subprocess.Popen[str]
    acknowledged: list[int] = field(default_factory=list)

    def say(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def told(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr
            raise RuntimeError(
                f"the load ended: {self.process.stderr.read()}\n{self.server.log.read_text()}"
            )
        return dict(json.loads(line))

    def burst(self, annotators: int, requests: int) -> Burst:
        """Connect, send the requests, and return what they cost."""
        self.say(f"open {annotators}")
        self.told()
        cpu, database = self.server.cpu(), database_cpu()
        self.say(f"send {requests}")
        outcome = self.told()
        cpu, database = self.server.cpu() - cpu, database_cpu() - database
        self.acknowledged += outcome["acknowledged"]
        assert len(outcome["waits"]) == requests
        return Burst(
            waits=[wait * 1000 for wait in outcome["waits"]],
            per_second=requests / outcome["seconds"],
            cpu=cpu * 1000 / requests,
            database_cpu=database * 1000 / requests,
        )


def orders_for_desk(world: World) -> dict[str, Any]:
    """Return what a load on the desk is told."""
    return {
        "kind": "desk",
        "path": f"/projects/{SLUG}/desk/",
        "sessions": world.sessions,
        "answers": list(islice(answers(), KINDS_OF_ANSWERS)),
    }


@contextmanager
def loads(place: Place) -> Iterator[tuple[Load, Load]]:
    """Start the loads on the desk and on the minimal view. At the end, check the stored rows."""
    world = place.world
    desk = orders_for_desk(world)
    minimal = {
        "kind": "minimal",
        "path": "/",
        "sessions": world.minimal_sessions,
        "answers": [{"text": "Said of three responses, with reasons. " * 15}],
    }
    with load(place.ours, desk) as ours, load(place.minimal, minimal) as floor:
        yield ours, floor
        check(world, ours, floor)


@contextmanager
def load(server: Server, orders: dict[str, Any]) -> Iterator[Load]:
    host, port = server.address
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = start([sys.executable, "-m", "benchmarks.load"], **pipes)
    try:
        started = Load(server, process)
        started.say(json.dumps({**orders, "host": host, "port": port}))
        yield started
    finally:
        end(process)


def check(world: World, ours: Load, floor: Load) -> None:
    """Check that every acknowledgement is exactly one row in the database."""
    leases = ours.acknowledged
    assert len(set(leases)) == len(leases), "a lease was acknowledged twice"
    submitted = Lease.objects.filter(
        pk__in=leases, project=world.project, status=Lease.Status.SUBMITTED
    )
    ratings = Rating.objects.filter(lease__in=leases)
    found = (submitted.count(), ratings.count(), Score.objects.filter(rating__in=ratings).count())
    expected = (len(leases), len(leases), 3 * len(leases))
    if found != expected:
        raise RuntimeError(
            f"{expected} leases, ratings and scores were acknowledged; {found} are there"
        )
    notes = Note._default_manager.filter(pk__in=floor.acknowledged).count()
    if notes != len(floor.acknowledged):
        raise RuntimeError(f"{len(floor.acknowledged)} notes were acknowledged; {notes} are there")


def one(place: Place) -> Iterator[Figure]:
    """Measure one annotator who submits ratings one after another."""
    sizes = place.sizes
    with loads(place) as (ours, floor):
        bursts = in_turns(
            sizes.rounds,
            lambda: ours.burst(1, sizes.requests),
            lambda: floor.burst(1, sizes.requests),
        )
    figure = _figures(place, bursts)
    yield figure("submit_next_p50", "ms", lambda burst: quantile(burst.waits, 0.5))
    yield figure("submit_next_p95", "ms", lambda burst: quantile(burst.waits, 0.95))
    yield figure("submit_next_cpu", "ms", lambda burst: burst.cpu)
    yield figure("submit_next_postgres_cpu", "ms", lambda burst: burst.database_cpu)


def at_once(place: Place) -> Iterator[Figure]:
    """Measure sixteen annotators who each submit as soon as the last answer arrives."""
    sizes = place.sizes
    with loads(place) as (ours, floor):
        bursts = in_turns(
            sizes.long_rounds,
            lambda: ours.burst(sizes.annotators, sizes.requests_at_once),
            lambda: floor.burst(sizes.annotators, sizes.requests_at_once),
        )
    figure = _figures(place, bursts)
    yield figure("submit_next_16_throughput", "/s", lambda burst: burst.per_second)
    yield figure("submit_next_16_p50", "ms", lambda burst: quantile(burst.waits, 0.5))
    yield figure("submit_next_16_p99", "ms", lambda burst: quantile(burst.waits, 0.99))


def _figures(
    place: Place, bursts: list[tuple[Burst, Burst]]
) -> Callable[[str, str, Callable[[Burst], float]], Figure]:
    peak, floor_peak = place.ours.peak_mb(), place.minimal.peak_mb()

    def figure(name: str, unit: str, take: Callable[[Burst], float]) -> Figure:
        return Figure(
            name, unit, tuple((take(ours), take(floor)) for ours, floor in bursts), peak, floor_peak
        )

    return figure
