"""Races: several connections at the same moment, or in the one order that has to be seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections

T = TypeVar("T")

LONGEST = 20.0  # seconds; a machine with much to do takes one or two
# pg_stat_activity would not do: within a transaction it has no one who came after its first look.
BLOCKED = """
SELECT count(*) FROM pg_locks
WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
"""


def until_one_waits_for_us() -> None:
    """Go on when some transaction waits for what this connection has locked; fail where none does
    in time."""
    end = time.monotonic() + LONGEST
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(BLOCKED)
            if cursor.fetchone() != (0,):
                return
            time.sleep(0.01)
    raise AssertionError(f"nobody has waited for this transaction within {LONGEST:.0f} s")


def at_once(actions: list[Callable[[], T]], delays: Sequence[float] = ()) -> list[T]:
    """Do all of it at the same moment, each in a thread with a connection of its own.

    `delays`: seconds by which each begins later than the one that begins first.
    """
    together = threading.Barrier(len(actions))
    first = min(delays, default=0.0)

    def run(action: Callable[[], T], delay: float) -> T:
        together.wait()
        time.sleep(delay)
        try:
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as threads:
        begun = [
            threads.submit(run, action, delay - first)
            for action, delay in zip(actions, delays or [0.0] * len(actions), strict=True)
        ]
        return [future.result(timeout=60) for future in begun]


def elsewhere(work: Callable[[], object]) -> None:
    """Do something on a connection of its own, until it is committed."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
