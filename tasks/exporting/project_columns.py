"""The columns of exports whose names depend on the project: its rubric, people and metadata.

The shapes add them to those of `columns`. A placeholder such as DIMENSION.CHECK has the type and
the meaning, and each column of a project is a copy of it: `quality.honest`.
"""

from collections.abc import Iterator
from dataclasses import replace

from psycopg import sql

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope

from .column_types import Column, integer_column, json_column, text_column
from .columns import WITHOUT

# Their meanings, with a placeholder for the name.
OF_SCORE = integer_column("DIMENSION", "", "the score given in the dimension")
OF_WITHOUT = replace(WITHOUT, name="DIMENSION.without")
OF_CHECK = text_column("DIMENSION.CHECK", "", "the answer to the check")
OF_LINES = text_column(
    "DIMENSION.CHECK.lines",
    "",
    "the lines of the persona that the answer is about: `1,3` names the first and the third",
)
OF_PERSON = integer_column(
    "DIMENSION / RESPONSE / PERSON",
    "",
    """the score that the person gave in the dimension; of several ratings that of the first.
    RESPONSE: its model, or its number in the upload where the model is missing or stands twice""",
)
OF_RESPONSE = text_column("response.CHECK", "", "the answer to the check of the whole response")
OF_METADATA = json_column(
    "meta.NAME",
    "",
    """the item's metadata; in CSV, a text is written as it is, any other value as JSON""",
)


def of_dimension(dimension: Dimension) -> Iterator[Column]:
    """Yield the columns of a dimension in the export of ratings: its score, then its checks.

    Checks about a corpus have none: `corpus_answers` has their answers.
    """
    code = dimension.code
    if not dimension.scores:  # the checks of the whole response
        for check in dimension.checks:
            answer = _with(check.code, "placement.checks ->> {}")
            yield replace(OF_RESPONSE, name=f"{code}.{check.code}", sql=answer)
        return
    score = _with(code, "(score.scores ->> {})::integer")
    yield replace(OF_SCORE, name=code, sql=score)
    if dimension.blank:
        without = _with(code, "NULLIF(score.without ->> {}, '')")
        yield replace(OF_WITHOUT, name=f"{code}.without", sql=without)
    for check in dimension.checks:
        if check.scope is Scope.CORPUS:
            continue
        answer = _with([code, check.code], "score.checks #>> {}::text[]")
        yield replace(OF_CHECK, name=f"{code}.{check.code}", sql=answer)
        if check.marks_persona:
            name = f"{check.code}.lines"
            lines = _with([code, name], "score.checks #>> {}::text[]")
            yield replace(OF_LINES, name=f"{code}.{name}", sql=lines)


def of_person(dimension: str, label: str, person: str) -> Column:
    """Return the column of what a person gave to a response of each item, or to a candidate set."""
    name = f"{dimension} / {label} / {person}"
    score = _with(name, "(score.given ->> {})::integer")
    return replace(OF_PERSON, name=name, sql=score)


def of_metadata(name: str) -> Column:
    """Return the column of a name in the items' metadata."""
    text = _with(name, "item.metadata ->> {}")
    json = _with(name, "(item.metadata -> {})::text")
    return replace(OF_METADATA, name=f"meta.{name}", sql=text, json=json)


def _with(value: str | list[str], expression: str) -> sql.Composable:
    """Return an SQL expression with a value in its place."""
    return sql.SQL(expression).format(sql.Literal(value))
