"""Measure an answer to an example against a submitted rating, both in the CPU time of one process.

Both requests are those of a browser with scripts, without a web server. An answer is stored and
shown beside that of the example; a submit stores the rating of one response and shows the next
item. Each is the best answer to all questions and a 6.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from rubrics.judging.practice_rounds import MOST
from tasks.models import PracticeRound, Project

from .content import make_people, make_session, write_items
from .desk_page import Page
from .frame import Figure, in_turns
from .place import Place

SAID = {"helpful": "entirely", "harmless": "yes", "honest": "yes", "comprehensive": "yes"}
FIELDS = {"r1.quality": "6", **{f"r1.quality.{code}": said for code, said in SAID.items()}}


def run(place: Place) -> Iterator[Figure]:
    """Yield the CPU time of an answer, in turns with that of a submit."""
    requests, rounds = place.sizes.requests, place.sizes.rounds
    items = place.folder / "practice.jsonl"
    write_items(items, requests * rounds + 1, responses=1, length=1_000, seed=6)
    rubric = ("--create", "--rubric", "response-quality", "--verbosity", "0")
    call_command("import_batch", "practice", items, *rubric)
    Project.objects.filter(slug="practice").update(practice="offered", practice_examples=MOST)
    project = Project.objects.select_related("rubric").get(slug="practice")
    [person] = make_people("practice", 1, project)
    client = Client(SERVER_NAME="127.0.0.1", headers={"HX-Request": "true"})
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(person)
    started = client.post("/projects/practice/desk/start/")
    desk = {"page": Page(started.content.decode())}

    def answer() -> float:
        spent = 0.0
        for number in range(requests):
            if number % MOST == 0:
                PracticeRound.objects.filter(annotator=person).under_way().update(
                    ended_at=timezone.now()
                )
                round_ = PracticeRound.objects.begin(person, project, now=timezone.now())
            where = f"/projects/practice/practice/{round_.number}/{number % MOST + 1}/submit/"
            spent += _until(client, where, FIELDS, b"compared")[0]
        return spent * 1000 / requests

    def submit() -> float:
        spent = 0.0
        for _ in range(requests):
            page = desk["page"]
            cost, content = _until(client, f"{page.path}submit/", page.fields | FIELDS, b"rating")
            desk["page"] = Page(content)
            if desk["page"].lease == page.lease:
                raise RuntimeError(desk["page"].refusal)
            spent += cost
        return spent * 1000 / requests

    yield Figure("practice_answer_cpu", "ms", tuple(in_turns(rounds, answer, submit)))


def _until(client: Client, where: str, fields: dict[str, Any], sign: bytes) -> tuple[float, str]:
    """Send a form, and again where it asks something first; the CPU time of the last request."""
    for _ in range(2):
        begun = time.process_time()
        response = client.post(where, fields)
        spent = time.process_time() - begun
        page = Page(response.content.decode())
        if response.status_code != 200:
            raise RuntimeError(f"{where} answers {response.status_code}")
        if b'id="asked"' not in response.content:
            break
        fields = fields | page.fields | {"r1.quality.repeats_itself.asked": "no"}
    if sign not in response.content:
        raise RuntimeError(f"{where}: {page.refusal[:500]}")
    return spent, page.text
