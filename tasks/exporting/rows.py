"""The rows of an export, for each shape: its columns, and one SELECT.

COPY runs the statement, so PostgreSQL writes the file row by row, whatever its size.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext
from psycopg import sql

from config.web.people import User
from rubrics.models import Rubric
from tasks.models import Item, Project, Rating
from tasks.models.counting import CURRENT, NOT_DROPPED, PERSON, RATERS, person_of

from . import columns, decision_rows, talk_rows
from .column_types import Column
from .decision_rows import DECISIONS, decisions_of
from .filters import FilterColumns, Filters, Refused, and_all
from .item_rows import ITEMS_IN_ORDER, items_with_figures
from .options import Options, Shape
from .project_columns import of_dimension, of_metadata, of_person
from .talk_rows import TALK, talk_of

# What leads wrote of people, and their own names: empty with pseudonyms.
NAMING = (columns.DECIDED_BY, columns.REASON, talk_rows.ASKED_BY)
MOST_WIDE = 500  # columns of scores
# Checks that the rubric does not name come last.
_OTHER_CHECKS = sql.SQL("""CASE WHEN {answers} - {codes} <> '{{}}' THEN (
    SELECT string_agg(given.key || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text({answers} - {codes}) AS given) END""")
_OF_SCORE = sql.SQL("score.checks")
_OF_RESPONSE = sql.SQL("placement.checks")
NO_CHECKS = sql.SQL("NULL AS checks, NULL AS response_checks")

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
      WHERE rated.{whose} {is_key}
      GROUP BY fact.rating_id, fact.response_id
    ) AS looked_up ON looked_up.rating_id = rating.id AND looked_up.response_id = score.response_id
    CROSS JOIN LATERAL (SELECT {checks}) AS in_words
    WHERE rating.{whose} {is_key} {only}""")
# For the tables of `_SCORES`, and those of `COUNTS` in `preview.py` and of `figures_of_targets`.
# NOT_DROPPED does without the join of items, which `COUNTS` then leaves out.
SCORE_FILTERS = FilterColumns(
    moment=sql.SQL("rating.submitted_at"),
    batch=sql.SQL("item.batch_id"),
    model=sql.SQL("COALESCE(response.model, score.model)"),
    person=PERSON,
    kind=sql.SQL("rating.kind"),
    item=sql.SQL("item.id"),
    not_dropped=NOT_DROPPED,
)
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
    FROM tasks_corpusanswer AS corpus_answer
    JOIN tasks_project AS project ON project.id = corpus_answer.project_id
    JOIN tasks_batch AS batch ON batch.id = corpus_answer.batch_id
    LEFT JOIN tasks_importedrater AS rater ON rater.id = corpus_answer.rater_id
    LEFT JOIN {people} AS annotator
      ON annotator.id = COALESCE(corpus_answer.annotator_id, rater.account_id)
    WHERE corpus_answer.project_id = {key} {only}""")
_CORPUS_ANSWERS_IN_ORDER = sql.SQL(" ORDER BY corpus_answer.id")
_CORPUS_ANSWER_FILTERS = FilterColumns(
    moment=sql.SQL("corpus_answer.answered_at"),
    batch=sql.SQL("corpus_answer.batch_id"),
    model=sql.SQL("corpus_answer.model"),
    person=person_of("corpus_answer"),
)
# PostgreSQL runs it as an anti-join.
_CURRENT_ANSWER = sql.SQL("""NOT EXISTS (
      SELECT FROM tasks_corpusanswer AS later WHERE later.revision > corpus_answer.revision
        AND (COALESCE(later.annotator_id, -later.rater_id), later.batch_id, later.model,
          later.dimension, later.code)
        = (COALESCE(corpus_answer.annotator_id, -corpus_answer.rater_id), corpus_answer.batch_id,
          corpus_answer.model, corpus_answer.dimension, corpus_answer.code))""")
_PRACTICE = sql.SQL("""
    FROM tasks_practiceanswer AS answer
    JOIN tasks_practiceround AS round ON round.id = answer.round_id
    JOIN tasks_project AS project ON project.id = round.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = round.rubric_id
    JOIN {people} AS annotator ON annotator.id = round.annotator_id
    LEFT JOIN tasks_importedrater AS rater ON false
    WHERE round.project_id = {key} {only}""")
_PRACTICE_IN_ORDER = sql.SQL(" ORDER BY round.id, answer.id")
_PRACTICE_FILTERS = FilterColumns(
    moment=sql.SQL("answer.answered_at"),
    person=sql.SQL("round.annotator_id"),
)
_PEOPLE = sql.Identifier(get_user_model()._meta.db_table)


@dataclass(frozen=True, slots=True)
class Selection:
    """The parts of a statement: the columns, the rest from FROM on, and the order."""

    columns: Sequence[Column]
    from_clause: sql.Composable
    order: sql.Composable
    rubrics: Sequence[Rubric] = ()


def select(project: Project, options: Options, filters: Filters) -> Selection:
    """Return what an export of a project selects."""
    rubrics = rubrics_of(Rating.objects.filter(project=project))
    selection = _SHAPES[options.shape](project, options, filters, rubrics)
    all_columns = list(selection.columns)
    if options.dropped:
        after_item = all_columns.index(columns.ITEM) + 1
        all_columns.insert(after_item, columns.DROPPED)
    if options.texts:
        all_columns += columns.TEXTS
    if options.shape not in (Shape.CORPUS_ANSWERS, Shape.PRACTICE, Shape.WIDE):
        items = Item.objects.filter(project=project)
        all_columns += map(of_metadata, items.metadata_names())
    if filters.pseudonyms is not None:
        for position, column in enumerate(all_columns):
            if column.name == "annotator":
                all_columns[position] = replace(column, sql=filters.pseudonym)
            elif column in NAMING:
                all_columns[position] = replace(column, sql=sql.NULL)
    return replace(selection, columns=all_columns, rubrics=rubrics)


def _scores(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    rows = score_rows(
        "project_id",
        project.pk,
        checks_of(rubrics),
        all_revisions=options.revisions,
        filters=filters,
    )
    return Selection(columns.SCORES, rows, _SCORES_IN_ORDER)


def _ratings(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    end = columns.RATINGS.index(columns.POSITION) + 1
    targets = _TARGET.format(key=sql.Literal(project.pk))
    rows = score_rows(
        "project_id",
        project.pk,
        NO_CHECKS,
        score_table=targets,
        all_revisions=options.revisions,
        filters=filters,
    )
    before = columns.RATINGS[:end]
    after = columns.RATINGS[end:]
    of_dimensions = _of_dimensions(rubrics)
    all_columns = [*before, *of_dimensions, *after]
    return Selection(all_columns, rows, _SCORES_IN_ORDER)


def _items(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    only = and_all([CURRENT, *filters.conditions(SCORE_FILTERS)])
    of_items = list(columns.ITEMS)
    if options.open_median:
        of_items[of_items.index(columns.FINAL)] = columns.FINAL_OR_MEDIAN
    return Selection(of_items, items_with_figures(project, rubrics, only), ITEMS_IN_ORDER)


def _wide(project: Project, _: Options, filters: Filters, rubrics: Sequence[Rubric]) -> Selection:
    """Select a row an item, with a column for each dimension, response and person.

    Raise Refused if these are more than `MOST_WIDE`.
    """
    rows = score_rows("project_id", project.pk, NO_CHECKS, filters=filters)
    person = columns.ANNOTATOR.sql if filters.pseudonyms is None else filters.pseudonym
    expressions = (sql.SQL("score.dimension"), _LABEL, person)
    parts = [sql.SQL("({})").format(expression) for expression in expressions]
    query = sql.SQL("SELECT DISTINCT {} {} AND score.value IS NOT NULL LIMIT {}")
    most = sql.Literal(MOST_WIDE + 1)
    with connection.cursor() as cursor:
        cursor.execute(query.format(sql.SQL(", ").join(parts), rows, most))
        names = cursor.fetchall()
    if len(names) > MOST_WIDE:
        message = gettext(
            "This file would have more than %(most)s columns: one for each dimension, response "
            "and person. Choose fewer, or another shape."
        )
        raise Refused("shape", message % {"most": MOST_WIDE})
    order: list[str] = []
    for rubric in rubrics:
        order += [part.code for part in rubric.schema.parts]
    names.sort(key=lambda name: (order.index(name[0]), *name[1:]))
    people = [of_person(dimension, label, person) for dimension, label, person in names]
    name = sql.SQL(" || ' / ' || ").join(parts)
    wide = _WIDE.format(name=name, rows=rows)
    return Selection([*columns.WIDE, *people], wide, _WIDE_IN_ORDER)


def corpus_selection(
    project: Project, options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of answers about corpora selects."""
    conditions = filters.conditions(_CORPUS_ANSWER_FILTERS)
    if not options.revisions:
        conditions = [_CURRENT_ANSWER, *conditions]
    only = and_all(conditions)
    rows = _CORPUS_ANSWERS.format(key=sql.Literal(project.pk), people=_PEOPLE, only=only)
    return Selection(columns.CORPUS_ANSWERS, rows, _CORPUS_ANSWERS_IN_ORDER)


def practice_selection(
    project: Project, _options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of practice selects."""
    only = and_all(filters.conditions(_PRACTICE_FILTERS))
    rows = _PRACTICE.format(key=sql.Literal(project.pk), people=_PEOPLE, only=only)
    return Selection(columns.PRACTICE, rows, _PRACTICE_IN_ORDER)


def decisions_selection(
    project: Project, options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of decisions selects."""
    rows = decisions_of(project, filters, all_revisions=options.revisions)
    return Selection(DECISIONS, rows, decision_rows.IN_ORDER)


def talk_selection(
    project: Project, _options: Options, filters: Filters, _: Sequence[Rubric]
) -> Selection:
    """Return what an export of questions and replies selects."""
    return Selection(TALK, talk_of(project, filters), talk_rows.IN_ORDER)


_SHAPES: dict[Shape, Callable[[Project, Options, Filters, Sequence[Rubric]], Selection]] = {
    Shape.SCORES: _scores,
    Shape.RATINGS: _ratings,
    Shape.ITEMS: _items,
    Shape.WIDE: _wide,
    Shape.DECISIONS: decisions_selection,
    Shape.TALK: talk_selection,
    Shape.CORPUS_ANSWERS: corpus_selection,
    Shape.PRACTICE: practice_selection,
}


def score_rows(
    whose: str,
    key: int | Collection[int],
    check_columns: sql.Composable,
    *,
    score_table: sql.Composable = _SCORE,
    all_revisions: bool = False,
    filters: Filters,
) -> sql.Composable:
    """Return the statement after columns of scores, without the order.

    It selects the scores of the ratings whose column `whose` is `key`, or one of several.
    `check_columns`: the expressions for the checks of a score and of its response (`checks_of`).
    """
    conditions = filters.conditions(SCORE_FILTERS)
    if not all_revisions:
        conditions = [CURRENT, *conditions]
    if isinstance(key, int):
        is_key = sql.SQL("= {}").format(sql.Literal(key))
    else:
        is_key = sql.SQL("= ANY({})").format(sql.Literal(list(key)))
    return _SCORES.format(
        scores=score_table,
        people=_PEOPLE,
        raters=RATERS,
        whose=sql.Identifier(whose),
        is_key=is_key,
        checks=check_columns,
        only=and_all(conditions),
    )


def scores_of_person(person: User) -> sql.Composable:
    """Return the statement after the columns, for all that a person scored, in every revision."""
    checks = checks_of(rubrics_of(Rating.objects.by(person)))
    rows = score_rows("annotator_id", person.pk, checks, all_revisions=True, filters=Filters())
    return rows + _SCORES_IN_ORDER


def rubrics_of(rating_query: QuerySet[Rating]) -> list[Rubric]:
    """Return the versions of rubrics that ratings were made by, the newest first."""
    keys = rating_query.order_by().values("rubric")
    return list(Rubric.objects.filter(pk__in=keys))


def checks_of(rubrics: Iterable[Rubric]) -> sql.Composable:
    """Return the expressions for the checks of a score and of its response, in the rubric's order.

    It picks them name by name. Taking the JSON object apart and sorting it would double the time of
    the export.
    """
    branch = sql.SQL("WHEN rating.rubric_id = {} AND score.dimension = {} THEN {}")
    branches = []
    response_codes: dict[str, None] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.dimensions:
            answers = _join_answers([check.code for check in dimension.checks], _OF_SCORE)
            key = sql.Literal(rubric.pk)
            branches.append(branch.format(key, sql.Literal(dimension.code), answers))
        response_codes |= dict.fromkeys(check.code for check in rubric.schema.checks)
    of_response: sql.Composable = sql.NULL
    if response_codes:
        of_response = _join_answers(list(response_codes), _OF_RESPONSE)
    expressions = sql.SQL(
        "CASE WHEN score.checks = '{{}}' THEN NULL {} ELSE {} END AS checks, {} AS response_checks"
    )
    others = _join_answers([], _OF_SCORE)
    return expressions.format(sql.SQL(" ").join(branches), others, of_response)


def _join_answers(codes: list[str], stored_answers: sql.SQL) -> sql.Composable:
    """Return the expression for answers as text: those of the codes, then all others."""
    answer_texts: list[sql.Composable] = []
    for code in codes:
        label = sql.Literal(f"{code}=")
        answer = sql.SQL("{} || ({} ->> {})")
        answer_texts.append(answer.format(label, stored_answers, sql.Literal(code)))
    all_codes = sql.Literal(codes) + sql.SQL("::text[]")
    answer_texts.append(_OTHER_CHECKS.format(codes=all_codes, answers=stored_answers))
    joined = sql.SQL("array_to_string(ARRAY[{}], ';')")
    return joined.format(sql.SQL(", ").join(answer_texts))


def _of_dimensions(rubrics: Iterable[Rubric]) -> list[Column]:
    """Return a column for each dimension and check of any version, in the newest one's order."""
    by_dimension: dict[str, dict[str, Column]] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.parts:
            by_name = by_dimension.setdefault(dimension.code, {})
            for column in of_dimension(dimension):
                by_name[column.name] = column
    all_columns: list[Column] = []
    for by_name in by_dimension.values():
        all_columns += by_name.values()
    return all_columns
