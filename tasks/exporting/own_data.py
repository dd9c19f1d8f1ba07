"""Export everything that one person did, as a file for them.

The file has one row per record. Its first column names the record: `rating` for a score, of every
revision; `corpus_answer`; `skip`; `flag`; `returned` for a rating that was returned; `practice` for
an answer to an example; `day`. Other columns are those of the export of scores if they mean the
same.

The file leaves out everything that annotators do not see while rating: models, the order of the
upload, batches, the items' metadata, and whether an item was given to check on them.
"""

from collections.abc import Iterator, Mapping, Sequence

from psycopg import sql

from config.web.people import User

from .columns import SCORES, Column, utc
from .rows import own_scores
from .writing import csv_file

# The columns of the export of scores that a person may see of their own. A new column stays out
# until it is added here: it may reveal a model, or that an item was given to check on someone.
SHOWN = frozenset(
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
SHARED = tuple(column for column in SCORES if column.name in SHOWN)
OWN = (
    *("reason", "note", "decision", "answer", "answered_at", "mended_at"),
    *("day", "rated", "opened"),
    "not_sure",
)
NAMES = ("record", *(column.name for column in SHARED), *OWN)
TEXTS = frozenset({"note", "answer", *(column.name for column in SHARED if column.is_free)})

_SCORES: Mapping[str, sql.Composable] = {
    "record": sql.SQL("'rating'"),
    **{column.name: column.sql for column in SHARED},
    # Only here: what leads export does not have it.
    "not_sure": sql.SQL("CASE WHEN rating.not_sure THEN 'yes' END"),
}
_PERSON = sql.SQL("""
    JOIN tasks_project AS project ON project.id = said.project_id
    JOIN {people} AS annotator ON annotator.id = said.annotator_id""")
_OF_ITEM: Mapping[str, sql.Composable] = {
    "project": sql.SQL("project.slug"),
    "item": sql.SQL("item.external_id"),
    "annotator": sql.SQL("annotator.username"),
}
# All other kinds of records: the cells of each, and the rest of the statement.
_OTHERS: Sequence[tuple[Mapping[str, sql.Composable], sql.SQL]] = (
    (
        {
            "record": sql.SQL("'corpus_answer'"),
            "project": sql.SQL("project.slug"),
            "annotator": sql.SQL("annotator.username"),
            "unit": sql.SQL("'corpus'"),
            "dimension": sql.SQL("said.dimension"),
            "checks": sql.SQL("said.code || '=' || said.answer"),
            "submitted_at": utc("said.answered_at"),
            "revision": sql.SQL("said.revision"),
        },
        sql.SQL("""
    FROM tasks_corpusanswer AS said {person}
    WHERE said.annotator_id = {key} ORDER BY said.id"""),
    ),
    (
        {
            **_OF_ITEM,
            "record": sql.SQL("said.kind"),
            "submitted_at": utc("said.raised_at"),
            "reason": sql.SQL("said.reason"),
            "note": sql.SQL("said.note"),
            "decision": sql.SQL("NULLIF(said.decision, '')"),
            "answer": sql.SQL("said.answer"),
            "answered_at": utc("said.decided_at"),
        },
        sql.SQL("""
    FROM tasks_concern AS said {person} JOIN tasks_item AS item ON item.id = said.item_id
    WHERE said.annotator_id = {key} ORDER BY said.id"""),
    ),
    (
        {
            **_OF_ITEM,
            "record": sql.SQL("'returned'"),
            "submitted_at": utc("said.submitted_at"),
            "revision": sql.SQL("said.revision"),
            "answer": sql.SQL("returned.reason"),
            "answered_at": utc("returned.returned_at"),
            "mended_at": utc("returned.settled_at"),
        },
        sql.SQL("""
    FROM tasks_rating AS said JOIN tasks_returnedrating AS returned ON returned.rating_id = said.id
    JOIN tasks_item AS item ON item.id = said.item_id {person}
    WHERE returned.annotator_id = {key} ORDER BY said.id"""),
    ),
    (
        {
            "record": sql.SQL("'practice'"),
            "project": sql.SQL("project.slug"),
            "annotator": sql.SQL("annotator.username"),
            "rubric": sql.SQL("rubric.slug"),
            "rubric_version": sql.SQL("rubric.version"),
            "item": sql.SQL("answer.example"),
            "score": sql.SQL("answer.score"),
            "clause": sql.SQL("NULLIF(array_to_string(answer.missed, ';'), '')"),
            "checks": sql.SQL("answer.answers::text"),
            "submitted_at": utc("answer.answered_at"),
        },
        sql.SQL("""
    FROM tasks_practiceround AS said {person}
    JOIN tasks_practiceanswer AS answer ON answer.round_id = said.id
    JOIN rubrics_rubric AS rubric ON rubric.id = said.rubric_id
    WHERE said.annotator_id = {key} ORDER BY answer.id"""),
    ),
    (
        {
            "record": sql.SQL("'day'"),
            "project": sql.SQL("project.slug"),
            "annotator": sql.SQL("annotator.username"),
            "active_seconds": sql.SQL("said.seconds"),
            "day": sql.SQL("said.day"),
            "rated": sql.SQL("said.rated"),
            "opened": sql.SQL("said.opened"),
        },
        sql.SQL("""
    FROM tasks_workday AS said {person}
    WHERE said.annotator_id = {key} ORDER BY said.day, said.id"""),
    ),
)


def own_csv(person: User, *, defused: bool = False) -> Iterator[bytes]:
    """Yield the file in blocks; `defused` works as in `csv_file`."""
    people = _PERSON.format(people=sql.Identifier(person._meta.db_table))
    parts = [(_columns(_SCORES), own_scores(person))]
    parts += [
        (_columns(cells), rows.format(person=people, key=sql.Literal(person.pk)))
        for cells, rows in _OTHERS
    ]
    return iter(csv_file(NAMES, parts, defused=defused))


def _columns(cells: Mapping[str, sql.Composable]) -> list[Column]:
    """Return all columns of the file in order, empty if this kind of record does not have them."""
    return [
        Column(
            name,
            cells.get(name, sql.SQL("NULL")),
            "text" if name in TEXTS and name in cells else "word",
        )
        for name in NAMES
    ]
