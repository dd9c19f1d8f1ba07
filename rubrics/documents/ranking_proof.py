"""The order that a `rank_below` rule asks of two targets: whether they can meet it.

The rule ranks each target that meets its condition, the lower one, below each that does not.
`proof_claims` asks the two questions here about each such rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..judging.parts import Rule
from ..judging.ranking import in_order
from .cases import Cases


@dataclass(frozen=True, slots=True)
class Tie:
    """Two targets that a rule cannot put in order, since neither passes a score."""

    low: Sequence[int]  # the statements about the lower target
    high: Sequence[int]
    score: int


def impossible_tie(cases: Cases, rule: Rule) -> Tie | None:
    """Return two targets that cannot meet a ranking, None if there are none."""
    scores = _scores_by_goodness(cases)
    is_closed = [-cases.statements.open_at[score] for score in scores]
    lower = _lower_target(cases, rule)
    higher = _higher_target(cases, rule, scores[:1])
    for place in _places_in_no_order(cases, rule, scores):
        low = [*lower, *is_closed[:place]]
        high = [*higher, *is_closed[place + 1 :]]
        if cases.exist(low) and cases.exist(high):
            return Tie(low, high, scores[place])
    return None


def can_rank(cases: Cases, rule: Rule) -> bool:
    """Return True if a ranking bars a score beside some other target."""
    statements = cases.statements
    scores = _scores_by_goodness(cases)
    is_open = [statements.open_at[score] for score in scores]
    lower = _lower_target(cases, rule)
    higher = _higher_target(cases, rule, scores[:1])
    for place in _places_in_no_order(cases, rule, scores):
        if not cases.exist([*lower, statements.any_of(is_open[place:])]):
            continue
        if cases.exist([*higher, statements.any_of(is_open[: place + 1])]):
            return True
    return False


def _scores_by_goodness(cases: Cases) -> list[int]:
    """Return the scores, the worst first."""
    return sorted(cases.statements.open_at, key=cases.dimension.goodness)


def _places_in_no_order(cases: Cases, rule: Rule, sorted_scores: Sequence[int]) -> Iterator[int]:
    """Yield the places of the scores that two targets cannot both have."""
    for place, score in enumerate(sorted_scores):
        if not in_order(rule, cases.dimension, score, score):
            yield place


def _lower_target(cases: Cases, rule: Rule) -> list[int]:
    statements = cases.statements
    return [*statements.unforced, *statements.comment, statements.holds(rule.when)]


def _higher_target(cases: Cases, rule: Rule, worst_score: Sequence[int]) -> list[int]:
    statements = cases.statements
    higher = [statements.decidable, *statements.comment, -statements.holds(rule.when)]
    for force in statements.forces:
        if force.score in worst_score:  # a target that is forced to it is above no other
            higher.append(-statements.decides[force.code])
    return higher
