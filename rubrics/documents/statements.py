"""The facts and the rules of a dimension as statements for the solver.

`cases` asks the solver which of them can hold together, for the proof. A statement is a number, as
in `solver`: with the facts "rude" (1) and "kind" (2), the statement that a rule acts if both are
asserted may be 7, and -7 says that it does not act.
"""

from collections.abc import Iterable, Sequence

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.parts import COMMENT, Check, Condition, Rule
from ..judging.rules import barred_scores, strength
from .solver import Solver


class Statements:
    """The facts and rules of a dimension, each as the number of a statement."""

    def __init__(self, dimension: Dimension, solver: Solver) -> None:
        """Make the statements that every claim needs, and ask what holds in each case."""
        self.dimension = dimension
        self._solver = solver
        self.facts = {name: number for number, name in enumerate(dimension.facts, start=1)}
        self.answered = len(self.facts) + 1  # each question that is asked has an answer
        # While rating, the comment counts as written.
        self.comment = [self.facts[COMMENT]] if dimension.needs_comment else []
        # By the code of a rule: it bars, clashes, ranks or asks.
        self.acts = {rule.code: self._acting(rule) for rule in dimension.rules}
        self.forces = [rule for rule in dimension.rules if rule.effect is Effect.FORCE]
        self.clash_free = self.none_acts(dimension.exclusion_rules)
        self.unforced = [*self.clash_free, *self.none_acts(self.forces)]
        # By score: the rules that bar it, forces apart; one of them acts; it is open.
        self.limits = self._limits_by_score()
        self.closed_at = {score: self._any_acts(rules) for score, rules in self.limits.items()}
        # By the code of a force: it acts, and none of another score before it.
        self.decides = {force.code: self._deciding(force) for force in self.forces}
        nothing_clashes = self._all({*self.clash_free})
        self.decidable = self.any_of([nothing_clashes, *map(self._overruling, self.forces)])
        self.open_at = {score: self._opening(score) for score in self.closed_at}
        self.applies = self.holds(dimension.when)
        for check in (*dimension.shared, *dimension.checks):
            self._ask_only_if(check)
        silencing = [self.holds(rule.when) for rule in dimension.silencing_rules]
        self.excludes_all = self.any_of(silencing)
        for check, names in dimension.required_checks:
            self._ask_for_one_answer(check, names)

    def holds(self, condition: Condition) -> int:
        """Return the statement that a condition holds."""
        statements = {self.facts[name] for name in condition.all_of}
        statements.update(-self.facts[name] for name in condition.none_of)
        statements.add(self._some(condition.any_of))
        statements.add(self._some(condition.of, condition.at_least))
        return self._all(statements)

    def needs_met(self, rule: Rule) -> int:
        """Return the statement that the facts are what a `require` needs."""
        return self.any_of(map(self.holds, rule.ways))

    def none_acts(self, rules: Iterable[Rule]) -> list[int]:
        """Return the statements that none of the rules acts."""
        return [-self.acts[rule.code] for rule in rules]

    def any_of(self, statements: Iterable[int]) -> int:
        """Return the statement that one of these holds."""
        return self._solver.at_least(1, statements)

    def fails(self, statements: Sequence[int]) -> int:
        """Return the statement that these do not all hold."""
        return -self._all({*statements})

    def _all(self, statements: set[int]) -> int:
        return self._solver.at_least(len(statements), statements)

    def _some(self, names: Sequence[str], number: int = 1) -> int:
        """Return the statement that so many of the facts hold, if any are named."""
        facts = [self.facts[name] for name in names]
        return self._solver.at_least(min(number, len(facts)), facts)

    def _acting(self, rule: Rule) -> int:
        """Return the statement that a rule bars, clashes, ranks or asks."""
        statements = {self.holds(rule.when)}
        statements.add(self._some(rule.against))
        if rule.effect is Effect.REQUIRE:
            statements.add(-self.needs_met(rule))
        return self._all(statements)

    def _any_acts(self, rules: Iterable[Rule]) -> int:
        return self.any_of(self.acts[rule.code] for rule in rules)

    def _limits_by_score(self) -> dict[int, list[Rule]]:
        limits: dict[int, list[Rule]] = {score: [] for score in self.dimension.scores}
        for rule in self.dimension.target_rules:
            if rule.effect is Effect.FORCE:
                continue
            scores = {*barred_scores(rule, self.dimension)}
            self._solver.add_work(len(scores))
            for score in scores:
                limits[score].append(rule)
        return limits

    def _deciding(self, force: Rule) -> int:
        """Return the statement that a force acts, and none of another score before it."""
        stronger = []
        for rule in self.forces:
            if rule.score != force.score and strength(rule) < strength(force):
                stronger.append(rule)
        return self._acts_without(force, stronger)

    def _overruling(self, force: Rule) -> int:
        """Return the statement that a force decides, whatever clashes: none is its equal."""
        rivals = []
        for rule in self.forces:
            if rule.precedence >= force.precedence and rule.score != force.score:
                rivals.append(rule)
        return self._acts_without(force, rivals)

    def _acts_without(self, force: Rule, other_rules: Iterable[Rule]) -> int:
        """Return the statement that a force acts, and none of the others."""
        return self._all({self.acts[force.code], *self.none_acts(other_rules)})

    def _opening(self, score: int) -> int:
        """Return the statement that a score is open: by a force, or as nothing bars it."""
        statements = {*self.none_acts(self.forces)}
        statements.add(-self.closed_at[score])
        ways = [self._all(statements)]
        for rule in self.forces:
            if rule.score == score:
                ways.append(self.decides[rule.code])
        return self.any_of(ways)

    def _ask_only_if(self, check: Check) -> None:
        """Ask that a check asserts nothing unless its condition holds."""
        if not check.when.names:
            return
        for name in check.facts:
            fails = -self.facts[name]
            holds = self.holds(check.when)
            self._solver.ask({fails: 1, holds: 1}, 1)

    def _ask_for_one_answer(self, check: Check, names: Sequence[str]) -> None:
        """Ask that a question has at most one answer, and has one if it is asked."""
        facts = [self.facts[name] for name in names]
        fails = [-fact for fact in facts]
        self._solver.ask(dict.fromkeys(fails, 1), len(facts) - 1)
        if always_asserts(check):
            wanted = [*facts]
            if check not in self.dimension.shared:
                wanted.append(self.excludes_all)
            wanted.append(-self.answered)
            wanted.append(-self.holds(check.when))
            self._solver.ask(dict.fromkeys(wanted, 1), 1)


def always_asserts(check: Check) -> bool:
    """Return True if each answer to a question asserts a fact."""
    return all(answer.sets for answer in check.answers)
