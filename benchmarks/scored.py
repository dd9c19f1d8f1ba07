"""Make projects with many scores, as ordinary submits would have stored them, by SQL alone.

Every annotator has rated each item; each response has one score by each of them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils import timezone

from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.models import Batch, Item, Lease, Placement, Project, Rating, Response, Score
from tasks.models.new_projects import start_project

from .bulk import check_counts, fill
from .content import MODELS, make_people, sayings, text

TEXTS = 500  # different ones of each kind


def drawn(key: str, seed: int) -> str:
    """Return SQL for a number from 0 to 1,048,575, drawn by a key."""
    return f"(hashint8extended({key}, {seed}) & 1048575)"


ITEMS = """
INSERT INTO tasks_item (project_id, batch_id, external_id, position, persona, messages, system,
  context, reference, source, metadata, wanted, counted)
SELECT %(project)s, %(batch)s, number, number, '[]',
  jsonb_build_array(jsonb_build_object('role', 'user', 'text', prompt.text)), '', '', '', '',
  jsonb_build_object('difficulty', 1 + number %% 5, 'topic', split_part(prompt.text, ' ', 2)),
  %(raters)s, %(raters)s
FROM generate_series(1, %(items)s) AS number
JOIN unnest(%(prompts)s::text[]) WITH ORDINALITY AS prompt (text, place)
  ON prompt.place = 1 + number %% %(texts)s
ORDER BY number
"""
RESPONSES = f"""
INSERT INTO tasks_response (project_id, item_id, position, model, text)
SELECT item.project_id, item.id, model.place, model.name, said.text
FROM tasks_item AS item
CROSS JOIN unnest(%(models)s::text[]) WITH ORDINALITY AS model (name, place)
JOIN unnest(%(said)s::text[]) WITH ORDINALITY AS said (text, place)
  ON said.place = 1 + {drawn("item.id * 10 + model.place", 1)} %% %(texts)s
WHERE item.batch_id = %(batch)s ORDER BY item.id, model.place
"""  # noqa: S608 - of constants
# The order of the responses turns round.
LEASES = f"""
INSERT INTO tasks_lease (project_id, item_id, annotator_id, attempt, status, started_at, expires_at,
  ended_at, responses, model_names)
SELECT %(project)s, item_id, annotator, 0, 'submitted', at.time - interval '2 minutes', at.time,
  at.time, ids[turn + 1:] || ids[:turn], names[turn + 1:] || names[:turn]
FROM (
  SELECT item_id, array_agg(id ORDER BY position) AS ids,
    array_agg(model ORDER BY position) AS names
  FROM tasks_response WHERE project_id = %(project)s GROUP BY item_id) AS item
CROSS JOIN unnest(%(people)s::bigint[]) AS annotator,
LATERAL (
  SELECT ({drawn("item_id * 1000 + annotator", 2)} %% cardinality(ids))::int AS turn) AS first,
LATERAL (SELECT %(now)s::timestamptz - item_id %% %(weeks)s * interval '1 week') AS at (time)
ORDER BY annotator, item_id
"""  # noqa: S608 - of constants
RATINGS = """
INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, lease_id, attempt, kind,
  revision, comment, asked, active_seconds, elapsed_seconds, started_at, submitted_at)
SELECT project_id, item_id, annotator_id, %(rubric)s, id, 0, 'counted', 1, '', '{}', 90, 120,
  started_at, ended_at
FROM tasks_lease WHERE project_id = %(project)s ORDER BY id
"""
SHOWN = """
FROM tasks_rating AS rating JOIN tasks_lease AS lease ON lease.id = rating.lease_id
CROSS JOIN unnest(lease.responses, lease.model_names) WITH ORDINALITY
  AS shown (response, model, place)
"""
PLACEMENTS = f"""
INSERT INTO tasks_placement (rating_id, response_id, position, comment)
SELECT rating.id, shown.response, shown.place,
  CASE WHEN {drawn("rating.id * 10 + shown.place", 3)} %% 5 = 0 THEN %(comment)s ELSE '' END
{SHOWN} WHERE rating.project_id = %(project)s ORDER BY rating.id, shown.place
"""
SCORES = f"""
INSERT INTO tasks_score (project_id, rating_id, dimension, unit, response_id, model, position,
  value, open, clauses, remarks, checks)
SELECT rating.project_id, rating.id, 'quality', 'response', shown.response, shown.model,
  shown.place, {{value}}, said.open, said.clauses, '[]', {{checks}}
{SHOWN}
JOIN jsonb_to_recordset(%(sayings)s::jsonb) AS said (number int, value smallint, open smallint[],
  clauses text[], checks jsonb)
ON said.number = {drawn("rating.id * 10 + shown.place", 4)} %% %(kinds)s
WHERE rating.project_id = %(project)s ORDER BY rating.id, shown.place
"""


@dataclass(frozen=True)
class Spread:
    """How the scores of a project lie on the scale, and its ratings in time."""

    value: str = "said.value"
    checks: str = "said.checks"
    weeks: int = 1


def make_scored(
    slug: str, scores: int, *, raters: int, length: int, spread: Spread = Spread()
) -> Project:
    """Create a project with at least so many scores of responses of about `length` characters."""
    now = timezone.now()
    rubric, _ = Rubric.objects.load(shipped("response-quality"), now=now)
    project = start_project(slug=slug, title=slug, rubric=rubric, wanted=raters, by=None, now=now)
    batch = Batch.objects.create(project=project, name=slug, position=1, created_at=now)
    chance = random.Random(slug)  # noqa: S311 - texts, no secret
    kinds = [
        {
            "number": number,
            "value": said.score,
            "open": list(said.verdict.open),
            "clauses": sorted({reason.clause for reason in said.verdict.acting_reasons}),
            "checks": said.fields,
        }
        for number, said in enumerate(sayings())
    ]
    values: dict[str, Any] = {
        "project": project.pk,
        "batch": batch.pk,
        "rubric": rubric.pk,
        "items": -(-scores // (len(MODELS) * raters)),
        "raters": raters,
        "models": list(MODELS),
        "people": [person.pk for person in make_people(f"{slug}-by", raters, project)],
        "texts": TEXTS,
        "prompts": [text(chance, 200) for _ in range(TEXTS)],
        "said": [text(chance, chance.randint(length // 2, length * 3 // 2)) for _ in range(TEXTS)],
        "comment": text(chance, 80),
        "sayings": json.dumps(kinds),
        "kinds": len(kinds),
        "weeks": spread.weeks,
        "now": now,
    }
    scored = SCORES.format(value=spread.value, checks=spread.checks)
    statements: dict[type[Model], str] = {
        Item: ITEMS,
        Response: RESPONSES,
        Lease: LEASES,
        Rating: RATINGS,
        Placement: PLACEMENTS,
        Score: scored,
    }
    fill(project, statements, values)
    check_counts(project)
    return project
