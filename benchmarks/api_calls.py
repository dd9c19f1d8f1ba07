"""Measure calls of the API against the least that the same rows cost, in one process.

Calls go through Django's client, without a web server. A page of scores is compared with
`json.dumps` of the same rows, items that are sent with `manage.py import_batch` of the same file,
and an export with the one of the page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils import timezone
from psycopg import sql

from annotators.models import User
from config.web.raw_sql import all_rows
from tasks.api.scores import COLUMNS
from tasks.exporting.filters import Filters
from tasks.exporting.score_rows import checks_of, rubrics_of, score_rows
from tasks.models import ApiToken, Membership, Project, Rating, Score

from .content import make_people, make_project, make_session, write_items
from .export_scores import SLUG as EXPORTED
from .frame import Figure, in_turns
from .place import Place

SLUG, BATCH = "sent-to", "sent"
ITEMS = ROWS = 1_000  # of a call
FILE = "shape=scores&format=csv"


class Program:
    """A client with a token that reads and writes, and with a session of its owner."""

    def __init__(self, *projects: Project) -> None:
        """Make the owner of the token, who leads these projects."""
        settings.API_USAGE_SECONDS = 0  # no thread counts calls beside the measure
        [owner] = make_people("calling", 1)
        for project in projects:
            project.admit(owner, role=Membership.Role.LEAD)
        self.client = Client(SERVER_NAME="127.0.0.1")
        self.client.cookies[settings.SESSION_COOKIE_NAME] = make_session(owner)
        self.headers = {"Authorization": f"Bearer {_secret_of(owner)}"}

    def seconds_to_get(self, address: str, most_bytes: int = 0) -> float:
        """Return the seconds until all of an answer is there."""
        begun = time.perf_counter()
        response = self.client.get(address, headers=self.headers)
        size = sum(map(len, response))
        spent = time.perf_counter() - begun
        _check(response, address)
        if size < most_bytes:
            raise RuntimeError(f"{address} answers {size} bytes")
        return spent

    def seconds_to_post(self, address: str, text: str) -> float:
        """Return the seconds of a call with JSON."""
        begun = time.perf_counter()
        response = self.client.post(
            address, text, content_type="application/json", headers=self.headers
        )
        spent = time.perf_counter() - begun
        _check(response, address)
        return spent


def _secret_of(owner: User) -> str:
    """Make a token that may do everything; return its secret."""
    _token, secret = ApiToken.objects.make(
        owner=owner,
        project=None,
        name="bench",
        may_write=True,
        days=30,
        names_people=True,
        names_models=True,
        now=timezone.now(),
    )
    return secret


def _check(response: HttpResponseBase, address: str) -> None:
    if response.status_code != 200:
        raise RuntimeError(f"{address} answers {response.status_code}")


def read_scores(place: Place) -> Iterator[Figure]:
    """Yield the time of a page of scores, and that of an export."""
    program = Program(Project.objects.get(slug=EXPORTED))
    scores = f"/api/v1/projects/{EXPORTED}/scores?limit={ROWS}"
    yield _in_ms(
        "api_scores_page_ms",
        place.sizes.rounds,
        lambda: program.seconds_to_get(scores),
        _dump_of_scores(),
    )
    export = f"/api/v1/projects/{EXPORTED}/export?{FILE}"
    page = f"/projects/{EXPORTED}/ratings.csv?{FILE}"
    yield _in_ms(
        "api_export_100k_ms",
        place.sizes.rounds,
        lambda: program.seconds_to_get(export, place.sizes.exported * 100),
        lambda: program.seconds_to_get(page, place.sizes.exported * 100),
    )


def _dump_of_scores() -> Callable[[], float]:
    """Return what reads the rows of the page by one SELECT, and dumps them as JSON."""
    keys = Score.objects.filter(project__slug=EXPORTED).order_by("rating", "pk")
    rows = list(keys.values_list("pk", "rating")[:ROWS])
    ratings = sorted({rating for _score, rating in rows})
    checks = checks_of(rubrics_of(Rating.objects.filter(pk__in=ratings)))
    names = [column.name for column in COLUMNS]
    statement = sql.SQL("SELECT {} {} AND score.id = ANY({}) ORDER BY rating.id, score.id").format(
        sql.SQL(", ").join(column.sql for column in COLUMNS),
        score_rows("id", ratings, checks, all_revisions=True, filters=Filters()),
        sql.Literal([score for score, _rating in rows]),
    )

    def dump() -> float:
        begun = time.perf_counter()
        read = [dict(zip(names, row, strict=True)) for row in all_rows(statement, [])]
        json.dumps(read, default=str)
        spent = time.perf_counter() - begun
        if len(read) != len(rows):
            raise RuntimeError(f"{len(rows)} scores were to be read; {len(read)} were")
        return spent

    return dump


def send_items(place: Place) -> Iterator[Figure]:
    """Yield the time of a call that adds items."""
    few, file = place.folder / "few-sent.jsonl", place.folder / f"{BATCH}.jsonl"
    write_items(few, 10, responses=2, length=330, seed=3)
    project = make_project(few, SLUG)
    write_items(file, ITEMS, responses=2, length=330, seed=4)
    program = Program(project)
    items = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    body = json.dumps({"batch": BATCH, "items": items, "complete": True})

    def send() -> float:
        _empty(project)
        spent = program.seconds_to_post(f"/api/v1/projects/{SLUG}/items", body)
        _count(project)
        return spent

    def load() -> float:
        _empty(project)
        spent = _seconds_to_load(file)
        _count(project)
        return spent

    yield _in_ms("api_post_1000_items_ms", place.sizes.rounds, send, load)


def _seconds_to_load(file: Path) -> float:
    begun = time.perf_counter()
    call_command("import_batch", SLUG, file, "--batch", BATCH, "--verbosity", "0")
    return time.perf_counter() - begun


def _empty(project: Project) -> None:
    """Remove what was sent, and wait for what that leaves to do."""
    for batch in project.batches.filter(name=BATCH):
        batch.remove()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _count(project: Project) -> None:
    number = project.items.filter(batch__name=BATCH).count()
    if number != ITEMS:
        raise RuntimeError(f"{ITEMS} items were sent; {number} are there")


def _in_ms(name: str, rounds: int, ours: Callable[[], float], floor: Callable[[], float]) -> Figure:
    """Return the figure of two things that are done in turns, after one of each."""
    ours()
    floor()
    turns = in_turns(rounds, ours, floor)
    return Figure(name, "ms", tuple((1000 * mine, 1000 * least) for mine, least in turns))
