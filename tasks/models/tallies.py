"""Counts of scores and of ticked checks: what some ratings add to them, and how to read them.

Ratings are append-only. Each one adds the counts of its scores, and a correction takes away those
of the revision that it supersedes. So what a rating adds never changes, and tallies can be added
and subtracted. `stored_figures.py` stores one for each project.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from psycopg import sql

from config.web.raw_sql import all_rows
from rubrics.judging.kinds import Without

from .counting import COUNTING, FILLING, PERSON, RATERS
from .projects import Project

NO_END = 2**63 - 1  # above every key

# The counts that some ratings add; a correction takes away those of the revision before it, by a
# sign of -1. The first column tells scores, ticks and targets without a score (a `Without`) apart.
ADDED = sql.SQL("""
WITH signed AS (
  SELECT rating.id AS rating_id, {person} AS person, 1 AS sign FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND {condition}
  UNION ALL
  SELECT rating.supersedes_id, {person}, -1 FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND rating.supersedes_id IS NOT NULL AND {condition}
), score AS (
  SELECT score.dimension, coalesce(response.model, score.model) AS model, signed.person,
    coalesce(nullif(score.without, ''), 'score') AS kind, coalesce(score.value, 0)::int AS value,
    score.checks, sum(signed.sign) AS number
  FROM signed JOIN tasks_score AS score ON score.rating_id = signed.rating_id
  LEFT JOIN tasks_response AS response ON response.id = score.response_id
  GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT kind, dimension, model, person, value, sum(number)::bigint FROM score
GROUP BY kind, dimension, model, person, value
UNION ALL
SELECT 'tick', dimension, tick.code, 0, 0, sum(number)::bigint
FROM score, jsonb_each_text(score.checks) AS tick (code, answer)
WHERE tick.answer = 'yes'
GROUP BY dimension, tick.code
UNION ALL
SELECT 'tick', 'response', tick.code, 0, 0, sum(signed.sign)::bigint
FROM signed JOIN tasks_placement AS placement ON placement.rating_id = signed.rating_id,
  jsonb_each_text(placement.checks) AS tick (code, answer)
WHERE tick.answer = 'yes'
GROUP BY tick.code
""")
# Conditions of ratings whose scores are counted: for `tally_of`, `tally_of_item` and
# `tally_of_annotator`.
COUNTED = sql.SQL("rating.id > %(after)s AND rating.id <= %(upto)s AND {counting}").format(
    counting=COUNTING
)
OF_ITEM = sql.SQL("rating.item_id = %(item)s AND rating.id <= %(upto)s AND {filling}").format(
    filling=FILLING
)
OF_ANNOTATOR = sql.SQL("""rating.annotator_id = %(by)s AND {filling} AND (rating.id > %(after)s
      OR rating.item_id IN (SELECT id FROM tasks_item WHERE dropped))""").format(filling=FILLING)


class TallyKey(NamedTuple):
    """Under which a number is counted: the first columns of `ADDED`, and of the stored counts."""

    kind: str  # "score", "tick" or a `Without`
    dimension: str
    name: str  # the model, or the code of the check that is ticked
    annotator: int
    value: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Counted scores by dimension, model, annotator and value, and ticks by dimension and check.

    The ticks of the whole response are those of the dimension "response". A target without a score
    is counted as 0, under the reason why it has none.
    """

    targets_by_key: Counter[TallyKey] = field(default_factory=Counter)

    @classmethod
    def of(cls, counted_rows: Iterable[Sequence[Any]]) -> "Tally":
        """Return the counts in rows of a key's parts and their number."""
        counts_by_key: Counter[TallyKey] = Counter()
        for *columns, number in counted_rows:
            counts_by_key[TallyKey(*columns)] += number
        return cls(counts_by_key)

    def __add__(self, other: "Tally") -> "Tally":
        # Counters leave out what adds up to 0.
        return Tally(self.targets_by_key + other.targets_by_key)

    def __sub__(self, other: "Tally") -> "Tally":
        return Tally(self.targets_by_key - other.targets_by_key)

    @property
    def rows(self) -> list[list[Any]]:
        """The counts as JSON stores them."""
        return [[*key, number] for key, number in sorted(self.targets_by_key.items())]

    def by_model(self, dimension: str) -> dict[str, Counter[int]]:
        """Return how often each score was given, for each model."""
        return self._by_value("score", dimension, "name")

    def blanks(self, dimension: str) -> dict[str, int]:
        """Return how often each model got the answer without a score."""
        by_model = self._by_value(Without.BLANK, dimension, "name")
        return {model: numbers.total() for model, numbers in by_model.items()}

    def targets(self, kind: str, dimension: str) -> int:
        """Return how many targets have a score, or are without one for a reason (a `Without`)."""
        return sum(number for _key, number in self._of(kind, dimension))

    def by_annotator(self, dimension: str) -> dict[int, Counter[int]]:
        """Return how often each score was given, for each annotator's primary key."""
        return self._by_value("score", dimension, "annotator")

    def _by_value(self, kind: str, dimension: str, group: str) -> dict[Any, Counter[int]]:
        """Return how often each value occurs, by a column of the keys."""
        counts_by_value: dict[Any, Counter[int]] = {}
        for key, number in sorted(self._of(kind, dimension)):
            counts_by_value.setdefault(getattr(key, group), Counter())[key.value] += number
        return counts_by_value

    def _of(self, kind: str, dimension: str) -> Iterator[tuple[TallyKey, int]]:
        for key, number in self.targets_by_key.items():
            if (key.kind, key.dimension) == (kind, dimension):
                yield key, number

    def ticks(self, dimension: str) -> Counter[str]:
        """Return how often each check was answered with "yes"."""
        return Counter({key.name: number for key, number in self._of("tick", dimension)})


def tally_of(project: Project, *, after: int = 0, upto: int = NO_END) -> Tally:
    """Return what the ratings with a primary key above `after`, up to `upto`, add to the counts."""
    return _tally(COUNTED, project, after=after, upto=upto)


def tally_of_item(project: Project, item: int, *, upto: int) -> Tally:
    """Return what an item's ratings up to a key add, as if it were not dropped."""
    return _tally(OF_ITEM, project, item=item, upto=upto)


def tally_of_annotator(project: Project, annotator: int, *, after: int) -> Tally:
    """Return what an annotator's ratings above a key add, and all those of dropped items."""
    return _tally(OF_ANNOTATOR, project, by=annotator, after=after)


def _tally(condition: sql.Composable, project: Project, **parameters: int) -> Tally:
    """Return what the ratings add that meet a condition, such as `COUNTED`."""
    statement = ADDED.format(condition=condition, person=PERSON, raters=RATERS)
    return Tally.of(all_rows(statement, {"project": project.pk, **parameters}))
