"""Insert a rating with all its parts by one statement, which stores everything or nothing.

`submitting.py` calls `store` for each submit at the desk and each correction. ADR 1 compares it
with Django's own way. The statement has a part for each table, and each part needs those before it:

    held        a row, or none if nothing may be stored; it locks what is not locked yet.
    rating      the rating itself.
    placement   the place of each response on the desk, with its comment and its checks.
    score       the scores.
    fact        the claims that were looked up.
    work        the annotator's day in the project.
    draft       deletes the drafts that are over.
    lease       ends the lease, and says which drafts went with it.

Below, the functions `_…_values` give the placeholders of the parts their values.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.db import connection

from config.web.raw_sql import one_row
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import DraftVersion, Submission, SubmittedScore
from tasks.models import Rating
from tasks.models.drafts import OVER
from tasks.models.pace import MOST_RECENT
from tasks.models.wanted_ratings import WANTED
from tasks.models.workdays import LAST_DAY

# `held`, if the lease must be live and have its place (`Item.has_place_for`). PostgreSQL locks the
# item's row, then the lease's, and checks both again under the lock.
PLACE_OF_LIVE_LEASE = f"""
  SELECT FROM tasks_item JOIN tasks_lease AS lease ON lease.item_id = tasks_item.id
  WHERE lease.id = %(lease)s AND lease.status = 'live' AND {WANTED.strip()}
  FOR NO KEY UPDATE OF tasks_item, lease
"""
ALWAYS = "SELECT"  # `held`, if the caller has locked both: a row without columns

RATING = """
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
"""
# The lists of responses, comments and checks are as long as each other.
PLACEMENT = """
  INSERT INTO tasks_placement (rating_id, response_id, position, comment, checks)
  SELECT rating.id, placed.response, placed.position, placed.comment, placed.checks
  FROM rating, unnest(%(responses)s::bigint[], %(comments)s::text[], %(wholes)s::jsonb[])
    WITH ORDINALITY AS placed (response, comment, checks, position)
"""
SCORE = """
  INSERT INTO tasks_score (project_id, rating_id, dimension, unit, response_id, model, position,
    value, without, open, clauses, remarks, checks)
  SELECT %(project)s, rating.id, part.*
  FROM rating, jsonb_to_recordset(%(scores)s::jsonb) AS part (dimension text, unit text,
    response bigint, model text, position smallint, value smallint, without text, open smallint[],
    clauses text[], remarks jsonb, checks jsonb)
"""
FACT = """
  INSERT INTO tasks_factcheck (rating_id, response_id, position, claim, outcome, sources, seconds,
    over_time)
  SELECT rating.id, part.*
  FROM rating, jsonb_to_recordset(%(facts)s::jsonb) AS part (response bigint, position smallint,
    claim text, outcome text, sources text, seconds int, over_time boolean)
"""
# A day has at most 86,400 seconds, and no more than have passed since its work began.
WORK = f"""
  INSERT INTO tasks_workday AS work (project_id, annotator_id, day, rated, seconds, since, recent)
  SELECT %(project)s, %(annotator)s, greatest(%(day)s::date, last.day), (%(revision)s = 1)::int,
    least(coalesce(%(active_seconds)s::int, 0), 86400), %(started_at)s,
    (array_remove(ARRAY[%(pace_seconds)s::int], NULL)
      || coalesce(last.recent, ARRAY[]::int[]))[:%(most_recent)s]
  FROM rating LEFT JOIN ({LAST_DAY}) AS last ON true
  ON CONFLICT (annotator_id, project_id, day) DO UPDATE SET rated = work.rated + excluded.rated,
    seconds = greatest(work.seconds, least(work.seconds + excluded.seconds, 86400,
      extract(epoch FROM
        %(submitted_at)s - least(coalesce(work.since, work.day - 1), excluded.since))::int)),
    since = least(coalesce(work.since, work.day - 1), excluded.since), recent = excluded.recent
"""  # noqa: S608 - constant parts
LEASE = """
  UPDATE tasks_lease SET status = 'submitted', ended_at = %(submitted_at)s, writer = %(writer)s,
    number = %(number)s, passed = passed || coalesce(
      (SELECT jsonb_object_agg(writer, number) FROM draft WHERE writer <> %(writer)s), '{}')
  FROM rating WHERE tasks_lease.id = %(lease)s
"""


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
    statement = _statement(PLACE_OF_LIVE_LEASE if only_live else ALWAYS)
    values = {
        "only_first": only_first,
        **_rating_values(rating),
        **_work_values(rating),
        **_placement_values(submission, response_keys),
        "scores": json.dumps([_score_values(score) for score in submission.scores]),
        "facts": json.dumps([asdict(fact) for fact in submission.facts]),
        **_draft_values(submission),
    }
    row = one_row(statement, values)
    if row is None:
        return False
    rating.pk, rating.comes_back = row
    rating._state.adding = False
    rating._state.db = connection.alias
    return True


def _statement(held: str) -> str:
    """Return the statement; it stores something if `held` selects a row."""
    return f"""
WITH held AS ({held}), rating AS ({RATING}), placement AS ({PLACEMENT}), score AS ({SCORE}),
fact AS ({FACT}), work AS ({WORK}), draft AS (
  DELETE FROM tasks_draft WHERE EXISTS (SELECT FROM rating) AND id IN ({OVER})
  RETURNING writer, number
), lease AS ({LEASE})
SELECT id, tasks_comes_back(%(item)s, %(annotator)s) FROM rating
"""  # noqa: S608 - constant parts


def _rating_values(rating: Rating) -> Mapping[str, object]:
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
        "elapsed_seconds": rating.elapsed_seconds,
        "started_at": rating.started_at,
        "submitted_at": rating.submitted_at,
    }


def _work_values(rating: Rating) -> Mapping[str, object]:
    # The time that a correction took says nothing about the next item.
    is_correction = rating.revision > 1
    return {
        "day": rating.annotator.today(rating.submitted_at),
        "pace_seconds": None if is_correction else rating.active_seconds,
        "most_recent": MOST_RECENT,
    }


def _placement_values(submission: Submission, response_keys: Sequence[int]) -> Mapping[str, object]:
    """Return three lists with an entry for each response, in the order on the desk."""
    comments = dict(submission.comments)
    answers_by_position = dict(submission.wholes)
    checks_of_responses: list[str] = []
    for position in range(1, len(response_keys) + 1):
        answers = answers_by_position.get(position, SlotAnswers())
        checks_of_responses.append(json.dumps(answers.checks))
    return {
        "responses": list(response_keys),
        "comments": [comments.get(key, "") for key in response_keys],
        "wholes": checks_of_responses,
    }


def _score_values(submitted_score: SubmittedScore) -> Mapping[str, object]:
    """Return a score by the names that `SCORE` reads."""
    return {
        "dimension": submitted_score.dimension,
        "unit": submitted_score.unit,
        "response": submitted_score.response,
        "model": submitted_score.model,
        "position": submitted_score.position,
        "value": submitted_score.value,
        "without": submitted_score.without,
        "open": submitted_score.open,
        "clauses": submitted_score.clauses,
        "remarks": [asdict(remark) for remark in submitted_score.remarks],
        "checks": submitted_score.answers.checks,
    }


def _draft_values(submission: Submission) -> Mapping[str, object]:
    """Return the page that sent the submission and the draft that it showed, for `OVER`."""
    version = submission.sent_by or DraftVersion("")
    return {"writer": version.writer, "number": version.number, "shown": version.loaded}
