"""Waiting until another connection waits for this one: for races that have to come in one order."""

from __future__ import annotations

import time

from django.db import connection

LONGEST = 20.0  # seconds; a machine with much to do takes one or two
BLOCKED = (
    "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))"
)


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
