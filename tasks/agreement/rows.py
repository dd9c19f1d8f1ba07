"""Read the scores of a project as arrays, for the figures of agreement.

PostgreSQL writes them in its binary format (COPY), and numpy reads that without a Python object for
each: a million scores take seconds and some 100 MB.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import sql

from rubrics.models import Rubric
from rubrics.schema import Check, Dimension
from tasks.agreement.arrays import Ints
from tasks.agreement.scores import Scores
from tasks.models import Project
from tasks.rating_form.fields import TICKED

# PostgreSQL's binary format: a header of 19 bytes; for each row the number of its fields and, for
# each field, its length and its bytes; at last a row of -1 fields.
_HEADER, _END = 19, 2
_COLUMNS = ("item", "response", "model", "annotator", "batch", "week", "value", "said")
_ROW = np.dtype(
    [
        ("fields", ">i2"),
        *(part for name in _COLUMNS for part in ((f"length of {name}", ">i4"), (name, ">i8"))),
    ]
)
# The current revision of what counts, or the first one.
_CURRENT = sql.SQL(
    "NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)"
)
_FIRST = sql.SQL("rating.revision = 1")
_SCORES = sql.SQL("""
    FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id
    WHERE rating.project_id = {project} AND rating.rubric_id = {rubric}
      AND rating.kind = 'counted' AND score.dimension = {dimension} AND {revision}""")
_MODEL = sql.SQL("COALESCE(response.model, score.model)")
_SAID = sql.SQL("hashtextextended(score.checks::text, 0)")
_ROWS = sql.SQL("""COPY (
    SELECT item.id, COALESCE(response.id, 0), array_position({models}::text[], {model})::bigint,
      rating.annotator_id::bigint, item.batch_id,
      floor(extract(epoch FROM date_trunc('week', rating.submitted_at)) / 604800)::bigint,
      score.value::bigint, {said}
    {scores}) TO STDOUT (FORMAT binary)""")


@dataclass(frozen=True, eq=False)
class Study:
    """The scores of a dimension, and what the numbers in them stand for."""

    scores: Scores
    checks: Mapping[str, Ints]  # for each check, the position of its answer by number of `said`
    units: Ints  # primary keys of item and response, 0 for a candidate set (units × 2)
    models: Sequence[str]
    annotators: Sequence[int]  # primary keys
    batches: Sequence[int]  # primary keys


def read_study(
    project: Project, rubric: Rubric, dimension: Dimension, *, first: bool = False
) -> Study:
    """Return the counted scores that the project has under this version of its rubric.

    `first`: of the first revisions in place of the current ones.
    """
    these = {
        "project": sql.Literal(project.pk),
        "rubric": sql.Literal(rubric.pk),
        "dimension": sql.Literal(dimension.code),
    }
    scores = _SCORES.format(**these, revision=_FIRST if first else _CURRENT)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SELECT DISTINCT {} {} ORDER BY 1").format(_MODEL, scores))
        models = [model for (model,) in cursor.fetchall()]
        rows = _ROWS.format(models=sql.Literal(models), model=_MODEL, said=_SAID, scores=scores)
        written = bytearray()  # psycopg yields an object for each row: none of them stays
        with cursor.copy(rows) as copied:
            for row in copied:
                written += row
        count = (len(written) - _HEADER - _END) // _ROW.itemsize
        table = np.frombuffer(written, _ROW, count=count, offset=_HEADER)
        # Of all revisions, and after the scores: the answers of each of them are among these,
        # whatever was stored meanwhile.
        everything = _SCORES.format(**these, revision=sql.SQL("TRUE"))
        cursor.execute(
            sql.SQL("SELECT {said}, min(score.checks::text) {scores} GROUP BY 1").format(
                said=_SAID, scores=everything
            )
        )
        answers = {number: json.loads(checks) for number, checks in cursor.fetchall()}
    return _study(table, answers, models, dimension)


def _study(
    table: npt.NDArray[np.void],
    answers: Mapping[int, Mapping[str, str]],
    models: Sequence[str],
    dimension: Dimension,
) -> Study:
    """Put the rows of a unit one after the other, and number what they name."""
    order = np.lexsort((table["annotator"], table["model"], table["response"], table["item"]))
    columns = {name: table[name][order].astype(np.int64) for name in _COLUMNS}
    names = np.column_stack([columns[name] for name in ("item", "response", "model")])
    begins = np.ones(len(names), dtype=bool)
    begins[1:] = (names[1:] != names[:-1]).any(axis=1)
    annotators, annotator = np.unique(columns["annotator"], return_inverse=True)
    batches, batch = np.unique(columns["batch"], return_inverse=True)
    numbers, said = np.unique(columns["said"], return_inverse=True)
    given = [answers[number] for number in numbers.tolist()]
    scores = Scores(
        levels=dimension.scores,
        value=columns["value"] - dimension.lowest,
        unit=np.cumsum(begins) - 1,
        annotator=annotator,
        model=columns["model"] - 1,
        batch=batch,
        week=columns["week"],
        said=said,
    )
    return Study(
        scores=scores,
        checks={
            check.code: np.array([_position(check, each) for each in given], dtype=np.int64)
            for check in dimension.checks
        },
        units=names[begins][:, :2],
        models=models,
        annotators=annotators.tolist(),
        batches=batches.tolist(),
    )


def _position(check: Check, given: Mapping[str, str]) -> int:
    """Return the position of the answer given: of a tick 1 or 0; last, if it was not asked."""
    answer = given.get(check.code, "")
    if not check.asked:
        return int(answer == TICKED)
    codes = [each.code for each in check.answers]
    return codes.index(answer) if answer in codes else len(codes)
