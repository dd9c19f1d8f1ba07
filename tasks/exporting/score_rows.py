"""The statement that joins scores to their rating, item, rater and texts.

The shapes `scores`, `ratings` and `wide` select from it, the file of one's own data does, and so
does the API. Columns of `columns` name its tables.
"""

from collections.abc import Collection, Iterable

from django.db.models import QuerySet
from psycopg import sql

from config.web.people import User
from rubrics.models import Rubric
from tasks.models import Rating
from tasks.models.counting import CURRENT, NOT_DROPPED, PERSON, RATERS

from .filters import FilterColumns, Filters
from .selection import PEOPLE

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
_ALL_SCORES = sql.SQL("tasks_score")
SCORES_IN_ORDER = sql.SQL(" ORDER BY rating.id, score.id")
# For the tables of `_SCORES`, and those of `COUNTS` in `row_counts` and of `figures_of_targets`.
# NOT_DROPPED does without the join of items, which `COUNTS` then leaves out.
SCORE_FILTERS = FilterColumns(
    moment=sql.SQL("rating.submitted_at"),
    batch_key=sql.SQL("item.batch_id"),
    model=sql.SQL("COALESCE(response.model, score.model)"),
    person=PERSON,
    kind=sql.SQL("rating.kind"),
    item_key=sql.SQL("item.id"),
    not_dropped=NOT_DROPPED,
)
# In place of `checks_of`, where no column is about them.
NO_CHECKS = sql.SQL("NULL AS checks, NULL AS response_checks")
# Checks that the rubric does not name come last.
_OTHER_CHECKS = sql.SQL("""CASE WHEN {answers} - {codes} <> '{{}}' THEN (
    SELECT string_agg(given.key || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text({answers} - {codes}) AS given) END""")
_ANSWERS_OF_SCORE = sql.SQL("score.checks")
_ANSWERS_OF_RESPONSE = sql.SQL("placement.checks")


def score_rows(
    whose: str,
    key: int | Collection[int],
    check_columns: sql.Composable,
    *,
    score_table: sql.Composable = _ALL_SCORES,
    all_revisions: bool = False,
    filters: Filters,
) -> sql.Composable:
    """Return the statement after columns of scores, without the order.

    It selects the scores of the ratings whose column `whose` is `key`, or one of several.
    `check_columns`: the expressions for the checks of a score and of its response (`checks_of`).
    """
    current = () if all_revisions else (CURRENT,)
    if isinstance(key, int):
        is_key = sql.SQL("= {}").format(sql.Literal(key))
    else:
        is_key = sql.SQL("= ANY({})").format(sql.Literal(list(key)))
    return _SCORES.format(
        scores=score_table,
        people=PEOPLE,
        raters=RATERS,
        whose=sql.Identifier(whose),
        is_key=is_key,
        checks=check_columns,
        only=filters.where(SCORE_FILTERS, *current),
    )


def scores_of_person(person: User) -> sql.Composable:
    """Return the statement after the columns, for all that a person scored, in every revision."""
    checks = checks_of(rubrics_of(Rating.objects.by(person)))
    rows = score_rows("annotator_id", person.pk, checks, all_revisions=True, filters=Filters())
    return rows + SCORES_IN_ORDER


def rubrics_of(rating_query: QuerySet[Rating]) -> list[Rubric]:
    """Return the versions of rubrics that ratings were made by, the newest first."""
    keys = rating_query.order_by().values("rubric")
    return list(Rubric.objects.filter(pk__in=keys))


def checks_of(rubrics: Iterable[Rubric]) -> sql.Composable:
    """Return the expressions for the checks of a score and of its response, as texts.

    Such a text is "honest=no;harmless=yes", in the order of the rubric. The expressions pick the
    checks name by name. Taking the JSON object apart and sorting it would double the time of the
    export.
    """
    branch = sql.SQL("WHEN rating.rubric_id = {} AND score.dimension = {} THEN {}")
    branches = []
    response_codes: dict[str, None] = {}
    for rubric in rubrics:
        for dimension in rubric.schema.dimensions:
            codes = [check.code for check in dimension.checks]
            answers = _join_answers(codes, _ANSWERS_OF_SCORE)
            key = sql.Literal(rubric.pk)
            branches.append(branch.format(key, sql.Literal(dimension.code), answers))
        response_codes |= dict.fromkeys(check.code for check in rubric.schema.checks)
    of_response: sql.Composable = sql.NULL
    if response_codes:
        of_response = _join_answers(list(response_codes), _ANSWERS_OF_RESPONSE)
    expressions = sql.SQL(
        "CASE WHEN score.checks = '{{}}' THEN NULL {} ELSE {} END AS checks, {} AS response_checks"
    )
    others = _join_answers([], _ANSWERS_OF_SCORE)
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
