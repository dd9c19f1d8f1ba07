"""The rows of talk: each question to an annotator about a rating, with its reply.

`rows` selects them. The columns name the tables of `_FROM`.
"""

from dataclasses import replace

from psycopg import sql

from tasks.models import Project
from tasks.models.counting import person_of
from tasks.models.questions import CHANGED_SCORES

from .column_types import integer_column, text_column, time_column, word_column
from .columns import ANNOTATOR, ITEM_COLUMNS, RUBRIC_COLUMNS
from .filters import FilterColumns, Filters
from .selection import PEOPLE, Selection

ASKED_BY = text_column(
    "asked_by", "asker.username", "the user name of who asked; empty with pseudonyms"
)
TALK = (
    *ITEM_COLUMNS,
    word_column(
        "unit",
        """CASE WHEN question.response_id IS NOT NULL THEN 'response'
          WHEN question.model <> '' THEN 'candidate_set' ELSE 'item' END""",
        "the question is about a `response`, a `candidate_set` or the whole `item`",
    ),
    text_column(
        "target",
        "COALESCE(response.position::text, NULLIF(question.model, ''))",
        "the response's number in the upload, from 1; for a candidate set its model",
    ),
    text_column(
        "model",
        "COALESCE(response.model, NULLIF(question.model, ''))",
        "the model that wrote the response or the candidate set",
    ),
    text_column(
        "dimension",
        "NULLIF(question.dimension, '')",
        "the dimension; empty if the question is about all of them",
    ),
    replace(ANNOTATOR, meaning=ANNOTATOR.meaning.split(". ")[0].replace("rated", "was asked")),
    integer_column("revision", "rating.revision", "the revision of the rating that it is about"),
    text_column("question", "question.text", "the question"),
    ASKED_BY,
    time_column("asked_at", "question.asked_at", "in UTC"),
    text_column(
        "reply",
        "NULLIF(question.reply, '')",
        "the reply in words; empty if the annotator answered by a correction alone",
    ),
    time_column("replied_at", "question.replied_at", "in UTC; empty while the question waits"),
    word_column(
        "outcome",
        f"""CASE WHEN question.withdrawn_at IS NOT NULL THEN 'withdrawn'
          WHEN question.replied_at IS NULL THEN NULL
          WHEN EXISTS (SELECT FROM {CHANGED_SCORES} AS changed
            WHERE changed.question_id = question.id) THEN 'changed' ELSE 'kept' END""",
        """`kept`: the reply came with the same scores; `changed`: with another score of what was
        asked about; `withdrawn`: a decision came before a reply. Empty while the question waits""",
    ),
    integer_column("reply_revision", "answering.revision", "the revision that came with the reply"),
    time_column("withdrawn_at", "question.withdrawn_at", "in UTC"),
    *RUBRIC_COLUMNS,
)
_IN_ORDER = sql.SQL(" ORDER BY question.id")
_FROM = sql.SQL("""
    FROM tasks_question AS question
    JOIN tasks_item AS item ON item.id = question.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = question.project_id
    JOIN tasks_rating AS rating ON rating.id = question.rating_id
    JOIN rubrics_rubric AS rubric ON rubric.id = rating.rubric_id
    JOIN {people} AS annotator ON annotator.id = question.annotator_id
    LEFT JOIN tasks_importedrater AS rater ON false
    LEFT JOIN {people} AS asker ON asker.id = question.asked_by_id
    LEFT JOIN tasks_response AS response ON response.id = question.response_id
    LEFT JOIN tasks_rating AS answering ON answering.id = question.revision_id
    WHERE question.project_id = {key} {only}""")
_FILTERS = FilterColumns(
    moment=sql.SQL("question.asked_at"),
    batch_key=sql.SQL("item.batch_id"),
    model=sql.SQL("COALESCE(response.model, question.model)"),
    person=person_of("question"),
    item_key=sql.SQL("item.id"),
    not_dropped=sql.SQL("NOT item.dropped"),
)


def select_talk(project: Project, filters: Filters) -> Selection:
    """Return what an export of questions and replies selects."""
    only = filters.where(_FILTERS)
    rows = _FROM.format(people=PEOPLE, key=sql.Literal(project.pk), only=only)
    return Selection(TALK, rows, _IN_ORDER)
