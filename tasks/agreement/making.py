"""Make a result of agreement: read the scores as arrays, and write the figures as JSON.

PostgreSQL writes the scores in its binary format (COPY), and numpy reads that without a Python
object for each: a million scores take seconds and some 100 MB. `results` imports this only when
there is a result to make.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import sql

from rubrics.schema import Check, Dimension
from tasks.agreement.figures import RESAMPLES, SEED, Figure, reading
from tasks.agreement.means import means_of
from tasks.agreement.measures import Json, measures_of
from tasks.agreement.report import furthest_of, main_figure, report, without_one
from tasks.agreement.samples import Ints, Scores
from tasks.answers import TICKED
from tasks.models import Batch, ImportedRater, Item, Project, Response
from tasks.models.counting import COUNTING, PERSON, RATERS

NO_WEEK = -(2**31)  # of an imported rating without a time
_FIRST_WEEK = date(1970, 1, 5)  # week 0 of `Scores.week`
# PostgreSQL's binary format: a header of 19 bytes; for each row the number of its fields and, for
# each field, its length and its bytes; at last a row of -1 fields.
_HEADER, _END = 19, 2
_NONE = 2**15  # in place of a value; no score is so high
_COLUMNS = ("score", "item", "response", "model", "annotator", "batch", "week", "value", "said")
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
      COALESCE(score.value::bigint, {none}), jsonb_hash_extended({said}, 0)
    FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id {raters}
    LEFT JOIN tasks_response AS response ON response.id = score.response_id {placed}
    WHERE score.project_id = {project} AND rating.project_id = {project}
      AND rating.rubric_id = {rubric} AND {counting}
      AND score.dimension = {dimension} AND score.without <> 'not_asked'
      AND {revision} AND {sound}) TO STDOUT (FORMAT binary)""")
_TEXTS = sql.SQL("""SELECT score.id, {model}, {said} FROM tasks_score AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id {placed}
    WHERE score.id = ANY(%s)""")
# If the rubric has checks of the whole response, they count among those of each dimension.
_PLACED = sql.SQL("""LEFT JOIN tasks_placement AS placement
      ON placement.rating_id = score.rating_id AND placement.response_id = score.response_id""")
# Of a file without checks nobody was asked: UNASKED.
_SAID = """CASE WHEN (SELECT NOT has_checks FROM tasks_ratingfile WHERE id = rating.file_id)
      THEN '{{"": ""}}' ELSE {said} END"""
_OWN = sql.SQL(_SAID).format(said=sql.SQL("score.checks"))
_BOTH = sql.SQL(_SAID).format(said=sql.SQL("score.checks || COALESCE(placement.checks, '{}')"))
UNASKED = {"": ""}
_MODEL = sql.SQL("COALESCE(response.model, score.model)")


@dataclass(frozen=True, eq=False)
class Study:
    """The scores of a dimension, and what the numbers in them stand for."""

    scores: Scores
    applies: Scores | None  # as in `report`, if the dimension has an answer without a score
    checks: Mapping[str, Ints]  # for each check, the position of its answer by number of `said`
    units: Ints  # primary keys of item and response, 0 for a candidate set (units × 2)
    models: Sequence[str]
    annotators: Sequence[int]  # by `counting.PERSON`
    batches: Sequence[int]  # primary keys


def make(project: Project, dimension: Dimension, *, first: bool, sound: bool = False) -> Json:
    """Return the figures of a dimension as JSON, with people by their numbers."""
    study = read_study(project, dimension, first=first, sound=sound)
    found = report(study.scores, study.checks, study.applies)
    asked = {each.code for each in project.rubric.schema.checks_at(dimension) if each.asked}
    people, plain, code = study.annotators, asdict(found), study.scores.measures[0]
    batches = Batch.objects.in_bulk(study.batches)
    return {
        **plain,
        "main": code,
        "breaks": project.breaking_ratings,
        "short": dimension.short,
        "dropped": project.dropped_count,
        "seed": SEED,
        "resamples": RESAMPLES,
        "annotators": list(people),
        "reading": reading(main) if isinstance(main := found.overall.figures[code], Figure) else "",
        "team": [people[each] for each in found.team],
        "slots": [people[each] for each in study.scores.slots],
        "models": [
            {**part, **asdict(mean)}
            for part, mean in zip(
                _name(plain["models"], study.models),
                means_of(study.scores, study.units[study.scores.unit, 0], dimension.better),
                strict=True,
            )
        ],
        "batches": _name(plain["batches"], [batches[each].name for each in study.batches]),
        "weeks": [
            {**week, "name": str(_FIRST_WEEK + timedelta(weeks=week["name"]))}
            for week in plain["weeks"]
            if week["name"] != NO_WEEK
        ],
        "checks": [
            {
                **part,
                "ticked": part["prevalence"][1]
                if part["units"] and part["name"] not in asked
                else None,
            }
            for part in plain["checks"]
        ],
        "pairs": [
            {**pair, "first": people[pair["first"]], "second": people[pair["second"]]}
            for pair in plain["pairs"]
        ],
        "furthest": list(_furthest(study, found.furthest)),
        "without": found.without
        and {"annotator": people[found.without[0]], **asdict(found.without[1])},
    }


def glance(project: Project, dimension: Dimension) -> Json:
    """Return the main figure alone, whom it hangs on, and the units furthest apart.

    With many people the pairs of `make` take most of its time.
    """
    study = read_study(project, dimension)
    overall, without = main_figure(study.scores), without_one(study.scores)
    (figure,) = overall.figures.values()
    return {
        "overall": asdict(overall),
        "main": study.scores.measures[0],
        "reading": reading(figure) if isinstance(figure, Figure) else "",
        "annotators": list(study.annotators),
        "pairs": [],
        "team": [],
        "slots": [],
        "furthest": list(_furthest(study, furthest_of(study.scores))),
        "without": without and {"annotator": study.annotators[without[0]], **asdict(without[1])},
    }


def _name(parts: Iterable[Json], names: Sequence[str]) -> list[Json]:
    """Return parts with names in place of numbers."""
    return [{**part, "name": names[part["name"]]} for part in parts]


def _furthest(study: Study, units: Sequence[int]) -> Iterable[Json]:
    """Yield the units whose scores are furthest apart, by the names of item and target."""
    scores = study.scores
    keys = study.units[list(units)]
    items = Item.objects.in_bulk(keys[:, 0].tolist())
    responses: Mapping[int, Response] = Response.objects.in_bulk(keys[:, 1].tolist())
    for unit, (item, response) in zip(units, keys.tolist(), strict=True):
        rows = scores.unit == unit
        yield {
            "key": item,
            "item": items[item].external_id,
            "response": responses[response].position if response else None,
            "model": study.models[int(scores.model[rows][0])],
            "scores": sorted(given := (scores.value[rows] + scores.levels[0]).tolist()),
            # The number of each person, and their score.
            "given": [
                (study.annotators[who], score)
                for who, score in zip(scores.annotator[rows].tolist(), given, strict=True)
            ],
        }


def read_study(
    project: Project, dimension: Dimension, *, first: bool = False, sound: bool = False
) -> Study:
    """Return the counted scores that the project has under the current version of its rubric.

    `first`: of the first revisions in place of the current ones. `sound`: without ratings that
    break a rule.
    """
    rubric = project.rubric.schema
    source = {
        "model": _MODEL,
        "said": _BOTH if rubric.checks else _OWN,
        "placed": _PLACED if rubric.checks else sql.SQL(""),
    }
    rows = _ROWS.format(
        **source,
        person=sql.SQL(PERSON),
        raters=sql.SQL(RATERS),
        counting=sql.SQL(COUNTING),
        no_week=sql.Literal(NO_WEEK),
        first_week=sql.Literal(_FIRST_WEEK),
        none=sql.Literal(_NONE),
        project=sql.Literal(project.pk),
        rubric=sql.Literal(project.rubric_id),
        dimension=sql.Literal(dimension.code),
        revision=_FIRST if first else _CURRENT,
        sound=_SOUND if sound else sql.SQL("true"),
    )
    with connection.cursor() as cursor:
        written = bytearray()  # psycopg yields an object for each row: none of them stays
        with cursor.copy(rows) as copied:
            for row in copied:
                written += row
        count = (len(written) - _HEADER - _END) // _ROW.itemsize
        table = np.frombuffer(written, _ROW, count=count, offset=_HEADER)
        examples = {
            name: table["score"][np.unique(table[name], return_index=True)[1]].tolist()
            for name in ("model", "said")
        }
        cursor.execute(_TEXTS.format(**source), [examples["model"] + examples["said"]])
        texts = {score: (name, json.loads(checks)) for score, name, checks in cursor.fetchall()}
    return _study(
        table,
        [texts[score][0] for score in examples["model"]],
        [texts[score][1] for score in examples["said"]],
        dimension,
        rubric.checks_at(dimension),
    )


def _study(
    table: npt.NDArray[np.void],
    models: Sequence[str],
    answers: Sequence[Mapping[str, str]],
    dimension: Dimension,
    checks: Sequence[Check],
) -> Study:
    """Put the rows of a unit one after the other, and number what they name.

    `models` and `answers` are in the order of their hashes.
    """
    order = np.lexsort((table["annotator"], table["model"], table["response"], table["item"]))
    columns = {name: table[name][order].astype(np.int64) for name in _COLUMNS[1:]}
    names = np.column_stack([columns[name] for name in ("item", "response", "model")])
    begins = np.ones(len(names), dtype=bool)
    begins[1:] = (names[1:] != names[:-1]).any(axis=1)
    annotators, annotator = np.unique(columns["annotator"], return_inverse=True)
    batches, batch = np.unique(columns["batch"], return_inverse=True)
    _hashes, model = np.unique(columns["model"], return_inverse=True)
    _hashes, said = np.unique(columns["said"], return_inverse=True)
    by_name = sorted(models)
    given = columns["value"] != _NONE
    every = Scores(
        levels=dimension.scores,
        measures=measures_of(dimension),
        slots=frozenset(np.flatnonzero(np.isin(annotators, _slots_among(annotators))).tolist()),
        value=columns["value"] - dimension.lowest,
        unit=np.cumsum(begins) - 1,
        annotator=annotator,
        model=np.array([by_name.index(each) for each in models], dtype=np.int64)[model],
        batch=batch,
        week=columns["week"],
        said=said,
    )
    return Study(
        scores=every.where(given),
        applies=replace(every, levels=range(2), value=given.astype(np.int64))
        if dimension.blank
        else None,
        checks={
            check.code: np.array([_position(check, each) for each in answers], dtype=np.int64)
            for check in checks
        },
        units=names[begins][:, :2],
        models=by_name,
        annotators=annotators.tolist(),
        batches=batches.tolist(),
    )


def _slots_among(annotators: Ints) -> list[int]:
    """Return the annotators who are slots of a file, by `counting.PERSON`."""
    raters = [-number for number in annotators.tolist() if number < 0]
    slots = ImportedRater.objects.filter(pk__in=raters, is_slot=True) if raters else ()
    return [-slot.pk for slot in slots]


def _position(check: Check, given: Mapping[str, str]) -> int:
    """Return the position of the answer given: of a tick 1 or 0; -1 if it was not asked."""
    if given == UNASKED:
        return -1
    answer = given.get(check.code, "")
    if not check.asked:
        return int(answer == TICKED)
    codes = [each.code for each in check.answers]
    return codes.index(answer) if answer in codes else -1
