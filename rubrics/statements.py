"""A dimension's choices and rules as statements for the solver, and the cases that show one."""

from collections.abc import Iterable, Sequence

from .rules import reach, strength
from .schema import COMMENT, Condition, Dimension, Effect, Rule
from .solver import Solver


class Statements:
    """The choices and the rules of a dimension as statements for the solver."""

    def __init__(self, dimension: Dimension, solver: Solver) -> None:
        self.dimension, self.solver = dimension, solver
        self.facts = {name: number for number, name in enumerate(dimension.facts, start=1)}
        self.answered = len(self.facts) + 1  # each question that is asked has an answer
        # While rating, the comment counts as written.
        self.said = [self.facts[COMMENT]] if dimension.needs_comment else []
        self.acts = {rule.code: self._acting(rule) for rule in dimension.rules}
        self.forces = [rule for rule in dimension.rules if rule.effect is Effect.FORCE]
        self.apart = self._none(dimension.excluding)  # nothing clashes
        self.unforced = [*self.apart, *self._none(self.forces)]
        # The rules that bar a score, forces apart.
        self.limits: dict[int, list[Rule]] = {score: [] for score in dimension.scores}
        for rule in dimension.deciding:
            barred = () if rule.effect is Effect.FORCE else {*reach(rule, dimension)}
            solver.look(len(barred))
            for score in barred:
                self.limits[score].append(rule)
        self.closed_at = {
            score: self._any(self.acts[rule.code] for rule in rules)
            for score, rules in self.limits.items()
        }
        self.decides = {
            rule.code: self._all(
                {
                    self.acts[rule.code],
                    *self._none(
                        each
                        for each in self.forces
                        if each.score != rule.score and strength(each) < strength(rule)
                    ),
                }
            )
            for rule in self.forces
        }
        self.settled = self._any([self._all({*self.apart}), *map(self._overrules, self.forces)])
        self.opened = {
            score: self._any(
                [
                    self._all({*self._none(self.forces), -closed}),
                    *(self.decides[rule.code] for rule in self.forces if rule.score == score),
                ]
            )
            for score, closed in self.closed_at.items()
        }
        self.asked = self._holds(dimension.when)
        for check in (*dimension.shared, *dimension.checks):
            for name in check.facts if check.when.names else ():
                self.solver.ask({-self.facts[name]: 1, self._holds(check.when): 1}, 1)
        self.silenced = self._any(self._holds(rule.when) for rule in dimension.silencing)
        for check, names in dimension.asked:
            facts = [self.facts[name] for name in names]
            self.solver.ask({-fact: 1 for fact in facts}, len(facts) - 1)
            if all(answer.sets for answer in check.answers):
                unasked = (
                    *([] if check in dimension.shared else [self.silenced]),
                    *(-self.answered, -self._holds(check.when)),
                )
                self.solver.ask(dict.fromkeys((*facts, *unasked), 1), 1)

    # Cases.

    def _can(self, statements: Iterable[int]) -> bool:
        """Return True if all of these can hold. Raises TooManyStepsError."""
        return self.solver.solve([self.answered, self.asked, *statements]) is not None

    def _smallest(self, statements: Sequence[int], *, is_for_some: bool = False) -> Sequence[str]:
        """Return the fewest facts that show that the statements can hold. They must.

        They hold if these facts alone are asserted, and whatever is answered to each other question
        whose answers all assert something. `is_for_some`: they hold with no other answer yet, and
        also with some.
        """
        shows = self._shows_for_some if is_for_some else self._shows
        held = self.solver.solve([self.answered, self.asked, *statements]) or {}
        fewer: list[str] | None = [name for name, fact in self.facts.items() if fact in held]
        while fewer is not None:
            facts = fewer
            less = ([each for each in facts if each != name] for name in facts)
            fewer = next((some for some in less if shows(some, statements)), None)
        return [name for name in facts if self.facts[name] not in self.said]

    def _shows(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        alone, fails = self._alone(facts), -self._all({*statements})
        return self._can([*statements, *alone]) and not self._can([fails, *alone])

    def _shows_for_some(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        named = {name: fact if name in facts else -fact for name, fact in self.facts.items()}
        if self.solver.solve([self.asked, *statements, *named.values()]) is None:
            return False
        for _check, names in self.dimension.asked:
            for name in names if {*facts}.isdisjoint(names) else ():
                named.pop(name, None)
        return self._can([*statements, *named.values()])

    def _alone(self, facts: Sequence[str]) -> list[int]:
        """Return the statements that these facts alone are asserted, and answers to questions."""
        unnamed: set[str] = set()
        for check, names in self.dimension.asked:
            if {*facts}.isdisjoint(names) and all(answer.sets for answer in check.answers):
                unnamed.update(names)
        named = (*facts, COMMENT) if self.said else facts
        return [
            fact if name in named else -fact
            for name, fact in self.facts.items()
            if name not in unnamed
        ]

    def _case_of(self, facts: Sequence[str], statements: Sequence[int]) -> frozenset[str]:
        """Return all facts of a case that the fewest facts show."""
        shown = [self.answered, self.asked, *statements, *self._alone(facts)]
        held = self.solver.solve(shown) or {}
        return frozenset(name for name, fact in self.facts.items() if fact in held)

    # Statements.

    def _any(self, statements: Iterable[int]) -> int:
        return self.solver.at_least(1, statements)

    def _all(self, statements: set[int]) -> int:
        return self.solver.at_least(len(statements), statements)

    def _none(self, rules: Iterable[Rule]) -> list[int]:
        return [-self.acts[rule.code] for rule in rules]

    def _some(self, names: Sequence[str], number: int = 1) -> int:
        """Return the statement that so many of the facts hold, if any are named."""
        return self.solver.at_least(min(number, len(names)), [self.facts[name] for name in names])

    def _holds(self, condition: Condition) -> int:
        return self._all(
            {
                *(self.facts[name] for name in condition.all_of),
                *(-self.facts[name] for name in condition.none_of),
                self._some(condition.any_of),
                self._some(condition.of, condition.at_least),
            }
        )

    def _acting(self, rule: Rule) -> int:
        """Return the statement that a rule bars, clashes, ranks or asks."""
        return self._all(
            {
                self._holds(rule.when),
                self._some(rule.against),
                *([-self._met(rule)] if rule.effect is Effect.REQUIRE else []),
            }
        )

    def _valid(self, rule: Rule) -> list[int]:
        """Return the statements that there is a verdict on which a rule may have a say."""
        return [self.settled] if rule.effect is Effect.FORCE else self.apart

    def _met(self, rule: Rule) -> int:
        """Return the statement that the facts are what a `require` needs."""
        return self._any(map(self._holds, rule.ways))

    def _overrules(self, force: Rule) -> int:
        """Return the statement that a force decides, whatever clashes: none is its equal."""
        rivals = [
            rule
            for rule in self.forces
            if rule.precedence >= force.precedence and rule.score != force.score
        ]
        return self._all({self.acts[force.code], *self._none(rivals)})
