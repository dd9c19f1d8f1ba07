"""The reasons of rules in the words of a rubric, and the checks that do not go together.

The rule engine (`rules`) and the rankings (`ranking`) make verdicts of both. A reason has the
labels of the facts in place of {ticked} and {needs}:

    "{ticked}: at most 3."   with the fact rude   is   "Rude: at most 3."
"""

from collections.abc import Iterator
from functools import lru_cache

from .dimension import Dimension
from .parts import Rule
from .verdict import Clash, Exclusion, Reason


def reason_text(rule: Rule, dimension: Dimension, facts: frozenset[str]) -> Reason:
    """Return the rule's reason with its placeholders filled in: the facts ticked and needed."""
    text = rule.reason
    line = rule.line
    needs = set(rule.needs.positive)
    if "{ticked}" in text:
        ticked = facts & rule.names
        text = text.replace("{ticked}", dimension.labels_of(ticked))
    if "{needs}" in text:
        detected = {check.code for check in dimension.detected_checks}  # nobody can tick these
        lacking = needs - facts - detected
        text = text.replace("{needs}", dimension.labels_of(lacking))
    others = frozenset[str]()
    if rule.remark:
        others = facts & dimension.faults - needs
    if others:
        remark = rule.remark.replace("{ticked}", dimension.labels_of(others))
        text = f"{text} {remark}"
        if line:
            line = f"{line} {remark}"
    return Reason(rule.clause, rule.code, rule.effect, text, line, rule.not_yet, rule.reading)


def clashes_in(dimension: Dimension, facts: frozenset[str]) -> Iterator[Clash]:
    """Yield the facts that do not go together, whatever a force decides."""
    for check, names in dimension.required_checks:
        if len(facts.intersection(names)) > 1:
            together = tuple(name for name in names if name in facts)
            clause = "".join(check.clauses[:1])
            text = f"“{check.wording}” takes one answer, not {len(together)}."
            yield Clash(together, clause, text, rule=check.code)
    for rule in dimension.exclusion_rules:
        if rule.when.holds(facts) and not facts.isdisjoint(rule.against):
            names = (*rule.when.positive, *rule.against)
            together = tuple(name for name in names if name in facts)
            text = reason_text(rule, dimension, facts).text
            yield Clash(together, rule.clause, text, rule.reading, rule.code)


@lru_cache(maxsize=1024)
def exclusions(dimension: Dimension, forcing: frozenset[str]) -> tuple[Exclusion, ...]:
    """Return what does not go with the facts that force a score, other answers to it apart.

    A fact that the program detected cannot be taken back, so it is not among them.
    """
    detected = {check.code for check in dimension.detected_checks}
    excluded = []
    for fact in dimension.facts:
        if fact in forcing or fact in detected:
            continue
        clashes = clashes_in(dimension, forcing | {fact})
        reasons = [clash.reason for clash in clashes if fact in clash.checks]
        if reasons:
            excluded.append(Exclusion(fact, reasons[0]))
    return tuple(excluded)
