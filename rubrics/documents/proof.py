"""Prove that the rules of a rubric work, whatever an annotator answers.

A case is a choice that an annotator can complete: one answer to each question that is asked, each
tick and each detected check either way, and nothing that clashes unless a force decides. The proof
searches all cases (`rubrics.documents.solver`), so it is exact. Half-answered forms are no cases,
and may leave no score open.

A finding names the fewest facts that show it: none of them can be left out. The rubric must be
well-formed (`rubrics.documents.wellformed`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby

from django.utils.translation import get_language, gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.parts import Rule
from ..judging.rules import barred_scores
from ..judging.schema import Rubric
from .ranking_proof import RankingStatements, Tie
from .solver import MOST_WORK, Solver, TooManyStepsError

# For each dimension. A number of steps, not of seconds: a document loads everywhere or nowhere. The
# steps among many rules end earlier (MOST_WORK), and so do those of many dimensions together. The
# shipped rubrics take a tenth of that.
STEPS = 300_000
MOST_DETECTED = 12  # in what rules exclude: each of their combinations is searched


@dataclass(frozen=True, slots=True)
class Finding:
    """A property of the rules that their author did not mean."""

    text: str  # the path, what was found, and what to do
    is_fault: bool = True  # a rubric with a fault is refused

    @property
    def path(self) -> tuple[str, ...]:
        """The part that it is about, by codes."""
        return tuple(self.text.partition(": ")[0].split("."))


def findings(rubric: Rubric) -> Iterator[Finding]:
    """Yield what the proof finds in a well-formed rubric: of each kind of fault at least one."""
    work = 0
    for dimension in rubric.parts:
        if work >= MOST_WORK:
            yield _unproved(dimension, pgettext("after “did not prove that”", "its rules work"))
            continue
        proved, more = _proved(dimension, get_language())
        work += more
        yield from proved


@lru_cache(maxsize=256)
def _proved(dimension: Dimension, language: str | None) -> tuple[tuple[Finding, ...], int]:
    """Return the findings in the active language, and the work that they took."""
    solver = _solver(dimension)
    proved = tuple(_findings_of(dimension, solver))
    return proved, solver.work


def _solver(dimension: Dimension) -> Solver:
    return Solver(len(dimension.facts) + 1, STEPS)


def _unproved(dimension: Dimension, claim: str) -> Finding:
    part = "checks"
    message = _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler checks")
    if dimension.scores:
        part = f"dimensions.{dimension.code}.rules"
        message = _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler rules")
    return _counterexample(part, message, steps=STEPS, claim=claim)


def _findings_of(dimension: Dimension, solver: Solver) -> Iterator[Finding]:
    claim = pgettext("after “did not prove that”", "each question can be asked")
    try:
        proof = _Proof(dimension, solver)
    except TooManyStepsError:
        yield _unproved(dimension, claim)
        return
    place = ""
    if dimension.scores:
        place = f"dimensions.{dimension.code}."
    claims = {
        proof.unasked: claim,
        proof.dead_ends: pgettext("after “did not prove that”", "answers can go together"),
        proof.closed: pgettext("after “did not prove that”", "a score always stays open"),
        proof.rivals: pgettext("after “did not prove that”", "forces of equal precedence agree"),
        proof.unordered: pgettext("after “did not prove that”", "scores can always be in order"),
        proof.idle: pgettext("after “did not prove that”", "each rule and each score has a use"),
    }
    try:
        if dimension.when.names and not proof.solver.solve([proof.answered, proof.applies]):
            yield _counterexample(f"{place}when", _("no answers meet it; change it"))
            return
        for section in claims:
            claim = claims[section]
            for finding in section():
                yield Finding(f"{place}{finding.text}", finding.is_fault)
    except TooManyStepsError:
        yield _unproved(dimension, claim)


def _counterexample(
    part: str, message: str, *, is_fault: bool = True, **placeholders: object
) -> Finding:
    text = message % placeholders
    return Finding(f"{part}: {text}", is_fault)


@lru_cache(maxsize=256)
def meeting_forces(dimension: Dimension) -> frozenset[str]:
    """Return the forces that can meet one that forces another score: their order decides."""
    codes: set[str] = set()
    try:
        proof = _Proof(dimension, _solver(dimension))
        for one, other in combinations(proof.forces, 2):
            if proof.meet(one, other):
                codes |= {one.code, other.code}
    except TooManyStepsError:
        codes.update(rule.code for rule in dimension.rules if rule.effect is Effect.FORCE)
    return frozenset(codes)


class _Proof(RankingStatements):
    """The findings about a dimension."""

    def unasked(self) -> Iterator[Finding]:
        """Yield the conditions that no answers meet, so that something is never asked."""
        for check in self.dimension.checks:
            met = [*self.clash_free, -self.excludes_all, self._holds(check.when)]
            if check.when.names and not self._can(met):
                part = f"checks.{check.code}.when"
                yield _counterexample(part, _("no answers meet it; change it"))

    def dead_ends(self) -> Iterator[Finding]:
        """Yield detected checks beside which all answers clash: nobody can take them back."""
        detected = self._detected_in_conditions()
        if len(detected) > MOST_DETECTED:
            raise TooManyStepsError
        for number in range(len(detected) + 1):
            for fired in combinations(detected, number):
                case = []
                for name in detected:
                    fact = self.facts[name]
                    case.append(fact if name in fired else -fact)
                if self._can([self.decidable, *case]) or not self._can(case):
                    continue
                message = _("all answers clash; exclude fewer facts")
                if fired:
                    message = _("with %(facts)s detected, all answers clash; exclude fewer facts")
                yield _counterexample("rules", message, facts=_listed(fired))
                return

    def _detected_in_conditions(self) -> list[str]:
        """Return the detected checks that conditions or exclusions name, if any exclude."""
        if not self.dimension.exclusion_rules:
            return []
        names: set[str] = set()
        for check in (*self.dimension.shared, *self.dimension.checks):
            names.update(check.when.names)
        for rule in self.dimension.exclusion_rules:
            names.update(rule.when.names, rule.against)
        return [check.code for check in self.dimension.detected_checks if check.code in names]

    def closed(self) -> Iterator[Finding]:
        """Yield a case that leaves no score open, with as few rules as close them all."""
        if self.dimension.given and self._can(self.unforced):
            facts = self._smallest(self.unforced)
            message = _("with %(facts)s no rule gives the score; write one that forces it")
            yield _counterexample("rules", message, facts=_listed(facts))
        statements = [*self.unforced, *self.comment, *self.closed_at.values()]
        if self.dimension.scores and self._can(statements):
            facts = self._smallest(statements)
            case = self._case_of(facts, statements)
            rules = self._necessary(self._barring(case))
            message = _(
                "with %(facts)s no score is left: rules %(rules)s;"
                " change one of them, or exclude what can’t go together"
            )
            codes = _listed((rule.code for rule in rules), "")
            yield _counterexample("rules", message, facts=_listed(facts), rules=codes)

    def _barring(self, facts: frozenset[str]) -> list[Rule]:
        """Return the rules that act on these facts and are not met by them."""
        rules = []
        for rule in self.dimension.rules:
            is_met = rule.effect is Effect.REQUIRE and rule.is_met(facts)
            if rule.when.holds(facts) and not is_met:
                rules.append(rule)
        return rules

    def _necessary(self, rules: Sequence[Rule]) -> list[Rule]:
        """Return as few of the rules as bar each score, without those that others make needless."""
        bars: dict[str, list[int]] = {rule.code: [] for rule in rules}
        left = dict.fromkeys(self.limits, 0)
        for score, limits in self.limits.items():
            for code in {rule.code for rule in limits}:
                if code in bars:
                    bars[code].append(score)
                    left[score] += 1
        necessary = []
        for rule in rules:
            scores = bars[rule.code]
            if all(left[score] > 1 for score in scores):
                for score in scores:
                    left[score] -= 1
            else:
                necessary.append(rule)
        return necessary

    def rivals(self) -> Iterator[Finding]:
        """Yield the forces that can meet, of which none comes before the other."""
        for one, other in combinations(self.forces, 2):
            if one.precedence == other.precedence and self.meet(one, other):
                facts = self._smallest(self._together(one, other))
                message = _(
                    "with %(facts)s rule %(rule)s forces %(score)s and %(other)s"
                    " %(other_score)s; give one a higher precedence"
                )
                yield _counterexample(
                    "rules",
                    message,
                    facts=_listed(facts),
                    rule=one.code,
                    score=one.score,
                    other=other.code,
                    other_score=other.score,
                )

    def meet(self, one: Rule, other: Rule) -> bool:
        """Return True if some answers call two forces of different scores."""
        return one.score != other.score and self._can(self._together(one, other))

    def _together(self, one: Rule, other: Rule) -> list[int]:
        """Return the statements that two rules act and nothing clashes."""
        return [*self.clash_free, self.acts[one.code], self.acts[other.code]]

    def unordered(self) -> Iterator[Finding]:
        """Yield the rankings that the targets of some item cannot meet, or that never rank."""
        rankings = [rule for rule in self.dimension.rules if rule.effect is Effect.RANK_BELOW]
        if len(rankings) > 1:
            message = _("%(rules)s are all rank_below; a dimension has one, keep one")
            codes = _listed(rule.code for rule in rankings)
            yield _counterexample("rules", message, rules=codes)
        for rule in rankings:
            if tie := self.impossible_tie(rule):
                yield self._unmet_ranking(rule, tie)
            if not self.can_rank(rule):
                message = _('"%(rule)s" never ranks; take it out')
                yield _counterexample("rules", message, is_fault=False, rule=rule.code)

    def _unmet_ranking(self, rule: Rule, tie: Tie) -> Finding:
        message = _(
            '"%(rule)s" can’t be met: with %(facts)s no score below %(score)s is'
            " open, and beside it with %(others)s none above %(score)s;"
            ' open one, or set the "score" at which a tie passes'
        )
        if self.dimension.better is Better.LOW:
            message = _(
                '"%(rule)s" can’t be met: with %(facts)s no score above %(score)s is'
                " open, and beside it with %(others)s none below %(score)s;"
                ' open one, or set the "score" at which a tie passes'
            )
        facts = _listed(self._smallest(tie.low, is_for_some=True))
        others = _listed(self._smallest(tie.high, is_for_some=True))
        return _counterexample(
            "rules", message, rule=rule.code, facts=facts, others=others, score=tie.score
        )

    def idle(self) -> Iterator[Finding]:
        """Yield the rules that no answers meet or that change nothing, and scores without use."""
        for rule in self.dimension.rules:
            yield from self._idle_rule(rule)
        if self.dimension.given:
            return
        unreached = []
        for score, is_open in self.open_at.items():
            if not self._can([self.decidable, is_open]):
                unreached.append(score)
        if unreached:
            message = _("no answers reach %(score)s; see what bars it")
            yield _counterexample("levels", message, is_fault=False, score=_runs(unreached))

    def _idle_rule(self, rule: Rule) -> Iterator[Finding]:
        """Yield what keeps a rule from having an effect of its own."""
        place = f"rules.{rule.code}"
        if not self._can(self._meaning(rule)):
            message = _('"%(rule)s" asks for what no answers give; change its conditions')
            yield _counterexample(place, message, rule=rule.code)
        elif rule.effect is Effect.FORCE and not rule.when.names:
            message = _('"%(rule)s" has no "when", and always acts')
            yield _counterexample(place, message, is_fault=False, rule=rule.code)
        elif not self._has_effect(rule):
            message = _(
                '"%(rule)s" has no effect of its own; take it out, or change its conditions'
            )
            yield _counterexample(place, message, is_fault=False, rule=rule.code)

    def _meaning(self, rule: Rule) -> list[int]:
        """Return the statements that a rule acts, or that the facts are what it needs."""
        if rule.effect is Effect.EXCLUDE:
            return [self.acts[rule.code]]  # beside other exclusions it may only have no effect
        return [*self._valid(rule), self._holds(rule.when), self._met(rule)]

    def _has_effect(self, rule: Rule) -> bool:
        """Return True if a rule bars, clashes or asks somewhere alone. Rankings are apart."""
        if rule.effect is Effect.RANK_BELOW or rule.between:
            return True
        acts = self.acts[rule.code]
        for case, rules in self._cases_of_effect(rule):
            others = [other for other in rules if other is not rule]
            if self._can([*case, acts, *self._none(others)]):
                return True
        return False

    def _cases_of_effect(self, rule: Rule) -> Iterator[tuple[list[int], list[Rule]]]:
        """Yield statements beside which a rule may act alone, and the rules that act like it."""
        match rule.effect:
            case Effect.EXCLUDE:
                yield [], [*self.dimension.exclusion_rules]
            case Effect.FORCE:
                equals = [force for force in self.forces if force.score == rule.score]
                yield [self.decidable, self.decides[rule.code]], equals
            case Effect.ADVISE:
                for score in rule.scores:
                    yield [*self.unforced, self.open_at[score]], self._advice_at(score)
            case _:
                for score in barred_scores(rule, self.dimension):
                    yield self.unforced, self.limits[score]

    def _advice_at(self, score: int) -> list[Rule]:
        """Return the rules that ask about a score."""
        rules = []
        for rule in self.dimension.target_rules:
            if rule.effect is Effect.ADVISE and score in rule.scores:
                rules.append(rule)
        return rules


def _runs(sorted_scores: Sequence[int]) -> str:
    """Return scores as "1, 2" or "1 to 3, 7"."""
    runs = groupby(enumerate(sorted_scores), lambda numbered: numbered[1] - numbered[0])
    words: list[str] = []
    for _start, run in runs:
        neighbours = [score for _place, score in run]
        if len(neighbours) > 2:
            message = _("%(low)s to %(high)s")
            words.append(message % {"low": neighbours[0], "high": neighbours[-1]})
        else:
            words += map(str, neighbours)
    return ", ".join(words)


def _listed(phrases: Iterable[str], quote: str = '"') -> str:
    quoted = [f"{quote}{word}{quote}" for word in phrases]
    if not quoted:
        return pgettext("after “with”", "no fact asserted")
    return pgettext("between two names", " and ").join(quoted)
