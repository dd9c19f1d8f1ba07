"""Lists that say what is new since a call: the parameter, and a page of one."""

import json
from typing import Generic, TypeVar

from django.http import HttpResponse
from pydantic import BaseModel, Field

from tasks.models import Project
from tasks.models.origins import origin_of_database

from .authentication import ApiCall
from .bodies import JSON
from .cursors import next_address, read_cursor
from .parameters import MOST_ROWS
from .rated_rows import Removed, Resource, json_rows, removed_in, row_keys
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


def feed_page(
    request: ApiCall, project: Project, following: Following, resource: Resource
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
    keys = row_keys(resource, project, window, following.limit)
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
    lines = ",".join(json_rows(resource, request.auth, project, keys))
    body = f'{{"data":[{lines}],{json.dumps(parts)[1:]}'
    return HttpResponse(body, content_type=JSON)
