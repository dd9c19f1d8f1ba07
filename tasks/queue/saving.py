"""Save the form of an item as its annotator's draft."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from tasks.models import Draft, Lease, Rating, UnseenDraft
from tasks.submission import DraftVersion

# The lock on the lease makes a submit and a save wait for each other: a submit takes it too.
OF_LEASE = """
SELECT lease.project_id, lease.item_id, lease.annotator_id, lease.id, NULL::bigint
FROM tasks_lease AS lease WHERE lease.id = %(lease)s AND lease.status <> 'submitted'
FOR SHARE OF lease
"""
# The caller has locked the rating, as a correction does.
OF_CORRECTION = """
SELECT rating.project_id, rating.item_id, rating.annotator_id, NULL::bigint, rating.id
FROM tasks_rating AS rating WHERE rating.id = %(corrects)s
  AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)
"""
SAVE = """
WITH open (project_id, item_id, annotator_id, lease_id, corrects_id) AS ({open})
INSERT INTO tasks_draft AS draft (project_id, item_id, annotator_id, lease_id, corrects_id, writer,
  number, revision, answers, seen, active_seconds, saved_at, begun_at)
SELECT open.*, %(writer)s, %(number)s, {first}, %(answers)s::jsonb, %(seen)s,
  %(active_seconds)s::int, %(now)s, %(begun_at)s::timestamptz
FROM open
ON CONFLICT (annotator_id, item_id) DO UPDATE
  SET lease_id = excluded.lease_id, corrects_id = excluded.corrects_id, writer = excluded.writer,
    number = excluded.number, revision = {next}, answers = excluded.answers,
    seen = excluded.seen, active_seconds = excluded.active_seconds, saved_at = excluded.saved_at,
    begun_at = CASE WHEN draft.corrects_id = excluded.corrects_id
      THEN coalesce(draft.begun_at, excluded.begun_at) ELSE excluded.begun_at END
  WHERE CASE WHEN draft.writer = excluded.writer THEN draft.number < excluded.number
      OR excluded.number = 0 ELSE draft.revision = %(based_on)s END
RETURNING revision
"""
SAVE_OF_LEASE = SAVE.format(open=OF_LEASE, first="1", next="draft.revision + 1")
# A correction that is given up deletes its draft, so the next draft must not count from 1 again.
LATER = "nextval('tasks_draft_revision')"
SAVE_OF_CORRECTION = SAVE.format(open=OF_CORRECTION, first=LATER, next=LATER)


def save_form(
    lease: Lease,
    version: DraftVersion,
    answers: Mapping[str, str],
    *,
    corrects: Rating | None = None,
    seen: str = "",
    active_seconds: int | None = None,
    now: datetime,
) -> int | None:
    """Save a form as a draft and return the draft's revision.

    `corrects`: the revision of a rating that the form corrects. If a newer request of the same page
    was saved already, change nothing and return that revision. If the rating or the correction was
    stored meanwhile, change nothing and return None.

    Raise UnseenDraft if another page has saved the draft meanwhile.
    """
    values: dict[str, Any] = {
        "lease": lease.pk,
        "corrects": corrects.pk if corrects else None,
        "writer": version.writer,
        "number": version.number,
        "based_on": version.based_on,
        # PostgreSQL cannot store NUL; the form reports it at the submit.
        "answers": json.dumps(
            {
                name: text.replace("\0", "\N{REPLACEMENT CHARACTER}")
                for name, text in answers.items()
            }
        ),
        "seen": seen,
        "active_seconds": active_seconds,
        "now": now,
        "begun_at": corrects.correction_begun(active_seconds, now) if corrects else None,
    }
    # One statement needs no transaction of its own.
    with transaction.atomic() if corrects else nullcontext(), connection.cursor() as cursor:
        if corrects:
            corrects.lock()
        cursor.execute(SAVE_OF_CORRECTION if corrects else SAVE_OF_LEASE, values)
        if row := cursor.fetchone():
            return int(row[0])
    there = Draft.objects.filter(item=lease.item_id, annotator=lease.annotator_id).first()
    said = {"supersedes": corrects} if corrects else {"lease": lease}
    if there is None or Rating.objects.filter(**said).exists():
        return None
    if there.writer != version.writer:
        raise UnseenDraft
    return there.revision
