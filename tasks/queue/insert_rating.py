"""Insert a rating with all its parts by one statement, which stores everything or nothing.

`submitting.py` calls `store`, for each submit at the desk and each correction. ADR 1 compares it
with Django's own way.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.db import connection

from config.web.raw_sql import one_row
from tasks.answers.submission import DraftVersion, Submission, SubmittedScore
from tasks.models import Rating
from tasks.models.drafts import OVER
from tasks.models.pace import MOST_RECENT
from tasks.models.wanted_ratings import WANTED
from tasks.models.workdays import LAST_DAY

# Finds the place of a live lease (`Item.has_place_for`). PostgreSQL locks the item's row, then the
# lease's, and checks both again under the lock.
PLACE_OF_LIVE_LEASE = f"""
  SELECT FROM tasks_item JOIN tasks_lease AS lease ON lease.item_id = tasks_item.id
  WHERE lease.id = %(lease)s AND lease.status = 'live' AND {WANTED.strip()}
  FOR NO KEY UPDATE OF tasks_item, lease
"""
# Its parts, each of which needs those before it:
#
# held       a row, or none if nothing may be stored; it locks what the caller has not locked
# rating     the rating itself, unless the item must not be rated yet, and is
# placement  the place of each response on the desk, with its comment and its checks
# score      the scores; fact: the claims that were looked up
# work       the annotator's day in the project: ratings, seconds, and the last ratings' seconds
# draft      the drafts that are over, which go; lease: its end, and which drafts went with it
STORE = """
WITH held AS ({held}), rating AS (
  INSERT INTO tasks_rating (project_id, item_id, annotator_id, rubric_id, lease_id, attempt, kind,
    extra_because, revision, supersedes_id, comment, not_sure, fingerprint, asked, view,
    active_seconds, elapsed_seconds, started_at, submitted_at)
  SELECT %(project)s, %(item)s, %(annotator)s, %(rubric)s, %(lease)s::bigint, %(attempt)s, %(kind)s,
    %(extra_because)s, %(revision)s, %(supersedes)s::bigint, %(comment)s, %(not_sure)s,
    %(fingerprint)s, %(asked)s::jsonb, %(view)s, %(active_seconds)s::int, %(elapsed_seconds)s,
    %(started_at)s, %(submitted_at)s
  FROM held
  WHERE NOT %(only_first)s OR NOT EXISTS (
    SELECT FROM tasks_rating WHERE item_id = %(item)s AND annotator_id = %(annotator)s)
  RETURNING id
), placement AS (
  INSERT INTO tasks_placement (rating_id, response_id, position, comment, checks)
  SELECT rating.id, placed.response, placed.position, placed.comment, placed.checks
  FROM rating, unnest(%(responses)s::bigint[], %(comments)s::text[], %(wholes)s::jsonb[])
    WITH ORDINALITY AS placed (response, comment, checks, position)
), score AS (
  INSERT INTO tasks_score (project_id, rating_id, dimension, unit, response_id, model, position,
    value, without, open, clauses, remarks, checks)
  SELECT %(project)s, rating.id, part.dimension, part.unit, part.response, part.model,
    part.position, part.value, part.without, part.open, part.clauses, part.remarks,
    part.checks
  FROM rating, jsonb_to_recordset(%(scores)s::jsonb) AS part (dimension text, unit text,
    response bigint, model text, position smallint, value smallint, without text, open smallint[],
    clauses text[], remarks jsonb, checks jsonb)
), fact AS (
  INSERT INTO tasks_factcheck (rating_id, response_id, position, claim, outcome, sources, seconds,
    over_time)
  SELECT rating.id, part.response, part.position, part.claim, part.outcome, part.sources,
    part.seconds, part.over_time
  FROM rating, jsonb_to_recordset(%(facts)s::jsonb) AS part (response bigint, position smallint,
    claim text, outcome text, sources text, seconds int, over_time boolean)
), work AS (
  INSERT INTO tasks_workday AS work (project_id, annotator_id, day, rated, seconds, since, recent)
  SELECT %(project)s, %(annotator)s, greatest(%(day)s::date, last.day), (%(revision)s = 1)::int,
    least(coalesce(%(active_seconds)s::int, 0), 86400), %(started_at)s,
    (array_remove(ARRAY[%(sample)s::int], NULL) || coalesce(last.recent, '{{}}'))[:%(most_recent)s]
  FROM rating LEFT JOIN ({last_day}) AS last ON true
  ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET rated = work.rated + excluded.rated,
    seconds = greatest(work.seconds, least(work.seconds + excluded.seconds, 86400,
      extract(epoch FROM
        %(submitted_at)s - least(coalesce(work.since, work.day - 1), excluded.since))::int)),
    since = least(coalesce(work.since, work.day - 1), excluded.since), recent = excluded.recent
), draft AS (
  DELETE FROM tasks_draft WHERE EXISTS (SELECT FROM rating) AND id IN ({over})
  RETURNING writer, number
), lease AS (
  UPDATE tasks_lease SET status = 'submitted', ended_at = %(submitted_at)s, writer = %(writer)s,
    number = %(number)s, passed = passed || coalesce(
      (SELECT jsonb_object_agg(writer, number) FROM draft WHERE writer <> %(writer)s), '{{}}')
  FROM rating WHERE tasks_lease.id = %(lease)s
)
SELECT id, tasks_comes_back(%(item)s, %(annotator)s) FROM rating
"""
SCORE_COLUMNS = ("dimension", "unit", "response", "model", "position", "value", "without", "open")


def store(
    rating: Rating,
    submission: Submission,
    response_keys: Sequence[int],
    *,
    only_first: bool = False,
    only_live: bool = False,
) -> bool:
    """Insert a rating from a submission, and return whether it was stored.

    It ends the rating's lease, if it has one, and deletes the draft of the page that sent it. It
    sets the rating's primary key and its `comes_back`: true if the lead wants the annotator to look
    at it again.

    `response_keys`: in the order on the desk.
    `only_first`: store it only if the annotator has not rated the item before.
    `only_live`: lock the item and the lease, and store it only if the lease is live and still has
    its place. Without it, the caller has locked both.
    """
    rating.fingerprint = submission.fingerprint
    rating.comment = submission.comment
    rating.not_sure = submission.not_sure
    rating.asked = submission.question_answers
    rating.view = submission.view
    place = PLACE_OF_LIVE_LEASE if only_live else "SELECT"
    values = {
        "only_first": only_first,
        "most_recent": MOST_RECENT,
        **_values_of_rating(rating),
        **_values_of_parts(submission, response_keys),
    }
    row = one_row(STORE.format(held=place, last_day=LAST_DAY, over=OVER), values)
    if row is None:
        return False
    rating.pk, rating.comes_back = row
    rating._state.adding = False
    rating._state.db = connection.alias
    return True


def _values_of_rating(rating: Rating) -> Mapping[str, object]:
    return {
        "project": rating.project_id,
        "item": rating.item_id,
        "annotator": rating.annotator_id,
        "rubric": rating.rubric_id,
        "lease": rating.lease_id,
        "attempt": rating.attempt,
        "kind": str(rating.kind),
        "extra_because": str(rating.extra_because),
        "revision": rating.revision,
        "supersedes": rating.supersedes_id,
        "comment": rating.comment,
        "not_sure": rating.not_sure,
        "fingerprint": rating.fingerprint,
        "asked": json.dumps(rating.asked),
        "view": rating.view,
        "active_seconds": rating.active_seconds,
        # The time that a correction took says nothing about the next item.
        "sample": rating.active_seconds if rating.revision == 1 else None,
        "day": rating.annotator.today(rating.submitted_at),
        "elapsed_seconds": rating.elapsed_seconds,
        "started_at": rating.started_at,
        "submitted_at": rating.submitted_at,
    }


def _values_of_parts(submission: Submission, response_keys: Sequence[int]) -> Mapping[str, object]:
    version = submission.sent_by or DraftVersion("")
    comments = dict(submission.comments)
    wholes = dict(submission.wholes)
    checks_by_place: list[str] = []  # of the whole response
    for place in range(1, len(response_keys) + 1):
        checks = wholes[place].checks if place in wholes else {}
        checks_by_place.append(json.dumps(checks))
    scores = [_stored_score(score) for score in submission.scores]
    return {
        "writer": version.writer,
        "number": version.number,
        "shown": version.loaded,
        "responses": list(response_keys),
        "comments": [comments.get(key, "") for key in response_keys],
        "wholes": checks_by_place,
        "scores": json.dumps(scores),
        "facts": json.dumps([asdict(fact) for fact in submission.facts]),
    }


def _stored_score(submitted_score: SubmittedScore) -> Mapping[str, object]:
    stored = {name: getattr(submitted_score, name) for name in SCORE_COLUMNS}
    stored["clauses"] = submitted_score.clauses
    stored["remarks"] = [
        {"clause": remark.clause, "rule": remark.rule, "text": remark.text}
        for remark in submitted_score.remarks
    ]
    stored["checks"] = submitted_score.answers.checks
    return stored
