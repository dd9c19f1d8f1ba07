"""Measure the floor itself: a request to the minimal view against a plain INSERT with commit."""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.db import connection
from django.utils import timezone

from .frame import Figure, in_turns, quantile
from .minimal.models import Note
from .place import Place
from .submit_next import loads


def run(place: Place) -> Iterator[Figure]:
    """Yield the medians of the wait for the view and of one INSERT with its commit."""
    sizes = place.sizes
    with loads(place) as (_, minimal):
        rounds = in_turns(
            sizes.rounds,
            lambda: quantile(minimal.burst(1, sizes.requests).waits, 0.5),
            lambda: quantile(commits(sizes.commits), 0.5),
        )
    yield Figure("minimal_view_p50", "ms", tuple(rounds), peak_mb=place.minimal.peak_mb())


def commits(count: int) -> list[float]:
    """Insert `count` rows one by one, and return the milliseconds of each."""
    sql = f'INSERT INTO "{Note._meta.db_table}" (owner, text, made_at) VALUES (%s, %s, %s)'  # noqa: S608
    found = []
    now = timezone.now()
    with connection.cursor() as cursor:
        for number in range(count):
            begun = time.perf_counter()
            cursor.execute(sql, [number, "Said of three responses, with reasons. " * 15, now])
            found.append((time.perf_counter() - begun) * 1000)
    return found
