"""Measure the server's work for one response, rated in a real Chromium by keyboard or by mouse.

An item has one response of 1 kB. Its cost is that of every request that the page sends from the
moment it shows the item until it shows the next one: the verdicts, each of which saves the draft,
whatever else the page asks for meanwhile, and the submit with the next item. The floor is one
request to the minimal view, sent by the same browser: a server that shares the processor with a
browser needs more time for the same work than one under a plain load. At the end, every item that
was submitted must be a rating in the database.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotators.keyboard import Keys
from rubrics.judging.dimension import Dimension
from tasks.models import Project
from tasks.rating_form.fields import element_id

from .content import make_half_done, make_people, make_session, sayings
from .frame import Figure, in_turns
from .key_to_next import desk, minimal_page, visiting
from .place import Place
from .serving import Server, database_cpu

SLUG = "single"
STYLE = "style_error"  # a tick that leaves a score without a remark
SUBMIT = ("press", "Enter")  # with the focus on Submit
Acts = list[tuple[str, str]]


@dataclass(frozen=True)
class Cost:
    """The CPU time for one rating, in ms."""

    cpu: float
    database_cpu: float


def make(place: Place) -> None:
    """Create a project whose items have one response."""
    make_half_done(place.folder, SLUG, place.sizes.items // 3, responses=1)


def run(place: Place) -> Iterator[Figure]:
    """Yield the CPU per rating of the web workers and of PostgreSQL, for each way to rate."""
    world, sizes = place.world, place.sizes
    project = Project.objects.get(slug=SLUG)
    [person] = make_people("hands", 1, project)
    visits = {
        "desk": desk(place, SLUG, make_session(person)),
        "minimal": minimal_page(place, world.minimal_sessions[-1]),
    }
    [dimension] = world.project.rubric.schema.dimensions
    ways = {
        "browser_rating_keys": by_keys(dimension),
        "browser_rating_keys_tick": by_keys(dimension, STYLE),
        "browser_rating_mouse": by_mouse(dimension),
    }
    with visiting(place, project, visits) as hands:
        for name, acts in ways.items():

            def ours(items: int = sizes.keys, acts: Acts = acts) -> Cost:
                return _cost(place.ours, lambda: hands.act("desk", acts, items), items)

            def floor(requests: int = sizes.keys) -> Cost:
                return _cost(
                    place.minimal, lambda: hands.act("minimal", [SUBMIT], requests), requests
                )

            ours(2), floor(2)  # warms up
            rounds = in_turns(sizes.long_rounds, ours, floor)
            peaks = place.ours.peak_mb(), place.minimal.peak_mb()
            yield Figure(f"{name}_cpu", "ms", tuple((a.cpu, b.cpu) for a, b in rounds), *peaks)
            yield Figure(
                f"{name}_postgres_cpu",
                "ms",
                tuple((a.database_cpu, b.database_cpu) for a, b in rounds),
                *peaks,
            )


def by_keys(dimension: Dimension, tick: str = "") -> Acts:
    """Return the keys of a response without fault, or of one with a tick: best, tick, score."""
    usual = Keys()
    letters = [check.key for check in dimension.checks if check.code == tick]
    pressed = [usual.best, *letters, str(_score(dimension, tick))]
    return [*(("press", key.lower()) for key in pressed), SUBMIT]


def by_mouse(dimension: Dimension) -> Acts:
    """Return the clicks for a response without fault: each best answer, the score, Submit."""
    fields = {f"r1.{dimension.code}.{code}": value for code, value in sayings()[0].fields.items()}
    fields[f"r1.{dimension.code}"] = str(_score(dimension, ""))
    inputs = [f"#{element_id(f'{name}.{value}')}" for name, value in fields.items()]
    return [("click", each) for each in (*inputs, "#submit")]


def _score(dimension: Dimension, tick: str) -> int:
    """Return the best score; the second best if there is a tick."""
    return dimension.highest - bool(tick)


def _cost(server: Server, work: Callable[[], dict[str, int]], times: int) -> Cost:
    """Return the cost of a work that does the same so many times, and tell what it requested."""
    cpu, database = server.cpu(), database_cpu()
    sent = work()
    cpu, database = server.cpu() - cpu, database_cpu() - database
    told = ", ".join(f"{count / times:g} {what}" for what, count in sent.items())
    print(f"  {told}: {cpu * 1000 / times:.1f} ms", file=sys.stderr, flush=True)
    return Cost(cpu * 1000 / times, database * 1000 / times)
