"""Events of a project: a call waits until something is new. It stands in for webhooks.

An event says that there is something, and the lists that are followed say what. A waiting call
keeps its thread, but no connection: it looks once a second.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from time import monotonic, sleep
from typing import Annotated, Literal

from django.conf import settings
from django.db import connection
from ninja import Query, Router
from psycopg import sql
from pydantic import BaseModel, Field

from config.web.problems import Problem, ProblemKind
from config.web.raw_sql import rows_as
from tasks.models import Project
from tasks.models.counting import FILLING
from tasks.models.origins import origin_of_database

from .authentication import ApiCall
from .cursors import read_cursor
from .windows import SIZE, Window, open_window

router = Router(tags=["events"])

LONGEST = 25  # seconds of a wait
EVERY = 1.0  # seconds from one look to the next
# In one process: a waiting call keeps a thread. With few threads none may wait.
MOST_WAITING = settings.THREADS // 4
RETRY_AFTER = "5"
Kind = Literal[
    "rating",
    "decision",
    "counting",
    "batch_finished",
    "batch_removed",
    "file_removed",
    "job",
]
# A batch is finished by the last rating that fills a place of it, or once it is called complete. As
# in the trigger that tells leads, the order is that of `items_in_the_queue`.
NEW = sql.SQL("""
SELECT 'rating' AS kind, count(*) AS number, NULL::bigint AS key, '' AS name
FROM tasks_rating AS rating WHERE rating.project_id = {project} AND {of_ratings}
HAVING count(*) > 0
UNION ALL
SELECT 'decision', count(*), NULL, ''
FROM tasks_scoredecision AS decision WHERE decision.project_id = {project} AND {of_decisions}
HAVING count(*) > 0
UNION ALL
SELECT 'counting', count(*), NULL, ''
FROM tasks_ratingschange AS change WHERE change.project_id = {project} AND {of_changes}
  AND change.kind IN ('item', 'imported', 'rater')
HAVING count(*) > 0
UNION ALL
SELECT change.kind || '_removed', 1, change.subject, change.name
FROM tasks_ratingschange AS change WHERE change.project_id = {project} AND {of_changes}
  AND change.kind IN ('batch', 'file')
UNION ALL
SELECT 'batch_finished', 1, batch.id, batch.name
FROM tasks_batch AS batch WHERE batch.project_id = {project} AND batch.complete
  AND ({of_batches} AND EXISTS (
      SELECT FROM tasks_item WHERE batch_id = batch.id AND NOT dropped)
    OR batch.id IN (
    SELECT item.batch_id
    FROM tasks_rating AS rating JOIN tasks_item AS item ON item.id = rating.item_id
    WHERE rating.project_id = {project} AND {of_ratings} AND rating.supersedes_id IS NULL
      AND {filling}))
  AND (SELECT id FROM tasks_item
    WHERE batch_id = batch.id AND counted < wanted AND NOT dropped
    ORDER BY batch_id, CASE WHEN counted < wanted AND NOT dropped THEN position END
    LIMIT 1) IS NULL
UNION ALL
SELECT 'job', 1, upload.id, upload.file_name
FROM tasks_upload AS upload WHERE upload.project_id = {project}
  AND upload.uploader_id = {owner} AND upload.asked = '' AND {of_uploads}
""")
_places = BoundedSemaphore(MOST_WAITING)


class EventWait(BaseModel):
    """Since when, and how long to wait."""

    since: str = Field(
        "",
        max_length=1_000,
        description="`cursor` of an earlier answer; without it the call waits for nothing",
    )
    wait: int = Field(LONGEST, ge=0, le=LONGEST, description="seconds, at most")


class Event(BaseModel):
    """Something new."""

    kind: Kind = Field(
        description="`rating`: ratings came or were revised. `counting`: ratings stopped or began "
        "to count. `job`: work on a file of the token’s owner has ended"
    )
    number: int = Field(description="how many")
    key: int | None = Field(description="of the batch, the file or the job")
    name: str


class Events(BaseModel):
    """All that is new; nothing, if nothing came while the call waited."""

    events: list[Event]
    cursor: str = Field(description="for `since`: up to where this answer tells")


@router.get("/projects/{slug:slug}/events", response=Events)
def wait_for_events(
    request: ApiCall, slug: str, event_wait: Annotated[EventWait, Query()]
) -> Events:
    """Wait until something is new in a project, and say what kind of thing.

    Without `since` the answer comes at once, with a cursor to wait from.
    """
    project = request.auth.project(slug)
    name, origin = f"events of {project.pk}", origin_of_database()
    events: list[Event] = []
    if event_wait.since:
        cursor = read_cursor(event_wait.since, name, origin, parameter="since", size=SIZE)
        window, events = _awaited(request, project, Window.of(cursor), event_wait.wait)
    else:
        window = open_window(None)
    request.row_count = len(events)
    return Events(events=events, cursor=window.done().cursor.as_text(name, origin))


def _awaited(
    request: ApiCall, project: Project, before: Window, seconds: int
) -> tuple[Window, list[Event]]:
    """Return the first window since another one in which something is new, or the last one."""
    owner = request.auth.owner.pk
    end = monotonic() + seconds
    window, events = _look(project, owner, before)
    if events or not seconds:
        return window, events
    with _place():
        while not events and monotonic() < end:
            connection.close()  # others may have it meanwhile
            sleep(EVERY)
            window, events = _look(project, owner, window.done())
    return window, events


def _look(project: Project, owner: int, before: Window) -> tuple[Window, list[Event]]:
    """Return the window since another one, and what is new in it."""
    window = open_window(before)
    below, above = window.below, window.above
    # Batches and uploads are rows that change, and few of them: they have no floor.
    statement = NEW.format(
        project=sql.Literal(project.pk),
        owner=sql.Literal(owner),
        filling=FILLING,
        of_ratings=window.rows_of("rating", below.ratings, above.ratings),
        of_decisions=window.rows_of("decision", below.decisions, above.decisions),
        of_changes=window.rows_of("change", below.changes, above.changes),
        of_batches=window.rows_of("batch", 0, 0),
        of_uploads=window.rows_of("upload", 0, 0),
    )
    return window, rows_as(Event, statement, [])


@contextmanager
def _place() -> Iterator[None]:
    """Hold a place among the calls that wait. Raise Problem if all are taken."""
    if not _places.acquire(blocking=False):
        detail = (
            f"Nothing is new, and as many calls wait as this server lets. Ask again in "
            f"{RETRY_AFTER} seconds."
        )
        raise Problem(ProblemKind.TOO_MANY, detail, headers={"Retry-After": RETRY_AFTER})
    try:
        yield
    finally:
        _places.release()
