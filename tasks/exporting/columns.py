"""The columns of exports, each with its name, its meaning and its SQL.

The expressions name the tables as `rows.py` joins them. `said` and `score` are what a row is about.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from psycopg import sql
from psycopg.sql import Composable

from rubrics import schema

# text: anything, which a spreadsheet could take for a formula. word: one of the program's own.
# time: as text. json: JSON as text.
Type: TypeAlias = Literal["text", "word", "integer", "number", "time", "json"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an export, with the SQL expression of its value."""

    name: str
    sql: Composable
    type: Type = "text"
    meaning: str = ""
    json: Composable | None = None  # the value as JSON, where `sql` is not

    @property
    def is_free(self) -> bool:
        """True if a spreadsheet could take a cell for a formula."""
        return self.type in ("text", "json")


def utc(expression: str) -> sql.Composable:
    """Return the expression that formats a moment for the file."""
    return sql.SQL("""to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""").format(
        sql.SQL(expression)
    )


def _column(name: str, expression: str | sql.Composable, type_: Type, meaning: str) -> Column:
    written = sql.SQL(expression) if isinstance(expression, str) else expression
    return Column(name, written, type_, re.sub(r"\s+", " ", meaning).strip())


_REMARKS = """CASE WHEN score.remarks <> '[]' THEN (
    SELECT string_agg(concat_ws(': ', nullif(remark.value ->> 'clause', ''),
      remark.value ->> 'text'), ' | '
      ORDER BY remark.place)
    FROM jsonb_array_elements(score.remarks) WITH ORDINALITY AS remark (value, place)) END"""

# Questions that the program asked because it saw something: r1.quality.repeats_itself.asked.
_ASKED = """CASE WHEN rating.asked <> '{}' THEN (
    SELECT string_agg(split_part(given.key, '.', 3) || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text(rating.asked) AS given
    WHERE split_part(given.key, '.', 1) = left(score.unit, 1) || score.position
      AND split_part(given.key, '.', 2) = score.dimension) END"""

# The candidates of a set. No array function writes a JSON list without line ends but jsonb's.
_CANDIDATES = """CASE WHEN score.response_id IS NULL THEN (
    SELECT jsonb_agg(candidate.text ORDER BY candidate.position)::text
    FROM tasks_response AS candidate
    WHERE candidate.item_id = item.id AND candidate.model = score.model) END"""

ITEM = _column("item", "item.external_id", "text", "the item's id in the upload")
_ITEM = (
    _column("project", "project.slug", "text", "the project's short name, as in its address"),
    _column("batch", "batch.name", "text", "the batch"),
    ITEM,
)
DROPPED = _column(
    *("dropped", "item.dropped::int", "integer"),
    "1 if the item is dropped, and so counts in no figure; else 0",
)
_TARGET = (
    _column(
        *("unit", "score.unit", "word"),
        "`response`, or `candidate_set`: all that one model said to one history",
    ),
    _column(
        *("target", "COALESCE(response.position::text, score.model)", "text"),
        "the response's number in the upload, from 1; for a candidate set its model",
    ),
    _column(
        *("model", "COALESCE(response.model, score.model)", "text"),
        "the model that wrote the response or the candidate set",
    ),
)
POSITION = _column("position", "score.position", "integer", "its place on the desk, from 1")
_DIMENSION = _column("dimension", "score.dimension", "text", "the dimension")
_WITHOUT = _column(
    *("without", "NULLIF(score.without, '')", "word"),
    """why there is no score. `blank`: the annotator chose the answer without one. `not_asked`: the
    other answers left the dimension out""",
)
_RUBRIC = (
    _column("rubric", "rubric.slug", "text", "the rubric"),
    _column("rubric_version", "rubric.version", "integer", "its version"),
)
ANNOTATOR = _column(
    *("annotator", "COALESCE(annotator.username, rater.name)", "text"),
    """the user name of who rated, or with pseudonyms `rater-1` and so on. An imported rater who is
    no account's has the name in the file""",
)
_BREAKS = _column(
    *("breaks", "NULLIF(array_to_string(score.breaks, ';'), '')", "text"),
    "the rules that an imported rating breaks, separated by `;`",
)
_COMMENTS = (
    _column("comment", "placement.comment", "text", "the comment on the response"),
    _column("item_comment", "rating.comment", "text", "the comment on the whole item"),
    _column(
        *("facts", "COALESCE(looked_up.facts, '[]')", "json"),
        """the claims looked up, as a JSON list of objects. `claim`. `outcome`: `holds`, `refuted`
        or `undetermined`. `sources`: a list of addresses. `seconds`: from the start of the look-up
        to its outcome, by the server's clock; `null` if the claim was entered without a clock.
        `over_time`: whether it took all the time that the rubric allows, or more""",
    ),
)
_RATING = (
    _column("attempt", "rating.attempt", "integer", "0 for the first rating of the item"),
    _column(
        *("kind", "rating.kind", "word"),
        """`counted` fills one of the places that the project wants; `extra` fills none; `imported`
        came in a file""",
    ),
    _column(
        *("extra_because", "NULLIF(rating.extra_because, '')", "word"),
        """why a rating is `extra`. `full`: the item wanted no more ratings when it came.
        `dropped`: the lead had dropped the item. `again`: its annotator had rated the item
        already. `late`: its lease had ended more than 14 days before. `removed`: its annotator had
        been removed from the project with the item on the desk""",
    ),
    _column(
        *("revision", "rating.revision", "integer"),
        """1 for the first rating. Each correction adds one, supersedes the one before and is a
        rating of its own. Its `active_seconds`, `elapsed_seconds`, `started_at` and `submitted_at`
        are the correction's; the row of revision 1 has those of the first rating. `kind`, and so
        what counts, stays that of the first""",
    ),
    _column(
        *("view", "NULLIF(rating.view, '')", "word"),
        """how the texts were shown when the rating was submitted: `text`, `rendered`, or
        `difference` (as text, with marks on what another response does not have). Empty if no desk
        reported it""",
    ),
    _column(
        *("active_seconds", "rating.active_seconds", "integer"),
        """work on the item, as the browser measured it: seconds in which the page was in sight, not
        paused, and used (pointer, key, wheel, touch) within the last 60. It does not count while a
        warning covers the item. Never more than `elapsed_seconds`; empty if the browser runs no
        script""",
    ),
    _column(
        *("elapsed_seconds", "rating.elapsed_seconds", "integer"),
        "from `started_at` to `submitted_at`, pauses included",
    ),
    _column(
        *("started_at", utc("rating.started_at"), "time"),
        """in UTC. A rating starts when its item is leased. A correction starts when its first
        change is saved, less the active seconds that the browser had counted by then, five minutes
        at most""",
    ),
    _column("submitted_at", utc("rating.submitted_at"), "time", "in UTC"),
    _column("file", "file.file_name", "text", "the file from which a rating was imported"),
    _column("line", "rating.line", "integer", "its line in that file"),
)
_WARNINGS = (
    _column("warning", "item.warning", "text", "the warning of the item"),
    _column("batch_warning", "batch.warning", "text", "the warning of its batch, as it is now"),
)

SCORES = (
    *_ITEM,
    *_TARGET,
    POSITION,
    _DIMENSION,
    _column("score", "score.value", "integer", "the score given in the dimension"),
    _WITHOUT,
    _column(
        *("verdict", "array_to_string(score.open, ';')", "text"),
        "the scores that the rules left open, separated by `;`",
    ),
    _column(
        *("clause", "array_to_string(score.clauses, ';')", "text"),
        "the clauses of the rules that barred the others, separated by `;`",
    ),
    _BREAKS,
    _column(
        *("remarks", _REMARKS, "text"),
        "the remarks that were shown and not followed, as `CLAUSE: text`, separated by ` | `",
    ),
    _column(
        *("checks", "said.checks", "text"),
        """every answer as `check=answer`, in the rubric's order, separated by `;`. The lines of the
        persona that an answer is about come last: `contradicts.lines=1,3` names the first and the
        third""",
    ),
    _column(
        *("asked", _ASKED, "text"),
        """the program saw something in the text, its check was not ticked, and so it asked: the
        answer as `check=yes` or `check=no` (`repeats_itself=no`), separated by `;`""",
    ),
    _column(
        *("response_checks", "said.response_checks", "text"),
        "every answer about the whole response as `check=answer`, separated by `;`",
    ),
    *_COMMENTS,
    ANNOTATOR,
    *_RUBRIC,
    *_RATING,
    *_WARNINGS,
)
# Before these come those of `of_dimension`, after `position`.
RATINGS = (
    *(*_ITEM, *_TARGET, POSITION, _BREAKS, *_COMMENTS, ANNOTATOR),
    *(*_RUBRIC, *_RATING, *_WARNINGS),
)
ITEMS = (
    *_ITEM,
    *_TARGET,
    _DIMENSION,
    _column(
        *("n", "score.n", "integer"),
        "how many current ratings that count score it; those without a score do not",
    ),
    _column("mean", "score.mean", "number", "the mean of their scores; empty for classes"),
    _column("median", "score.median", "number", "the median of their scores; empty for classes"),
    _column(
        *("sd", "score.sd", "number"),
        """the standard deviation of their scores, as a sample's (n − 1); empty if n is 1, and for
        classes""",
    ),
    _column(
        *("majority", "score.majority", "integer"),
        "the score that most of them give; empty if another is given as often",
    ),
    _column(
        *("final", "score.final", "integer"),
        """the score that stands: the item has all ratings that it wants, and all give this score.
        Empty otherwise, and if the item is dropped. A score by adjudication will stand here too""",
    ),
    *_RUBRIC,
    *_WARNINGS,
)
WIDE = _ITEM  # and those of `of_person`
CORPUS_ANSWERS = (
    *_ITEM[:2],
    _column("model", "said.model", "text", "the model that the answer is about"),
    _column("dimension", "said.dimension", "text", "the dimension"),
    _column("check", "said.code", "text", "the check"),
    _column("answer", "said.answer", "text", "the answer"),
    replace(ANNOTATOR, meaning=ANNOTATOR.meaning.replace("rated", "answered")),
    _column(
        *("revision", "said.revision", "integer"),
        "1 for the first answer; each change of it adds one",
    ),
    _column("answered_at", utc("said.answered_at"), "time", "in UTC"),
)
PRACTICE = (
    _ITEM[0],
    replace(
        ANNOTATOR,
        meaning="the user name of who practised, or with pseudonyms `rater-1` and so on; "
        "`newcomer-1` and so on for who has not rated",
    ),
    *_RUBRIC,
    _column("round", "round.number", "integer", "the round of that person, from 1"),
    _column(
        *("example", "said.example", "text"),
        "the example: its dimension, its score and its place at that level",
    ),
    _column("score", "said.score", "integer", "the score that the person gave"),
    _column("exact", "said.is_exact::int", "integer", "1 if it is that of the example"),
    _column("within_one", "said.is_near::int", "integer", "1 if it is that or next to it"),
    _column("automatic", "said.is_automatic::int", "integer", "1 if a rule forces that score"),
    _column("missed", "NULLIF(array_to_string(said.missed, ';'), '')", "text", "clauses missed"),
    _column("sees_otherwise", "said.disagrees::int", "integer", "1 if the person disagrees"),
    _column("answers", "said.answers::text", "json", "the answers, by the name of their field"),
    _column("answered_at", utc("said.answered_at"), "time", "in UTC"),
)
TEXTS = (
    _column("persona", "item.persona::text", "json", "the lines of the persona, as a JSON list"),
    _column("system", "item.system", "text", "the system prompt"),
    _column("context", "item.context", "text", "the context"),
    _column(
        *("messages", "item.messages::text", "json"),
        "the conversation, as a JSON list of objects with `role` and `text`",
    ),
    _column("reference", "item.reference", "text", "the reference answer"),
    _column("source", "item.source", "text", "where the item comes from"),
    _column("response", "response.text", "text", "the text of the response"),
    _column(
        *("candidates", _CANDIDATES, "json"),
        "the texts of the candidate set, as a JSON list in the order of the upload",
    ),
)
# Columns whose names depend on the project. Their meanings stand here with a placeholder.
OF_SCORE = _column("DIMENSION", "", "integer", "the score given in the dimension")
OF_WITHOUT = replace(_WITHOUT, name="DIMENSION.without")
OF_CHECK = _column("DIMENSION.CHECK", "", "text", "the answer to the check")
OF_LINES = _column(
    *("DIMENSION.CHECK.lines", "", "text"),
    "the lines of the persona that the answer is about: `1,3` names the first and the third",
)
OF_PERSON = _column(
    *("DIMENSION / RESPONSE / PERSON", "", "integer"),
    """the score that the person gave in the dimension; of several ratings that of the first.
    RESPONSE: its model, or its number in the upload where the model is missing or stands twice""",
)
OF_RESPONSE = _column("response.CHECK", "", "text", "the answer to the check of the whole response")
OF_METADATA = _column(
    *("meta.NAME", "", "json"),
    """the item's metadata; in CSV, a text is written as it is, any other value as JSON""",
)


def of_dimension(dimension: schema.Dimension) -> Iterator[Column]:
    """Yield the columns of a dimension in the export of ratings: its score, then its checks.

    Checks about a corpus have none: `corpus_answers` has their answers.
    """
    code = dimension.code
    if not dimension.scores:  # the checks of the whole response
        for check in dimension.checks:
            answer = sql.SQL("placement.checks ->> {}").format(sql.Literal(check.code))
            yield replace(OF_RESPONSE, name=f"{code}.{check.code}", sql=answer)
        return
    score = sql.SQL("(score.scores ->> {})::integer").format(sql.Literal(code))
    yield replace(OF_SCORE, name=code, sql=score)
    if dimension.blank:
        without = sql.SQL("NULLIF(score.without ->> {}, '')").format(sql.Literal(code))
        yield replace(OF_WITHOUT, name=f"{code}.without", sql=without)
    for check in dimension.checks:
        if check.scope is schema.Scope.CORPUS:
            continue
        yield replace(OF_CHECK, name=f"{code}.{check.code}", sql=_answer(code, check.code))
        if check.marks_persona:
            lines = f"{check.code}.lines"
            yield replace(OF_LINES, name=f"{code}.{lines}", sql=_answer(code, lines))


def of_person(dimension: str, label: str, person: str) -> Column:
    """Return the column of what a person gave to a response of each item, or to a candidate set."""
    name = f"{dimension} / {label} / {person}"
    given = sql.SQL("(score.given ->> {})::integer").format(sql.Literal(name))
    return replace(OF_PERSON, name=name, sql=given)


def _answer(dimension: str, code: str) -> sql.Composable:
    return sql.SQL("score.checks #>> {}::text[]").format(sql.Literal([dimension, code]))


def of_metadata(name: str) -> Column:
    """Return the column of a name in the items' metadata."""
    key = sql.Literal(name)
    return replace(
        OF_METADATA,
        name=f"meta.{name}",
        sql=sql.SQL("item.metadata ->> {}").format(key),
        json=sql.SQL("(item.metadata -> {})::text").format(key),
    )
