"""Measure `take_next` in a project of a million items against one of ten thousand.

Both projects are in one database and built alike. Each has ten batches of mixed priority, ordered
by priority. Half of the items are done and a third partly done. Each item wants two ratings, and
there are 200 live leases. The bench calls `take_next` as the desk does. It does not time the
release of the item. The sizes are those of `frame.Sizes`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.utils import timezone

from annotators.models import User
from rubrics.models import Rubric
from rubrics.shipped import shipped
from tasks.models import Batch, Lease, Membership, Project

from .frame import Figure, in_turns, quantile
from .place import Place

BATCHES = 10
LENT = 200
OPEN = 100  # items left in the nearly finished project …
TAKEN = 90  # … and how many of them are leased or already rated by the annotator
WORDS = "said of three responses, with reasons; " * 6

# Rows as ordinary use would store them. In each batch the first half of the items is done, the next
# third partly.
ITEMS = """
INSERT INTO tasks_item (project_id, batch_id, external_id, position, persona, messages, system,
  context, reference, source, metadata, wanted, counted, lent)
SELECT batch.project_id, batch.id, batch.position || '/' || place, place, '[]',
  jsonb_build_array(jsonb_build_object('role', 'user', 'text', %(words)s || place)),
  '', '', '', '', '{}', 2,
  CASE WHEN place < %(size)s / 2 THEN 2 WHEN place < %(size)s * 5 / 6 THEN 1 ELSE 0 END, 0
FROM tasks_batch AS batch, generate_series(0, %(size)s - 1) AS place
WHERE batch.project_id = %(project)s
"""
RESPONSES = """
INSERT INTO tasks_response (project_id, item_id, position, model, text)
SELECT project_id, id, 1, 'model', %(words)s FROM tasks_item WHERE project_id = %(project)s
"""
RATINGS = """
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT item.project_id, item.id, (%(people)s::bigint[])[number], %(rubric)s, 0, 'counted', 1,
  '', '{}', 60, now(), now()
FROM tasks_item AS item, generate_series(1, item.counted) AS number
WHERE item.project_id = %(project)s 
"""
OWN = """
WITH first AS (
  SELECT item.id FROM tasks_item AS item JOIN tasks_batch AS batch ON batch.id = item.batch_id
  WHERE item.project_id = %(project)s AND item.counted < item.wanted
  ORDER BY batch.priority DESC, batch.position, item.position LIMIT %(own)s
), mine AS (
  UPDATE tasks_rating SET annotator_id = %(annotator)s FROM first
  WHERE tasks_rating.item_id = first.id AND tasks_rating.annotator_id = %(other)s
  RETURNING tasks_rating.item_id
), anew AS (
  UPDATE tasks_item SET counted = 1 FROM first
  WHERE tasks_item.id = first.id AND tasks_item.counted = 0
  RETURNING tasks_item.id, tasks_item.project_id
)
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT project_id, id, %(annotator)s, %(rubric)s, 0, 'counted', 1, '', '{}', 60, now(), now()
FROM anew
"""
NEARLY_DONE = """
WITH left_over AS (
  SELECT id, batch_id FROM tasks_item
  WHERE project_id = %(project)s AND counted < wanted AND lent = 0 ORDER BY random() LIMIT %(open)s
)
UPDATE tasks_item SET counted = wanted
WHERE project_id = %(project)s AND counted + lent < wanted AND id NOT IN (SELECT id FROM left_over)
"""
OWN_OF_THE_LAST = """
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT project_id, id, %(annotator)s, %(rubric)s, 0, 'extra', 1, '', '{}', 60, now(), now()
FROM tasks_item WHERE project_id = %(project)s AND counted + lent < wanted ORDER BY id LIMIT %(own)s
"""


def run(place: Place) -> Iterator[Figure]:
    """Yield the medians of single calls, in turns with calls on the small project."""
    sizes = place.sizes
    Rubric.objects.load(shipped("response-quality"), now=timezone.now())
    people = User.objects.bulk_create(
        User(username=f"queue-{n}", password="!")  # noqa: S106 - nobody logs in with it
        for n in range(LENT + 4)
    )
    large = make_project("large", sizes.queue_items, people)
    small = make_project("small", sizes.queue_small, people)
    fresh, veteran, late = people[-1], people[-2], people[-3]
    give_own(large, veteran, people[0], sizes.queue_own)
    vacuum()

    def takes(project: Project, annotator: User) -> float:
        found = []
        for _ in range(sizes.takes):
            begun = time.perf_counter()
            lease = Lease.objects.take_next(project, annotator, now=timezone.now())
            found.append((time.perf_counter() - begun) * 1000)
            assert lease is not None
            lease.release(now=timezone.now())
        return quantile(found, 0.5)

    def figure(name: str, project: Project, annotator: User, floor: tuple[Project, User]) -> Figure:
        takes(project, annotator)  # warm up: the first call searches for the starting position
        rounds = in_turns(sizes.rounds, lambda: takes(project, annotator), lambda: takes(*floor))
        return Figure(name, "ms", tuple(rounds))

    yield figure("take_next_1m_over_10k", large, fresh, (small, fresh))
    yield figure("take_next_20k_own_over_none", large, veteran, (large, fresh))
    for project in (large, small):
        project.order = Project.Order.SHUFFLED
        project.save(update_fields=["order"])
    yield figure("take_next_shuffled_1m_over_10k", large, fresh, (small, fresh))
    for project in (large, small):
        project.order = Project.Order.PRIORITY
        project.save(update_fields=["order"])
    finish(large, late, people[:TAKEN])
    vacuum()
    yield figure("take_next_nearly_done", large, late, (small, fresh))


def make_project(slug: str, items: int, people: list[User]) -> Project:
    """Create a project with items in batches of mixed priority, ratings and leases."""
    now = timezone.now()
    rubric = Rubric.objects.get(slug="response-quality")
    project = Project.objects.create(
        slug=slug, title=slug, rubric=rubric, wanted=2, order=Project.Order.PRIORITY, created_at=now
    )
    Membership.objects.bulk_create(
        Membership(project=project, user=person, role=Membership.Role.ANNOTATOR)
        for person in people
    )
    Batch.objects.bulk_create(
        Batch(
            project=project,
            name=str(number),
            position=number,
            priority=number * 7 % 4,
            digest=str(number),
            created_at=now,
        )
        for number in range(BATCHES)
    )
    values: dict[str, Any] = {
        "project": project.pk,
        "size": items // BATCHES,
        "words": WORDS,
        "rubric": rubric.pk,
        "people": [person.pk for person in people[:2]],
    }
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, values)
        cursor.execute(RESPONSES, values)
        # Two million ratings: skip the triggers, because the items above already have the counts.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(RATINGS, values)
        cursor.execute("RESET session_replication_role")
    for person in people[:LENT]:
        Lease.objects.take_next(project, person, now=now)
    return project


def give_own(project: Project, annotator: User, other: User, own: int) -> None:
    """Let the annotator have rated the first items of the queue, which stay open to others."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            OWN,
            {
                "project": project.pk,
                "annotator": annotator.pk,
                "other": other.pk,
                "own": own,
                "rubric": project.rubric_id,
            },
        )
        cursor.execute("RESET session_replication_role")


def finish(project: Project, annotator: User, others: list[User]) -> None:
    """Leave OPEN items open, most of them leased to others or rated by the annotator."""
    now = timezone.now()
    for lease in Lease.objects.filter(project=project, status=Lease.Status.LIVE):
        lease.release(now=now)
    with connection.cursor() as cursor:
        cursor.execute(NEARLY_DONE, {"project": project.pk, "open": OPEN})
        cursor.execute(
            "UPDATE tasks_item SET wanted = counted + 1 WHERE counted < wanted AND project_id = %s",
            [project.pk],
        )
    project.seats.update(position=0)
    for person in others[: TAKEN // 2]:
        Lease.objects.take_next(project, person, now=now)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            OWN_OF_THE_LAST,
            {
                "project": project.pk,
                "annotator": annotator.pk,
                "rubric": project.rubric_id,
                "own": TAKEN - TAKEN // 2,
            },
        )
        cursor.execute("RESET session_replication_role")


def vacuum() -> None:
    """Vacuum the tables, as autovacuum would do after a while."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE tasks_item, tasks_rating, tasks_lease, tasks_response")
