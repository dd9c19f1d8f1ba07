"""The promises, held against the annotators' journals and the tables, by SQL written for this
alone.

Nothing of the program's own queries is used: what they get wrong would be wrong here too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from . import journal

MOST_SHOWN = 8  # examples of one kind of breach

RATINGS = """
SELECT rating.id, rating.lease_id, rating.item_id, item.external_id AS item,
  person.username AS annotator, rating.attempt, rating.kind, rating.revision, rating.supersedes_id,
  rating.comment,
  lease.item_id AS lease_item, lease.annotator_id = rating.annotator_id AS lease_is_theirs,
  (SELECT jsonb_object_agg('r' || score.position,
     jsonb_build_object('score', score.value, 'checks', score.checks))
   FROM tasks_score AS score WHERE score.rating_id = rating.id) AS said,
  (SELECT count(*) FROM tasks_score AS score WHERE score.rating_id = rating.id) AS scores,
  (SELECT count(*) FROM tasks_placement AS placed WHERE placed.rating_id = rating.id) AS placements
FROM tasks_rating AS rating
JOIN tasks_item AS item ON item.id = rating.item_id
JOIN annotators_user AS person ON person.id = rating.annotator_id
LEFT JOIN tasks_lease AS lease ON lease.id = rating.lease_id
ORDER BY rating.id
"""

# Each must give no row; the columns say what is wrong.
NEVER = {
    "the same item, annotator, attempt and revision twice": """
        SELECT item_id, annotator_id, attempt, revision, count(*) FROM tasks_rating
        GROUP BY 1, 2, 3, 4 HAVING count(*) > 1""",
    "more counted ratings than are wanted": """
        SELECT item.external_id, item.wanted, count(*) FROM tasks_item AS item
        JOIN tasks_rating AS rating ON rating.item_id = item.id
        WHERE rating.kind = 'counted' AND rating.revision = 1
        GROUP BY item.id HAVING count(*) > item.wanted""",
    "counted ratings of a later attempt": """
        SELECT id, item_id, attempt FROM tasks_rating WHERE kind = 'counted' AND attempt <> 0""",
    "an item's `counted` that is not the truth": """
        SELECT item.external_id, item.counted, found.number FROM tasks_item AS item,
        LATERAL (SELECT count(*) AS number FROM tasks_rating AS rating
          WHERE rating.item_id = item.id AND rating.kind = 'counted'
            AND rating.revision = 1) AS found
        WHERE item.counted <> found.number""",
    "an item's `reserved` that is not the truth": """
        SELECT item.external_id, item.reserved, found.number FROM tasks_item AS item,
        LATERAL (SELECT count(*) AS number FROM tasks_lease AS lease
          WHERE lease.item_id = item.id AND lease.status = 'live') AS found
        WHERE item.reserved <> found.number""",
    "two live leases of one annotator": """
        SELECT annotator_id, count(*), array_agg(id) FROM tasks_lease WHERE status = 'live'
        GROUP BY project_id, annotator_id HAVING count(*) > 1""",
    "a lease that is submitted without a rating, or has one without being submitted": """
        SELECT lease.id, lease.status FROM tasks_lease AS lease
        LEFT JOIN tasks_rating AS rating ON rating.lease_id = lease.id
        WHERE (lease.status = 'submitted') <> (rating.id IS NOT NULL)""",
    "an item lent to someone who had rated it": """
        SELECT lease.id, lease.item_id, lease.annotator_id FROM tasks_lease AS lease
        JOIN tasks_rating AS rating USING (item_id, annotator_id)
        WHERE rating.revision = 1 AND lease.status IN ('live', 'submitted')
          AND lease.started_at > rating.submitted_at + interval '2 seconds'""",
    "an item lent to someone who had skipped it": """
        SELECT lease.id, lease.item_id, lease.annotator_id FROM tasks_lease AS lease
        JOIN tasks_concern AS concern USING (item_id, annotator_id)
        WHERE concern.kind = 'skip'
          AND lease.started_at > concern.raised_at + interval '2 seconds'""",
    "a revision that does not follow the one before it": """
        SELECT later.id, later.revision, before.revision FROM tasks_rating AS later
        JOIN tasks_rating AS before ON before.id = later.supersedes_id
        WHERE (later.item_id, later.annotator_id, later.attempt, later.kind, later.revision)
          IS DISTINCT FROM
          (before.item_id, before.annotator_id, before.attempt, before.kind,
           before.revision + 1)""",
    "more live leases and counted ratings than are wanted": """
        SELECT external_id, wanted, counted, reserved FROM tasks_item
        WHERE counted + reserved > wanted""",
    # What a day brought someone is what their row of that day says.
    "a day whose number of ratings is not the truth": """
        SELECT work.annotator_id, work.rated, found.number FROM tasks_workday AS work,
        LATERAL (SELECT count(*) AS number FROM tasks_rating AS rating
          WHERE rating.annotator_id = work.annotator_id AND rating.project_id = work.project_id
            AND rating.revision = 1
            AND (rating.submitted_at AT TIME ZONE 'UTC')::date = work.day) AS found
        WHERE work.rated <> found.number""",
    "an item that was lent beyond the limit of a day": """
        SELECT lease.id, lease.annotator_id, project.most_daily FROM tasks_lease AS lease
        JOIN tasks_project AS project ON project.id = lease.project_id
        WHERE project.most_daily <= (
          SELECT count(*) FROM tasks_rating AS rating
          WHERE rating.annotator_id = lease.annotator_id AND rating.revision = 1
            AND date_trunc('day', rating.submitted_at AT TIME ZONE 'UTC')
              = date_trunc('day', lease.started_at AT TIME ZONE 'UTC')
            AND rating.submitted_at < lease.started_at - interval '2 seconds')""",
    "more items with a warning opened than a day may bring": """
        SELECT lease.annotator_id, count(DISTINCT lease.item_id) FROM tasks_lease AS lease
        JOIN tasks_item AS item ON item.id = lease.item_id AND item.warning <> ''
        JOIN tasks_project AS project ON project.id = lease.project_id
        WHERE lease.opened_at IS NOT NULL
        GROUP BY lease.annotator_id, (lease.opened_at AT TIME ZONE 'UTC')::date,
          project.most_warned_daily
        HAVING count(DISTINCT lease.item_id) > project.most_warned_daily""",
    "an item lent to someone who was not admitted": """
        SELECT lease.id, lease.annotator_id FROM tasks_lease AS lease
        JOIN tasks_project AS project ON project.id = lease.project_id
        WHERE project.practice = 'required'
          AND NOT EXISTS (SELECT FROM tasks_admission AS admission
            WHERE (admission.project_id, admission.annotator_id)
              = (lease.project_id, lease.annotator_id)
              AND admission.at <= lease.started_at + interval '2 seconds')
          AND NOT EXISTS (SELECT FROM tasks_rating AS rating
            WHERE (rating.project_id, rating.annotator_id)
              = (lease.project_id, lease.annotator_id)
              AND rating.submitted_at < lease.started_at)""",
    "two rounds of practice of one person that are open, or have one number": """
        SELECT annotator_id, count(*) FROM tasks_practiceround WHERE ended_at IS NULL
        GROUP BY project_id, annotator_id HAVING count(*) > 1
        UNION ALL
        SELECT annotator_id, count(*) FROM tasks_practiceround
        GROUP BY project_id, annotator_id, number HAVING count(*) > 1""",
    "a rating of an item whose warning stood before its texts": """
        SELECT rating.id, rating.lease_id FROM tasks_rating AS rating
        JOIN tasks_lease AS lease ON lease.id = rating.lease_id WHERE lease.opened_at IS NULL""",
}

DRAFTS = """
SELECT person.username AS annotator, item.external_id AS item, draft.writer, draft.answers
FROM tasks_draft AS draft
JOIN tasks_item AS item ON item.id = draft.item_id
JOIN annotators_user AS person ON person.id = draft.annotator_id
WHERE draft.lease_id IS NOT NULL
"""
MOST_DRAFTS = 5  # of an item and a person; the oldest give way
# How much of a day's limit is left, if any is set.
DAYS = """
SELECT person.username AS annotator, project.most_daily - max(work.rated) AS daily,
  project.most_warned_daily - max(work.opened) AS daily_warned
FROM tasks_workday AS work
JOIN annotators_user AS person ON person.id = work.annotator_id
JOIN tasks_project AS project ON project.id = work.project_id
GROUP BY person.id, project.id
"""

STUCK = """
SELECT item.external_id, item.wanted, item.counted, item.reserved FROM tasks_item AS item
WHERE item.counted < item.wanted AND (
  SELECT count(*) FROM tasks_membership AS member
  WHERE member.project_id = item.project_id AND member.role = 'annotator'
    AND NOT EXISTS (SELECT FROM tasks_rating
      WHERE item_id = item.id AND annotator_id = member.user_id)
    AND NOT EXISTS (SELECT FROM tasks_concern
      WHERE item_id = item.id AND annotator_id = member.user_id AND kind = 'skip')) > 0
"""


@dataclass
class Findings:
    """What is broken, by kind; and how much was looked at."""

    breaches: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    figures: Counter[str] = field(default_factory=Counter)

    def breach(self, kind: str, example: object) -> None:
        self.breaches[kind].append(str(example))

    def lines(self) -> Iterator[str]:
        """In words, with some examples each."""
        for kind, examples in self.breaches.items():
            yield f"{kind}: {len(examples)}"
            yield from (f"    {example}" for example in examples[:MOST_SHOWN])


@dataclass
class Sent:
    """One form that somebody sent, or was about to send."""

    annotator: str
    number: int
    kind: str
    lease: int
    item: str
    comment: str
    said: dict[str, Any]
    based_on: int
    page: dict[str, str]  # which page sent it, when, and what it was shown
    acknowledged: int = 0  # the number of the first acknowledgement's entry; 0: none
    refused: bool = False


def check(connection: psycopg.Connection[Any], journals: Path) -> Findings:
    """Everything that must hold at any moment, in one snapshot: a request that was cut off may
    still be at work."""
    findings = Findings()
    rows: dict[str, list[dict[str, Any]]] = {}
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for kind, query in NEVER.items():
            for row in cursor.execute(query):
                findings.breach(kind, row)
        rows["ratings"] = cursor.execute(RATINGS).fetchall()
        rows["drafts"] = cursor.execute(DRAFTS).fetchall()
        days = {row["annotator"]: row for row in cursor.execute(DAYS)}
    everything = list(forms_sent(journals))
    sent = [form for form in everything if form.kind != "draft"]
    drafts = [form for form in everything if form.kind == "draft"]
    findings.figures.update(
        annotators=len({form.annotator for form in sent}),
        forms=len(sent),
        acknowledged=sum(form.acknowledged > 0 for form in sent),
        ratings=len(rows["ratings"]),
        extra=sum(row["kind"] == "extra" for row in rows["ratings"]),
        revisions=sum(row["revision"] > 1 for row in rows["ratings"]),
        drafts=sum(form.acknowledged > 0 for form in drafts),
        limits=0,
    )
    _compare(sent, rows["ratings"], findings)
    compare_drafts(drafts, sent, rows, findings)
    for annotator, limit in _limits(journals):
        findings.figures["limits"] += 1
        left = days[annotator][limit] if annotator in days else 1
        if left is not None and left > 0:
            findings.breach(
                "a limit of the day that was told and not reached", (annotator, limit, left)
            )
    return findings


def check_drained(connection: psycopg.Connection[Any], findings: Findings) -> None:
    """After everyone was told that there is nothing left: it was true."""
    with connection.cursor(row_factory=dict_row) as cursor:
        for row in cursor.execute(STUCK):
            findings.breach("an item that still wants ratings, and is handed out to nobody", row)


def forms_sent(journals: Path) -> Iterator[Sent]:
    for annotator, entries in journal.read(journals):
        forms: dict[int, Sent] = {}
        for entry in entries:
            if entry.get("intent") in ("rate", "correct", "draft"):
                forms[entry["number"]] = Sent(
                    annotator,
                    entry["number"],
                    entry["intent"],
                    entry["lease"],
                    entry.get("item", ""),
                    entry["comment"] if "comment" in entry else entry["answers"]["comment"],
                    entry["said"] if "said" in entry else entry["answers"],
                    entry.get("based_on", 0),
                    entry.get("page", {}),
                )
            elif (form := forms.get(entry.get("acknowledged", 0))) and not form.acknowledged:
                form.acknowledged = entry["number"]
            elif form := forms.get(entry.get("refused", 0)):
                form.refused = True
        yield from forms.values()


def _limits(journals: Path) -> Iterator[tuple[str, str]]:
    """Who was told that a limit of the day is reached, and which."""
    for annotator, entries in journal.read(journals):
        yield from ((annotator, entry["limit"]) for entry in entries if "limit" in entry)


def _compare(sent: list[Sent], ratings: list[dict[str, Any]], findings: Findings) -> None:
    by_comment = {form.comment: form for form in sent}
    stored = {row["comment"]: row for row in ratings}
    for comment, number in Counter(row["comment"] for row in ratings).items():
        if number > 1:
            findings.breach("a form that is stored more than once", f"{number} times: {comment}")
    for row in ratings:
        form = by_comment.get(row["comment"])
        if form is None:
            findings.breach(
                "a rating that nobody sent", {name: row[name] for name in ("id", "comment")}
            )
        elif form.refused:
            findings.breach("a form that was refused and is stored", form)
        else:
            _compare_one(form, row, findings)
    by_lease: dict[int, list[Sent]] = defaultdict(list)
    for form in sent:
        if form.kind == "rate":
            by_lease[form.lease].append(form)
        elif form.acknowledged and form.comment not in stored:
            findings.breach("an acknowledged correction that is lost", form)
    for lease, forms in by_lease.items():
        _compare_lease(lease, forms, stored, findings)


def compare_drafts(
    drafts: list[Sent], sent: list[Sent], rows: dict[str, list[dict[str, Any]]], findings: Findings
) -> None:
    """The draft of a page is what was acknowledged last, or sent after it. It is there until its
    page submits, or until a page that was shown it saves or submits. A form that came after the
    rating of its item is a draft beside it."""
    rated = {row["comment"] for row in rows["ratings"]}
    forms: dict[tuple[str, str], list[Sent]] = defaultdict(list)
    for form in (*drafts, *(form for form in sent if form.kind == "rate")):
        is_beside = form.kind == "rate" and form.comment not in rated
        forms[form.annotator, form.item].append(_as_draft(form) if is_beside else form)
    stored: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for row in rows["drafts"]:
        stored[row["annotator"], row["item"]][row["writer"]] = row["answers"]
    for place in {*stored, *forms}:
        of_pages: dict[str, list[Sent]] = defaultdict(list)
        for form in forms[place]:
            of_pages[form.page["draft_writer"]].append(form)
        for writer in {*stored[place], *of_pages}:
            _compare_page(place, writer, of_pages, stored[place], findings)


def _compare_page(
    place: tuple[str, str],
    writer: str,
    of_pages: dict[str, list[Sent]],
    stored: dict[str, Any],
    findings: Findings,
) -> None:
    there = stored.get(writer)
    of_page = [form for form in of_pages[writer] if form.kind == "draft"]
    ratings = [form for form in of_pages[writer] if form.kind == "rate"]
    found = next((form for form in of_page if there and form.comment == there["comment"]), None)
    last = max((form for form in of_page if form.acknowledged), key=_number, default=None)
    if there and (found is None or found.said != there):
        findings.breach("a draft that nobody sent", (place, there, found))
    elif found and found.refused:
        findings.breach("a draft that was refused and is stored", found)
    elif found and any(0 < found.acknowledged < rating.number for rating in ratings):
        findings.breach("a draft that survives its rating", (found, ratings))
    elif last and found and last.number > found.number:
        findings.breach("an acknowledged draft that is lost", (place, there, last))
    elif last and not there:
        since = [form for form in of_page if form.number >= last.number]
        # A version that was sent later may have been stored, and shown, without an answer.
        versions = {f"{writer}.{form.page['draft_number']}" for form in since}
        shown = {form.page["draft_shown"] for each in of_pages.values() for form in each}
        is_over = ratings or versions & shown or len(stored) >= MOST_DRAFTS
        if not is_over:
            findings.breach("an acknowledged draft that is lost", (place, of_page[-3:]))


def _as_draft(form: Sent) -> Sent:
    """Say what a form for a rating has entered as a draft has it; it need not be stored."""
    said = {"comment": form.comment}
    for target, each in form.said.items():
        said[f"{target}.quality"] = str(each["score"])
        said |= {f"{target}.quality.{code}": value for code, value in each["checks"].items()}
    return replace(form, kind="draft", said=said, acknowledged=0, refused=False)


def _number(form: Sent) -> int:
    return form.number


def _compare_one(form: Sent, row: dict[str, Any], findings: Findings) -> None:
    """That a rating is what was sent, of the item that was shown, by whom, under which lease."""
    if (
        row["said"] != form.said
        or row["scores"] != len(form.said)
        or row["placements"] != len(form.said)
    ):
        findings.breach("a rating whose scores are not those sent", (form, row))
    if row["annotator"] != form.annotator or (form.item and row["item"] != form.item):
        findings.breach("a rating of another annotator or item", (form, row))
    if form.kind == "rate" and (
        row["lease_id"] != form.lease
        or row["lease_item"] != row["item_id"]
        or not row["lease_is_theirs"]
    ):
        findings.breach("a rating under another lease", (form, row))
    if form.kind == "correct" and row["revision"] != form.based_on + 1:
        findings.breach("a correction of another revision than the one it is based on", (form, row))


def _compare_lease(
    lease: int, forms: list[Sent], stored: dict[str, dict[str, Any]], findings: Findings
) -> None:
    """Of all that was sent for a lease, in several tabs perhaps, one is stored; which, is settled
    when the first acknowledgement comes."""
    kept = [form for form in forms if form.comment in stored]
    first = min((form.acknowledged for form in forms if form.acknowledged), default=0)
    if first and not kept:
        findings.breach("an acknowledged rating that is lost", forms[0])
    if len(kept) > 1:
        findings.breach("a lease that led to more than one rating", (lease, kept))
    if first and any(form.number > first for form in kept):
        findings.breach(
            "an acknowledged rating in whose place a later one is stored", (lease, kept)
        )
