"""The reasons of rules in the words of a rubric, and the checks that do not go together."""

from collections.abc import Iterator
from functools import lru_cache

from .schema import Clash, Dimension, Exclusion, Reason, Rule


def stated(rule: Rule, dimension: Dimension, facts: frozenset[str]) -> Reason:
    """Return the rule's reason with its placeholders filled in: the facts ticked and needed."""
    text = rule.reason
    if "{ticked}" in text:
        text = text.replace("{ticked}", dimension.listed(facts.intersection(rule.names)))
    if "{needs}" in text:
        detected = {check.code for check in dimension.detected}  # annotators cannot tick these
        text = text.replace(
            "{needs}", dimension.listed(set(rule.needs.positive) - facts - detected)
        )
    line = rule.line
    if rule.remark and (others := facts & dimension.faults - set(rule.needs.positive)):
        remark = rule.remark.replace("{ticked}", dimension.listed(others))
        text, line = f"{text} {remark}", line and f"{line} {remark}"
    return Reason(rule.clause, rule.code, rule.effect, text, line, rule.not_yet, rule.reading)


def clashes_in(dimension: Dimension, facts: frozenset[str]) -> Iterator[Clash]:
    """Yield the facts that do not go together, whatever a force decides."""
    for check, its_facts in dimension.asked:
        if len(facts.intersection(its_facts)) > 1:
            together = tuple(fact for fact in its_facts if fact in facts)
            yield Clash(
                together,
                check.clauses[0] if check.clauses else "",
                f"“{check.wording}” takes one answer, not {len(together)}.",
                rule=check.code,
            )
    for rule in dimension.excluding:
        if rule.when.holds(facts) and not facts.isdisjoint(rule.against):
            against = tuple(name for name in rule.against if name in facts)
            held = tuple(name for name in rule.when.positive if name in facts)
            text = stated(rule, dimension, facts).text
            yield Clash((*held, *against), rule.clause, text, rule.reading, rule.code)


@lru_cache(maxsize=1024)
def exclusions(dimension: Dimension, forcing: frozenset[str]) -> tuple[Exclusion, ...]:
    """Return what does not go with the facts that force a score, other answers to it apart.

    A fact that the program detected cannot be taken back, so it is not among them.
    """
    detected = {check.code for check in dimension.detected}
    excluded = []
    for fact in dimension.facts:
        if fact in forcing or fact in detected:
            continue
        clashes = clashes_in(dimension, forcing | {fact})
        reasons = [clash.reason for clash in clashes if fact in clash.checks]
        if reasons:
            excluded.append(Exclusion(fact, reasons[0]))
    return tuple(excluded)
