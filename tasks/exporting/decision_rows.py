"""The rows of decisions: each final score that a lead set, with what they saw and why.

`rows` selects them for a file, and the API by `decisions_of`. The columns name the tables of
`_FROM`.
"""

from psycopg import sql

from tasks.models import Project

from .column_types import integer_column, text_column, time_column, word_column
from .columns import ANNOTATOR, CAUSE, DECIDED_BY, ITEM_COLUMNS, REASON, RUBRIC_COLUMNS
from .filters import FilterColumns, Filters
from .options import Options
from .selection import PEOPLE, Selection

DECISIONS = (
    *ITEM_COLUMNS,
    text_column(
        "target",
        "COALESCE(response.position::text, decision.model)",
        "the response's number in the upload, from 1; for a candidate set its model",
    ),
    text_column(
        "model",
        "COALESCE(response.model, decision.model)",
        "the model that wrote the response or the candidate set",
    ),
    text_column("dimension", "decision.dimension", "the dimension"),
    integer_column("revision", "decision.revision", "1 for the first decision; each later adds 1"),
    word_column(
        "source",
        "decision.source",
        """where the score comes from: `answer`, one of the annotators'; `anew`, the decider's own;
        `median`, many cases at once; `first`, before the answers were shown, which is no final
        score; `withdrawn`, the decision was taken back""",
    ),
    integer_column("final", "decision.value", "the score; empty without one"),
    word_column(
        "without", "NULLIF(decision.without, '')", "`blank`: “not applicable”; else as in `scores`"
    ),
    ANNOTATOR,
    text_column(
        "checks",
        """NULLIF((SELECT string_agg(given.key || '=' || given.value, ';' ORDER BY given.key)
          FROM jsonb_each_text(decision.checks) AS given), '')""",
        "the checks that go with the score, as `check=answer`, separated by `;`",
    ),
    CAUSE,
    REASON,
    text_column("bulk", "decision.bulk::text", "the same for all that were decided at once"),
    DECIDED_BY,
    time_column("decided_at", "decision.decided_at", "in UTC"),
    *RUBRIC_COLUMNS,
)
_IN_ORDER = sql.SQL(" ORDER BY decision.id")
_FROM = sql.SQL("""
    FROM tasks_scoredecision AS decision
    JOIN tasks_item AS item ON item.id = decision.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = decision.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = decision.rubric_id
    JOIN {people} AS decider ON decider.id = decision.decided_by_id
    LEFT JOIN tasks_response AS response ON response.id = decision.response_id
    LEFT JOIN tasks_rating AS adopted ON adopted.id = decision.adopted_id
    LEFT JOIN tasks_importedrater AS rater ON rater.id = adopted.rater_id
    LEFT JOIN {people} AS annotator
      ON annotator.id = COALESCE(adopted.annotator_id, rater.account_id)
    WHERE decision.project_id = {key} {only}""")
_FILTERS = FilterColumns(
    moment=sql.SQL("decision.decided_at"),
    batch_key=sql.SQL("item.batch_id"),
    model=sql.SQL("COALESCE(response.model, decision.model)"),
    item_key=sql.SQL("item.id"),
    not_dropped=sql.SQL("NOT item.dropped"),
)
# A score from before the answers is no decision: it comes in the way of none.
_IS_LAST = sql.SQL("""decision.source <> 'first' AND NOT EXISTS (
      SELECT FROM tasks_scoredecision AS later WHERE later.item_id = decision.item_id
        AND later.dimension = decision.dimension AND later.model = decision.model
        AND later.response_id IS NOT DISTINCT FROM decision.response_id
        AND later.revision > decision.revision AND later.source <> 'first')""")


def select_decisions(project: Project, options: Options, filters: Filters) -> Selection:
    """Return what an export of decisions selects: of each case the last, or all revisions."""
    rows = decisions_of(project, filters, all_revisions=options.revisions)
    return Selection(DECISIONS, rows, _IN_ORDER)


def decisions_of(
    project: Project, filters: Filters, *, all_revisions: bool = False
) -> sql.Composable:
    """Return the statement after the columns, without the order."""
    last = () if all_revisions else (_IS_LAST,)
    only = filters.where(_FILTERS, *last)
    return _FROM.format(people=PEOPLE, key=sql.Literal(project.pk), only=only)
