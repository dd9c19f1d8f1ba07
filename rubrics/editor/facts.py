"""The facts that conditions, rules and examples of a draft may name, and those that they do.

The forms offer `facts_to_choose` as boxes and menus. An answer that asserts no fact yet is offered
as "CHECK=ANSWER"; once chosen, it asserts the fact "CHECK_ANSWER" (`asserted_facts`).
"""

from collections.abc import Iterable, Iterator

from ..documents.draft_parts import (
    DraftCheck,
    DraftCondition,
    DraftDimension,
    DraftExample,
    DraftRule,
)
from ..judging.parts import COMMENT
from .conditions import CONDITIONS, facts_of_condition
from .edit import Edit
from .elements import by_code, mappings_in


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
            names = facts_of_condition(condition, how)
            setattr(condition, how, asserted_facts(edit, names, checks))
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
