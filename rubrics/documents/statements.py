"""A dimension's choices and rules as statements for the solver, and the cases that show one."""

from collections.abc import Iterable, Sequence

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.parts import COMMENT, Check, Condition, Rule
from ..judging.rules import barred_scores, strength
from .solver import Solver


class Statements:
    """The choices and the rules of a dimension as statements for the solver."""

    def __init__(self, dimension: Dimension, solver: Solver) -> None:
        self.dimension = dimension
        self.solver = solver
        self.facts = {name: number for number, name in enumerate(dimension.facts, start=1)}
        self.answered = len(self.facts) + 1  # each question that is asked has an answer
        # While rating, the comment counts as written.
        self.comment = []
        if dimension.needs_comment:
            self.comment = [self.facts[COMMENT]]
        self.acts = {rule.code: self._acting(rule) for rule in dimension.rules}
        self.forces = [rule for rule in dimension.rules if rule.effect is Effect.FORCE]
        self.clash_free = self._none(dimension.exclusion_rules)
        self.unforced = [*self.clash_free, *self._none(self.forces)]
        self.limits = self._limits_by_score()
        self.closed_at = {score: self._acts_any(rules) for score, rules in self.limits.items()}
        self.decides = {rule.code: self._decides(rule) for rule in self.forces}
        nothing_clashes = self._all({*self.clash_free})
        overruling = map(self._overrules, self.forces)
        self.decidable = self._any([nothing_clashes, *overruling])
        self.open_at = {score: self._open_at(score) for score in self.closed_at}
        self.applies = self._holds(dimension.when)
        for check in (*dimension.shared, *dimension.checks):
            self._ask_only_if(check)
        silencing = [self._holds(rule.when) for rule in dimension.silencing_rules]
        self.excludes_all = self._any(silencing)
        for check, names in dimension.required_checks:
            self._ask_for_one_answer(check, names)

    def _acts_any(self, rules: Iterable[Rule]) -> int:
        """Return the statement that one of the rules acts."""
        return self._any(self.acts[rule.code] for rule in rules)

    def _limits_by_score(self) -> dict[int, list[Rule]]:
        """Return the rules that bar each score, forces apart."""
        limits: dict[int, list[Rule]] = {score: [] for score in self.dimension.scores}
        for rule in self.dimension.target_rules:
            if rule.effect is Effect.FORCE:
                continue
            scores = {*barred_scores(rule, self.dimension)}
            self.solver.add_work(len(scores))
            for score in scores:
                limits[score].append(rule)
        return limits

    def _decides(self, force: Rule) -> int:
        """Return the statement that a force acts, and none of another score before it."""
        stronger = []
        for rule in self.forces:
            if rule.score != force.score and strength(rule) < strength(force):
                stronger.append(rule)
        return self._acts_without(force, stronger)

    def _acts_without(self, force: Rule, other_rules: Iterable[Rule]) -> int:
        """Return the statement that a force acts, and none of the others."""
        return self._all({self.acts[force.code], *self._none(other_rules)})

    def _open_at(self, score: int) -> int:
        """Return the statement that a score is open: by a force, or as nothing bars it."""
        statements = {*self._none(self.forces)}
        statements.add(-self.closed_at[score])
        ways = [self._all(statements)]
        for rule in self.forces:
            if rule.score == score:
                ways.append(self.decides[rule.code])
        return self._any(ways)

    def _ask_only_if(self, check: Check) -> None:
        """Ask that a check asserts nothing unless its condition holds."""
        if not check.when.names:
            return
        for name in check.facts:
            fails = -self.facts[name]
            holds = self._holds(check.when)
            self.solver.ask({fails: 1, holds: 1}, 1)

    def _ask_for_one_answer(self, check: Check, names: Sequence[str]) -> None:
        """Ask that a question has at most one answer, and has one if it is asked."""
        facts = [self.facts[name] for name in names]
        fails = [-fact for fact in facts]
        self.solver.ask(dict.fromkeys(fails, 1), len(facts) - 1)
        if _always_asserts(check):
            wanted = [*facts]
            if check not in self.dimension.shared:
                wanted.append(self.excludes_all)
            wanted.append(-self.answered)
            wanted.append(-self._holds(check.when))
            self.solver.ask(dict.fromkeys(wanted, 1), 1)

    # Cases.

    def _can(self, statements: Iterable[int]) -> bool:
        """Return True if all of these can hold. Raises TooManyStepsError."""
        return self._solution(statements) is not None

    def _solution(self, statements: Iterable[int]) -> dict[int, int] | None:
        """Return what holds in a case in which all of these do, None if there is no such case."""
        return self.solver.solve([self.answered, self.applies, *statements])

    def _smallest(self, statements: Sequence[int], *, is_for_some: bool = False) -> Sequence[str]:
        """Return the fewest facts that show that the statements can hold. They must.

        They hold if these facts alone are asserted, and whatever is answered to each other question
        whose answers all assert something. `is_for_some`: they hold with no other answer yet, and
        also with some.
        """
        shows = self._shows
        if is_for_some:
            shows = self._shows_for_some
        solution = self._solution(statements) or {}
        facts = self._facts_in(solution)
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for name in facts:
                fewer = [other for other in facts if other != name]
                if shows(fewer, statements):
                    facts = fewer
                    is_smaller = True
                    break
        return [name for name in facts if self.facts[name] not in self.comment]

    def _facts_in(self, solution: dict[int, int]) -> list[str]:
        """Return the names of the facts that hold in a solution."""
        return [name for name, fact in self.facts.items() if fact in solution]

    def _shows(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        alone = self._alone(facts)
        fails = -self._all({*statements})
        if not self._can([*statements, *alone]):
            return False
        return not self._can([fails, *alone])

    def _shows_for_some(self, facts: Sequence[str], statements: Sequence[int]) -> bool:
        choices = {}
        for name, fact in self.facts.items():
            choices[name] = -fact
            if name in facts:
                choices[name] = fact
        case = [self.applies, *statements, *choices.values()]
        if self.solver.solve(case) is None:
            return False
        for _check, names in self.dimension.required_checks:
            if {*facts}.isdisjoint(names):
                for name in names:
                    choices.pop(name, None)
        return self._can([*statements, *choices.values()])

    def _alone(self, facts: Sequence[str]) -> list[int]:
        """Return the statements that these facts alone are asserted, and answers to questions."""
        free: set[str] = set()
        for check, names in self.dimension.required_checks:
            if _always_asserts(check) and {*facts}.isdisjoint(names):
                free.update(names)
        asserted = {*facts}
        if self.comment:
            asserted.add(COMMENT)
        statements = []
        for name, fact in self.facts.items():
            if name in asserted:
                statements.append(fact)
            elif name not in free:
                statements.append(-fact)
        return statements

    def _case_of(self, facts: Sequence[str], statements: Sequence[int]) -> frozenset[str]:
        """Return all facts of a case that the fewest facts show."""
        alone = self._alone(facts)
        solution = self._solution([*statements, *alone]) or {}
        return frozenset(self._facts_in(solution))

    # Statements.

    def _any(self, statements: Iterable[int]) -> int:
        return self.solver.at_least(1, statements)

    def _all(self, statements: set[int]) -> int:
        return self.solver.at_least(len(statements), statements)

    def _none(self, rules: Iterable[Rule]) -> list[int]:
        return [-self.acts[rule.code] for rule in rules]

    def _some(self, names: Sequence[str], number: int = 1) -> int:
        """Return the statement that so many of the facts hold, if any are named."""
        facts = [self.facts[name] for name in names]
        return self.solver.at_least(min(number, len(facts)), facts)

    def _holds(self, condition: Condition) -> int:
        statements = {self.facts[name] for name in condition.all_of}
        statements.update(-self.facts[name] for name in condition.none_of)
        statements.add(self._some(condition.any_of))
        statements.add(self._some(condition.of, condition.at_least))
        return self._all(statements)

    def _acting(self, rule: Rule) -> int:
        """Return the statement that a rule bars, clashes, ranks or asks."""
        statements = {self._holds(rule.when)}
        statements.add(self._some(rule.against))
        if rule.effect is Effect.REQUIRE:
            statements.add(-self._met(rule))
        return self._all(statements)

    def _valid(self, rule: Rule) -> list[int]:
        """Return the statements that there is a verdict on which a rule may have a say."""
        if rule.effect is Effect.FORCE:
            return [self.decidable]
        return self.clash_free

    def _met(self, rule: Rule) -> int:
        """Return the statement that the facts are what a `require` needs."""
        return self._any(map(self._holds, rule.ways))

    def _overrules(self, force: Rule) -> int:
        """Return the statement that a force decides, whatever clashes: none is its equal."""
        rivals = []
        for rule in self.forces:
            if rule.precedence >= force.precedence and rule.score != force.score:
                rivals.append(rule)
        return self._acts_without(force, rivals)


def _always_asserts(check: Check) -> bool:
    """Return True if each answer to a question asserts a fact."""
    return all(answer.sets for answer in check.answers)
