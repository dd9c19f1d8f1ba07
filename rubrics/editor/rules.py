"""The rules of a dimension: from their form into the document, and back, and what each one does.

A rule has fields for all effects in its form. In the document it only has the entries that its
effect reads (`documents.rule_misfits.READ_BY`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..documents.draft_parts import DraftCheck, DraftDimension, DraftRule
from ..documents.proof import meeting_forces
from ..documents.rule_misfits import READ_BY
from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.open_scores import Judge
from ..judging.rules import barred_scores, judge
from ..judging.verdict import Verdict
from .conditions import CONDITIONS, condition_fields, posted_condition
from .edit import Edit
from .elements import by_code, codes_of, in_former_order, new_code, whole_number
from .facts import asserted_facts, with_asserted_facts
from .fields import RuleRow
from .more import more_text

_READ = frozenset().union(*READ_BY.values())  # by the rules of some effect


def save_rules(edit: Edit, dimension: DraftDimension, posted_rows: Iterable[RuleRow]) -> None:
    """Put the rules that a form sent into a dimension."""
    rules: list[DraftRule] = []
    for row in posted_rows:
        before = by_code(dimension.rules, row.at)
        former = before or DraftRule()
        condition = posted_condition(row.when, former.when)
        condition = with_asserted_facts(edit, condition, dimension.checks)
        if not before and not (condition or row.reason.strip()):
            continue
        if not before:
            former.code = _code(row, codes_of([*dimension.rules, *rules]))
        rule = DraftRule(
            code=former.code,
            effect=row.effect,
            reason=row.reason,
            clause=row.clause or None,
            when=condition,
        )
        _add_entries_of_effect(edit, rule, former, row, dimension.checks)
        rules.append(rule)
    dimension.rules = rules


def _code(rule_row: RuleRow, codes: Iterable[str]) -> str:
    """Return a code for a new rule, after the first fact that it names."""
    facts = [rule_row.when.one]
    for line in rule_row.when.lines:
        if line.how in CONDITIONS:
            facts += line.facts
    first = next(filter(None, facts), rule_row.reason)
    return new_code(first, codes)


def _add_entries_of_effect(
    edit: Edit, rule: DraftRule, former: DraftRule, rule_row: RuleRow, checks: list[DraftCheck]
) -> None:
    """Add the entries that rules of its effect read, and those that no effect reads."""
    unread: frozenset[str] = frozenset()  # if there is no such effect
    if rule_row.effect in [*Effect]:
        unread = _READ - READ_BY[Effect(rule_row.effect)]
    scores = in_former_order(map(whole_number, rule_row.scores), former.scores)
    against = in_former_order(rule_row.against, former.against)
    against = asserted_facts(edit, against, checks)
    needs = with_asserted_facts(edit, posted_condition(rule_row.needs, former.needs), checks)
    if rule_row.score and "score" not in unread:
        rule.score = whole_number(rule_row.score)
    if "scores" not in unread:
        rule.scores = scores
    if "against" not in unread:
        rule.against = against
    if "needs" not in unread:
        rule.needs = needs
    more = edit.more(rule_row.more, former, rule)
    for name, value in more.items():
        if name not in unread and (value or value == 0):
            rule.rest[name] = value


def rule_rows(edit: Edit, rules: Iterable[DraftRule]) -> tuple[RuleRow, ...]:
    """Return the rows of a form of rules."""
    return tuple(_row_of_rule(edit, rule) for rule in rules)


def _row_of_rule(edit: Edit, rule: DraftRule) -> RuleRow:
    more, slips = edit.more_or_slip(rule, more_text(rule))
    return RuleRow(
        at=rule.code,
        effect=rule.effect,
        reason=rule.reason,
        clause=rule.clause or "",
        score=None if rule.score is None else str(rule.score),
        scores=tuple(map(str, rule.scores)),
        against=tuple(rule.against),
        when=condition_fields(rule.when),
        needs=condition_fields(rule.needs),
        more=more,
        slips=slips,
    )


@dataclass(frozen=True)
class RuleEffects:
    """The scores that a rule bars, the numbers of the examples that show it, and if it moves."""

    bars: Sequence[int]
    examples: Sequence[int]
    meets: bool  # another force, so that its place decides


def effects_of_rules(dimension: Dimension) -> Mapping[str, RuleEffects]:
    """Return what the rules of a dimension do, by their codes."""
    examples = [example for level in dimension.levels for example in level.examples]
    acting: list[list[str]] = []
    for example in examples[: Judge(dimension).most]:
        verdict = judge(dimension, example.checks)
        rules = []
        if isinstance(verdict, Verdict):
            rules = [reason.rule for reason in verdict.acting_reasons]
        acting.append(rules)
    meeting = meeting_forces(dimension)
    effects = {}
    for rule in dimension.rules:
        numbers = [number for number, rules in enumerate(acting, 1) if rule.code in rules]
        is_meeting = rule.code in meeting
        effects[rule.code] = RuleEffects(barred_scores(rule, dimension), numbers, is_meeting)
    return effects
