"""The answers that count on items, by case, read from the database in one statement.

The worker makes entries of cases from them (`case_renewal.py`). The page of one case and the
decisions of many at once (`tasks/cases/`) read them afresh.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from psycopg import sql

from config.web.raw_sql import Values, all_rows
from rubrics.judging.case_figures import ScoredAnswer

from .counting import COUNTING, CURRENT, PERSON, RATERS
from .decisions import CaseName
from .targets import Target, target_of

# A digest of the answers of a case. What an annotator keeps for themselves, such as “not sure”, is
# no part of it.
DIGEST = sql.SQL("""md5(string_agg(
        concat_ws(':', rating.annotator_id, -rating.rater_id, {score}.value, {score}.without,
          {score}.checks::text, placement.checks::text),
        ',' ORDER BY rating.annotator_id, rating.rater_id))""")
# Sorts the answers of a case by chance, always alike: answer A is nobody's sign.
LETTER = sql.SQL("""md5(concat_ws('.', item.id, score.dimension,
        coalesce(score.response_id::text, score.model), {person}))""").format(person=PERSON)
# For each case its digest, and its answers in the order of their letters, each with the entries of
# `AnswerRow`. The first revision of a rating is itself, if it was never corrected.
ANSWERS = sql.SQL("""
SELECT item.id, score.dimension, score.response_id,
  min(coalesce(response.model, score.model)) AS model,
  min(item.batch_id) AS batch, bool_and(item.counted >= item.wanted) AS is_complete,
  {digest} AS seen,
  jsonb_agg(jsonb_build_array(score.value, score.without,
      coalesce(placement.checks, '{{}}') || score.checks,
      coalesce(first.value, score.value), coalesce(first.without, score.without),
      rating.id, rating.annotator_id, rating.rater_id)
    ORDER BY {letter}) AS answers
FROM tasks_rating AS rating JOIN tasks_item AS item ON item.id = rating.item_id
JOIN tasks_score AS score ON score.rating_id = rating.id {raters}
LEFT JOIN tasks_response AS response ON response.id = score.response_id
LEFT JOIN tasks_placement AS placement
  ON placement.rating_id = rating.id AND placement.response_id = score.response_id
LEFT JOIN LATERAL (
  SELECT earlier.value, earlier.without
  FROM tasks_rating AS original JOIN tasks_score AS earlier ON earlier.rating_id = original.id
  WHERE rating.revision > 1 AND original.item_id = rating.item_id
    AND original.annotator_id = rating.annotator_id AND original.attempt = rating.attempt
    AND original.revision = 1 AND earlier.dimension = score.dimension
    AND earlier.response_id IS NOT DISTINCT FROM score.response_id AND earlier.model = score.model
) AS first ON true
WHERE {among} AND {counting} AND {current}
GROUP BY item.id, score.dimension, score.response_id,
  CASE WHEN score.response_id IS NULL THEN score.model END
""")


def _answers_among(condition: str) -> sql.Composed:
    """Return `ANSWERS` of the ratings for which a condition holds."""
    return ANSWERS.format(
        digest=DIGEST.format(score=sql.SQL("score")),
        letter=LETTER,
        raters=RATERS,
        counting=COUNTING,
        current=CURRENT,
        among=sql.SQL(condition),
    )


ANSWERS_ON_ITEMS = _answers_among("rating.item_id = ANY(%(items)s)")
# PostgreSQL keeps the plan of a prepared statement without an array. To make this one takes 2 ms.
ANSWERS_ON_ITEM = _answers_among("rating.item_id = %(item)s")


class AnswerRow(NamedTuple):
    """The answer of one rating to a case, in the order of the arrays in `ANSWERS`."""

    value: int | None
    without: str  # the reason why there is no score
    checks: Mapping[str, str]  # with those about the whole response
    first_value: int | None  # of the rating's first revision
    first_without: str
    rating: int  # the keys of the rating and of who gave it
    annotator: int | None
    imported_rater: int | None


@dataclass(frozen=True, slots=True)
class CaseAnswers:
    """The answers that count on one target in one dimension, in the order of their letters."""

    item: int
    dimension: str
    response: int | None
    model: str
    batch: int
    is_complete: bool  # the item wants no more ratings
    seen: str  # the digest of these answers
    answer_rows: Sequence[AnswerRow]

    @property
    def target(self) -> Target:
        return target_of(self.response, self.model)

    @property
    def key(self) -> CaseName:
        return CaseName(self.item, self.dimension, self.target)

    @property
    def current_answers(self) -> list[ScoredAnswer]:
        """The answers as they stand."""
        return [ScoredAnswer(row.value, row.without, row.checks) for row in self.answer_rows]

    @property
    def first_answers(self) -> list[ScoredAnswer]:
        """The scores of everyone's first revision, without checks."""
        return [ScoredAnswer(row.first_value, row.first_without) for row in self.answer_rows]


def answers_on(item_keys: Sequence[int]) -> Iterator[CaseAnswers]:
    """Yield the answers that count on these items, by target and dimension."""
    statement = ANSWERS_ON_ITEMS
    parameters: Values = {"items": [*item_keys]}
    if len(item_keys) == 1:
        statement, parameters = ANSWERS_ON_ITEM, {"item": item_keys[0]}
    for row in all_rows(statement, parameters):
        item, dimension, response, model, batch, is_complete, seen, answers = row
        answer_rows = [AnswerRow(*answer) for answer in json.loads(answers)]
        yield CaseAnswers(item, dimension, response, model, batch, is_complete, seen, answer_rows)
