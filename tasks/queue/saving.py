"""Save the form of an item as the draft of the page that sends it.

The desk saves each change, a few a minute, so all of it is one statement. Each page has a draft of
its own (`tasks/models/drafts.py`), and counts what it sends: a late request overwrites nothing.
`annotators/desk/drafts.py` calls `save_form`.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from config.web.raw_sql import one_row
from tasks.answers.submission import DraftVersion
from tasks.models import Draft, Lease, Rating

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
MOST = 5  # drafts of an item that an annotator may have before it is rated

# What a draft belongs to; no row if the page has submitted it, or its newer draft was passed by
# another page's. The lock on the lease makes saves and a submit wait for each other: a submit takes
# it too.
OF_LEASE = """
SELECT lease.project_id, lease.item_id, lease.annotator_id, lease.id, NULL::bigint
FROM tasks_lease AS lease WHERE lease.id = %(lease)s
  AND NOT (lease.writer = %(writer)s AND lease.number > %(number)s)
  AND NOT (%(number)s > 0 AND coalesce((lease.passed ->> %(writer)s)::int, 0) >= %(number)s)
FOR NO KEY UPDATE OF lease
"""
OF_CORRECTION = """
SELECT rating.project_id, rating.item_id, rating.annotator_id, NULL::bigint, rating.id
FROM tasks_rating AS rating WHERE rating.id = %(corrects)s
"""
# Its parts:
#
# open     what the draft belongs to, as above
# locked   all drafts of the item, locked in the order of their keys, as by a submit
# others   those of other pages
# saved    the draft of this page, unless a newer request was saved already; a page without
#          JavaScript sends no number, so each of its forms counts as the next one
# shown    the draft that this page was loaded with: it is continued now
# oldest   drafts beyond the limit, which are deleted; passed: the lease remembers them
SAVE = """
WITH open (project_id, item_id, annotator_id, lease_id, corrects_id) AS ({open}),
locked AS (
  SELECT draft.id, draft.writer, draft.saved_at, draft.begun_at,
    draft.continued OR draft.writer || '.' || draft.number = %(shown)s AS continued,
    draft.corrects_id IS NOT DISTINCT FROM open.corrects_id AS alike
  FROM tasks_draft AS draft JOIN open USING (annotator_id, item_id)
  ORDER BY draft.id FOR UPDATE OF draft
), others AS (
  SELECT * FROM locked WHERE writer <> %(writer)s
), saved AS (
  INSERT INTO tasks_draft AS draft (project_id, item_id, annotator_id, lease_id, corrects_id,
    writer, number, continued, answers, seen, active_seconds, saved_at, begun_at)
  SELECT open.*, %(writer)s, %(number)s, false, %(answers)s::jsonb, %(seen)s,
    %(active_seconds)s::int, %(now)s,
    least(%(begun_at)s::timestamptz, (SELECT min(begun_at) FROM others WHERE alike))
  FROM open
  ON CONFLICT (annotator_id, item_id, writer) DO UPDATE
    SET lease_id = excluded.lease_id, corrects_id = excluded.corrects_id,
      number = CASE excluded.number WHEN 0 THEN draft.number + 1 ELSE excluded.number END,
      continued = false, answers = excluded.answers, seen = excluded.seen,
      active_seconds = excluded.active_seconds, saved_at = excluded.saved_at,
      begun_at = CASE WHEN draft.corrects_id = excluded.corrects_id
        THEN least(draft.begun_at, excluded.begun_at) ELSE excluded.begun_at END
    WHERE draft.number < excluded.number OR excluded.number = 0
  RETURNING number
), shown AS (
  UPDATE tasks_draft AS draft SET continued = true
  FROM others, saved
  WHERE draft.id = others.id AND draft.writer || '.' || draft.number = %(shown)s
), oldest AS (
  DELETE FROM tasks_draft AS draft
  USING (SELECT id, saved_at FROM others WHERE alike
    ORDER BY continued, saved_at DESC OFFSET %(others)s) AS old
  WHERE draft.id = old.id AND draft.saved_at = old.saved_at
  RETURNING draft.writer, draft.number
), passed AS (
  UPDATE tasks_lease SET passed = passed || (SELECT jsonb_object_agg(writer, number) FROM oldest)
  WHERE id = %(lease)s AND %(corrects)s::bigint IS NULL AND EXISTS (SELECT FROM oldest)
)
SELECT number FROM saved
"""


def save_form(
    lease: Lease,
    version: DraftVersion,
    answer_by_field: Mapping[str, str],
    *,
    corrects: Rating | None = None,
    seen: str = "",
    active_seconds: int | None = None,
    now: datetime,
) -> int | None:
    """Save a form as the draft of its page, and return the number of its version.

    `corrects`: the revision of a rating that the form corrects. If a newer request of the same page
    was saved already, change nothing. If the page has submitted it, or its newer draft has given
    way to another page's, change nothing and return None.

    If there are more than `MOST` drafts, delete continued ones first, then the oldest.
    """
    # PostgreSQL cannot store NUL; the form reports it at the submit.
    texts = {name: text.replace("\0", REPLACEMENT) for name, text in answer_by_field.items()}
    begun = corrects.correction_started_at(active_seconds, now) if corrects else None
    values = {
        "lease": lease.pk,
        "corrects": corrects.pk if corrects else None,
        "writer": version.writer,
        "number": version.number,
        "shown": version.loaded,
        "others": MOST - 1,
        "answers": json.dumps(texts),
        "seen": seen,
        "active_seconds": active_seconds,
        "now": now,
        "begun_at": begun,
    }
    source = OF_CORRECTION if corrects else OF_LEASE
    row = one_row(SAVE.format(open=source), values)
    if row:
        return int(row[0])
    newer = Draft.objects.filter(
        item=lease.item_id,
        annotator=lease.annotator_id,
        writer=version.writer,
        number__gte=max(version.number, 1),
    )
    return newer.values_list("number", flat=True).first()
