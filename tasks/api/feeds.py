"""Lists that say what is new since a call: the parameter, and a page of one."""

import json
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from django.http import HttpResponse
from pydantic import BaseModel, Field

from tasks.models import Project
from tasks.models.origins import origin_of_database

from .authentication import ApiCall, Caller
from .bodies import JSON
from .cursors import next_address, read_cursor
from .parameters import MOST_ROWS
from .rated_rows import Removed, RowKey, removed_in
from .windows import SIZE, Window, open_window

SINCE = "since"
Shape = TypeVar("Shape", bound=BaseModel)


class Following(BaseModel):
    """Which page of a list that can be followed."""

    limit: int = Field(100, ge=1, le=MOST_ROWS, description="rows of a page, at most")
    since: str = Field(
        "",
        max_length=1_000,
        description="`cursor` of an earlier answer: only what is new or revised since",
    )


class Feed(BaseModel, Generic[Shape]):
    """A page of a list that can be followed."""

    data: list[Shape]
    removed: list[Removed] = Field(description="what is gone since; apply it before `data`")
    next: str | None = Field(description="the address of the next page; null on the last one")
    cursor: str = Field(description="for `since`: where this page ended")


class Followed(Protocol):
    """A kind of rows that can be followed."""

    @property
    def name(self) -> str: ...

    def keys_of(self, project: Project, window: Window, limit: int) -> list[RowKey]:
        """Return the next rows of a window, one more than `limit` if there are others."""

    def json_rows(self, caller: Caller, project: Project, keys: Sequence[RowKey]) -> list[str]:
        """Return rows as JSON, in their order, with the names that the token may read."""


def feed_page(
    request: ApiCall, project: Project, following: Following, resource: Followed
) -> HttpResponse:
    """Return a page of a resource, as PostgreSQL wrote its rows."""
    name = f"{resource.name} of {project.pk}"
    origin = origin_of_database()
    before = None
    if following.since:
        cursor = read_cursor(following.since, name, origin, parameter=SINCE, size=SIZE)
        before = Window.of(cursor)
    window = open_window(before)
    removed = removed_in(project, window) if window.is_fresh else []
    keys = resource.keys_of(project, window, following.limit)
    has_more = len(keys) > following.limit
    keys = keys[: following.limit]
    ended = window.after(keys[-1].rating, keys[-1].row) if has_more else window.done()
    after = ended.cursor.as_text(name, origin)
    parts = {
        "removed": [row.model_dump() for row in removed],
        "next": next_address(request, after, parameter=SINCE) if has_more else None,
        "cursor": after,
    }
    request.row_count = len(keys)
    lines = ",".join(resource.json_rows(request.auth, project, keys))
    body = f'{{"data":[{lines}],{json.dumps(parts)[1:]}'
    return HttpResponse(body, content_type=JSON)
