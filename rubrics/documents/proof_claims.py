"""Search the rules of a dimension for what breaks the claims that `proof` makes about them.

`proof` calls each public function once for each dimension, and passes its cases. A function yields
the breaches of one claim. Their paths begin below the dimension, such as

    rules: with "rude" no score is left: rules cap-rude and floor-kind; change one of them, or …

A message says “with” the fewest facts that show the breach. Rules and scores without use are in
`idle_rules`. All of it raises TooManyStepsError once the solver gives up.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from django.utils.translation import gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.parts import Rule
from .cases import Cases
from .finding import Finding, finding_at
from .ranking_proof import Tie, can_rank, impossible_tie
from .solver import TooManyStepsError
from .statements import Statements

MOST_DETECTED = 12  # detected checks, since each of their combinations is searched


# --- each check can be asked ---


def unasked_checks(cases: Cases) -> Iterator[Finding]:
    """Yield the checks whose conditions no answers meet."""
    statements = cases.statements
    for check in cases.dimension.checks:
        is_asked = [*statements.clash_free, -statements.excludes_all, statements.holds(check.when)]
        if check.when.names and not cases.exist(is_asked):
            yield finding_at(f"checks.{check.code}.when", _("no answers meet it; change it"))


# --- some answers go together with whatever is detected ---


def dead_ends(cases: Cases) -> Iterator[Finding]:
    """Yield the first detected checks with which all answers clash: nobody can take them back."""
    statements = cases.statements
    names = _detected_in_conditions(cases.dimension)
    if len(names) > MOST_DETECTED:
        raise TooManyStepsError
    for detected in _subsets(names):
        is_detected = []
        for name in names:
            fact = statements.facts[name]
            is_detected.append(fact if name in detected else -fact)
        has_verdict = cases.exist([statements.decidable, *is_detected])
        if has_verdict or not cases.exist(is_detected):
            continue
        message = _("all answers clash; exclude fewer facts")
        if detected:
            message = _("with %(facts)s detected, all answers clash; exclude fewer facts")
        yield finding_at("rules", message, facts=_listed(detected))
        return


def _subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield each choice of some names, the smallest first, from none to all."""
    for size in range(len(names) + 1):
        yield from combinations(names, size)


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


# --- a score always stays open ---


def cases_without_score(cases: Cases) -> Iterator[Finding]:
    """Yield a case that leaves no score open, with as few rules as bar them all."""
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
    """Return the rules that act on these facts. A `require` that is met does not."""
    rules = []
    for rule in dimension.rules:
        is_met = rule.effect is Effect.REQUIRE and rule.is_met(facts)
        if rule.when.holds(facts) and not is_met:
            rules.append(rule)
    return rules


def _necessary(rules: Sequence[Rule], limits: dict[int, list[Rule]]) -> list[Rule]:
    """Return as few of the rules as bar each score, without those that others make needless.

    `limits`: by score, the rules that bar it when they act. A rule is needless if each score that
    it bars is barred by another one that is left.
    """
    codes = {rule.code for rule in rules}
    scores_by_rule: dict[str, list[int]] = {code: [] for code in codes}
    bars_left = dict.fromkeys(limits, 0)  # by score
    for score, rules_at_score in limits.items():
        for code in codes.intersection(rule.code for rule in rules_at_score):
            scores_by_rule[code].append(score)
            bars_left[score] += 1
    necessary = []
    for rule in rules:
        scores = scores_by_rule[rule.code]
        if any(bars_left[score] == 1 for score in scores):
            necessary.append(rule)
            continue
        for score in scores:
            bars_left[score] -= 1
    return necessary


# --- forces of equal precedence agree ---


def rival_forces(cases: Cases) -> Iterator[Finding]:
    """Yield the rules that force different scores in one case, and none comes before the other."""
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


# --- scores can always be in order ---


def unmet_rankings(cases: Cases) -> Iterator[Finding]:
    """Yield the rankings that the targets of some item cannot meet, or that never rank."""
    rankings = [rule for rule in cases.dimension.rules if rule.effect is Effect.RANK_BELOW]
    if len(rankings) > 1:
        message = _("%(rules)s are all rank_below; a dimension has one, keep one")
        yield finding_at("rules", message, rules=_listed(rule.code for rule in rankings))
    for rule in rankings:
        tie = impossible_tie(cases, rule)
        if tie:
            yield _unmet_ranking(cases, rule, tie)
        if not can_rank(cases, rule):
            message = _('"%(rule)s" never ranks; take it out')
            yield finding_at("rules", message, is_fault=False, rule=rule.code)


def _unmet_ranking(cases: Cases, rule: Rule, tie: Tie) -> Finding:
    """Return that a ranking cannot be met by the two targets of a tie."""
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


# --- words ---


def _listed(phrases: Iterable[str], quote: str = '"') -> str:
    """Return the names of facts or rules as one text: '"rude" and "kind"'."""
    quoted = [f"{quote}{word}{quote}" for word in phrases]
    if not quoted:
        return pgettext("after “with”", "no fact asserted")
    return pgettext("between two names", " and ").join(quoted)
