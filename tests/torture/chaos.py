"""What goes wrong around the annotators: workers and the database server are killed, and time
passes."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psutil
import psycopg

from config.embedded_postgres import cluster

from .promises import NEVER

LEAST_IN_FLIGHT = 10
LONGEST_REVIVAL = 60.0  # seconds
AT_ANY_MOMENT = (
    "two live leases of one annotator",
    "more counted ratings than are wanted",
    "more live leases and counted ratings than are wanted",
)


@dataclass
class Chaos:
    """Common to all: a thread that acts again and again until it is told to stop."""

    chance: random.Random
    stopping: threading.Event = field(default_factory=threading.Event)
    complaints: list[str] = field(default_factory=list)

    def start(self) -> None:
        self.thread = threading.Thread(target=self._run, name=type(self).__name__)
        self.thread.start()

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()

    def _run(self) -> None:
        try:
            self.run()
        except Exception as error:
            self.complaints.append(f"{type(self).__name__}: {error!r}")

    def run(self) -> None:
        raise NotImplementedError

    def report(self) -> dict[str, Any]:
        """What was done, in figures."""
        raise NotImplementedError


@dataclass
class Clock(Chaos):
    """Has some leases' time run out, as if their annotators had been away for long, or all but run
    out, so that whoever works on renews them; and looks, at every moment, for what must not be at
    any."""

    address: str = ""
    passed: int = 0
    aged: int = 0
    looks: int = 0
    seen: set[str] = field(default_factory=set)

    def run(self) -> None:
        while not self.stopping.wait(0.2):
            # The server may be away just now, or go away under it.
            with (
                suppress(psycopg.OperationalError),
                psycopg.connect(self.address, autocommit=True) as line,
            ):
                while not self.stopping.wait(self.chance.uniform(0.1, 0.4)):
                    self.passed += pass_leases(line, self.chance.randrange(0, 3))
                    self.aged += age_leases(line, self.chance.randrange(0, 3))
                    self.look(line)

    def look(self, line: psycopg.Connection) -> None:
        """Two looks with a moment in between would see less than one: each is one statement."""
        self.looks += 1
        for kind in AT_ANY_MOMENT:
            found = line.execute(NEVER[kind]).fetchall()
            if found and kind not in self.seen:
                self.seen.add(kind)
                self.complaints.append(f"seen while at work: {kind}: {found[:3]}")

    def report(self) -> dict[str, Any]:
        return {"leases passed": self.passed, "leases aged": self.aged, "looks": self.looks}


def pass_leases(line: psycopg.Connection, number: int | None) -> int:
    """Have so many live leases end now, or all; how many did."""
    return line.execute(
        """
        UPDATE tasks_lease SET expires_at = started_at + interval '1 millisecond' WHERE id IN (
          SELECT id FROM tasks_lease WHERE status = 'live' AND expires_at > now()
            AND started_at < now() - interval '100 milliseconds' ORDER BY random() LIMIT %s)
        """,
        [number],
    ).rowcount


def age_leases(line: psycopg.Connection, number: int) -> int:
    """Have so many live leases end in half a minute; how many did not end sooner."""
    return line.execute(
        """
        UPDATE tasks_lease SET expires_at = now() + interval '30 seconds' WHERE id IN (
          SELECT id FROM tasks_lease WHERE status = 'live'
            AND expires_at > now() + interval '30 seconds' ORDER BY random() LIMIT %s)
        """,
        [number],
    ).rowcount


@dataclass
class WebKiller(Chaos):
    """Ends a worker by SIGKILL every few seconds, now and then all of them.

    `done`: how much was acknowledged. A kill waits until it is more than at the one before: on a
    slow machine workers would else be killed as they start, and none would ever answer.
    """

    workers: Callable[[], list[psutil.Process]] = list
    done: Callable[[], int] = int
    kills: int = 0

    def run(self) -> None:
        while not self.stopping.wait(self.chance.uniform(3, 6)):
            workers = self.workers()
            for worker in workers if self.chance.random() < 0.25 else workers[:1]:
                with suppress(psutil.NoSuchProcess):
                    worker.kill()
                    self.kills += 1
            before = self.done()
            while self.done() == before:
                if self.stopping.wait(0.05):
                    return

    def report(self) -> dict[str, Any]:
        return {"workers killed": self.kills}


@dataclass
class DatabaseKiller(Chaos):
    """Ends PostgreSQL, its first process and all others, by SIGKILL; whoever needs it starts it
    again.

    `share`: how much of the work is done, 0 to 1; a kill waits for its share of it, and for enough
    requests on their way (`in_flight`).
    """

    address: str = ""
    home: cluster.Home | None = None
    times: int = 3
    share: Callable[[], float] = float
    in_flight: Callable[[], int] = int
    killed_with: list[int] = field(default_factory=list)
    away_for: list[float] = field(default_factory=list)

    def run(self) -> None:
        assert self.home is not None
        for number in range(1, self.times + 1):
            while self.share() < number / (self.times + 1) or self.in_flight() < LEAST_IN_FLIGHT:
                if self.stopping.wait(0.002):
                    self.complaints.append(f"the database was killed {number - 1} times only")
                    return
            first = self._postmaster()
            if first is None:
                raise RuntimeError("the database is not running before it is killed")
            flying = self.in_flight()
            first.send_signal(
                signal.SIGSTOP
            )  # it could start new ones, or clean up, while its children die
            for process in (*first.children(), first):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            self.killed_with.append(flying)
            self._wait_until_back(first)

    def _wait_until_back(self, first: psutil.Process) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < LONGEST_REVIVAL:
            if self._postmaster() not in (None, first):
                with suppress(psycopg.OperationalError):
                    psycopg.connect(self.address).close()
                    self.away_for.append(time.monotonic() - begun)
                    return
            time.sleep(0.01)
        self.complaints.append("nobody started the killed database again")

    def _postmaster(self) -> psutil.Process | None:
        assert self.home is not None
        return cluster._postmaster(self.home)

    def report(self) -> dict[str, Any]:
        return {
            "database killed with requests on their way": self.killed_with,
            "seconds until it answered again": [round(seconds, 2) for seconds in self.away_for],
        }
