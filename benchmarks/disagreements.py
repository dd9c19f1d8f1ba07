"""Measure the queue of disagreements at a million ratings, the slowest of its first and last pages.

The project is the overview's: every third item has a case.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from statistics import median

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.http import urlencode

from tasks.models import CaseEntry, Membership, Project
from tasks.models.list_renewal import renew_entries

from .content import make_people, make_session
from .frame import Figure, in_turns
from .overview import SLUG
from .place import Place

FILTERS: tuple[dict[str, str | int], ...] = (
    {},
    {"state": "decided"},
    {"state": "settled"},
    {"spread": 5},
    {"check": "quality:language_error"},
    {"seen": "seen"},
    {"seen": "concluded"},
)
ENDS: tuple[dict[str, str], ...] = ({}, {"last": "yes"})


def run(place: Place) -> Iterator[Figure]:
    """Yield the time of the slowest page."""
    project = Project.objects.get(slug=SLUG)
    begun = time.perf_counter()
    while renew_entries(project, now=timezone.now()):
        pass
    number = CaseEntry.objects.count()
    print(f"{number} entries, {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    [lead] = make_people("settling", 1, project)
    project.admit(lead, role=Membership.Role.LEAD)
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(lead)

    def seconds(address: str) -> float:
        begun = time.perf_counter()
        response = client.get(address, follow=True)
        spent = time.perf_counter() - begun
        if response.status_code != 200:
            raise RuntimeError(f"{address} answers {response.status_code}")
        return spent

    addresses = []
    for wanted, end in product(FILTERS, ENDS):
        query = urlencode({**wanted, **end})
        addresses.append(f"/projects/{SLUG}/disagreements/?{query}")
    seconds(addresses[0])  # imports, templates
    times = {}
    for address in addresses:
        times[address] = in_turns(
            place.sizes.long_rounds,
            partial(seconds, address),
            lambda: seconds("/projects/new/"),
        )
    medians = {}
    for address, rounds in times.items():
        medians[address] = median(ours for ours, _floor in rounds)
        print(f"{1000 * medians[address]:.0f} ms {address}", file=sys.stderr)
    slowest = max(medians, key=medians.__getitem__)
    rounds = times[slowest]
    yield Figure(
        "disagreements_1m_ms", "ms", tuple((1000 * ours, 1000 * floor) for ours, floor in rounds)
    )
