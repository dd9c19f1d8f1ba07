"""Export everything that one person did, as a file for them.

The file has one row per record. Its first column names the record: `rating` for a score, of every
revision; `corpus_answer`; `skip`; `flag`; `returned` for a rating that was returned; `question`
for one that the person was asked, with the reply; `practice` for an answer to an example; `day`.
Other columns are those of the export of scores if they mean the same.

The file leaves out everything that annotators do not see while rating: models, the order of the
upload, batches, the items' metadata, and whether an item was given to check on them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psycopg import sql

from config.web.people import User

from .columns import SCORES, Column, utc
from .rows import scores_of_person
from .writing import csv_file

# The columns of the export of scores that a person may see of their own. A new column stays out
# until it is added here: it may reveal a model, or that an item was given to check on someone.
SHAREABLE = frozenset(
    [
        "project",
        "item",
        "unit",
        "position",
        "dimension",
        "score",
        "without",
        "verdict",
        "clause",
        "remarks",
        "checks",
        "response_checks",
        "asked",
        "comment",
        "item_comment",
        "facts",
        "annotator",
        "rubric",
        "rubric_version",
        "revision",
        "view",
        "active_seconds",
        "elapsed_seconds",
        "started_at",
        "submitted_at",
        "warning",
        "batch_warning",
    ]
)
SHARED = tuple(column for column in SCORES if column.name in SHAREABLE)
OTHER_NAMES = (
    *("reason", "note", "decision", "answer", "answered_at", "mended_at"),
    *("question", "asked_at", "reply", "replied_at", "withdrawn_at"),
    *("day", "rated", "opened"),
    "not_sure",
)
NAMES = ("record", *(column.name for column in SHARED), *OTHER_NAMES)
FREE = frozenset({"note", "answer", "question", "reply"})
TEXTS = FREE | {column.name for column in SHARED if column.is_free}

# SQL by the name of the column.
Cells = Mapping[str, str | sql.Composable]


@dataclass(frozen=True)
class Records:
    """A kind of records: the cells of each, and the rest of the statement."""

    cells: Cells
    from_clause: str


_SCORES: Cells = {
    "record": "'rating'",
    **{column.name: column.sql for column in SHARED},
    # Only here: what leads export does not have it.
    "not_sure": "CASE WHEN rating.not_sure THEN 'yes' END",
}
_PERSON = sql.SQL("""
    JOIN tasks_project AS project ON project.id = said.project_id
    JOIN {people} AS annotator ON annotator.id = said.annotator_id""")
_OF_ITEM: Cells = {
    "project": "project.slug",
    "item": "item.external_id",
    "annotator": "annotator.username",
}
# All other kinds of records.
_OTHERS = (
    Records(
        {
            "record": "'corpus_answer'",
            "project": "project.slug",
            "annotator": "annotator.username",
            "unit": "'corpus'",
            "dimension": "said.dimension",
            "checks": "said.code || '=' || said.answer",
            "submitted_at": utc("said.answered_at"),
            "revision": "said.revision",
        },
        """
    FROM tasks_corpusanswer AS said {person}
    WHERE said.annotator_id = {key} ORDER BY said.id""",
    ),
    Records(
        {
            **_OF_ITEM,
            "record": "said.kind",
            "submitted_at": utc("said.raised_at"),
            "reason": "said.reason",
            "note": "said.note",
            "decision": "NULLIF(said.decision, '')",
            "answer": "said.answer",
            "answered_at": utc("said.decided_at"),
        },
        """
    FROM tasks_concern AS said {person} JOIN tasks_item AS item ON item.id = said.item_id
    WHERE said.annotator_id = {key} ORDER BY said.id""",
    ),
    Records(
        {
            **_OF_ITEM,
            "record": "'returned'",
            "submitted_at": utc("said.submitted_at"),
            "revision": "said.revision",
            "answer": "returned.reason",
            "answered_at": utc("returned.returned_at"),
            "mended_at": utc("returned.settled_at"),
        },
        """
    FROM tasks_rating AS said JOIN tasks_returnedrating AS returned ON returned.rating_id = said.id
    JOIN tasks_item AS item ON item.id = said.item_id {person}
    WHERE returned.annotator_id = {key} ORDER BY said.id""",
    ),
    Records(
        {
            **_OF_ITEM,
            "record": "'question'",
            "unit": """CASE WHEN said.response_id IS NOT NULL THEN 'response'
              WHEN said.model <> '' THEN 'candidate_set' END""",
            "position": """(SELECT min(score.position) FROM tasks_score AS score
              WHERE score.rating_id = said.rating_id AND (score.response_id = said.response_id
                OR score.response_id IS NULL AND score.model = NULLIF(said.model, '')))""",
            "dimension": "NULLIF(said.dimension, '')",
            "revision": "rating.revision",
            "question": "said.text",
            "asked_at": utc("said.asked_at"),
            "reply": "NULLIF(said.reply, '')",
            "replied_at": utc("said.replied_at"),
            "withdrawn_at": utc("said.withdrawn_at"),
        },
        """
    FROM tasks_question AS said {person} JOIN tasks_item AS item ON item.id = said.item_id
    JOIN tasks_rating AS rating ON rating.id = said.rating_id
    WHERE said.annotator_id = {key} ORDER BY said.id""",
    ),
    Records(
        {
            "record": "'practice'",
            "project": "project.slug",
            "annotator": "annotator.username",
            "rubric": "rubric.slug",
            "rubric_version": "rubric.version",
            "item": "answer.example",
            "score": "answer.score",
            "clause": "NULLIF(array_to_string(answer.missed, ';'), '')",
            "checks": "answer.answers::text",
            "submitted_at": utc("answer.answered_at"),
        },
        """
    FROM tasks_practiceround AS said {person}
    JOIN tasks_practiceanswer AS answer ON answer.round_id = said.id
    JOIN rubrics_rubric AS rubric ON rubric.id = said.rubric_id
    WHERE said.annotator_id = {key} ORDER BY answer.id""",
    ),
    Records(
        {
            "record": "'day'",
            "project": "project.slug",
            "annotator": "annotator.username",
            "active_seconds": "said.seconds",
            "day": "said.day",
            "rated": "said.rated",
            "opened": "said.opened",
        },
        """
    FROM tasks_workday AS said {person}
    WHERE said.annotator_id = {key} ORDER BY said.day, said.id""",
    ),
)


def personal_csv(person: User, *, defused: bool = False) -> Iterator[bytes]:
    """Yield the file in blocks; `defused` works as in `csv_file`."""
    table = sql.Identifier(person._meta.db_table)
    people = _PERSON.format(people=table)
    key = sql.Literal(person.pk)
    parts = [(_columns(_SCORES), scores_of_person(person))]
    for records in _OTHERS:
        rows = sql.SQL(records.from_clause).format(person=people, key=key)
        parts.append((_columns(records.cells), rows))
    return iter(csv_file(NAMES, parts, defused=defused))


def _columns(cells: Cells) -> list[Column]:
    """Return all columns of the file in order, empty if this kind of record does not have them."""
    columns = []
    for name in NAMES:
        expression = cells.get(name, "NULL")
        if isinstance(expression, str):
            expression = sql.SQL(expression)
        is_text = name in TEXTS and name in cells
        columns.append(Column(name, expression, "text" if is_text else "word"))
    return columns
