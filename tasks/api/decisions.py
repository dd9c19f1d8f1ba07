"""Decisions of a project: the final scores that stand, and what is new among them."""

from collections.abc import Sequence
from typing import Annotated

from django.http import HttpResponse
from ninja import Query, Router
from psycopg import sql

from config.web.raw_sql import all_rows
from tasks.exporting.column_types import integer_column
from tasks.exporting.decision_rows import DECISIONS, decisions_of
from tasks.exporting.filters import Filters
from tasks.exporting.json_files import json_line
from tasks.models import Project

from .authentication import ApiCall, Caller
from .feeds import Feed, Following, feed_page
from .names import Names
from .rated_columns import row_type
from .rated_rows import RowKey, people_of_rows
from .windows import Window

router = Router(tags=["decisions"])

COLUMNS = (
    integer_column("id", "decision.id", "the decision's key; each revision has its own"),
    *DECISIONS[1:],  # the project is in the address
)
DecisionRow = row_type("DecisionRow", COLUMNS)
KEYS = sql.SQL("""
SELECT decision.id, decision.id, COALESCE(annotator.id, -rater.id) {decisions}
  AND {members} AND decision.id > {after}
ORDER BY decision.id LIMIT {limit}
""")
ROWS = sql.SQL("""
SELECT {columns} {decisions} AND decision.id = ANY({keys}) ORDER BY decision.id
""")


class LastDecisions:
    """The last decision on each case. Decisions are never changed: a later one comes as new."""

    name = "decisions"

    def keys_of(self, project: Project, window: Window, limit: int) -> list[RowKey]:
        """Return the next decisions of a window, one more than `limit` if there are others."""
        floors = (window.below.decisions, window.above.decisions)
        statement = KEYS.format(
            decisions=decisions_of(project, Filters()),
            members=window.rows_of("decision", *floors),
            after=sql.Literal(window.row),
            limit=sql.Literal(limit + 1),
        )
        return [RowKey(*row) for row in all_rows(statement, [])]

    def json_rows(self, caller: Caller, project: Project, keys: Sequence[RowKey]) -> list[str]:
        """Return decisions as JSON, in their order, with the names that the token may read."""
        if not keys:
            return []
        readable = Names(caller, project)
        columns = readable.shown_in(COLUMNS, people_of_rows(keys), table="decision")
        own_keys = [key.row for key in keys]
        statement = ROWS.format(
            columns=json_line(columns),
            decisions=decisions_of(project, Filters(), all_revisions=True),
            keys=sql.Literal(own_keys),
        )
        return [line for (line,) in all_rows(statement, [])]


@router.get("/projects/{slug:slug}/decisions", response=Feed[DecisionRow])  # type: ignore[valid-type]
def list_decisions(
    request: ApiCall, slug: str, following: Annotated[Following, Query()]
) -> HttpResponse:
    """List the last decision on each case of a project, in the order in which they were made.

    With `since`: the decisions since. A later one on the same item, target and dimension replaces
    the earlier one.
    """
    return feed_page(request, request.auth.project(slug), following, LastDecisions())
