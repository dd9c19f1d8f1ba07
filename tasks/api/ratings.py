"""Ratings of a project, and what is new among them."""

from typing import Annotated

from django.http import HttpResponse
from ninja import Query, Router

from tasks.exporting.columns import SCORES

from .authentication import ApiCall
from .feeds import Feed, Following, feed_page
from .rated_columns import RATING_COLUMNS, SOURCE_COLUMNS, row_type
from .rated_rows import Resource

router = Router(tags=["ratings"])

# The columns of the export of scores that are about the whole rating.
WHOLE_RATING = (
    *("batch", "item", "item_comment", "annotator", "rubric", "rubric_version", "attempt", "kind"),
    *("extra_because", "revision", "view", "active_seconds", "elapsed_seconds", "started_at"),
    *("submitted_at", "file", "line", "warning", "batch_warning"),
)
COLUMNS = (
    *RATING_COLUMNS,
    *[column for column in SCORES if column.name in WHOLE_RATING],
    *SOURCE_COLUMNS,
)
RATINGS = Resource(
    name="ratings",
    row_key="rating.id",
    join="",
    table="(SELECT id, id AS rating_id, NULL::bigint AS response_id FROM tasks_rating)",
    has_checks=False,
    columns=COLUMNS,
)
RatingRow = row_type("RatingRow", COLUMNS)


@router.get("/projects/{slug:slug}/ratings", response=Feed[RatingRow])  # type: ignore[valid-type]
def list_ratings(
    request: ApiCall, slug: str, following: Annotated[Following, Query()]
) -> HttpResponse:
    """List the ratings of a project, in the order in which they were stored, without their scores.

    Without `since`: all that are current. With it, what is new or revised since, and what stopped
    or began to count, each once.
    """
    return feed_page(request, request.auth.project(slug), following, RATINGS)
