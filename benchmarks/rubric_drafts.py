"""Measure the list of twenty drafts, and a save of one of their parts with its proof.

Each draft has twelve dimensions with eight checks and ten rules. A save changes a rule of one
dimension, so that its proof is not there yet. The floor of both is the lead's first page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils import timezone

from annotators.models import User
from rubrics.documents import document
from rubrics.editor.parts import digest
from rubrics.models import RubricDraft

from .content import make_people, make_session
from .frame import Figure, in_turns, quantile
from .place import Place

DRAFTS, DIMENSIONS, CHECKS, RULES = 20, 12, 8, 10


def run(place: Place) -> Iterator[Figure]:
    """Yield the times of the list and of a save, each in turns with the first page."""
    [lead] = make_people("drafts", 1)
    User.objects.filter(pk=lead.pk).update(is_superuser=True)
    rubric = document.parse(_content())
    drafts = [
        RubricDraft.objects.start(document.dump(rubric), by=lead, now=timezone.now())
        for _ in range(DRAFTS)
    ]
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(lead)
    asked, rounds = place.sizes.requests, place.sizes.rounds
    numbers = count(1)

    def first_page() -> None:
        _expect(client.get("/"), b"Evenhand")

    def the_list() -> None:
        _expect(client.get("/rubrics/"), b"Published")

    def save() -> None:
        _expect(_save(client, drafts[0].pk, next(numbers)), b'id="foot"')

    for name, act in (("rubric_drafts_list_p95", the_list), ("rubric_save_p95", save)):
        ours, floor = partial(_late, act, asked), partial(_late, first_page, asked)
        yield Figure(name, "ms", tuple(in_turns(rounds, ours, floor)))


def _late(act: Callable[[], None], asked: int) -> float:
    """Return the 95th percentile of so many acts, in ms."""
    waits = []
    for _ in range(asked):
        begun = time.perf_counter()
        act()
        waits.append((time.perf_counter() - begun) * 1000)
    return quantile(waits, 0.95)


def _save(client: Client, pk: int, number: int) -> Any:
    draft, part = RubricDraft.objects.get(pk=pk), f"kind_{number % DIMENSIONS}.rules"
    fields: dict[str, Any] = {"shown": digest(draft.edit(), part)}
    for place, rule in enumerate(draft.edit().dimension(part).rules):
        fields |= {
            f"{place}.at": rule.code,
            f"{place}.effect": rule.effect,
            f"{place}.reason": rule.reason,
            f"{place}.score": str(1 + (number + place) % 4),
            f"{place}.when.0.how": "any_of",
            f"{place}.when.0.facts": rule.when.any_of if rule.when else [],
        }
    address = f"/rubric-drafts/{pk}/parts/{part}/"
    return client.post(address, fields, headers={"HX-Request": "true"})


def _expect(response: Any, words: bytes) -> None:
    if response.status_code != 200 or words not in response.content:
        raise RuntimeError(f"an answer of {response.status_code}, without {words!r}")


def _content() -> dict[str, Any]:
    return {
        "slug": "large",
        "title": "Large",
        "summary": "Twelve dimensions.",
        "dimensions": [
            {
                "code": f"kind_{number}",
                "short": f"Kind {number}",
                "title": f"Kind {number}",
                "question": "How good is it?",
                "lowest": 1,
                "highest": 5,
                "levels": [
                    {"score": score, "label": f"Level {score}", "definition": "Of some words."}
                    for score in range(1, 6)
                ],
                "checks": [
                    {"code": f"check_{place}", "kind": "tick", "wording": f"Check {place}"}
                    for place in range(CHECKS)
                ],
                "rules": [
                    {
                        "code": f"rule_{place}",
                        "effect": "cap",
                        "score": 1 + place % 4,
                        "reason": "It is not good.",
                        "when": {
                            "any_of": [f"check_{place % CHECKS}", f"check_{(place + 3) % CHECKS}"]
                        },
                    }
                    for place in range(RULES)
                ],
            }
            for number in range(DIMENSIONS)
        ],
    }
