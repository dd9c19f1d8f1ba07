"""Export everything that one person did, as a file for them (`personal_csv`).

The file has one row per record. Its first column names the record: `rating` for a score, of every
revision; `corpus_answer`; `skip`; `flag`; `returned` for a rating that was returned; `question`
for one that the person was asked, with the reply; `practice` for an answer to an example; `day`.
`account` is one thing that is kept of the account, with its name as `note`; `role`, `draft`,
`decision`, `question_asked`, `invitation_made`, `token` and `message` are what their names say.
Other columns are those of the export of scores if they mean the same.

The file leaves out everything that annotators do not see while rating: models, the order of the
upload, batches, the items' metadata, and whether an item was given to check on them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psycopg import sql

from config.web.people import User

from .column_types import Column, utc
from .columns import SCORES
from .csv_files import csv_file
from .score_rows import scores_of_person
from .selection import PEOPLE

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
# A spreadsheet could take these for formulas.
TEXTS = frozenset(["note", "answer", "question", "reply"])
TEXTS |= {column.name for column in SHARED if column.is_free}
# SQL by the name of the column. A kind of records leaves out the columns that it does not have.
Cells = Mapping[str, str | sql.Composable]


def personal_csv(person: User, *, defused: bool = False) -> Iterator[bytes]:
    """Yield the file in blocks; `defused` works as in `csv_file`."""
    parts = [(_columns(_SCORES), scores_of_person(person))]
    for records in RECORDS:
        parts.append((_columns(records.cells), records.rows_of(person)))
    parts.insert(0, (_columns(_ACCOUNT), _account_of(person)))
    return iter(csv_file(NAMES, parts, defused=defused))


def _columns(cells: Cells) -> list[Column]:
    """Return all columns of the file in order, empty if this kind of record does not have them."""
    assert cells.keys() <= set(NAMES), cells.keys() - set(NAMES)
    return [_column(name, cells.get(name)) for name in NAMES]


def _column(name: str, expression: str | sql.Composable | None) -> Column:
    if expression is None:
        return Column(name, sql.NULL, "word")
    if isinstance(expression, str):
        expression = sql.SQL(expression)
    return Column(name, expression, "text" if name in TEXTS else "word")


_RECORDS_OF_PERSON = sql.SQL("""
    FROM {table} AS {alias}
    LEFT JOIN tasks_project AS project ON project.id = {alias}.project_id
    JOIN {people} AS annotator ON annotator.id = {alias}.{person}
    {joins}
    WHERE {owner}.{person} = {key} ORDER BY {order}""")


@dataclass(frozen=True)
class Records:
    """A kind of records: the rows of a table that are a person's.

    `cells` name the tables of `_RECORDS_OF_PERSON`, and those of `joins`.
    """

    cells: Cells
    table: str
    alias: str
    order: str
    joins: str = ""
    owner: str = ""  # the table by which they are the person's, if it is another one
    person: str = "annotator_id"  # the column that refers to the person

    def rows_of(self, person: User) -> sql.Composable:
        """Return the statement after the columns."""
        return _RECORDS_OF_PERSON.format(
            table=sql.SQL(self.table),
            alias=sql.SQL(self.alias),
            people=PEOPLE,
            joins=sql.SQL(self.joins),
            owner=sql.SQL(self.owner or self.alias),
            person=sql.SQL(self.person),
            key=sql.Literal(person.pk),
            order=sql.SQL(self.order),
        )


# The tables are those of the export of scores (`score_rows`).
_SCORES: Cells = {
    "record": "'rating'",
    **{column.name: column.sql for column in SHARED},
    # Only here: what leads export does not have it.
    "not_sure": "CASE WHEN rating.not_sure THEN 'yes' END",
}
_OF_PROJECT: Cells = {"project": "project.slug", "annotator": "annotator.username"}
_OF_ITEM: Cells = {**_OF_PROJECT, "item": "item.external_id"}
_CORPUS_ANSWERS = Records(
    {
        **_OF_PROJECT,
        "record": "'corpus_answer'",
        "unit": "'corpus'",
        "dimension": "corpus_answer.dimension",
        "checks": "corpus_answer.code || '=' || corpus_answer.answer",
        "submitted_at": utc("corpus_answer.answered_at"),
        "revision": "corpus_answer.revision",
    },
    table="tasks_corpusanswer",
    alias="corpus_answer",
    order="corpus_answer.id",
)
_CONCERNS = Records(
    {
        **_OF_ITEM,
        "record": "concern.kind",
        "submitted_at": utc("concern.raised_at"),
        "reason": "concern.reason",
        "note": "concern.note",
        "decision": "NULLIF(concern.decision, '')",
        "answer": "concern.answer",
        "answered_at": utc("concern.decided_at"),
    },
    table="tasks_concern",
    alias="concern",
    joins="JOIN tasks_item AS item ON item.id = concern.item_id",
    order="concern.id",
)
_RETURNED = Records(
    {
        **_OF_ITEM,
        "record": "'returned'",
        "submitted_at": utc("rating.submitted_at"),
        "revision": "rating.revision",
        "answer": "returned.reason",
        "answered_at": utc("returned.returned_at"),
        "mended_at": utc("returned.settled_at"),
    },
    table="tasks_rating",
    alias="rating",
    joins="""JOIN tasks_returnedrating AS returned ON returned.rating_id = rating.id
    JOIN tasks_item AS item ON item.id = rating.item_id""",
    owner="returned",
    order="rating.id",
)
# About the whole item there is neither a unit nor a position.
_UNIT_ASKED_ABOUT = """CASE WHEN question.response_id IS NOT NULL THEN 'response'
      WHEN question.model <> '' THEN 'candidate_set' END"""
_POSITION_ASKED_ABOUT = """(SELECT min(score.position) FROM tasks_score AS score
      WHERE score.rating_id = question.rating_id AND (score.response_id = question.response_id
        OR score.response_id IS NULL AND score.model = NULLIF(question.model, '')))"""
_QUESTIONS = Records(
    {
        **_OF_ITEM,
        "record": "'question'",
        "unit": _UNIT_ASKED_ABOUT,
        "position": _POSITION_ASKED_ABOUT,
        "dimension": "NULLIF(question.dimension, '')",
        "revision": "rating.revision",
        "question": "question.text",
        "asked_at": utc("question.asked_at"),
        "reply": "NULLIF(question.reply, '')",
        "replied_at": utc("question.replied_at"),
        "withdrawn_at": utc("question.withdrawn_at"),
    },
    table="tasks_question",
    alias="question",
    joins="""JOIN tasks_item AS item ON item.id = question.item_id
    JOIN tasks_rating AS rating ON rating.id = question.rating_id""",
    order="question.id",
)
_PRACTICE = Records(
    {
        **_OF_PROJECT,
        "record": "'practice'",
        "rubric": "rubric.slug",
        "rubric_version": "rubric.version",
        "item": "answer.example",
        "score": "answer.score",
        "clause": "NULLIF(array_to_string(answer.missed, ';'), '')",
        "checks": "answer.answers::text",
        "submitted_at": utc("answer.answered_at"),
    },
    table="tasks_practiceround",
    alias="round",
    joins="""JOIN tasks_practiceanswer AS answer ON answer.round_id = round.id
    JOIN rubrics_rubric AS rubric ON rubric.id = round.rubric_id""",
    order="answer.id",
)
_DAYS = Records(
    {
        **_OF_PROJECT,
        "record": "'day'",
        "active_seconds": "workday.seconds",
        "day": "workday.day",
        "rated": "workday.rated",
        "opened": "workday.opened",
    },
    table="tasks_workday",
    alias="workday",
    order="workday.day, workday.id",
)
_ROLES = Records(
    {**_OF_PROJECT, "record": "'role'", "answer": "membership.role"},
    table="tasks_membership",
    alias="membership",
    person="user_id",
    order="membership.id",
)
_DRAFTS = Records(
    {
        **_OF_ITEM,
        "record": "'draft'",
        "answer": "draft.answers::text",
        "submitted_at": utc("draft.saved_at"),
    },
    table="tasks_draft",
    alias="draft",
    joins="JOIN tasks_item AS item ON item.id = draft.item_id",
    order="draft.id",
)
_DECISIONS = Records(
    {
        **_OF_ITEM,
        "record": "'decision'",
        "dimension": "decision.dimension",
        "score": "decision.value",
        "without": "NULLIF(decision.without, '')",
        "checks": "decision.checks::text",
        "reason": "decision.cause",
        "note": "decision.reason",
        "submitted_at": utc("decision.decided_at"),
    },
    table="tasks_scoredecision",
    alias="decision",
    joins="JOIN tasks_item AS item ON item.id = decision.item_id",
    person="decided_by_id",
    order="decision.id",
)
_QUESTIONS_ASKED = Records(
    {
        **_OF_ITEM,
        "record": "'question_asked'",
        "question": "question.text",
        "asked_at": utc("question.asked_at"),
    },
    table="tasks_question",
    alias="question",
    joins="JOIN tasks_item AS item ON item.id = question.item_id",
    person="asked_by_id",
    order="question.id",
)
_INVITATIONS = Records(
    {
        **_OF_PROJECT,
        "record": "'invitation_made'",
        "note": "invitation.email",
        "answer": "invitation.role",
        "submitted_at": utc("invitation.made_at"),
    },
    table="tasks_invitation",
    alias="invitation",
    person="made_by_id",
    order="invitation.id",
)
_TOKENS = Records(
    {
        **_OF_PROJECT,
        "record": "'token'",
        "note": "token.name",
        "submitted_at": utc("token.made_at"),
    },
    table="tasks_apitoken",
    alias="token",
    person="owner_id",
    order="token.id",
)
_MESSAGES = Records(
    {
        **_OF_PROJECT,
        "record": "'message'",
        "reason": "notice.kind",
        "note": "notice.words",
        "submitted_at": utc("notice.created_at"),
    },
    table="tasks_notice",
    alias="notice",
    person="user_id",
    order="notice.id",
)
RECORDS = (
    *(_ROLES, _CORPUS_ANSWERS, _CONCERNS, _RETURNED, _QUESTIONS, _PRACTICE, _DAYS, _DRAFTS),
    *(_DECISIONS, _QUESTIONS_ASKED, _INVITATIONS, _TOKENS, _MESSAGES),
)
_ACCOUNT: Cells = {
    "record": "'account'",
    "annotator": "annotator.username",
    "note": "setting.name",
    "answer": "setting.value",
}
_SETTINGS_OF_ACCOUNT = sql.SQL("""
    FROM {people} AS annotator CROSS JOIN LATERAL (VALUES
      (1, 'name', annotator.username),
      (2, 'e-mail', annotator.email),
      (3, 'first name', annotator.first_name),
      (4, 'last name', annotator.last_name),
      (5, 'made', {date_joined}),
      (6, 'last sign-in', {last_login}),
      (7, 'language', annotator.language),
      (8, 'time zone', annotator.time_zone),
      (9, 'colours', annotator.theme),
      (10, 'text size', annotator.text_size),
      (11, 'text width', annotator.reading_width),
      (12, 'keys', annotator.own_keys::text),
      (13, 'number at the lab''s sign-in', (
        SELECT string_agg(link.uid, ' ') FROM socialaccount_socialaccount AS link
        WHERE link.user_id = annotator.id
      ))
    ) AS setting (place, name, value)
    WHERE annotator.id = {key} AND setting.value <> '' ORDER BY setting.place""")


def _account_of(person: User) -> sql.Composable:
    """Return the statement for what is kept of an account, after its columns."""
    return _SETTINGS_OF_ACCOUNT.format(
        people=PEOPLE,
        date_joined=utc("annotator.date_joined"),
        last_login=utc("annotator.last_login"),
        key=sql.Literal(person.pk),
    )
