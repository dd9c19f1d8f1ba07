"""Make the projects of `benchmarks.take_next`: a million items in a queue, and ten thousand.

Both are in one database and built alike. Each has ten batches of mixed priority, ordered by
priority. Half of the items are done and a third partly done. Each item wants two ratings, and there
are 200 live leases. In the large one, the first ratings of the queue are those of one annotator.
"""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotators.models import User
from config.web.raw_sql import run
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.models import Batch, Item, Lease, Membership, Project, Rating, Response
from tasks.queue.allocation import take_next

from .bulk import check_counts, fill
from .content import make_people
from .place import Place

LARGE, SMALL = "large", "small"
BATCHES = 10
LENT = 200
OPEN = 100  # items left in the nearly finished project …
TAKEN = 90  # … and how many of them are leased or already rated by the annotator
WORDS = "said of three responses, with reasons; " * 6
# Annotators by their place in the list: two have rated what is done, two finish the rest.
RATERS, FINISHERS, LATE, VETERAN, FRESH = slice(0, 2), slice(2, 4), -3, -2, -1

# In each batch the first half of the items is done, the next third partly.
ITEMS = """
INSERT INTO tasks_item (project_id, batch_id, external_id, position, persona, messages, system,
  context, reference, source, metadata, wanted, counted)
SELECT batch.project_id, batch.id, batch.position * %(size)s + place, place, '[]',
  jsonb_build_array(jsonb_build_object('role', 'user', 'text', %(words)s || place)),
  '', '', '', '', '{}', 2,
  CASE WHEN place < %(size)s / 2 THEN 2 WHEN place < %(size)s * 5 / 6 THEN 1 ELSE 0 END
FROM tasks_batch AS batch, generate_series(0, %(size)s - 1) AS place
WHERE batch.project_id = %(project)s ORDER BY batch.position, place
"""
RESPONSES = """
INSERT INTO tasks_response (project_id, item_id, position, model, text)
SELECT project_id, id, 1, 'model', %(words)s FROM tasks_item WHERE project_id = %(project)s
ORDER BY id
"""
# An item has as many ratings as it counts. Those in `own` come first in the queue; the other ones
# of the first rater are the veteran's there.
RATINGS = """
WITH own AS (
  SELECT item.id FROM tasks_item AS item JOIN tasks_batch AS batch ON batch.id = item.batch_id
  WHERE item.project_id = %(project)s AND item.counted = 1
  ORDER BY batch.priority DESC, batch.position, item.position LIMIT %(own)s
)
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT item.project_id, item.id,
  CASE WHEN own.id IS NULL THEN (%(raters)s::bigint[])[number] ELSE %(veteran)s END,
  %(rubric)s, 0, 'counted', 1, '', '{}', 60, %(now)s, %(now)s
FROM tasks_item AS item LEFT JOIN own ON own.id = item.id
CROSS JOIN generate_series(1, item.counted) AS number
WHERE item.project_id = %(project)s ORDER BY item.id, number
"""
# All items but some are done now.
FINISHED = """
WITH left_over AS (
  SELECT id FROM tasks_item WHERE project_id = %(project)s AND counted < wanted
  ORDER BY hashint8extended(id, 1) LIMIT %(open)s
), missing AS (
  SELECT item.id, item.project_id, item.counted, item.wanted
  FROM tasks_item AS item LEFT JOIN left_over ON left_over.id = item.id
  WHERE item.project_id = %(project)s AND item.counted < item.wanted AND left_over.id IS NULL
), done AS (
  UPDATE tasks_item SET counted = missing.wanted FROM missing WHERE missing.id = tasks_item.id
)
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT project_id, id, (%(finishers)s::bigint[])[number], %(rubric)s, 0, 'counted', 1, '', '{}', 60,
  %(now)s, %(now)s
FROM missing CROSS JOIN generate_series(1, wanted - counted) AS number ORDER BY id, number
"""
# Those that are left want one more rating.
ONE_MORE = """
UPDATE tasks_item SET wanted = counted + 1 WHERE counted < wanted AND project_id = %(project)s
"""
OWN_OF_THE_LAST = """
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, attempt, kind, revision,
  comment, asked, elapsed_seconds, started_at, submitted_at)
SELECT project_id, id, %(late)s, %(rubric)s, 0, 'extra', 1, '', '{}', 60, %(now)s, %(now)s
FROM tasks_item WHERE project_id = %(project)s AND counted + reserved < wanted
ORDER BY id LIMIT %(own)s
"""


def make(place: Place) -> list[User]:
    """Create both projects, and return their annotators."""
    sizes = place.sizes
    Rubric.objects.load(shipped("response-quality"), now=timezone.now())
    people = make_people("queue", LENT + 4)
    make_project(SMALL, sizes.queue_small, people)  # before the large one's indexes are there
    make_project(LARGE, sizes.queue_items, people, own=sizes.queue_own)
    return people


def make_project(slug: str, items: int, people: list[User], own: int = 0) -> Project:
    """Create a project with items in batches of mixed priority, ratings and leases."""
    now = timezone.now()
    rubric = Rubric.objects.get(slug="response-quality")
    project = Project.objects.create(
        slug=slug, title=slug, rubric=rubric, wanted=2, order=Project.Order.PRIORITY, created_at=now
    )
    for person in people:
        project.admit(person, role=Membership.Role.ANNOTATOR)
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
        "raters": [person.pk for person in people[RATERS]],
        "veteran": people[VETERAN].pk,
        "own": own,
        "now": now,
    }
    fill(project, {Item: ITEMS, Response: RESPONSES, Rating: RATINGS}, values)
    for person in people[:LENT]:
        take_next(project, person, now=now)
    check_counts(project)
    return project


def finish(place: Place) -> None:
    """Leave OPEN items of the large project open.

    Most of these are leased to others, or rated by the annotator who came late.
    """
    now = timezone.now()
    people: list[User] = place.made["queued"]
    project = Project.objects.get(slug=LARGE)
    for lease in Lease.objects.filter(project=project, status=Lease.Status.LIVE):
        lease.release(now=now)
    values: dict[str, Any] = {
        "project": project.pk,
        "rubric": project.rubric_id,
        "open": OPEN,
        "finishers": [person.pk for person in people[FINISHERS]],
        "late": people[LATE].pk,
        "own": TAKEN - TAKEN // 2,
        "now": now,
    }
    project.batch_progress.all().delete()  # annotators begin anew at the first position
    fill(project, {Rating: FINISHED, Item: ONE_MORE}, values)
    for person in people[: TAKEN // 2]:
        take_next(project, person, now=now)
    run(OWN_OF_THE_LAST, values)
    check_counts(project)
