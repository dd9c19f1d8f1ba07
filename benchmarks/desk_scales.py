"""Measure the desk's first page of twelve scales against that of the shipped rubric.

Both items have four responses. The rubric of twelve scales has neither questions nor rules, as many
published ones. One annotator asks for the page again and again, so that what pages share is there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from rubrics.documents import document
from rubrics.documents.shipped import shipped
from rubrics.judging import schema
from rubrics.models import Rubric
from tasks.models import Project
from tasks.queue.allocation import take_next

from .content import make_people, make_session, write_items
from .frame import Figure, in_turns, quantile
from .place import Place

SCALES, RESPONSES = 12, 4


def run(place: Place) -> Iterator[Figure]:
    """Yield the time of the page, in turns with that of the shipped rubric's page."""
    scales = document.parse(
        {
            "slug": "scales",
            "title": "Scales",
            "summary": "Twelve scales.",
            "dimensions": [
                {
                    "code": f"quality_of_a_kind_{number}",
                    "short": f"Kind {number}",
                    "title": f"Quality of kind {number}",
                    "question": f"How good is the response as to what the kind {number} asks for?",
                    "lowest": 1,
                    "highest": 5,
                    "levels": [
                        {"score": score, "label": f"Level {score}", "definition": "Of some words."}
                        for score in range(1, 6)
                    ],
                }
                for number in range(1, SCALES + 1)
            ],
        }
    )
    ours, floor = (
        _page(place, slug, rubric)
        for slug, rubric in (("scales", scales), ("shipped", shipped("response-quality")))
    )
    asked = place.sizes.requests
    rounds = in_turns(
        place.sizes.rounds, lambda: _median(ours, asked), lambda: _median(floor, asked)
    )
    yield Figure("desk_12_dimensions", "ms", tuple(rounds))


def _page(place: Place, slug: str, rubric: schema.Rubric) -> tuple[Client, str]:
    """Return a client that has an item of a new project on the desk, and the desk's address."""
    items = place.folder / f"{slug}.jsonl"
    write_items(items, 2, responses=RESPONSES, length=1_000, seed=5)
    Rubric.objects.load(rubric, now=timezone.now())
    call_command(
        *("import_batch", slug, items, "--create", "--rubric", rubric.slug, "--verbosity", "0")
    )
    project = Project.objects.get(slug=slug)
    [person] = make_people(slug, 1, project)
    assert take_next(project, person, now=timezone.now())
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(person)
    return client, f"/projects/{slug}/desk/"


def _median(page: tuple[Client, str], asked: int) -> float:
    """Return the median of so many pages, in ms."""
    client, address = page
    waits = []
    for _ in range(asked):
        begun = time.perf_counter()
        response = client.get(address)
        waits.append((time.perf_counter() - begun) * 1000)
        if b'id="r4"' not in response.content:
            raise RuntimeError(f"{address} answers {response.status_code}, without four responses")
    return quantile(waits, 0.5)
