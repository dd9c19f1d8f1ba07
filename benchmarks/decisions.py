"""Measure a decision on a case against a submit, over HTTP: both store, and answer what comes next.

A lead settles cases of responses of 1 kB one after the other, by a decision that adopts an answer
and names the cause. The answer is the next case. An annotator submits ratings of three such
responses. One server answers both, in turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone

from tasks.models import Membership, ScoreDecision
from tasks.models.list_renewal import renew_entries

from .content import SLUG, make_people, make_session
from .frame import Figure, in_turns, quantile
from .place import Place
from .submit_next import load, orders_for_desk


def run(place: Place) -> Iterator[Figure]:
    """Yield the CPU of the web workers and of PostgreSQL for a decision, and the wait."""
    sizes = place.sizes
    project = place.world.project
    while renew_entries(project, now=timezone.now()):
        pass
    [lead] = make_people("deciding", 1)
    project.admit(lead, role=Membership.Role.LEAD)
    orders = {
        "kind": "cases",
        "path": f"/projects/{SLUG}/disagreements/",
        "sessions": [make_session(lead)],
        "answers": [],
    }
    with (
        load(place.ours, orders) as deciding,
        load(place.ours, orders_for_desk(place.world)) as submitting,
    ):
        bursts = in_turns(
            sizes.rounds,
            lambda: deciding.burst(1, sizes.requests),
            lambda: submitting.burst(1, sizes.requests),
        )
    stored = ScoreDecision.objects.count()
    if stored < len(deciding.acknowledged):
        raise RuntimeError(f"{len(deciding.acknowledged)} decisions acknowledged; {stored} stored")
    cpu = [(ours.cpu, floor.cpu) for ours, floor in bursts]
    yield Figure("decision_cpu", "ms", tuple(cpu))
    database = [(ours.database_cpu, floor.database_cpu) for ours, floor in bursts]
    yield Figure("decision_postgres_cpu", "ms", tuple(database))
    waits = [(quantile(ours.waits, 0.5), quantile(floor.waits, 0.5)) for ours, floor in bursts]
    yield Figure("decision_p50", "ms", tuple(waits))
