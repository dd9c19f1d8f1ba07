"""Measure a project's overview, and a lead's start page, against a page without any counts.

The project's million ratings are spread over 200 days and 24 annotators; the last ones came just
now. The first look counts everything; for the later ones the worker has stored that. The start page
has 50 projects with as many ratings together.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.conf import settings
from django.test import Client
from django.utils import timezone

from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.agreement.results import result
from tasks.models import (
    AgreementResult,
    Batch,
    Item,
    Membership,
    Project,
    Rating,
    Response,
    Score,
    ScoreCounts,
    Workday,
)
from tasks.models.list_renewal import index_texts
from tasks.models.new_projects import start_project
from tasks.models.stored_figures import store_counts

from .bulk import check_counts, fill
from .content import MODELS, make_people, make_session, rate, write_items
from .frame import Figure, in_turns
from .place import Place

SLUG = "overviewed"
PEOPLE, DAYS, WANTED = 24, 200, 3
FRESH = 100  # ratings that came just now
LED = 50  # projects of one lead, with so many ratings together

ITEMS = """
INSERT INTO tasks_item (project_id, batch_id, external_id, position, persona, messages, system,
  context, reference, source, metadata, wanted, counted)
SELECT %(project)s, %(batch)s, number, number, '[]', '[]', '', '', '', '', '{}', %(wanted)s,
  %(wanted)s
FROM generate_series(1, %(items)s) AS number
"""
RESPONSES = """
INSERT INTO tasks_response (project_id, item_id, position, model, text)
SELECT project_id, id, 1, (%(models)s::text[])[1 + position %% 3], 'So.' FROM tasks_item
WHERE batch_id = %(batch)s
"""
# The item's position decides who rates it, and when: one day after the other.
RATINGS = """
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, active_seconds, elapsed_seconds, started_at, submitted_at)
SELECT project_id, item.id, (%(people)s::bigint[])[1 + (item.position + place) %% %(number)s],
  %(rubric)s, 0, 'counted', 1, '', '{}', 240, 300, at.time, at.time
FROM tasks_item AS item, generate_series(1, %(wanted)s) AS place, LATERAL (
  SELECT %(now)s::timestamptz - make_interval(
    days => %(days)s - (item.position::bigint * %(days)s / (%(items)s + 1))::int) AS time) AS at
WHERE item.batch_id = %(batch)s ORDER BY item.position, place
"""
SCORES = """
INSERT INTO tasks_score (project_id, rating_id, dimension, unit, response_id, model, position,
  value, open, clauses, remarks, checks)
SELECT rating.project_id, rating.id, 'quality', 'response', response.id, response.model, 1,
  1 + rating.id * 7 %% 11 * 6 / 10, '{}', '{}', '[]', jsonb_build_object('helpful', 'entirely',
  'language_error', CASE WHEN rating.id %% 5 = 0 THEN 'yes' ELSE '' END)
FROM tasks_rating AS rating JOIN tasks_response AS response USING (item_id)
WHERE rating.project_id = %(project)s
"""
WORKDAYS = """
INSERT INTO tasks_workday (project_id, annotator_id, day, rated, seconds, recent)
SELECT project_id, annotator_id, submitted_at::date, count(*), 86400, array_fill(240, ARRAY[50])
FROM tasks_rating WHERE project_id = %(project)s GROUP BY 1, 2, 3
"""


def run(place: Place) -> Iterator[Figure]:
    """Yield the time of the page as it is refreshed, and of the first look at it."""
    project = Project.objects.get(slug=SLUG)
    client = _looking(project)
    first = []
    for _ in range(place.sizes.long_rounds):
        ScoreCounts.objects.all().delete()
        first.append((_seconds(client, f"/projects/{SLUG}/"), None))
    store_counts(project, timezone.now())  # as the worker does, and the list's models, too
    while index_texts(project):
        pass
    rounds = in_turns(
        place.sizes.rounds,
        lambda: _seconds(client, f"/projects/{SLUG}/"),
        lambda: _seconds(client, "/projects/new/"),
    )
    yield Figure(
        "overview_1m_ms", "ms", tuple((1000 * ours, 1000 * floor) for ours, floor in rounds)
    )
    yield Figure("overview_first_1m_seconds", "s", tuple(first))


def home(place: Place) -> Iterator[Figure]:
    """Yield the time of the start page of a lead of many projects."""
    client = _looking(*Project.objects.filter(slug__startswith="led-"))
    rounds = in_turns(
        place.sizes.rounds,
        lambda: _seconds(client, "/"),
        lambda: _seconds(client, "/projects/new/"),
    )
    name = f"home_lead_{LED}_projects_ms"
    yield Figure(name, "ms", tuple((1000 * ours, 1000 * floor) for ours, floor in rounds))


def _looking(*projects: Project) -> Client:
    """Return the browser of a lead of projects."""
    [lead] = make_people("looking", 1, projects[0])
    for project in projects:
        project.admit(lead, role=Membership.Role.LEAD)
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = make_session(lead)
    return client


def _seconds(client: Client, address: str) -> float:
    begun = time.perf_counter()
    response = client.get(address)
    spent = time.perf_counter() - begun
    if response.status_code != 200:
        raise RuntimeError(f"{address} answers {response.status_code}")
    return spent


def make(place: Place) -> None:
    """Create the project with as many ratings as the page is measured with."""
    project = _make(SLUG, place.sizes.overviewed, PEOPLE)
    _rate_just_now(place, project)
    check_counts(project)


def make_led(place: Place) -> None:
    """Create the projects of one lead, each with figures of agreement."""
    figures = None
    for number in range(place.sizes.led):
        project = _make(f"led-{number}", place.sizes.overviewed // LED, PEOPLE // 4)
        [dimension] = project.rubric.schema.dimensions
        if figures is None:
            result(project, dimension, timezone.now())
            figures = AgreementResult.objects.get(first=False, sound=False)
        else:
            figures.pk, figures.project = None, project
            figures.save(force_insert=True)


def _make(slug: str, ratings: int, people: int) -> Project:
    now = timezone.now()
    rubric, _ = Rubric.objects.load(shipped("response-quality"), now=now)
    project = start_project(
        slug=slug, title=slug.capitalize(), rubric=rubric, wanted=WANTED, by=None, now=now
    )
    batch = Batch.objects.create(project=project, name="all", position=1, digest="", created_at=now)
    values = {
        "project": project.pk,
        "batch": batch.pk,
        "rubric": rubric.pk,
        "people": [person.pk for person in make_people(slug, people, project)],
        "number": people,
        "models": list(MODELS),
        "wanted": WANTED,
        "items": -(-ratings // WANTED),
        "days": DAYS,
        "now": now,
    }
    fill(
        project,
        {Item: ITEMS, Response: RESPONSES, Rating: RATINGS, Score: SCORES, Workday: WORKDAYS},
        values,
    )
    return project


def _rate_just_now(place: Place, project: Project) -> None:
    """Add items, some of which got a rating that is not kept yet."""
    from tasks.importing.batches.loading import FileToLoad, load_batch
    from tasks.importing.files.rows import LineError

    def refuse(error: LineError) -> None:
        raise ValueError(f"a line of the bench is bad: {error}")

    file = place.folder / "overviewed.jsonl"
    write_items(file, 2 * FRESH, responses=3, length=60, seed=7)
    with file.open("rb") as lines:
        loaded = load_batch(
            FileToLoad(
                project, lines, file_name=file.name, by=None, now=timezone.now(), report=refuse
            )
        )
    [annotator] = make_people("fresh", 1, project)
    rate(project, annotator, list(loaded.batch.items.values_list("pk", flat=True)[:FRESH]))
