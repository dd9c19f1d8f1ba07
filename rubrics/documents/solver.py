"""Find out if statements can hold together, exactly.

A statement is a whole number: `n` says that something holds, `-n` that it does not. The first ones
are facts, free to hold or not. `Solver.at_least` makes a statement of how many others hold; "and"
and "or" are two of its cases:

    solver = Solver(fact_count=2, steps=100)
    both = solver.at_least(2, [1, 2])
    solver.solve([both])         # {3: 0, 2: 0, 1: 0}: what holds then, with the guesses behind it
    solver.solve([both, -1])     # None

The search guesses facts, first as not holding, and sets what follows from them. With each statement
it keeps the guesses behind it as the bits of a number: guess 1 is 0b1, guess 2 is 0b10. A conflict
leads back to the last guess that bears on it, and the guesses between them need no second look.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# At single statements. A guess among many statements takes many.
MOST_WORK = 6_000_000


class TooManyStepsError(Exception):
    """The search came to its limit and has proved nothing."""


class _Demand(NamedTuple):
    """The demand that the weights of the statements that hold come to a bound."""

    weights: Mapping[int, int]
    spare: int  # the weight of those that may fail
    heaviest: int


class Solver:
    """Facts and what is asked of them, searched as often as one likes."""

    def __init__(self, fact_count: int, steps: int) -> None:
        self.facts = range(1, fact_count + 1)
        self.steps = steps  # the guesses that are left
        self.work = 0
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        self._always: list[int] = []
        self._demands: dict[int, list[_Demand]] = defaultdict(list)  # by what may break them

    def add_work(self, number: int) -> None:
        """Count looks at statements. Raises TooManyStepsError beyond the limit."""
        self.work += number
        if self.work > MOST_WORK:
            raise TooManyStepsError

    def at_least(self, bound: int, of: Iterable[int]) -> int:
        """Return the statement that so many of these hold, or more."""
        names = tuple(sorted({*of}))
        self.add_work(len(names))
        key = (bound, names)
        if key not in self._known:
            enough = len(self.facts) + len(self._known) + 1
            self._known[key] = enough
            self.ask({**dict.fromkeys(names, 1), -enough: bound}, bound)
            few = len(names) - bound + 1  # of these, if they fail
            weights = {-name: 1 for name in names}
            weights[enough] = few
            self.ask(weights, few)
        return self._known[key]

    def ask(self, weights: Mapping[int, int], bound: int) -> None:
        """Ask that the weights of the statements that hold come to the bound or more."""
        self.add_work(2 * len(weights))
        heaviest = max(weights.values(), default=0)
        demand = _Demand(weights, sum(weights.values()) - bound, heaviest)
        for statement, weight in weights.items():
            self._demands[-statement].append(demand)
            if weight > demand.spare:
                self._always.append(statement)

    def solve(self, wanted: Iterable[int]) -> dict[int, int] | None:
        """Return what holds for one choice of facts that meets all statements, None if none does.

        Raises TooManyStepsError.
        """
        statements = [(statement, 0) for statement in (*self._always, *wanted)]
        self.add_work(10 + 2 * len(statements))
        return self._search({}, statements, 1)[0]

    def _search(
        self, holding: dict[int, int], new: list[tuple[int, int]], guess: int
    ) -> tuple[dict[int, int] | None, int]:
        """Return what holds with the new statements, or None and the guesses that forbid them.

        `holding` has each statement that holds, with the guesses behind it, and `new` has more.
        `guess` is the bit of the next guess.
        """
        while new:
            statement, guesses = new.pop()
            if -statement in holding:
                return None, guesses | holding[-statement]
            if statement not in holding:
                holding[statement] = guesses
                for demand in self._demands[statement]:
                    new.extend(self._consequences(demand, holding))
        fact = self._free_fact(holding)
        if fact is None:
            return holding, 0
        self.add_work(len(holding) + len(self.facts))
        self.steps -= 1
        if self.steps < 0 or guess >> 400:  # Python calls no deeper than a thousand
            raise TooManyStepsError
        causes = 0
        for statement in (-fact, fact):
            solution, guesses = self._search({**holding}, [(statement, guess)], guess << 1)
            if solution is not None or not guesses & guess:
                return solution, guesses
            causes |= guesses
        return None, causes & ~guess

    def _consequences(self, demand: _Demand, holding: Mapping[int, int]) -> list[tuple[int, int]]:
        """Return the statements that a demand forces, each with the guesses behind it.

        If too little weight is left, one that is false is among them: a conflict.
        """
        weights, left, heaviest = demand
        self.add_work(10 + len(weights))
        guesses = 0
        for statement, weight in weights.items():
            if -statement in holding:
                left -= weight
                guesses |= holding[-statement]
        if left >= heaviest:
            return []
        forced = []
        for statement, weight in weights.items():
            is_open = left < 0 or -statement not in holding
            if weight > left and is_open and statement not in holding:
                forced.append((statement, guesses))
        return forced

    def _free_fact(self, holding: Mapping[int, int]) -> int | None:
        """Return the first fact that neither holds nor fails."""
        for fact in self.facts:
            if fact not in holding and -fact not in holding:
                return fact
        return None
