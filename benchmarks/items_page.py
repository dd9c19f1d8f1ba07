"""Measure the list of items at a million ratings, the slowest of many addresses.

The project is the overview's. Each address is looked at once, on its first page and on its last.
The slowest ones are then looked at in turns with the floor; what counts is the address whose median
is highest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from statistics import median
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.http import urlencode

from tasks.models import Membership, Project, Rating
from tasks.models.list_renewal import index_texts, renew_entries

from .content import make_people, make_session
from .frame import Figure, in_turns
from .overview import SLUG
from .place import Place

SLOWEST = 20  # addresses that are looked at again
ORDERS = ("id", "-id", "latest", "-latest", "spread", "-spread")


def run(place: Place) -> Iterator[Figure]:
    """Yield the time of the slowest page, and the time in which the list is made."""
    project = Project.objects.get(slug=SLUG)
    begun = time.perf_counter()
    while renew_entries(project, now=timezone.now()):
        pass
    entries = time.perf_counter() - begun
    while index_texts(project):
        pass
    words = time.perf_counter() - begun - entries
    print(f"entries {entries:.1f} s, words {words:.1f} s", file=sys.stderr)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    lead = make_people("listing", 1, project)[0]
    project.admit(lead, role=Membership.Role.LEAD)
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(lead)
    client.post(f"/projects/{SLUG}/models/", {"models": "shown"})

    def seconds(address: str) -> float:
        begun = time.perf_counter()
        response = client.get(address)
        spent = time.perf_counter() - begun
        if response.status_code != 200:
            raise RuntimeError(f"{address} answers {response.status_code}")
        return spent

    addresses = [
        f"/projects/{SLUG}/items/?{urlencode({**asked, 'sort': order, **end}, doseq=True)}"
        for asked, order, end in product(_filters(project), ORDERS, ({}, {"last": "yes"}))
    ]
    seconds(addresses[0])  # imports, templates
    slowest = sorted(addresses, key=seconds)[-SLOWEST:]
    times = {
        address: in_turns(
            place.sizes.long_rounds,
            partial(seconds, address),
            lambda: seconds("/projects/new/"),
        )
        for address in slowest
    }
    by_time = sorted(slowest, key=lambda each: median(ours for ours, _ in times[each]))
    for address in by_time[-5:]:
        print(f"{1000 * median(a for a, _ in times[address]):.0f} ms {address}", file=sys.stderr)
    worst = times[by_time[-1]]
    yield Figure("items_page_1m_ms", "ms", tuple((1000 * a, 1000 * b) for a, b in worst))
    yield Figure("items_list_1m_seconds", "s", ((entries + words, None),))


def _filters(project: Project) -> list[dict[str, Any]]:
    """Return filters that leave in all, many, few and none, and some of them together."""
    first, *_rest, last = project.batches.values_list("pk", flat=True)
    annotator = Rating.objects.filter(project=project).order_by("pk")[0].annotator_id
    return [
        {},
        {"batch": first},
        {"batch": last},
        {"batch": [first, last]},
        {"low": 1, "high": 2},
        {"low": 7, "model": "heron-2"},
        {"spread": 1},
        {"spread": 5},
        {"check": "quality:language_error=yes"},
        {"check": "quality:helpful=no"},
        {"annotator": annotator},
        {"state": "finished"},
        {"state": "begun"},
        {"state": "dropped"},
        {"flagged": "on"},
        {"q": "so"},
        {"q": "people time"},
        {"q": "nowhere"},
        {"q": "so", "low": 1, "high": 3},
        {"annotator": annotator, "check": "quality:language_error=yes", "spread": 2},
        {"batch": first, "state": "finished", "low": 1, "high": 1},
    ]
