"""Insert a rating and its parts with one statement.

It takes one round trip to the database, and stores either everything or nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict

from django.db import connection

from config.web.raw_sql import one_row
from tasks.models import Rating
from tasks.models.drafts import OVER
from tasks.models.progress import LAST_DAY
from tasks.models.wanted_ratings import WANTED
from tasks.pace import MOST_RECENT
from tasks.submission import DraftVersion, Submission

# Find the place of a live lease (`Item.has_place_for`). PostgreSQL locks the item's row, then the
# lease's, and checks both again under the lock.
PLACE_HELD = f"""
  SELECT FROM tasks_item JOIN tasks_lease AS lease ON lease.item_id = tasks_item.id
  WHERE lease.id = %(lease)s AND lease.status = 'live' AND {WANTED.strip()}
  FOR NO KEY UPDATE OF tasks_item, lease
"""
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
  WHERE NOT %(if_first)s OR NOT EXISTS (
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
  SELECT %(project)s, rating.id, given.dimension, given.unit, given.response, given.model,
    given.position, given.value, given.without, given.open, given.clauses, given.remarks,
    given.checks
  FROM rating, jsonb_to_recordset(%(scores)s::jsonb) AS given (dimension text, unit text,
    response bigint, model text, position smallint, value smallint, without text, open smallint[],
    clauses text[], remarks jsonb, checks jsonb)
), fact AS (
  INSERT INTO tasks_factcheck (rating_id, response_id, position, claim, outcome, sources, seconds,
    over_time)
  SELECT rating.id, given.response, given.position, given.claim, given.outcome, given.sources,
    given.seconds, given.over_time
  FROM rating, jsonb_to_recordset(%(facts)s::jsonb) AS given (response bigint, position smallint,
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
), lease AS (
  UPDATE tasks_lease SET status = 'submitted', ended_at = %(submitted_at)s, writer = %(writer)s,
    number = %(number)s
  FROM rating WHERE tasks_lease.id = %(lease)s
), draft AS (
  DELETE FROM tasks_draft WHERE EXISTS (SELECT FROM rating) AND id IN ({over})
)
SELECT id, tasks_comes_back(%(item)s, %(annotator)s) FROM rating
"""


def store(
    rating: Rating,
    submission: Submission,
    responses: Sequence[int],
    *,
    if_first: bool = False,
    if_held: bool = False,
) -> bool:
    """Insert a rating from a submission, and return whether it was stored.

    End its lease, if it has one, and delete the draft of the page that sent it. Set the rating's
    primary key and its `comes_back`, which is true if the lead wants the annotator to look at it
    again.

    `responses` are primary keys, in the order on the desk. With `if_first`, store the rating only
    if the annotator has not rated the item before. With `if_held`, lock the item and the lease, and
    store it only if the lease is live and still has its place. Without it, the caller has locked
    both.
    """
    comments, wholes = dict(submission.comments), dict(submission.wholes)
    rating.fingerprint = submission.fingerprint
    rating.comment, rating.not_sure = submission.comment, submission.not_sure
    rating.asked = submission.asked
    rating.view = submission.view
    version = submission.sent_by or DraftVersion("")
    row = one_row(
        STORE.format(held=PLACE_HELD if if_held else "SELECT", last_day=LAST_DAY, over=OVER),
        {
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
            "writer": version.writer,
            "number": version.number,
            "shown": version.shown,
            "active_seconds": rating.active_seconds,
            # The time that a correction took says nothing about the next item.
            "sample": rating.active_seconds if rating.revision == 1 else None,
            "most_recent": MOST_RECENT,
            "day": rating.annotator.today(rating.submitted_at),
            "elapsed_seconds": rating.elapsed_seconds,
            "started_at": rating.started_at,
            "submitted_at": rating.submitted_at,
            "responses": list(responses),
            "comments": [comments.get(response, "") for response in responses],
            "wholes": [
                json.dumps(wholes[place].checks if place in wholes else {})
                for place in range(1, len(responses) + 1)
            ],
            "scores": _scores(submission),
            "facts": json.dumps([asdict(fact) for fact in submission.facts]),
            "if_first": if_first,
        },
    )
    if row is None:
        return False
    rating.pk, rating.comes_back = row
    rating._state.adding, rating._state.db = False, connection.alias
    return True


def _scores(submission: Submission) -> str:
    return json.dumps(
        [
            {
                "dimension": given.dimension,
                "unit": given.unit,
                "response": given.response,
                "model": given.model,
                "position": given.position,
                "value": given.value,
                "without": given.without,
                "open": given.open,
                "clauses": given.clauses,
                "remarks": [
                    {"clause": remark.clause, "rule": remark.rule, "text": remark.text}
                    for remark in given.remarks
                ],
                "checks": given.answers.checks,
            }
            for given in submission.scores
        ]
    )
