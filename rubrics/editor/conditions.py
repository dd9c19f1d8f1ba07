"""The condition of a check or a rule: from its form into the document, and back.

A form has a menu for one fact, and lines for several:

    {all_of: [rude], none_of: [kind]}   is   all of: rude, none of: kind   (and a blank line)
"""

from ..documents.draft_parts import DraftCondition, refuse_misfits
from .elements import in_former_order, whole_number
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
        names = [*facts_of_condition(condition, line.how), *line.facts]
        setattr(condition, line.how, in_former_order(names, facts_of_condition(former, line.how)))
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
        if facts := facts_of_condition(condition, how):
            lines.append(ConditionLine(how, tuple(facts), least))
    if len(lines) == 1:
        line = lines[0]
        if line.how in ("all_of", "any_of") and len(line.facts) == 1:
            return ConditionFields(line.facts[0])
    return ConditionFields("", (*lines, ConditionLine()))


def facts_of_condition(condition: DraftCondition, how: str) -> list[str]:
    """Return the facts in one of the `CONDITIONS`."""
    names: list[str] = getattr(condition, how)
    return names
