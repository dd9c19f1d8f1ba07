"""The order that a `rank_below` rule asks of two targets, as statements for the solver."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..judging.parts import Rule
from ..judging.ranking import in_order
from .statements import Statements


@dataclass(frozen=True, slots=True)
class Tie:
    """Two targets that a rule cannot put in order, since neither passes a score."""

    low: Sequence[int]  # the statements about the lower target
    high: Sequence[int]
    score: int


class RankingStatements(Statements):
    """The statements about two targets of an item, one of which ranks below the other."""

    def impossible_tie(self, rule: Rule) -> Tie | None:
        """Return two targets that cannot meet a ranking, None if there are none."""
        order = self._scores_by_goodness()
        is_closed = [-self.open_at[score] for score in order]
        lower = self._lower(rule)
        higher = self._higher(rule, order[:1])
        for place in self._tied_places(rule, order):
            low = [*lower, *is_closed[:place]]
            high = [*higher, *is_closed[place + 1 :]]
            if self._can(low) and self._can(high):
                return Tie(low, high, order[place])
        return None

    def can_rank(self, rule: Rule) -> bool:
        """Return True if a ranking bars a score beside some other target."""
        order = self._scores_by_goodness()
        is_open = [self.open_at[score] for score in order]
        lower = self._lower(rule)
        higher = self._higher(rule, order[:1])
        for place in self._tied_places(rule, order):
            low = [*lower, self._any(is_open[place:])]
            if not self._can(low):
                continue
            high = [*higher, self._any(is_open[: place + 1])]
            if self._can(high):
                return True
        return False

    def _scores_by_goodness(self) -> list[int]:
        """Return the scores, the worst first."""
        return sorted(self.open_at, key=self.dimension.goodness)

    def _tied_places(self, rule: Rule, order: Sequence[int]) -> list[int]:
        """Return the places of the scores that two targets cannot both have."""
        places = []
        for place, score in enumerate(order):
            if not in_order(rule, self.dimension, score, score):
                places.append(place)
        return places

    def _lower(self, rule: Rule) -> list[int]:
        return [*self.unforced, *self.comment, self._holds(rule.when)]

    def _higher(self, rule: Rule, worst: Sequence[int]) -> list[int]:
        statements = [self.decidable, *self.comment, -self._holds(rule.when)]
        for force in self.forces:
            if force.score in worst:  # a target that is forced to it is above no other
                statements.append(-self.decides[force.code])
        return statements
