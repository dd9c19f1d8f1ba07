"""Find out if statements can hold together, exactly.

A statement is a whole number: `n` says that something holds, `-n` that it does not. The first ones
are facts, free to hold or not. `Solver.at_least` makes a statement of how many others hold; "and"
and "or" are two of its cases.

The search guesses facts, first as not holding, and sets what follows from them. With each statement
it keeps the guesses behind it, as the bits of a number: a conflict leads back to the last guess
that bears on it, and the guesses between them need no second look.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import repeat
from operator import or_

# At single statements. A guess among many statements takes many.
MOST_LOOKS = 6_000_000


class TooManyStepsError(Exception):
    """The search came to its limit and has proved nothing."""


class Solver:
    """Facts and what is asked of them, searched as often as one likes."""

    def __init__(self, facts: int, steps: int) -> None:
        self.facts = range(1, facts + 1)
        self.steps = steps  # the guesses that are left
        self.looks = 0
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        self._always: list[int] = []
        self._bearing: dict[int, list[tuple[Mapping[int, int], int, int]]] = defaultdict(list)

    def look(self, number: int) -> None:
        """Count looks at statements. Raises TooManyStepsError beyond the limit."""
        self.looks += number
        if self.looks > MOST_LOOKS:
            raise TooManyStepsError

    def at_least(self, bound: int, of: Iterable[int]) -> int:
        """Return the statement that so many of these hold, or more."""
        names = tuple(sorted({*of}))
        self.look(len(names))
        if (bound, names) not in self._known:
            self._known[bound, names] = enough = len(self.facts) + len(self._known) + 1
            self.ask({**dict.fromkeys(names, 1), -enough: bound}, bound)
            few = len(names) - bound + 1  # of these, if they fail
            self.ask({**{-name: 1 for name in names}, enough: few}, few)
        return self._known[bound, names]

    def ask(self, weights: Mapping[int, int], bound: int) -> None:
        """Ask that the weights of the statements that hold come to the bound or more."""
        self.look(2 * len(weights))
        spare, heaviest = sum(weights.values()) - bound, max(weights.values(), default=0)
        self._always.extend(each for each, weight in weights.items() if weight > spare)
        for each in weights:
            self._bearing[-each].append((weights, spare, heaviest))

    def solve(self, given: Iterable[int]) -> dict[int, int] | None:
        """Return what holds for one choice of facts that meets all statements, None if none does.

        Raises TooManyStepsError.
        """
        statements = [(each, 0) for each in (*self._always, *given)]
        self.look(10 + 2 * len(statements))
        return self._search({}, statements, 1)[0]

    def _search(
        self, held: dict[int, int], new: list[tuple[int, int]], guess: int
    ) -> tuple[dict[int, int] | None, int]:
        """Return what holds with the new statements, or None and the guesses that forbid them.

        `held` has each statement that holds, with the guesses behind it, and `new` has more.
        """
        while new:
            statement, guesses = new.pop()
            if -statement in held:
                return None, guesses | held[-statement]
            if statement not in held:
                held[statement] = guesses
                for weights, spare, heaviest in self._bearing[statement]:
                    self.look(10 + len(weights))
                    false = [each for each in weights if -each in held]
                    left = spare - sum([weights[each] for each in false])
                    # If too little is left, one that is false should hold: a conflict.
                    forced = [
                        each
                        for each, weight in weights.items()
                        if left < heaviest
                        if weight > left and each not in held and (left < 0 or -each not in held)
                    ]
                    if forced:
                        new.extend(zip(forced, repeat(reduce(or_, [held[-e] for e in false]))))
        fact = next((each for each in self.facts if each not in held and -each not in held), None)
        if fact is None:
            return held, 0
        self.look(len(held) + len(self.facts))
        self.steps -= 1
        if self.steps < 0 or guess >> 400:  # Python calls no deeper than a thousand
            raise TooManyStepsError
        causes = 0
        for statement in (-fact, fact):
            found, guesses = self._search({**held}, [(statement, guess)], guess << 1)
            if found is not None or not guesses & guess:
                return found, guesses
            causes |= guesses
        return None, causes & ~guess
