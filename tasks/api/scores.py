"""Scores of a project, and what is new among them."""

from typing import Annotated

from django.http import HttpResponse
from ninja import Query, Router

from tasks.exporting.column_types import integer_column
from tasks.exporting.columns import SCORES

from .authentication import ApiCall
from .feeds import Feed, Following, feed_page
from .rated_columns import RATING_COLUMNS, SOURCE_COLUMNS, row_type
from .rated_rows import Resource

router = Router(tags=["scores"])

COLUMNS = (
    integer_column("id", "score.id", "the score's key"),
    *RATING_COLUMNS,
    *SCORES[1:],  # the project is in the address
    *SOURCE_COLUMNS,
)
SCORE_ROWS = Resource(
    name="scores",
    row_key="score.id",
    join="JOIN tasks_score AS score ON score.rating_id = rating.id",
    table="tasks_score",
    has_checks=True,
    columns=COLUMNS,
)
ScoreRow = row_type("ScoreRow", COLUMNS)


@router.get("/projects/{slug:slug}/scores", response=Feed[ScoreRow])  # type: ignore[valid-type]
def list_scores(
    request: ApiCall, slug: str, following: Annotated[Following, Query()]
) -> HttpResponse:
    """List the scores of a project, in the order in which their ratings were stored.

    Without `since`: all of current ratings. With it, what is new or revised since, and what stopped
    or began to count, each once.
    """
    return feed_page(request, request.auth.project(slug), following, SCORE_ROWS)
