"""The cases of a dimension: what an annotator can answer, and which facts show it.

`proof` makes a claim as a list of statements (`statements`), and asks here if there is a case in
which all of them hold. All that searches raises TooManyStepsError once the solver gives up.
"""

from collections.abc import Iterable, Sequence

from ..judging.dimension import Dimension
from ..judging.parts import COMMENT
from .solver import Solver
from .statements import Statements, always_asserts


class Cases:
    """All cases of a dimension, searched by a solver."""

    def __init__(self, dimension: Dimension, solver: Solver) -> None:
        self.dimension = dimension
        self.statements = Statements(dimension, solver)
        self._solver = solver

    def exist(self, statements: Iterable[int]) -> bool:
        """Return True if there is a case in which all of these hold."""
        return self._solution(statements) is not None

    def fewest_facts(
        self, statements: Sequence[int], *, is_for_some: bool = False
    ) -> Sequence[str]:
        """Return the fewest facts that show that the statements can hold. They must.

        They hold if these facts alone are asserted, and whatever is answered to each other question
        whose answers all assert something. `is_for_some`: they hold with no other answer yet, and
        also with some.
        """
        shows = self._shows
        if is_for_some:
            shows = self._shows_for_some
        facts = self._facts_of_case(statements)
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for name in facts:
                fewer = [other for other in facts if other != name]
                if shows(fewer, statements):
                    facts = fewer
                    is_smaller = True
                    break
        comment = self.statements.comment
        return [name for name in facts if self.statements.facts[name] not in comment]

    def all_facts(self, fewest_facts: Sequence[str], statements: Sequence[int]) -> frozenset[str]:
        """Return all facts of a case that the fewest facts show."""
        alone = self._only(fewest_facts)
        return frozenset(self._facts_of_case([*statements, *alone]))

    def _solution(self, statements: Iterable[int]) -> dict[int, int] | None:
        """Return what holds in a case in which all of these do, None if there is no such case."""
        in_each_case = (self.statements.answered, self.statements.applies)
        return self._solver.solve([*in_each_case, *statements])

    def _facts_of_case(self, statements: Iterable[int]) -> list[str]:
        """Return the facts that hold in one case in which all of these do."""
        solution = self._solution(statements) or {}
        return [name for name, fact in self.statements.facts.items() if fact in solution]

    def _shows(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        """Return True if the statements hold in each case with only these facts asserted."""
        alone = self._only(facts)
        fails = self.statements.fails(statements)
        if not self.exist([*statements, *alone]):
            return False
        return not self.exist([fails, *alone])

    def _only(self, facts: Sequence[str]) -> list[int]:
        """Return the statements that only these facts are asserted, and answers to questions."""
        free: set[str] = set()
        for check, names in self.dimension.required_checks:
            if always_asserts(check) and {*facts}.isdisjoint(names):
                free.update(names)
        asserted = {*facts}
        if self.statements.comment:
            asserted.add(COMMENT)
        statements = []
        for name, fact in self.statements.facts.items():
            if name in asserted:
                statements.append(fact)
            elif name not in free:
                statements.append(-fact)
        return statements

    def _shows_for_some(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        """Return True if the statements hold with these facts and no answer, and with some."""
        choices = {}
        for name, fact in self.statements.facts.items():
            choices[name] = fact if name in facts else -fact
        unanswered = [self.statements.applies, *statements, *choices.values()]
        if self._solver.solve(unanswered) is None:
            return False
        for _check, names in self.dimension.required_checks:
            if {*facts}.isdisjoint(names):
                for name in names:
                    choices.pop(name, None)
        return self.exist([*statements, *choices.values()])
