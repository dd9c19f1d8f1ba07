"""Pages of lists, and the cursors that lead from one to the next.

A cursor says in which list of which database it is, and where. Whoever has one need not know what
is in it.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from pydantic import BaseModel, Field

from config.web.problems import Problem, ValueFault
from tasks.models.origins import origin_of_database

from .authentication import ApiCall
from .parameters import Paging
from .problems import invalid

FORM = 1  # of the cursors that this version of the program makes
Row = TypeVar("Row", bound=Model)
Shape = TypeVar("Shape", bound=BaseModel)


class Page(BaseModel, Generic[Shape]):
    """A page of a list."""

    data: list[Shape]
    next: str | None = Field(description="the address of the next page; null on the last one")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place at which a list goes on."""

    place: tuple[int, ...]

    def as_text(self, resource: str, origin: int) -> str:
        """Return the cursor as text. `resource`: which list it is of."""
        text = json.dumps([FORM, resource, origin, *self.place], separators=(",", ":"))
        return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str, resource: str, origin: int, *, parameter: str, size: int) -> Cursor:
    """Return the cursor of a text. Raise Problem if it is none of this list and database."""
    try:
        padded = text + "=" * (-len(text) % 4)
        form, of, database, *place = json.loads(urlsafe_b64decode(padded.encode()))
        is_sound = form == FORM and len(place) == size and all(type(part) is int for part in place)
        if not is_sound or not all(-(2**63) <= part < 2**63 for part in place):
            raise ValueError
    except (Error, ValueError, TypeError) as error:
        advice = "Take it from an answer as it is, or leave it out to begin anew."
        raise _refused(text, parameter, "a cursor of an answer", advice) from error
    if of != resource:
        advice = "Take one of this list, or leave it out to begin anew."
        raise _refused(text, parameter, f"a cursor of {resource}", advice)
    if database != origin:
        advice = (
            "The database was restored since, and some of what you have may be gone. Leave the "
            "cursor out to begin anew."
        )
        raise _refused(text, parameter, "a cursor of the database as it is", advice)
    return Cursor(tuple(place))


def _refused(text: str, parameter: str, allowed: str, advice: str) -> Problem:
    return invalid([ValueFault(text, allowed, advice, parameter=parameter)])


def next_address(request: ApiCall, cursor: str, *, parameter: str = "cursor") -> str:
    """Return the address of the call, with another cursor."""
    query = request.GET.copy()
    for name in ("cursor", "since"):
        query.pop(name, None)
    query[parameter] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def paged(
    request: ApiCall,
    query: QuerySet[Row, Any],
    paging: Paging,
    resource: str,
    shape: Callable[[Row], Shape],
) -> Page[Shape]:
    """Return a page of rows in the order of their keys, which stays while rows are added."""
    origin = origin_of_database()
    if paging.cursor:
        cursor = read_cursor(paging.cursor, resource, origin, parameter="cursor", size=1)
        query = query.filter(pk__gt=cursor.place[0])
    rows = list(query.order_by("pk")[: paging.limit + 1])
    address = None
    if len(rows) > paging.limit:
        rows.pop()
        after = Cursor((rows[-1].pk,)).as_text(resource, origin)
        address = next_address(request, after)
    request.row_count = len(rows)
    return Page(data=[shape(row) for row in rows], next=address)
