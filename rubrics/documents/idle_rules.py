"""Search a dimension for rules and scores without use, for `proof`.

A rule that no answers meet is a fault. One that changes nothing, as other rules always act with it,
is a hint:

    rules.cap-rude: "cap-rude" has no effect of its own; take it out, or change its conditions
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.parts import Rule
from ..judging.rules import barred_scores
from .cases import Cases
from .finding import Finding, finding_at
from .statements import Statements


def rules_and_scores_without_use(cases: Cases) -> Iterator[Finding]:
    """Yield the rules that no answers meet or that change nothing, and scores without use."""
    for rule in cases.dimension.rules:
        yield from _faults_of_use(cases, rule)
    if not cases.dimension.given:
        yield from _unreached_scores(cases)


def _unreached_scores(cases: Cases) -> Iterator[Finding]:
    """Yield that there are scores that no answers leave open, in one finding."""
    unreached = []
    for score, is_open in cases.statements.open_at.items():
        if not cases.exist([cases.statements.decidable, is_open]):
            unreached.append(score)
    if unreached:
        message = _("no answers reach %(score)s; see what bars it")
        yield finding_at("levels", message, is_fault=False, score=_runs(unreached))


def _faults_of_use(cases: Cases, rule: Rule) -> Iterator[Finding]:
    """Yield what keeps a rule from having an effect of its own, if anything does."""
    path = f"rules.{rule.code}"
    if not cases.exist(_conditions_met(cases.statements, rule)):
        message = _('"%(rule)s" asks for what no answers give; change its conditions')
        yield finding_at(path, message, rule=rule.code)
    elif rule.effect is Effect.FORCE and not rule.when.names:
        message = _('"%(rule)s" has no "when", and always acts')
        yield finding_at(path, message, is_fault=False, rule=rule.code)
    elif not _has_effect(cases, rule):
        message = _('"%(rule)s" has no effect of its own; take it out, or change its conditions')
        yield finding_at(path, message, is_fault=False, rule=rule.code)


def _conditions_met(statements: Statements, rule: Rule) -> list[int]:
    """Return the statements that a rule's conditions are met, in a case with a verdict."""
    if rule.effect is Effect.EXCLUDE:
        # An exclusion that acts is a clash, and leaves no verdict.
        return [statements.acts[rule.code]]
    has_verdict = statements.clash_free
    if rule.effect is Effect.FORCE:
        has_verdict = [statements.decidable]
    return [*has_verdict, statements.holds(rule.when), statements.needs_met(rule)]


@dataclass(frozen=True, slots=True)
class _PlaceOfEffect:
    """Somewhere that a rule has an effect, such as one of the scores that it bars."""

    statements: list[int]  # the case there: no rule forces the score
    rules: Sequence[Rule]  # all that have the same effect there


def _has_effect(cases: Cases, rule: Rule) -> bool:
    """Return True if a rule bars, clashes or asks somewhere without the help of others.

    Rankings, which `ranking_proof` examines, always have.
    """
    if rule.effect is Effect.RANK_BELOW or rule.between:
        return True
    acts = cases.statements.acts[rule.code]
    for place in _places_of_effect(cases, rule):
        others = [other for other in place.rules if other is not rule]
        if cases.exist([*place.statements, acts, *cases.statements.none_acts(others)]):
            return True
    return False


def _places_of_effect(cases: Cases, rule: Rule) -> Iterator[_PlaceOfEffect]:
    """Yield the places in which a rule may have an effect."""
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
    runs: list[list[int]] = []
    for score in sorted_scores:
        if runs and score == runs[-1][-1] + 1:
            runs[-1].append(score)
        else:
            runs.append([score])
    words: list[str] = []
    for run in runs:
        if len(run) > 2:
            words.append(_("%(low)s to %(high)s") % {"low": run[0], "high": run[-1]})
        else:
            words += [str(score) for score in run]
    return ", ".join(words)
