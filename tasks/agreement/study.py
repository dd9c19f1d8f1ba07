"""Read the scores of a dimension as arrays.

PostgreSQL writes the scores in its binary format (COPY), and numpy reads that without a Python
object for each: a million scores take seconds and some 100 MB.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import sql

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Check
from tasks.agreement.measures import measures_of
from tasks.agreement.samples import Ints, Mask, Scores
from tasks.answers.slot_answers import TICKED
from tasks.models import ImportedRater, Project
from tasks.models.agreement_results import ALL_RATINGS, RatingChoice
from tasks.models.counting import COUNTING, CURRENT, PERSON, RATERS
from tasks.models.questions import has_talk

NO_WEEK = -(2**31)  # of an imported rating without a time
FIRST_WEEK = date(1970, 1, 5)  # week 0 of `Scores.week`
# PostgreSQL's binary format: a header of 19 bytes; for each row the number of its fields and, for
# each field, its length and its bytes; at last a row of -1 fields.
_HEADER = 19
_END = 2
_NONE = 2**15  # in place of a value; no score is so high
_COLUMNS = ("score", "item", "response", "model", "annotator", "batch", "week", "value", "answers")
_FIELDS = [("fields", ">i2")]
for _column in _COLUMNS:
    _FIELDS += [(f"length of {_column}", ">i4"), (_column, ">i8")]
_ROW = np.dtype(_FIELDS)
Table = npt.NDArray[np.void]  # rows of _ROW
Answers = Mapping[str, str]  # by the code of the check
# In place of the current revision.
_FIRST = sql.SQL("rating.revision = 1")
# Who decides a case of an item that they rated sees the answers of others.
_IS_AFTER_TALK = """(EXISTS (SELECT FROM tasks_question AS question
      WHERE question.item_id = {rating}.item_id AND question.annotator_id = {rating}.annotator_id
        AND question.asked_at < {rating}.submitted_at)
      OR EXISTS (SELECT FROM tasks_scoredecision AS decision
        WHERE decision.item_id = {rating}.item_id
          AND decision.decided_by_id = {rating}.annotator_id
          AND decision.decided_at < {rating}.submitted_at))"""
_BEFORE_TALK = sql.SQL(f"""(rating.revision = 1 OR NOT {_IS_AFTER_TALK.format(rating="rating")})
    AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id
      AND NOT {_IS_AFTER_TALK.format(rating="later")})""")
_SOUND = sql.SQL("""NOT EXISTS (
    SELECT FROM tasks_score AS bad WHERE bad.rating_id = rating.id AND bad.breaks <> '{}')""")
# Models and answers come as hashes. One score of each is looked up afterwards. A correction belongs
# to the week of the first revision.
_ROWS = sql.SQL("""COPY (
    SELECT score.id, item.id, COALESCE(score.response_id, 0), hashtextextended({model}, 0),
      ({person})::bigint, item.batch_id,
      coalesce(((CASE WHEN rating.revision = 1
        THEN rating.submitted_at ELSE (
          SELECT first.submitted_at FROM tasks_rating AS first
          WHERE first.item_id = rating.item_id AND first.attempt = rating.attempt
            AND (first.annotator_id = rating.annotator_id OR first.rater_id = rating.rater_id)
            AND first.revision = 1
        ) END)::date - {first_week}) / 7::bigint, {no_week}),
      COALESCE(score.value::bigint, {none}), jsonb_hash_extended({answers}, 0)
    FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id {raters}
    LEFT JOIN tasks_response AS response ON response.id = score.response_id {placed}
    WHERE score.project_id = {project} AND rating.project_id = {project}
      AND rating.rubric_id = {rubric} AND {counting}
      AND score.dimension = {dimension} AND score.without <> 'not_asked'
      AND {revision} AND {sound}) TO STDOUT (FORMAT binary)""")
_TEXTS = sql.SQL("""SELECT score.id, {model}, {answers} FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id {placed}
    WHERE score.id = ANY(%s)""")
# If the rubric has checks of the whole response, they count among those of each dimension.
_PLACED = sql.SQL("""LEFT JOIN tasks_placement AS placement
      ON placement.rating_id = score.rating_id AND placement.response_id = score.response_id""")
# Of a file without checks nobody was asked: UNASKED.
_ANSWERS = """CASE WHEN (SELECT NOT has_checks FROM tasks_ratingfile WHERE id = rating.file_id)
      THEN '{{"": ""}}' ELSE {checks} END"""
_SCORE_ANSWERS = sql.SQL(_ANSWERS).format(checks=sql.SQL("score.checks"))
_ALL_ANSWERS = sql.SQL(_ANSWERS).format(
    checks=sql.SQL("score.checks || COALESCE(placement.checks, '{}')")
)
UNASKED = {"": ""}
_MODEL = sql.SQL("COALESCE(response.model, score.model)")


@dataclass(frozen=True, eq=False)
class Study:
    """The scores of a dimension, and what the numbers in them stand for."""

    scores: Scores
    applies: Scores | None  # as in `report`, if the dimension has an answer without a score
    positions_by_check: Mapping[str, Ints]  # of the answer to each, by answer set
    units: Ints  # primary keys of item and response, 0 for a candidate set (units × 2)
    models: Sequence[str]
    annotators: Sequence[int]  # by `counting.PERSON`
    batches: Sequence[int]  # primary keys


def read_study(project: Project, dimension: Dimension, choice: RatingChoice = ALL_RATINGS) -> Study:
    """Return the counted scores that the project has under the current version of its rubric.

    Unless something else is chosen, they are of the last revisions before any talk about the item
    (`has_talk`).
    """
    checks = project.rubric.schema.checks_at(dimension)
    parts = _query_parts(project)
    revision = CURRENT
    if choice.first:
        revision = _FIRST
    elif not choice.talk and has_talk(project):
        revision = _BEFORE_TALK
    only_sound = _SOUND if choice.sound else sql.SQL("true")
    rows = _ROWS.format(
        **parts,
        person=PERSON,
        raters=RATERS,
        counting=COUNTING,
        no_week=sql.Literal(NO_WEEK),
        first_week=sql.Literal(FIRST_WEEK),
        none=sql.Literal(_NONE),
        project=sql.Literal(project.pk),
        rubric=sql.Literal(project.rubric_id),
        dimension=sql.Literal(dimension.code),
        revision=revision,
        sound=only_sound,
    )
    with connection.cursor() as cursor:
        table = _read_table(cursor, rows)
        model_scores = _first_scores(table, "model")
        answer_scores = _first_scores(table, "answers")
        texts = _TEXTS.format(**parts)
        cursor.execute(texts, [model_scores + answer_scores])
        models_by_score: dict[int, str] = {}
        answers_by_score: dict[int, Answers] = {}
        for score, model, entries in cursor.fetchall():
            models_by_score[score] = model
            answers_by_score[score] = json.loads(entries)
    model_names = [models_by_score[score] for score in model_scores]
    answer_sets = [answers_by_score[score] for score in answer_scores]
    return _study(table, model_names, answer_sets, dimension, checks)


def _query_parts(project: Project) -> dict[str, sql.Composable]:
    """Return where the model and the answers of a score are, for both queries."""
    if project.rubric.schema.checks:
        return {"model": _MODEL, "answers": _ALL_ANSWERS, "placed": _PLACED}
    return {"model": _MODEL, "answers": _SCORE_ANSWERS, "placed": sql.SQL("")}


def _read_table(cursor: Any, row_query: sql.Composable) -> Table:
    """Return the rows of a COPY in the binary format."""
    data = bytearray()  # psycopg yields an object for each row: none of them stays
    with cursor.copy(row_query) as copy:
        for row in copy:
            data += row
    size = len(data) - _HEADER - _END
    count = size // _ROW.itemsize
    return np.frombuffer(data, _ROW, count=count, offset=_HEADER)


def _first_scores(table: Table, column: str) -> list[int]:
    """Return the key of one score for each hash in a column, in the order of the hashes."""
    _hashes, rows = np.unique(table[column], return_index=True)
    scores = table["score"][rows]
    keys: list[int] = scores.tolist()
    return keys


def _columns_of(table: Table) -> dict[str, Ints]:
    """Return the columns with the rows of a unit one after the other."""
    keys = [table[name] for name in ("annotator", "model", "response", "item")]
    order = np.lexsort(keys)
    columns = {}
    for name in _COLUMNS[1:]:
        column = table[name][order]
        columns[name] = column.astype(np.int64)
    return columns


def _study(
    table: Table,
    models: Sequence[str],
    answer_sets: Sequence[Answers],
    dimension: Dimension,
    checks: Iterable[Check],
) -> Study:
    """Return the scores with numbers in place of what they name.

    `models` and `answer_sets` are in the order of their hashes.
    """
    columns = _columns_of(table)
    units = np.column_stack([columns["item"], columns["response"], columns["model"]])
    begins = _begins(units)
    annotators, annotator = _numbered(columns["annotator"])
    batches, batch = _numbered(columns["batch"])
    _hashes, model = _numbered(columns["model"])
    _hashes, answer_set = _numbered(columns["answers"])
    models_by_name, model_numbers = _by_name(models)
    every = Scores(
        levels=dimension.scores,
        measures=measures_of(dimension),
        slots=_slots_among(annotators),
        value=columns["value"] - dimension.lowest,
        unit=np.cumsum(begins) - 1,
        annotator=annotator,
        model=model_numbers[model],
        batch=batch,
        week=columns["week"],
        answer_set=answer_set,
    )
    has_score = columns["value"] != _NONE
    return Study(
        scores=every.where(has_score),
        applies=_whether_scored(every, has_score) if dimension.blank else None,
        positions_by_check={check.code: _positions(check, answer_sets) for check in checks},
        units=units[begins][:, :2],
        models=models_by_name,
        annotators=annotators.tolist(),
        batches=batches.tolist(),
    )


def _whether_scored(scores: Scores, has_score: Mask) -> Scores:
    """Return 1 in place of each score, and 0 for an answer without one."""
    return replace(scores, levels=range(2), value=has_score.astype(np.int64))


def _by_name(models: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the models in the order of their names, and the place of each in it."""
    in_order = sorted(models)
    places = [in_order.index(name) for name in models]
    return in_order, np.array(places, dtype=np.int64)


def _begins(units: Ints) -> Mask:
    """Return for each row if it is the first of its unit."""
    begins = np.ones(len(units), dtype=bool)
    differs = units[1:] != units[:-1]
    begins[1:] = differs.any(axis=1)
    return begins


def _numbered(column_values: Ints) -> tuple[Ints, Ints]:
    """Return the distinct values of a column, and for each row the position among them."""
    values, positions = np.unique(column_values, return_inverse=True)
    return values, positions


def _slots_among(annotators: Ints) -> frozenset[int]:
    """Return the numbers of those who are slots of a file; `annotators` by `counting.PERSON`."""
    raters = []
    for number in annotators.tolist():
        if number < 0:
            raters.append(-number)
    if not raters:
        return frozenset()
    slots = ImportedRater.objects.filter(pk__in=raters, is_slot=True)
    people = [-slot.pk for slot in slots]
    is_slot = np.isin(annotators, people)
    numbers = np.flatnonzero(is_slot)
    return frozenset(numbers.tolist())


def _positions(check: Check, answer_sets: Iterable[Answers]) -> Ints:
    """Return the position of the answer to a check in each of the answer sets."""
    positions = [_position(check, answer_set) for answer_set in answer_sets]
    return np.array(positions, dtype=np.int64)


def _position(check: Check, answer_set: Answers) -> int:
    """Return the position of an answer: of a tick 1 or 0; -1 if it was not asked."""
    if answer_set == UNASKED:
        return -1
    answer = answer_set.get(check.code, "")
    if not check.needs_answer:
        return int(answer == TICKED)
    codes = [option.code for option in check.answers]
    return codes.index(answer) if answer in codes else -1
