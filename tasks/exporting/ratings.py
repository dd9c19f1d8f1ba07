"""Export ratings to a file that PostgreSQL writes row by row (COPY of one SELECT).

There is one row per score, of the current revisions or of all, in the order of submission. The
columns are COLUMNS, then the items' metadata as `meta.NAME`, with values that are no text as JSON.
An empty cell is an empty text or no value.

The file is CSV by RFC 4180, except that lines end in LF. It is in UTF-8 without a BOM, and has a
header.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import QuerySet
from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Item, Project, Rating

BLOCK = 64 * 2**10  # bytes to yield at once; PostgreSQL sends one row at a time

# The start of a cell that a spreadsheet would run as a formula, except for plain numbers. It has
# the full-width forms too, because some spreadsheets fold them.
FORMULA = r"^(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$)"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the export, with the SQL expression of its value."""

    name: str
    sql: sql.Composable
    text: bool = False  # free text, which a spreadsheet could take for a formula


def utc(expression: str) -> sql.Composable:
    """Return the expression that formats a moment for the file."""
    return sql.SQL("""to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""").format(
        sql.SQL(expression)
    )


_REMARKS = sql.SQL("""CASE WHEN score.remarks <> '[]' THEN (
    SELECT string_agg((remark.value ->> 'clause') || ': ' || (remark.value ->> 'text'), ' | '
      ORDER BY remark.place)
    FROM jsonb_array_elements(score.remarks) WITH ORDINALITY AS remark (value, place)) END""")

# Questions that the program asked because it saw something: r1.quality.repeats_itself.asked.
_ASKED = sql.SQL("""CASE WHEN rating.asked <> '{}' THEN (
    SELECT string_agg(split_part(given.key, '.', 3) || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text(rating.asked) AS given
    WHERE split_part(given.key, '.', 1) = left(score.unit, 1) || score.position
      AND split_part(given.key, '.', 2) = score.dimension) END""")

# Checks that the rubric does not name come last.
_OTHER_CHECKS = sql.SQL("""CASE WHEN score.checks - {codes} <> '{{}}' THEN (
    SELECT string_agg(given.key || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text(score.checks - {codes}) AS given) END""")

COLUMNS = (
    Column("project", sql.SQL("project.slug"), text=True),
    Column("batch", sql.SQL("batch.name"), text=True),
    Column("item", sql.SQL("item.external_id"), text=True),
    Column("unit", sql.SQL("score.unit")),
    Column("target", sql.SQL("COALESCE(response.position::text, score.model)"), text=True),
    Column("model", sql.SQL("COALESCE(response.model, score.model)"), text=True),
    Column("position", sql.SQL("score.position")),
    Column("dimension", sql.SQL("score.dimension"), text=True),
    Column("score", sql.SQL("score.value")),
    Column("verdict", sql.SQL("array_to_string(score.open, ';')"), text=True),
    Column("clause", sql.SQL("array_to_string(score.clauses, ';')"), text=True),
    Column("remarks", _REMARKS, text=True),
    Column("checks", sql.SQL("said.checks"), text=True),
    Column("asked", _ASKED, text=True),
    Column("comment", sql.SQL("placement.comment"), text=True),
    Column("item_comment", sql.SQL("rating.comment"), text=True),
    Column("facts", sql.SQL("COALESCE(looked_up.facts, '[]')"), text=True),
    Column("annotator", sql.SQL("annotator.username"), text=True),
    Column("rubric", sql.SQL("rubric.slug"), text=True),
    Column("rubric_version", sql.SQL("rubric.version")),
    Column("attempt", sql.SQL("rating.attempt")),
    Column("kind", sql.SQL("rating.kind")),
    Column("extra_because", sql.SQL("NULLIF(rating.extra_because, '')")),
    Column("revision", sql.SQL("rating.revision")),
    Column("view", sql.SQL("NULLIF(rating.view, '')")),
    Column("active_seconds", sql.SQL("rating.active_seconds")),
    Column("elapsed_seconds", sql.SQL("rating.elapsed_seconds")),
    Column("started_at", utc("rating.started_at")),
    Column("submitted_at", utc("rating.submitted_at")),
    Column("warning", sql.SQL("item.warning"), text=True),
    Column("batch_warning", sql.SQL("batch.warning"), text=True),
)

# Facts are aggregated once for all ratings, not looked up at every score.
_ROWS = sql.SQL("""
    FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = rating.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = rating.rubric_id
    JOIN {people} AS annotator ON annotator.id = rating.annotator_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id
    LEFT JOIN tasks_placement AS placement
      ON placement.rating_id = rating.id AND placement.response_id = score.response_id
    LEFT JOIN (
      SELECT fact.rating_id, fact.response_id, jsonb_agg(
        jsonb_build_object('claim', fact.claim, 'outcome', fact.outcome,
          'sources', array_remove(regexp_split_to_array(fact.sources, '[\r\n]+'), ''),
          'seconds', fact.seconds, 'over_time', fact.over_time)
        ORDER BY fact.position)::text AS facts
      FROM tasks_factcheck AS fact JOIN tasks_rating AS rated ON rated.id = fact.rating_id
      WHERE rated.{whose} = {key}
      GROUP BY fact.rating_id, fact.response_id
    ) AS looked_up ON looked_up.rating_id = rating.id AND looked_up.response_id = score.response_id
    CROSS JOIN LATERAL (SELECT {checks} AS checks) AS said
    WHERE rating.{whose} = {key} {only}
    ORDER BY rating.id, score.id""")
# PostgreSQL runs this as an anti-join.
_CURRENT = sql.SQL(
    "AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)"
)


def ratings_csv(
    project: Project, *, defused: bool = False, all_revisions: bool = False
) -> Iterator[bytes]:
    """Yield the file in blocks.

    With `defused`, put an apostrophe before each cell that a spreadsheet would run as a formula.
    With `all_revisions`, include the ratings that were corrected since.
    """
    columns = [
        *COLUMNS,
        *map(_metadata_column, Item.objects.filter(project=project).metadata_names()),
    ]
    rows = score_rows(
        "project_id",
        project.pk,
        Rating.objects.filter(project=project),
        all_revisions=all_revisions,
    )
    return csv_blocks([column.name for column in columns], [(columns, rows)], defused=defused)


def score_rows(
    whose: str, key: int, ratings: QuerySet[Rating], *, all_revisions: bool = False
) -> sql.Composable:
    """Return the rest of the statement after the COLUMNS, from FROM on.

    It selects the scores of the ratings whose column `whose` is `key`; `ratings` are the same
    ratings.
    """
    return _ROWS.format(
        people=sql.Identifier(get_user_model()._meta.db_table),
        whose=sql.Identifier(whose),
        key=sql.Literal(key),
        checks=_checks(ratings),
        only=sql.SQL("") if all_revisions else _CURRENT,
    )


def csv_blocks(
    names: Sequence[str], parts: Iterable[tuple[Sequence[Column], sql.Composable]], *, defused: bool
) -> Iterator[bytes]:
    """Yield a CSV file with a header of these names, and its parts one after the other.

    A part is its columns, and the rest of the statement that they are selected from.
    """
    block = bytearray(_header(names).encode())
    for columns, rows in parts:
        with (
            connection.cursor() as cursor,
            cursor.copy(_copy_out(columns, rows, defused)) as written,
        ):
            for row in written:
                block += row
                if len(block) >= BLOCK:
                    yield bytes(block)
                    block.clear()
    yield bytes(block)


def _header(names: Iterable[str]) -> str:
    # COPY would cut names at 63 bytes, and Python 3.11's csv module does not quote a lone CR.
    quoted = (
        '"' + name.replace('"', '""') + '"' if re.search(r'[",\r\n]', name) else name
        for name in names
    )
    return ",".join(quoted) + "\n"


def _metadata_column(name: str) -> Column:
    return Column(
        f"meta.{name}", sql.SQL("item.metadata ->> {}").format(sql.Literal(name)), text=True
    )


def _copy_out(columns: Iterable[Column], rows: sql.Composable, defused: bool) -> sql.Composed:
    return sql.SQL("COPY (SELECT {columns} {rows}) TO STDOUT (FORMAT csv)").format(
        columns=sql.SQL(", ").join(_cell(column, defused) for column in columns), rows=rows
    )


def _checks(ratings: QuerySet[Rating]) -> sql.Composable:
    """Return the expression for a score's checks, in the order of its rubric.

    It picks them name by name. Taking the JSON object apart and sorting it would double the time of
    the export.
    """
    rubrics = Rubric.objects.filter(pk__in=ratings.order_by().values("rubric"))
    branches = (
        sql.SQL("WHEN rating.rubric_id = {} AND score.dimension = {} THEN {}").format(
            sql.Literal(rubric.pk),
            sql.Literal(dimension.code),
            _checks_of([check.code for check in dimension.checks]),
        )
        for rubric in rubrics
        for dimension in rubric.schema.dimensions
    )
    return sql.SQL("CASE WHEN score.checks = '{{}}' THEN NULL {} ELSE {} END").format(
        sql.SQL(" ").join(branches), _checks_of([])
    )


def _checks_of(codes: list[str]) -> sql.Composable:
    named = (
        sql.SQL("{} || (score.checks ->> {})").format(sql.Literal(f"{code}="), sql.Literal(code))
        for code in codes
    )
    others = _OTHER_CHECKS.format(codes=sql.Literal(codes) + sql.SQL("::text[]"))
    return sql.SQL("array_to_string(ARRAY[{}], ';')").format(sql.SQL(", ").join([*named, others]))


def _cell(column: Column, defused: bool) -> sql.Composable:
    """Return a column's expression, with NULL for an empty text, which COPY would put in quotes."""
    if not column.text:
        return column.sql
    written = column.sql
    if defused:
        written = sql.SQL("regexp_replace({}, {}, {})").format(
            written, sql.Literal(FORMULA), sql.Literal("'")
        )
    return sql.SQL("NULLIF({}, '')").format(written)
