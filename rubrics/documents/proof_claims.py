"""The breaches of the claims that `proof` makes about the rules of a dimension.

Each public generator yields those of one claim. Their paths begin below the dimension.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from django.utils.translation import gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.parts import Rule
from ..judging.rules import barred_scores
from .cases import Cases
from .finding import Finding, finding_at
from .ranking_proof import Tie, can_rank, impossible_tie
from .solver import TooManyStepsError
from .statements import Statements

MOST_DETECTED = 12  # in what rules exclude: each of their combinations is searched


def unasked(cases: Cases) -> Iterator[Finding]:
    """Yield the conditions that no answers meet, so that something is never asked."""
    statements = cases.statements
    for check in cases.dimension.checks:
        met = [*statements.clash_free, -statements.excludes_all, statements.holds(check.when)]
        if check.when.names and not cases.exist(met):
            yield finding_at(f"checks.{check.code}.when", _("no answers meet it; change it"))


def dead_ends(cases: Cases) -> Iterator[Finding]:
    """Yield detected checks beside which all answers clash: nobody can take them back."""
    detected = _detected_in_conditions(cases.dimension)
    if len(detected) > MOST_DETECTED:
        raise TooManyStepsError
    for number in range(len(detected) + 1):
        for fired in combinations(detected, number):
            case = []
            for name in detected:
                fact = cases.statements.facts[name]
                case.append(fact if name in fired else -fact)
            if cases.exist([cases.statements.decidable, *case]) or not cases.exist(case):
                continue
            message = _("all answers clash; exclude fewer facts")
            if fired:
                message = _("with %(facts)s detected, all answers clash; exclude fewer facts")
            yield finding_at("rules", message, facts=_listed(fired))
            return


def _detected_in_conditions(dimension: Dimension) -> list[str]:
    """Return the detected checks that conditions or exclusions name, if any exclude."""
    if not dimension.exclusion_rules:
        return []
    names: set[str] = set()
    for check in (*dimension.shared, *dimension.checks):
        names.update(check.when.names)
    for rule in dimension.exclusion_rules:
        names.update(rule.when.names, rule.against)
    return [check.code for check in dimension.detected_checks if check.code in names]


def closed(cases: Cases) -> Iterator[Finding]:
    """Yield a case that leaves no score open, with as few rules as close them all."""
    statements = cases.statements
    if cases.dimension.given and cases.exist(statements.unforced):
        facts = cases.fewest_facts(statements.unforced)
        message = _("with %(facts)s no rule gives the score; write one that forces it")
        yield finding_at("rules", message, facts=_listed(facts))
    all_closed = [*statements.unforced, *statements.comment, *statements.closed_at.values()]
    if cases.dimension.scores and cases.exist(all_closed):
        facts = cases.fewest_facts(all_closed)
        rules = _barring(cases.dimension, cases.all_facts(facts, all_closed))
        codes = [rule.code for rule in _necessary(rules, statements.limits)]
        message = _(
            "with %(facts)s no score is left: rules %(rules)s;"
            " change one of them, or exclude what can’t go together"
        )
        yield finding_at("rules", message, facts=_listed(facts), rules=_listed(codes, ""))


def _barring(dimension: Dimension, facts: frozenset[str]) -> list[Rule]:
    """Return the rules that act on these facts and are not met by them."""
    rules = []
    for rule in dimension.rules:
        is_met = rule.effect is Effect.REQUIRE and rule.is_met(facts)
        if rule.when.holds(facts) and not is_met:
            rules.append(rule)
    return rules


def _necessary(rules: Sequence[Rule], limits: dict[int, list[Rule]]) -> list[Rule]:
    """Return as few of the rules as bar each score, without those that others make needless."""
    bars: dict[str, list[int]] = {rule.code: [] for rule in rules}
    left = dict.fromkeys(limits, 0)
    for score, rules_at_score in limits.items():
        for code in {rule.code for rule in rules_at_score}:
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


def rivals(cases: Cases) -> Iterator[Finding]:
    """Yield the forces that can meet, of which none comes before the other."""
    for one, other in combinations(cases.statements.forces, 2):
        if one.precedence == other.precedence and can_meet(cases, one, other):
            facts = cases.fewest_facts(_both_act(cases.statements, one, other))
            message = _(
                "with %(facts)s rule %(rule)s forces %(score)s and %(other)s"
                " %(other_score)s; give one a higher precedence"
            )
            yield finding_at(
                "rules",
                message,
                facts=_listed(facts),
                rule=one.code,
                score=one.score,
                other=other.code,
                other_score=other.score,
            )


def can_meet(cases: Cases, one: Rule, other: Rule) -> bool:
    """Return True if some answers call two forces of different scores."""
    return one.score != other.score and cases.exist(_both_act(cases.statements, one, other))


def _both_act(statements: Statements, one: Rule, other: Rule) -> list[int]:
    """Return the statements that two rules act and nothing clashes."""
    return [*statements.clash_free, statements.acts[one.code], statements.acts[other.code]]


def unordered(cases: Cases) -> Iterator[Finding]:
    """Yield the rankings that the targets of some item cannot meet, or that never rank."""
    rankings = [rule for rule in cases.dimension.rules if rule.effect is Effect.RANK_BELOW]
    if len(rankings) > 1:
        message = _("%(rules)s are all rank_below; a dimension has one, keep one")
        yield finding_at("rules", message, rules=_listed(rule.code for rule in rankings))
    for rule in rankings:
        if tie := impossible_tie(cases, rule):
            yield _unmet_ranking(cases, rule, tie)
        if not can_rank(cases, rule):
            message = _('"%(rule)s" never ranks; take it out')
            yield finding_at("rules", message, is_fault=False, rule=rule.code)


def _unmet_ranking(cases: Cases, rule: Rule, tie: Tie) -> Finding:
    message = _(
        '"%(rule)s" can’t be met: with %(facts)s no score below %(score)s is'
        " open, and beside it with %(others)s none above %(score)s;"
        ' open one, or set the "score" at which a tie passes'
    )
    if cases.dimension.better is Better.LOW:
        message = _(
            '"%(rule)s" can’t be met: with %(facts)s no score above %(score)s is'
            " open, and beside it with %(others)s none below %(score)s;"
            ' open one, or set the "score" at which a tie passes'
        )
    facts = _listed(cases.fewest_facts(tie.low, is_for_some=True))
    others = _listed(cases.fewest_facts(tie.high, is_for_some=True))
    return finding_at("rules", message, rule=rule.code, facts=facts, others=others, score=tie.score)


def idle(cases: Cases) -> Iterator[Finding]:
    """Yield the rules that no answers meet or that change nothing, and scores without use."""
    for rule in cases.dimension.rules:
        yield from _idle_rule(cases, rule)
    if cases.dimension.given:
        return
    unreached = []
    for score, is_open in cases.statements.open_at.items():
        if not cases.exist([cases.statements.decidable, is_open]):
            unreached.append(score)
    if unreached:
        message = _("no answers reach %(score)s; see what bars it")
        yield finding_at("levels", message, is_fault=False, score=_runs(unreached))


def _idle_rule(cases: Cases, rule: Rule) -> Iterator[Finding]:
    """Yield what keeps a rule from having an effect of its own."""
    path = f"rules.{rule.code}"
    if not cases.exist(_meaning(cases.statements, rule)):
        message = _('"%(rule)s" asks for what no answers give; change its conditions')
        yield finding_at(path, message, rule=rule.code)
    elif rule.effect is Effect.FORCE and not rule.when.names:
        message = _('"%(rule)s" has no "when", and always acts')
        yield finding_at(path, message, is_fault=False, rule=rule.code)
    elif not _has_effect(cases, rule):
        message = _('"%(rule)s" has no effect of its own; take it out, or change its conditions')
        yield finding_at(path, message, is_fault=False, rule=rule.code)


def _meaning(statements: Statements, rule: Rule) -> list[int]:
    """Return the statements that a rule acts, or that the facts are what it needs."""
    if rule.effect is Effect.EXCLUDE:
        return [statements.acts[rule.code]]  # beside other exclusions it may only have no effect
    has_verdict = statements.clash_free
    if rule.effect is Effect.FORCE:
        has_verdict = [statements.decidable]
    return [*has_verdict, statements.holds(rule.when), statements.needs_met(rule)]


@dataclass(frozen=True, slots=True)
class _PlaceOfEffect:
    """Statements beside which a rule may act alone, and the rules that act like it."""

    statements: list[int]
    rules: Sequence[Rule]


def _has_effect(cases: Cases, rule: Rule) -> bool:
    """Return True if a rule bars, clashes or asks somewhere alone. Rankings are apart."""
    if rule.effect is Effect.RANK_BELOW or rule.between:
        return True
    acts = cases.statements.acts[rule.code]
    for place in _places_of_effect(cases, rule):
        others = [other for other in place.rules if other is not rule]
        if cases.exist([*place.statements, acts, *cases.statements.none_acts(others)]):
            return True
    return False


def _places_of_effect(cases: Cases, rule: Rule) -> Iterator[_PlaceOfEffect]:
    statements = cases.statements
    match rule.effect:
        case Effect.EXCLUDE:
            yield _PlaceOfEffect([], cases.dimension.exclusion_rules)
        case Effect.FORCE:
            equals = [force for force in statements.forces if force.score == rule.score]
            decides = [statements.decidable, statements.decides[rule.code]]
            yield _PlaceOfEffect(decides, equals)
        case Effect.ADVISE:
            for score in rule.scores:
                is_open = [*statements.unforced, statements.open_at[score]]
                yield _PlaceOfEffect(is_open, _advice_at(cases.dimension, score))
        case _:
            for score in barred_scores(rule, cases.dimension):
                yield _PlaceOfEffect(statements.unforced, statements.limits[score])


def _advice_at(dimension: Dimension, score: int) -> list[Rule]:
    """Return the rules that ask about a score."""
    rules = []
    for rule in dimension.target_rules:
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
    """Return the names of facts or rules as '"one" and "two"'."""
    quoted = [f"{quote}{word}{quote}" for word in phrases]
    if not quoted:
        return pgettext("after “with”", "no fact asserted")
    return pgettext("between two names", " and ").join(quoted)
