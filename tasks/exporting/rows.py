"""The rows of an export, for each shape: its columns, and one SELECT.

COPY runs the statement, so PostgreSQL writes the file row by row, whatever its size.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext
from psycopg import sql

from config.web.people import User
from rubrics.models import Rubric
from rubrics.schema import Better
from tasks.models import Item, Project, Rating
from tasks.models.counting import FILLING, RATERS

from . import columns
from .columns import Column
from .filters import Filters, Refused
from .options import Options, Shape

MOST_WIDE = 500  # columns of scores
# Checks that the rubric does not name come last.
_OTHER_CHECKS = sql.SQL("""CASE WHEN {said} - {codes} <> '{{}}' THEN (
    SELECT string_agg(given.key || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text({said} - {codes}) AS given) END""")
_OF_SCORE, _OF_RESPONSE = sql.SQL("score.checks"), sql.SQL("placement.checks")
_NO_CHECKS = sql.SQL("NULL AS checks, NULL AS response_checks")

# Facts are aggregated once for all ratings, not looked up at every score.
_SCORES = sql.SQL("""
    FROM {scores} AS score
    JOIN tasks_rating AS rating ON rating.id = score.rating_id
    JOIN tasks_item AS item ON item.id = rating.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = rating.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = rating.rubric_id
    {raters}
    LEFT JOIN {people} AS annotator
      ON annotator.id = COALESCE(rating.annotator_id, rater.account_id)
    LEFT JOIN tasks_ratingfile AS file ON file.id = rating.file_id
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
    CROSS JOIN LATERAL (SELECT {checks}) AS said
    WHERE rating.{whose} = {key} {only}""")
_SCORES_IN_ORDER = sql.SQL(" ORDER BY rating.id, score.id")
_SCORE = sql.SQL("tasks_score")
# All scores that a rating gives to a target.
_TARGET = sql.SQL("""(
      SELECT rating_id, response_id, min(unit) AS unit, min(model) AS model,
        min(position) AS position, min(id) AS id,
        jsonb_object_agg(dimension, value) AS scores,
        jsonb_object_agg(dimension, without) AS without,
        jsonb_object_agg(dimension, checks) AS checks,
        string_to_array(string_agg(NULLIF(array_to_string(breaks, ';'), ''), ';'), ';') AS breaks
      FROM tasks_score WHERE project_id = {key}
      GROUP BY rating_id, response_id, CASE WHEN response_id IS NULL THEN model END
    )""")
# mode() takes the first of several values that are equally frequent.
_ITEMS = sql.SQL("""
    FROM (
      SELECT rating.item_id, rating.rubric_id, score.response_id, score.dimension,
        min(score.unit) AS unit, min(score.model) AS model, count(score.value) AS n,
        avg(score.value) FILTER (WHERE {has_order})::float8 AS mean,
        stddev_samp(score.value) FILTER (WHERE {has_order})::float8 AS sd,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY score.value) FILTER (WHERE {has_order})
          AS median,
        CASE mode() WITHIN GROUP (ORDER BY score.value)
          WHEN mode() WITHIN GROUP (ORDER BY score.value DESC)
          THEN mode() WITHIN GROUP (ORDER BY score.value) END AS majority,
        CASE WHEN min(score.value) = max(score.value) AND count(score.value) >= min(item.wanted)
          AND count(score.value) = count(*) AND NOT bool_or(item.dropped)
          THEN min(score.value) END AS final
      FROM tasks_score AS score
      JOIN tasks_rating AS rating ON rating.id = score.rating_id
      JOIN tasks_item AS item ON item.id = rating.item_id
      LEFT JOIN tasks_response AS response ON response.id = score.response_id
      {raters}
      WHERE rating.project_id = {key} AND {filling} {only}
      GROUP BY rating.item_id, rating.rubric_id, score.response_id, score.dimension,
        CASE WHEN score.response_id IS NULL THEN score.model END
    ) AS score
    JOIN tasks_item AS item ON item.id = score.item_id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = item.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = score.rubric_id
    LEFT JOIN tasks_response AS response ON response.id = score.response_id""")
_ITEMS_IN_ORDER = sql.SQL("""
    ORDER BY batch.position, item.position, response.position, score.model, score.dimension,
      rubric.slug, rubric.version""")
# The response's model, or its number where a model is missing or stands twice.
_LABEL = sql.SQL("""CASE WHEN response.id IS NULL THEN score.model
    WHEN response.model <> '' AND NOT EXISTS (
      SELECT FROM tasks_response AS twin WHERE twin.item_id = response.item_id
        AND twin.model = response.model AND twin.id <> response.id) THEN response.model
    ELSE response.position::text END""")
# Of several values of a name, the last one stays: that of the first rating.
_WIDE = sql.SQL("""
    FROM (
      SELECT item.id, jsonb_object_agg({name}, score.value ORDER BY rating.attempt DESC) AS given
      {rows} AND score.value IS NOT NULL GROUP BY item.id) AS score
    JOIN tasks_item AS item ON item.id = score.id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = item.project_id""")
_WIDE_IN_ORDER = sql.SQL(" ORDER BY batch.position, item.position")
_CORPUS_ANSWERS = sql.SQL("""
    FROM tasks_corpusanswer AS said
    JOIN tasks_project AS project ON project.id = said.project_id
    JOIN tasks_batch AS batch ON batch.id = said.batch_id
    LEFT JOIN tasks_importedrater AS rater ON rater.id = said.rater_id
    LEFT JOIN {people} AS annotator ON annotator.id = COALESCE(said.annotator_id, rater.account_id)
    WHERE said.project_id = {key} {only}""")
_CORPUS_ANSWERS_IN_ORDER = sql.SQL(" ORDER BY said.id")
_PRACTICE = sql.SQL("""
    FROM tasks_practiceanswer AS said
    JOIN tasks_practiceround AS round ON round.id = said.round_id
    JOIN tasks_project AS project ON project.id = round.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = round.rubric_id
    JOIN {people} AS annotator ON annotator.id = round.annotator_id
    LEFT JOIN tasks_importedrater AS rater ON false
    WHERE round.project_id = {key} {only}""")
_PRACTICE_IN_ORDER = sql.SQL(" ORDER BY round.id, said.id")
# PostgreSQL runs these as anti-joins.
CURRENT = sql.SQL(
    "AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)"
)
_CURRENT_ANSWER = sql.SQL("""AND NOT EXISTS (
      SELECT FROM tasks_corpusanswer AS later WHERE later.revision > said.revision
        AND (COALESCE(later.annotator_id, -later.rater_id), later.batch_id, later.model,
          later.dimension, later.code) = (COALESCE(said.annotator_id, -said.rater_id),
          said.batch_id, said.model, said.dimension, said.code))""")
_PEOPLE = sql.Identifier(get_user_model()._meta.db_table)


@dataclass(frozen=True, slots=True)
class Selection:
    """The parts of a statement: the columns, the rest from FROM on, and the order."""

    columns: Sequence[Column]
    rows: sql.Composable
    order: sql.Composable
    rubrics: Sequence[Rubric] = ()


def select(project: Project, options: Options, filters: Filters) -> Selection:
    """Return what an export of a project selects."""
    rubrics = rubrics_of(Rating.objects.filter(project=project))
    found = _SHAPES[options.shape](project, options, filters, rubrics)
    shown = [*found.columns]
    if options.dropped:
        after_item = shown.index(columns.ITEM) + 1
        shown.insert(after_item, columns.DROPPED)
    if options.texts:
        shown += columns.TEXTS
    if options.shape not in (Shape.CORPUS_ANSWERS, Shape.PRACTICE, Shape.WIDE):
        shown += map(columns.of_metadata, Item.objects.filter(project=project).metadata_names())
    if filters.pseudonyms is not None:
        shown = [
            replace(column, sql=filters.pseudonym) if column.name == "annotator" else column
            for column in shown
        ]
    return replace(found, columns=shown, rubrics=rubrics)


def _scores(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    return Selection(
        columns.SCORES,
        score_rows(
            *("project_id", project.pk, checks_of(rubrics)),
            all_revisions=options.revisions,
            filters=filters,
        ),
        _SCORES_IN_ORDER,
    )


def _ratings(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    end = columns.RATINGS.index(columns.POSITION) + 1
    rows = score_rows(
        *("project_id", project.pk, _NO_CHECKS),
        scores=_TARGET.format(key=sql.Literal(project.pk)),
        all_revisions=options.revisions,
        filters=filters,
    )
    before, after = columns.RATINGS[:end], columns.RATINGS[end:]
    return Selection([*before, *_of_dimensions(rubrics), *after], rows, _SCORES_IN_ORDER)


def _items(project: Project, _: Options, filters: Filters, rubrics: Sequence[Rubric]) -> Selection:
    rows = _ITEMS.format(
        key=sql.Literal(project.pk),
        filling=sql.SQL(FILLING),
        raters=sql.SQL(RATERS),
        only=CURRENT + filters.of_scores(),
        has_order=sql.SQL(
            "concat(rating.rubric_id, ' ', score.dimension) <> ALL ({}::text[])"
        ).format(
            sql.Literal(
                [
                    f"{rubric.pk} {dimension.code}"
                    for rubric in rubrics
                    for dimension in rubric.schema.dimensions
                    if dimension.better is Better.NONE
                ]
            )
        ),
    )
    return Selection(columns.ITEMS, rows, _ITEMS_IN_ORDER)


def _wide(project: Project, _: Options, filters: Filters, rubrics: Sequence[Rubric]) -> Selection:
    """Select a row an item, with a column for each dimension, response and person.

    Raise Refused if these are more than `MOST_WIDE`.
    """
    rows = score_rows("project_id", project.pk, _NO_CHECKS, filters=filters)
    person = columns.ANNOTATOR.sql if filters.pseudonyms is None else filters.pseudonym
    parts = [sql.SQL("({})").format(e) for e in (sql.SQL("score.dimension"), _LABEL, person)]
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("SELECT DISTINCT {} {} AND score.value IS NOT NULL LIMIT {}").format(
                sql.SQL(", ").join(parts), rows, sql.Literal(MOST_WIDE + 1)
            )
        )
        found = cursor.fetchall()
    if len(found) > MOST_WIDE:
        raise Refused(
            "shape",
            gettext(
                "This file would have more than %(most)s columns: one for each dimension, response "
                "and person. Choose fewer, or another shape."
            )
            % {"most": MOST_WIDE},
        )
    order = [part.code for rubric in rubrics for part in rubric.schema.parts]
    found.sort(key=lambda each: (order.index(each[0]), *each[1:]))
    name = sql.SQL(" || ' / ' || ").join(parts)
    return Selection(
        [*columns.WIDE, *(columns.of_person(*each) for each in found)],
        _WIDE.format(name=name, rows=rows),
        _WIDE_IN_ORDER,
    )


def corpus_selection(
    project: Project, options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of answers about corpora selects."""
    only = filters.of_corpus_answers()
    if not options.revisions:
        only = _CURRENT_ANSWER + only
    return Selection(
        columns.CORPUS_ANSWERS,
        _CORPUS_ANSWERS.format(key=sql.Literal(project.pk), people=_PEOPLE, only=only),
        _CORPUS_ANSWERS_IN_ORDER,
    )


def practice_selection(
    project: Project, _options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of practice selects."""
    only = filters.of_practice()
    rows = _PRACTICE.format(key=sql.Literal(project.pk), people=_PEOPLE, only=only)
    return Selection(columns.PRACTICE, rows, _PRACTICE_IN_ORDER)


_SHAPES: dict[Shape, Callable[[Project, Options, Filters, Sequence[Rubric]], Selection]] = {
    Shape.SCORES: _scores,
    Shape.RATINGS: _ratings,
    Shape.ITEMS: _items,
    Shape.WIDE: _wide,
    Shape.CORPUS_ANSWERS: corpus_selection,
    Shape.PRACTICE: practice_selection,
}


def score_rows(
    whose: str,
    key: int,
    checks: sql.Composable,
    *,
    scores: sql.Composable = _SCORE,
    all_revisions: bool = False,
    filters: Filters,
) -> sql.Composable:
    """Return the statement after columns of scores, without the order.

    It selects the scores of the ratings whose column `whose` is `key`. `checks`: the expressions
    for the checks of a score and of its response (`checks_of`).
    """
    only = filters.of_scores()
    return _SCORES.format(
        scores=scores,
        people=_PEOPLE,
        raters=sql.SQL(RATERS),
        whose=sql.Identifier(whose),
        key=sql.Literal(key),
        checks=checks,
        only=only if all_revisions else CURRENT + only,
    )


def own_scores(person: User) -> sql.Composable:
    """Return the statement after the columns, for all that a person scored, in every revision."""
    checks = checks_of(rubrics_of(Rating.objects.by(person)))
    return (
        score_rows("annotator_id", person.pk, checks, all_revisions=True, filters=Filters())
        + _SCORES_IN_ORDER
    )


def rubrics_of(ratings: QuerySet[Rating]) -> list[Rubric]:
    """Return the versions of rubrics that ratings were made by, the newest first."""
    return list(Rubric.objects.filter(pk__in=ratings.order_by().values("rubric")))


def checks_of(rubrics: Iterable[Rubric]) -> sql.Composable:
    """Return the expressions for the checks of a score and of its response, in the rubric's order.

    It picks them name by name. Taking the JSON object apart and sorting it would double the time of
    the export.
    """
    branches = (
        sql.SQL("WHEN rating.rubric_id = {} AND score.dimension = {} THEN {}").format(
            sql.Literal(rubric.pk),
            sql.Literal(dimension.code),
            _joined([check.code for check in dimension.checks], _OF_SCORE),
        )
        for rubric in rubrics
        for dimension in rubric.schema.dimensions
    )
    of_response = dict.fromkeys(check.code for rubric in rubrics for check in rubric.schema.checks)
    return sql.SQL(
        "CASE WHEN score.checks = '{{}}' THEN NULL {} ELSE {} END AS checks, {} AS response_checks"
    ).format(
        sql.SQL(" ").join(branches),
        _joined([], _OF_SCORE),
        _joined(list(of_response), _OF_RESPONSE) if of_response else sql.NULL,
    )


def _joined(codes: list[str], said: sql.SQL) -> sql.Composable:
    named = (
        sql.SQL("{} || ({} ->> {})").format(sql.Literal(f"{code}="), said, sql.Literal(code))
        for code in codes
    )
    others = _OTHER_CHECKS.format(codes=sql.Literal(codes) + sql.SQL("::text[]"), said=said)
    return sql.SQL("array_to_string(ARRAY[{}], ';')").format(sql.SQL(", ").join([*named, others]))


def _of_dimensions(rubrics: Iterable[Rubric]) -> list[Column]:
    """Return a column for each dimension and check of any version, in the newest one's order."""
    found: dict[str, dict[str, Column]] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.parts:
            there = found.setdefault(dimension.code, {})
            there |= {column.name: column for column in columns.of_dimension(dimension)}
    return [column for there in found.values() for column in there.values()]
