"""Measure `take_next` in a project of a million items against one of ten thousand.

`benchmarks.queued` makes both. The bench calls `take_next` as the desk does. It does not time the
release of the item. The sizes are those of `frame.Sizes`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.utils import timezone

from annotators.models import User
from tasks.models import Project
from tasks.queue.allocation import take_next

from .frame import Figure, in_turns, quantile
from .place import Place
from .queued import FRESH, LARGE, LATE, SMALL, VETERAN

Queue = tuple[Project, User]  # as one annotator meets it


def run(place: Place) -> Iterator[Figure]:
    """Yield the medians of single calls, in turns with calls on the small project."""
    people: list[User] = place.made["queued"]
    fresh, veteran = people[FRESH], people[VETERAN]
    large, small = _projects()
    yield _figure(place, "take_next_1m_over_10k", (large, fresh), (small, fresh))
    yield _figure(place, "take_next_20k_own_over_none", (large, veteran), (large, fresh))
    for project in (large, small):
        project.order = Project.Order.SHUFFLED
        project.save(update_fields=["order"])
    yield _figure(place, "take_next_shuffled_1m_over_10k", (large, fresh), (small, fresh))


def nearly_done(place: Place) -> Iterator[Figure]:
    """Yield the same for the project of which next to nothing is left."""
    people: list[User] = place.made["queued"]
    large, small = _projects()
    yield _figure(place, "take_next_nearly_done", (large, people[LATE]), (small, people[FRESH]))


def _projects() -> tuple[Project, Project]:
    return Project.objects.get(slug=LARGE), Project.objects.get(slug=SMALL)


def _figure(place: Place, name: str, ours: Queue, floor: Queue) -> Figure:
    takes = place.sizes.takes
    _takes(ours, takes)  # warm up: the first call searches for the starting position
    rounds = in_turns(place.sizes.rounds, lambda: _takes(ours, takes), lambda: _takes(floor, takes))
    return Figure(name, "ms", tuple(rounds))


def _takes(queue: Queue, takes: int) -> float:
    """Return the median of so many calls, in ms."""
    found = []
    for _ in range(takes):
        begun = time.perf_counter()
        lease = take_next(*queue, now=timezone.now())
        found.append((time.perf_counter() - begun) * 1000)
        assert lease is not None
        lease.release(now=timezone.now())
    return quantile(found, 0.5)
