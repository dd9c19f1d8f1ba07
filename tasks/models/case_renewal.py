"""Renew the entries of the cases of items. Their caller has locked the items' entries."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import NamedTuple

from psycopg import sql

from config.web.raw_sql import all_rows
from rubrics.judging.case_figures import ScoredAnswer, figures_of, first_figures_of
from rubrics.judging.dimension import Dimension

from .case_entries import CaseEntry, token_of
from .counting import COUNTING, CURRENT, PERSON, RATERS
from .decisions import CaseName, ScoreDecision
from .projects import Project

# A digest of the answers of a case. What an annotator keeps for themselves, such as “not sure”, is
# no part of it.
DIGEST = sql.SQL("""md5(string_agg(
        concat_ws(':', rating.annotator_id, -rating.rater_id, {score}.value, {score}.without,
          {score}.checks::text, placement.checks::text),
        ',' ORDER BY rating.annotator_id, rating.rater_id))""")
# Sorts the answers of a case by chance, always alike: answer A is nobody's sign.
LETTER = sql.SQL("""md5(concat_ws('.', item.id, score.dimension,
        coalesce(score.response_id::text, score.model), {person}))""").format(person=PERSON)
# For each case its digest, and its answers in the order of their letters. The first revision of a
# rating is itself, if it was never corrected.
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

Target = int | str  # the key of a response, or the model of a candidate set


class AnswerRow(NamedTuple):
    """One person's rating in a row of `ANSWERS`."""

    value: int | None
    without: str  # why there is no score: a `Without`
    checks: dict[str, str]
    first_value: int | None  # in the first revision
    first_without: str
    rating: int
    annotator: int | None
    imported_rater: int | None


class CaseAnswers(NamedTuple):
    """A row of `ANSWERS`: what counts on one target in one dimension."""

    item: int
    dimension: str
    response: int | None
    model: str
    batch: int
    is_complete: bool
    seen: str
    answer_rows: Sequence[AnswerRow]

    @property
    def target(self) -> Target:
        return self.model if self.response is None else self.response

    @property
    def key(self) -> CaseName:
        return CaseName(self.item, self.dimension, self.target)

    @property
    def current_answers(self) -> list[ScoredAnswer]:
        """The answers as they stand, in the order of their letters."""
        return [ScoredAnswer(row.value, row.without, row.checks) for row in self.answer_rows]

    @property
    def first_answers(self) -> list[ScoredAnswer]:
        """The scores of everyone's first revision, without checks."""
        return [ScoredAnswer(row.first_value, row.first_without) for row in self.answer_rows]


def renew_cases(project: Project, item_keys: Sequence[int]) -> None:
    """Make the entries of the cases of these items anew."""
    dimensions = project.rubric.schema.scored_dimensions
    decisions = ScoreDecision.objects.standing_digests(item_keys)
    entries_by_item: dict[int, list[CaseEntry]] = defaultdict(list)
    for case in answers_on(item_keys):
        if case.dimension not in dimensions:
            continue
        decided_on = decisions.get(case.key, "")
        decision = CaseEntry.Decision.NONE
        if decided_on:
            is_same = decided_on == case.seen
            decision = CaseEntry.Decision.STANDS if is_same else CaseEntry.Decision.CHANGED
        entry = _entry(project, case, dimensions[case.dimension], decision)
        if entry:
            entries_by_item[case.item].append(entry)
    entries: list[CaseEntry] = []
    for of_item in entries_by_item.values():
        put_in_order(of_item, list(dimensions), seed=project.seed)
        entries += of_item
    CaseEntry.objects.filter(item__in=item_keys).delete()
    CaseEntry.objects.bulk_create(entries, batch_size=1_000)


def answers_on(item_keys: Sequence[int]) -> Iterator[CaseAnswers]:
    """Yield the answers that count on these items, by target and dimension."""
    if len(item_keys) == 1:
        rows = all_rows(ANSWERS_ON_ITEM, {"item": item_keys[0]})
    else:
        rows = all_rows(ANSWERS_ON_ITEMS, {"items": list(item_keys)})
    for row in rows:
        *columns, answers_as_json = row
        answers = [AnswerRow(*answer) for answer in json.loads(answers_as_json)]
        yield CaseAnswers._make([*columns, answers])


def _entry(
    project: Project, case: CaseAnswers, dimension: Dimension, decision: CaseEntry.Decision
) -> CaseEntry | None:
    """Return the entry of a case, or None if nothing ever differed and nobody decided."""
    answers = case.current_answers
    figures = figures_of(dimension, answers)
    first = first_figures_of(dimension, case.first_answers)
    if not (decision or figures.differs_at_all or first.spread or first.is_mixed):
        return None
    return CaseEntry(
        project=project,
        batch_id=case.batch,
        item_id=case.item,
        dimension=case.dimension,
        response_id=case.response,
        model=case.model,
        token=token_of(project, case.item, case.dimension, case.target),
        values=[answer.value for answer in answers],
        spread=figures.spread,
        first_spread=first.spread,
        is_mixed=figures.is_mixed,
        was_mixed=first.is_mixed,
        is_forced_apart=figures.is_forced_apart,
        checks=[f"{case.dimension}:{code}" for code in figures.checks],
        is_seen=figures.is_seen,
        pairs=figures.pairs,
        seen_pairs=figures.seen_pairs,
        squares=figures.squares,
        spread_without=dict(figures.spread_without),
        is_complete=case.is_complete,
        decision=decision,
    )


def put_in_order(entries: Sequence[CaseEntry], dimensions: Sequence[str], *, seed: int) -> None:
    """Put the cases of one item in order: its targets by chance, each in the rubric's order."""
    item_spread = max(entry.spread for entry in entries)

    def order(entry: CaseEntry) -> tuple[str, int]:
        # Of each item another order: else a model's place would be the same everywhere.
        words = f"{seed}.{entry.item_id}.{entry.target}"
        by_chance = md5(words.encode(), usedforsecurity=False).hexdigest()
        return by_chance, dimensions.index(entry.dimension)

    for place, entry in enumerate(sorted(entries, key=order, reverse=True), 1):
        entry.place = place
        entry.item_spread = item_spread
