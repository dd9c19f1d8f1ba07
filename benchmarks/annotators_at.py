"""Find how many annotators the server carries before its p95 response time reaches 250 ms.

Each annotator sends a rating every 30 s and eight drafts before it (`benchmarks.steady`, an open
load). The number doubles until the p95 reaches the limit. A binary search then narrows it down
between the last number below the limit and the first above. Load, web workers and PostgreSQL share
the machine. At the end, every acknowledged rating must be in the database, and none of its drafts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.utils import timezone

from tasks.models import Draft, Rating
from tasks.queue.allocation import take_next

from .content import SLUG, answers, make_people, make_session
from .frame import Figure, most_borne, quantile
from .place import Place
from .processes import end, start

MOST_WAIT = 0.25  # seconds
KINDS_OF_ANSWERS = 24


def run(place: Place) -> Iterator[Figure]:
    """Yield the greatest number of annotators below the limit."""
    sizes, project = place.sizes, place.world.project
    people = make_people("steady", sizes.steady_most, project)
    now = timezone.now()
    leases = [take_next(project, person, now=now) for person in people]
    host, port = place.ours.address
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = start([sys.executable, "-m", "benchmarks.steady"], **pipes)
    acknowledged: list[int] = []

    def ask(what: Any) -> None:
        assert process.stdin
        print(json.dumps(what), file=process.stdin, flush=True)

    def p95(annotators: int) -> float:
        ask(
            {
                "annotators": annotators,
                "warming": sizes.steady_warming,
                "seconds": sizes.steady_seconds,
            }
        )
        assert process.stdout
        line = process.stdout.readline()
        if not line:
            assert process.stderr
            raise RuntimeError(
                f"the load ended: {process.stderr.read()}\n{place.ours.log.read_text()[-4000:]}"
            )
        outcome = json.loads(line)
        acknowledged.extend(outcome["acknowledged"])
        found = quantile(outcome["waits"], 0.95)
        print(f"  {annotators} annotators: p95 {found * 1000:.0f} ms", file=sys.stderr, flush=True)
        return found

    try:
        ask(
            {
                "host": host,
                "port": port,
                "path": f"/projects/{SLUG}/desk/",
                "people": [
                    {"session": make_session(person), "lease": lease.pk}
                    for person, lease in zip(people, leases, strict=True)
                    if lease is not None
                ],
                "answers": list(islice(answers(), KINDS_OF_ANSWERS)),
                "seed": 6,
            }
        )
        borne = most_borne(
            p95, MOST_WAIT, sizes.steady_least, sizes.steady_most, sizes.steady_narrowings
        )
    finally:
        end(process)
    check(acknowledged)
    yield Figure(
        "annotators_at_p95_250ms",
        "annotators",
        ((float(borne), None),),
        peak_mb=place.ours.peak_mb(),
    )


def check(leases: list[int]) -> None:
    """Check that every acknowledged rating is stored once and that its draft is gone."""
    assert len(set(leases)) == len(leases), "a lease was acknowledged twice"
    ratings = Rating.objects.filter(lease__in=leases).count()
    drafts = Draft.objects.filter(lease__in=leases).count()
    if (ratings, drafts) != (len(leases), 0):
        raise RuntimeError(
            f"{len(leases)} ratings were acknowledged;"
            f" {ratings} and {drafts} drafts of them are there"
        )
