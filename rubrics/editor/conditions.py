"""Conditions of checks and rules, and the facts that they name."""

from collections.abc import Iterable, Iterator

from ..documents.draft_parts import (
    DraftCheck,
    DraftCondition,
    DraftDimension,
    DraftExample,
    DraftRule,
    refuse_misfits,
)
from ..judging.parts import COMMENT
from .edit import Edit
from .elements import by_code, in_former_order, mappings_in, whole_number
from .fields import ConditionFields, ConditionLine

CONDITIONS = ("all_of", "any_of", "none_of", "of")


def posted_condition(
    posted_fields: ConditionFields, former_condition: DraftCondition | None
) -> DraftCondition | None:
    """Return a condition: one fact, or a line for each kind of several. None for none."""
    former = former_condition or DraftCondition()
    condition = DraftCondition()
    if posted_fields.one:
        condition.all_of = [posted_fields.one]
    for line in posted_fields.lines:
        if not line.facts or line.how not in CONDITIONS:
            continue
        names = [*_names(condition, line.how), *line.facts]
        setattr(condition, line.how, in_former_order(names, _names(former, line.how)))
        if line.how == "of":
            condition.at_least = whole_number(line.least)
    if not condition.names:
        return None
    only_fact = [posted_fields.one]
    says_same = condition == DraftCondition(all_of=only_fact)
    if says_same and former_condition == DraftCondition(any_of=only_fact):
        return former_condition
    return condition


def condition_fields(condition: DraftCondition | None) -> ConditionFields:
    """Return a condition as its only fact, or as a line for each of its parts."""
    if condition is None:
        return ConditionFields()
    refuse_misfits(condition)
    least = ""
    if condition.at_least is not None:
        least = str(condition.at_least)
    lines = []
    for how in CONDITIONS:
        if facts := _names(condition, how):
            lines.append(ConditionLine(how, tuple(facts), least))
    if len(lines) == 1:
        line = lines[0]
        if line.how in ("all_of", "any_of") and len(line.facts) == 1:
            return ConditionFields(line.facts[0])
    return ConditionFields("", (*lines, ConditionLine()))


def _names(condition: DraftCondition, how: str) -> list[str]:
    names: list[str] = getattr(condition, how)
    return names


def facts_to_choose(edit: Edit, dimension: DraftDimension | None) -> list[tuple[str, str]]:
    """Return the facts that a rule may name, each with its label, and those that one names.

    An answer that asserts none yet stands there as "CHECK=ANSWER".
    """
    checks = [*edit.content.checks]
    parts_with_facts: list[DraftCheck | DraftRule | DraftExample] = [*checks]
    if dimension:
        checks = [*dimension.checks, *checks]
        parts_with_facts = [*checks, *dimension.rules, *dimension.examples]
    labelled_facts: list[tuple[str, str]] = []
    for check in checks:
        labelled_facts += _facts_of_check(check)
    known = {COMMENT}
    known.update(name for name, _label in labelled_facts)
    for part in parts_with_facts:
        for name in _facts_in(part):
            if name not in known:
                known.add(name)
                labelled_facts.append((name, name))
    return labelled_facts


def _facts_of_check(check: DraftCheck) -> list[tuple[str, str]]:
    if not check.answers:
        return [(check.code, check.wording)]
    facts = []
    for answer in check.answers:
        name = answer.sets or f"{check.code}={answer.code}"
        facts.append((name, f"{check.wording}: {answer.wording}"))
    return facts


def _facts_in(draft_part: DraftCheck | DraftRule | DraftExample) -> Iterator[str]:
    """Yield the facts that a check, a rule or an example names; there may be no such fact."""
    if isinstance(draft_part, DraftExample):
        yield from draft_part.checks
        return
    conditions = [draft_part.when]
    if isinstance(draft_part, DraftRule):
        yield from draft_part.against
        conditions.append(draft_part.needs)
    for condition in conditions:
        if condition:
            yield from condition.names
    for alternative in mappings_in(draft_part.rest.get("or_needs")):  # "More" may have anything
        for names in alternative.values():
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    yield name


def with_asserted_facts(
    edit: Edit, condition: DraftCondition | None, checks: list[DraftCheck]
) -> DraftCondition | None:
    """Return a condition whose answers all assert a fact."""
    if condition:
        for how in CONDITIONS:
            setattr(condition, how, asserted_facts(edit, _names(condition, how), checks))
    return condition


def asserted_facts(edit: Edit, names: Iterable[str], checks: list[DraftCheck]) -> list[str]:
    """Return facts; an answer that is named as "CHECK=ANSWER" asserts one from now on."""
    facts = []
    for name in names:
        code, is_answer, answer_code = name.partition("=")
        fact = name
        if is_answer:
            fact = f"{code}_{answer_code}"
            check = by_code([*checks, *edit.content.checks], code)
            answer = by_code((check and check.answers) or (), answer_code)
            if answer:
                answer.rest["sets"] = fact
        facts.append(fact)
    return facts
