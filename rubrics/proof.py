"""Prove that the rules of a rubric work, whatever an annotator answers.

A case is a choice that an annotator can complete: one answer to each question that is asked, each
tick and each detected check either way, and nothing that clashes unless a force decides. The proof
searches all cases (`rubrics.solver`), so it is exact. Half-answered forms are no cases, and may
leave no score open.

A finding names the fewest facts that show it: none of them can be left out. The rubric must be
well-formed (`rubrics.wellformed`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby

from django.utils.translation import get_language, gettext as _, pgettext

from .ranking import in_order
from .rules import reach
from .schema import Dimension, Effect, Rubric, Rule
from .solver import MOST_LOOKS, Solver, TooManyStepsError
from .statements import Statements

# For each dimension. A number of steps, not of seconds: a document loads everywhere or nowhere. The
# steps among many rules end earlier (MOST_LOOKS), and so do those of many dimensions together. The
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
    looks = 0
    for dimension in rubric.parts:
        if looks >= MOST_LOOKS:
            yield _unproved(dimension, pgettext("after “did not prove that”", "its rules work"))
            continue
        own, more = _proved(dimension, get_language())
        looks += more
        yield from own


@lru_cache(maxsize=256)
def _proved(dimension: Dimension, language: str | None) -> tuple[tuple[Finding, ...], int]:
    """Return the findings in the active language, and the looks that they took."""
    solver = Solver(_facts(dimension), STEPS)
    return tuple(_findings_of(dimension, solver)), solver.looks


def _facts(dimension: Dimension) -> int:
    return len(dimension.facts) + 1


def _unproved(dimension: Dimension, claim: str) -> Finding:
    return _found(
        f"dimensions.{dimension.code}.rules" if dimension.scores else "checks",
        _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler rules")
        if dimension.scores
        else _("%(steps)s steps did not prove that %(claim)s; write fewer or simpler checks"),
        steps=STEPS,
        claim=claim,
    )


def _findings_of(dimension: Dimension, solver: Solver) -> Iterator[Finding]:
    try:
        proof = _Proof(dimension, solver)
    except TooManyStepsError:
        claim = pgettext("after “did not prove that”", "each question can be asked")
        yield _unproved(dimension, claim)
        return
    place = f"dimensions.{dimension.code}." if dimension.scores else ""
    claims = {
        proof.unasked: pgettext("after “did not prove that”", "each question can be asked"),
        proof.dead_ends: pgettext("after “did not prove that”", "answers can go together"),
        proof.closed: pgettext("after “did not prove that”", "a score always stays open"),
        proof.rivals: pgettext("after “did not prove that”", "forces of equal precedence agree"),
        proof.unordered: pgettext("after “did not prove that”", "scores can always be in order"),
        proof.idle: pgettext("after “did not prove that”", "each rule and each score has a use"),
    }
    section = proof.unasked
    try:
        if dimension.when.names and not proof.solver.solve([proof.answered, proof.asked]):
            yield _found(f"{place}when", _("no answers meet it; change it"))
            return
        for section in claims:
            for found in section():
                yield Finding(f"{place}{found.text}", found.is_fault)
    except TooManyStepsError:
        yield _unproved(dimension, claims[section])


def _found(part: str, message: str, *, is_fault: bool = True, **values: object) -> Finding:
    return Finding(f"{part}: {message % values}", is_fault)


@lru_cache(maxsize=256)
def meeting(dimension: Dimension) -> frozenset[str]:
    """Return the forces that can meet one that forces another score: their order decides."""
    try:
        proof = _Proof(dimension, Solver(_facts(dimension), STEPS))
        pairs = (pair for pair in combinations(proof.forces, 2) if proof.meet(*pair))
        return frozenset(rule.code for pair in pairs for rule in pair)
    except TooManyStepsError:
        return frozenset(rule.code for rule in dimension.rules if rule.effect is Effect.FORCE)


class _Proof(Statements):
    """The findings about a dimension."""

    def unasked(self) -> Iterator[Finding]:
        """Yield the conditions that no answers meet, so that something is never asked."""
        for check in self.dimension.checks:
            met = [*self.apart, -self.silenced, self._holds(check.when)]
            if check.when.names and not self._can(met):
                yield _found(f"checks.{check.code}.when", _("no answers meet it; change it"))

    def dead_ends(self) -> Iterator[Finding]:
        """Yield detected checks beside which all answers clash: nobody can take them back."""
        conditions = {
            name
            for check in (*self.dimension.shared, *self.dimension.checks)
            for name in check.when.names
        }
        excluding = self.dimension.excluding
        if excluding:
            conditions.update(*((*rule.when.names, *rule.against) for rule in excluding))
        detected = [e.code for e in self.dimension.detected if excluding and e.code in conditions]
        if len(detected) > MOST_DETECTED:
            raise TooManyStepsError
        for number in range(len(detected) + 1):
            for fired in combinations(detected, number):
                seen = [self.facts[e] if e in fired else -self.facts[e] for e in detected]
                if not self._can([self.settled, *seen]) and self._can(seen):
                    yield _found(
                        "rules",
                        _("with %(facts)s detected, all answers clash; exclude fewer facts")
                        if fired
                        else _("all answers clash; exclude fewer facts"),
                        facts=_listed(fired),
                    )
                    return

    def closed(self) -> Iterator[Finding]:
        """Yield a case that leaves no score open, with as few rules as close them all."""
        if self.dimension.given and self._can(self.unforced):
            yield _found(
                "rules",
                _("with %(facts)s no rule gives the score; write one that forces it"),
                facts=_listed(self._smallest(self.unforced)),
            )
        statements = [*self.unforced, *self.said, *self.closed_at.values()]
        if self.dimension.scores and self._can(statements):
            facts = self._smallest(statements)
            held = self._case_of(facts, statements)
            rules = [
                rule
                for rule in self.dimension.rules
                if rule.when.holds(held)
                if rule.effect is not Effect.REQUIRE or not rule.is_met(held)
            ]
            rules = self._needed(rules)
            yield _found(
                "rules",
                _(
                    "with %(facts)s no score is left: rules %(rules)s;"
                    " change one of them, or exclude what can’t go together"
                ),
                facts=_listed(facts),
                rules=_listed((rule.code for rule in rules), ""),
            )

    def _needed(self, rules: Sequence[Rule]) -> list[Rule]:
        """Return as few of the rules as bar each score, without those that others make needless."""
        acting = {rule.code for rule in rules}
        bars: dict[str, list[int]] = {code: [] for code in acting}
        left = dict.fromkeys(self.limits, 0)
        for score, limits in self.limits.items():
            for code in acting.intersection(rule.code for rule in limits):
                bars[code].append(score)
                left[score] += 1
        needed = []
        for rule in rules:
            if all(left[score] > 1 for score in bars[rule.code]):
                for score in bars[rule.code]:
                    left[score] -= 1
            else:
                needed.append(rule)
        return needed

    def rivals(self) -> Iterator[Finding]:
        """Yield the forces that can meet, of which none comes before the other."""
        for one, other in combinations(self.forces, 2):
            if one.precedence == other.precedence and self.meet(one, other):
                both = [*self.apart, self.acts[one.code], self.acts[other.code]]
                yield _found(
                    "rules",
                    _(
                        "with %(facts)s rule %(rule)s forces %(score)s and %(other)s"
                        " %(other_score)s; give one a higher precedence"
                    ),
                    facts=_listed(self._smallest(both)),
                    rule=one.code,
                    score=one.score,
                    other=other.code,
                    other_score=other.score,
                )

    def meet(self, one: Rule, other: Rule) -> bool:
        """Return True if some answers call two forces of different scores."""
        both = [*self.apart, self.acts[one.code], self.acts[other.code]]
        return one.score != other.score and self._can(both)

    def unordered(self) -> Iterator[Finding]:
        """Yield the rankings that the targets of some item cannot meet, or that never rank."""
        rankings = [each for each in self.dimension.rules if each.effect is Effect.RANK_BELOW]
        if len(rankings) > 1:
            yield _found(
                "rules",
                _("%(rules)s are all rank_below; a dimension has one, keep one"),
                rules=_listed(rule.code for rule in rankings),
            )
        order = sorted(self.opened, key=self.dimension.merit)  # the worst first
        for rule in rankings:
            lower = [*self.unforced, *self.said, self._holds(rule.when)]
            higher = [
                self.settled,
                *self.said,
                -self._holds(rule.when),
                # A target that is forced to the worst score is above no other.
                *(-self.decides[each.code] for each in self.forces if each.score == order[0]),
            ]
            opened = [self.opened[score] for score in order]
            ties = [
                place
                for place, score in enumerate(order)
                if not in_order(rule, self.dimension, score, score)
            ]
            for place in ties:
                low = [*lower, *(-each for each in opened[:place])]
                high = [*higher, *(-each for each in opened[place + 1 :])]
                if self._can(low) and self._can(high):
                    yield _found(
                        "rules",
                        _(
                            '"%(rule)s" can’t be met: with %(facts)s no score below %(score)s is'
                            " open, and beside it with %(others)s none above %(score)s;"
                            ' open one, or set the "score" at which a tie passes'
                        )
                        if order[0] < order[-1]
                        else _(
                            '"%(rule)s" can’t be met: with %(facts)s no score above %(score)s is'
                            " open, and beside it with %(others)s none below %(score)s;"
                            ' open one, or set the "score" at which a tie passes'
                        ),
                        rule=rule.code,
                        facts=_listed(self._smallest(low, is_for_some=True)),
                        others=_listed(self._smallest(high, is_for_some=True)),
                        score=order[place],
                    )
                    break
            if not any(
                self._can([*lower, self._any(opened[place:])])
                and self._can([*higher, self._any(opened[: place + 1])])
                for place in ties
            ):
                yield _found(
                    "rules",
                    _('"%(rule)s" never ranks; take it out'),
                    is_fault=False,
                    rule=rule.code,
                )

    def idle(self) -> Iterator[Finding]:
        """Yield the rules that no answers meet or that change nothing, and scores without use."""
        for rule in self.dimension.rules:
            place = f"rules.{rule.code}"
            if not self._can(
                [self.acts[rule.code]]  # beside other exclusions it may only have no effect
                if rule.effect is Effect.EXCLUDE
                else [*self._valid(rule), self._holds(rule.when), self._met(rule)]
            ):
                yield _found(
                    place,
                    _('"%(rule)s" asks for what no answers give; change its conditions'),
                    rule=rule.code,
                )
            elif rule.effect is Effect.FORCE and not rule.when.names:
                yield _found(
                    place,
                    _('"%(rule)s" has no "when", and always acts'),
                    is_fault=False,
                    rule=rule.code,
                )
            elif not self._has_effect(rule):
                yield _found(
                    place,
                    _('"%(rule)s" has no effect of its own; take it out, or change its conditions'),
                    is_fault=False,
                    rule=rule.code,
                )
        unreached = [
            score
            for score, opened in self.opened.items()
            if not self.dimension.given and not self._can([self.settled, opened])
        ]
        if unreached:
            yield _found(
                "levels",
                _("no answers reach %(score)s; see what bars it"),
                is_fault=False,
                score=_runs(unreached),
            )

    def _has_effect(self, rule: Rule) -> bool:
        """Return True if a rule bars, clashes or asks somewhere alone. Rankings are apart."""
        match rule.effect:
            case Effect.EXCLUDE:
                ways = [(list[int](), [*self.dimension.excluding])]
            case Effect.FORCE:
                ways = [
                    (
                        [self.settled, self.decides[rule.code]],
                        [each for each in self.forces if each.score == rule.score],
                    )
                ]
            case Effect.ADVISE:
                ways = [
                    (
                        [*self.unforced, self.opened[score]],
                        [
                            each
                            for each in self.dimension.deciding
                            if each.effect is Effect.ADVISE and score in each.scores
                        ],
                    )
                    for score in rule.scores
                ]
            case _:
                scores = reach(rule, self.dimension)
                ways = [(self.unforced, self.limits[score]) for score in scores]
        return (
            rule.effect is Effect.RANK_BELOW
            or bool(rule.between)
            or any(
                self._can(
                    [*given, self.acts[rule.code], *self._none(r for r in rules if r is not rule)]
                )
                for given, rules in ways
            )
        )


def _runs(scores: Sequence[int]) -> str:
    """Return scores as "1, 2" or "1 to 3, 7"."""
    runs = groupby(enumerate(scores), lambda each: each[1] - each[0])
    words: list[str] = []
    for _start, run in runs:
        neighbours = [score for _place, score in run]
        ends = {"low": neighbours[0], "high": neighbours[-1]}
        few = map(str, neighbours)
        words += [_("%(low)s to %(high)s") % ends] if len(neighbours) > 2 else few
    return ", ".join(words)


def _listed(words: Iterable[str], quote: str = '"') -> str:
    return pgettext("between two names", " and ").join(
        f"{quote}{word}{quote}" for word in words
    ) or pgettext("after “with”", "no fact asserted")
