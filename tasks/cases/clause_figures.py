"""The differing cases of a project by the clauses of the checks that differ in them.

The page “By clause” shows them (`tasks/disagreements/clause_views.py`): which sentence of the
source people read differently, and how much of all differences that makes.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection
from psycopg import sql

from config.web.raw_sql import rows_as
from rubrics.judging.case_figures import clauses_of
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope
from rubrics.judging.parts import COMMENT, Check
from tasks.models import CaseEntry, Project

COLUMNS = ("dimension", "checks", "spread_without", "spread", "is_mixed")
# A row for all cases, whose `clause` is empty, then one for each clause.
#
# Cases are grouped by pattern first: by what decides which clauses a case has. Few cases have a
# pattern of their own, so all that follows is done once for each pattern. A digest of 64 bits is
# grouped several times as fast as the JSON that it is of, which is read of one case only.
#
# A case has a clause once, even if two of its checks differ. A clause settles a case if the spread
# that is left without its checks is below the threshold, and nothing else makes the case differ.
BY_CLAUSE = sql.SQL("""
WITH pattern_sum AS (
  SELECT min(id) AS entry, count(*) AS cases, sum(pairs) AS pairs, sum(seen_pairs) AS seen_pairs,
    sum(squares) AS squares
  FROM ({differing}) AS entry
  GROUP BY jsonb_hash_extended(checks, 0) # hashtextextended(dimension, 1)
    # jsonb_hash_extended(spread_without, 2 * spread + is_mixed::int)
), pattern AS (
  SELECT pattern_sum.*, {columns} FROM pattern_sum JOIN tasks_caseentry AS entry
    ON entry.id = pattern_sum.entry
), clause AS (
  SELECT * FROM jsonb_to_recordset({clauses}::jsonb)
    AS clause (dimension text, name text, checks text[], other_disputed text[])
)
SELECT '' AS clause, coalesce(sum(cases), 0)::bigint AS cases, 0::bigint AS pairs,
  0::bigint AS seen_pairs, coalesce(sum(squares), 0)::bigint AS squares, 0::bigint AS settled,
  coalesce(sum(cases) FILTER (WHERE NOT EXISTS (SELECT FROM clause
    WHERE clause.dimension = pattern.dimension AND pattern.checks ?| clause.checks)), 0)::bigint
    AS without_clause
FROM pattern
UNION ALL
SELECT clause.name, sum(cases)::bigint, sum(pairs)::bigint, sum(seen_pairs)::bigint,
  sum(squares)::bigint, coalesce(sum(cases) FILTER (WHERE NOT is_mixed
    AND coalesce((spread_without ->> clause.name)::int, spread)
      < ({thresholds}::jsonb ->> pattern.dimension)::int
    AND NOT pattern.checks ?| clause.other_disputed), 0)::bigint, 0
FROM pattern JOIN clause
  ON clause.dimension = pattern.dimension AND pattern.checks ?| clause.checks
GROUP BY clause.name
ORDER BY clause
""")


@dataclass(frozen=True, slots=True)
class ClauseFigures:
    """A row of `BY_CLAUSE`: the cases in which a check of one clause differs."""

    clause: str
    cases: int
    pairs: int  # of answers that differ
    seen_pairs: int
    squares: int  # the squared differences of all pairs of scores, summed
    settled: int  # would no longer differ if all had answered the clause's checks alike
    without_clause: int = 0  # only in the row of all cases: no check of a clause differs in them

    @property
    def concluded_pairs(self) -> int:
        return self.pairs - self.seen_pairs


@dataclass(frozen=True, slots=True)
class DifferingCases:
    """All cases of a project that differ, and their figures by clause, the largest share first."""

    cases: int
    squares: int
    without_clause: int  # no check of a clause differs in them
    clauses: tuple[ClauseFigures, ...]

    def share(self, clause: ClauseFigures) -> float:
        """Return the share of the squared differences of all cases that a clause has, from 0."""
        return clause.squares / self.squares if self.squares else 0


def differing_cases(project: Project) -> DifferingCases:
    """Return the cases that differ by the project's thresholds and checks, by clause."""
    entries = CaseEntry.objects.filter(project=project).differing(project).order_by()
    sums = ("pairs", "seen_pairs", "squares")
    query, values = entries.values("id", *COLUMNS, *sums).query.sql_with_params()
    statement = BY_CLAUSE.format(
        columns=sql.SQL(", ").join(sql.Identifier("entry", column) for column in COLUMNS),
        differing=sql.SQL(connection.ops.compose_sql(query, values)),  # type: ignore[attr-defined]  # PostgreSQL has it
        clauses=sql.Literal(json.dumps(list(_clauses(project)))),
        thresholds=sql.Literal(json.dumps(project.thresholds)),
    )
    all_cases, *clauses = rows_as(ClauseFigures, statement, ())
    clauses.sort(key=lambda figures: (-figures.squares, -figures.cases, figures.clause))
    return DifferingCases(
        all_cases.cases, all_cases.squares, all_cases.without_clause, tuple(clauses)
    )


def _clauses(project: Project) -> Iterator[dict[str, str | list[str]]]:
    """Yield each clause of each dimension, with its checks as entries name them.

    `other_disputed`: the checks on the lead's list that are not of this clause.
    """
    for dimension in project.rubric.schema.dimensions:
        checks_by_clause: dict[str, list[str]] = {}
        for check in _checks(dimension):
            for clause in clauses_of(check):
                checks_by_clause.setdefault(clause, []).append(f"{dimension.code}:{check.code}")
        for clause, checks in checks_by_clause.items():
            others = [check for check in project.disputed_checks if check not in checks]
            yield {
                "dimension": dimension.code,
                "name": clause,
                "checks": checks,
                "other_disputed": others,
            }


def _checks(dimension: Dimension) -> Iterator[Check]:
    """Yield the checks on which the answers of a case can differ."""
    for check in (*dimension.shared, *dimension.checks):
        if check.scope is Scope.TARGET and check.code != COMMENT:
            yield check
