"""The state of one slot: what is entered and detected there, and the facts that follow from it."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rubrics.judging import rules
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Kind, Without
from rubrics.judging.parts import COMMENT, Check
from rubrics.judging.scales import BLANK
from rubrics.judging.verdict import TargetState, Verdict
from tasks.answers.slot_answers import ASKED, TICKED, SlotAnswers

from .fields import FormSlot
from .form_parts import AboutCorpus


@dataclass(frozen=True, slots=True)
class SlotState:
    """All that a verdict depends on at one slot: the answers, and what the program detected."""

    slot: FormSlot
    answers: SlotAnswers
    detected: frozenset[str]  # codes of checks
    about_corpus: tuple[AboutCorpus, ...] = ()


def with_typed_score(state: SlotState) -> SlotState:
    """Return the state with the score that was typed, once no rule forces another one."""
    if state.answers.to() or not state.answers.typed_score:
        return state
    target = facts_and_score(state)
    verdict = rules.judge(state.slot.dimension, target.facts, answered=target.answered)
    if isinstance(verdict, Verdict) and verdict.automatic_score is not None:
        return state
    return replace(state, answers=state.answers.with_typed_score())


_WHOLE = re.compile("[-+]?[0-9]{1,9}")
# Entries of some hundred bytes to some kB each.
REMEMBERED = 4096


@lru_cache(maxsize=REMEMBERED)
def facts_and_score(state: SlotState) -> TargetState:
    """Return the facts asserted of a target and its score."""
    slot = state.slot
    dimension = state.slot.dimension
    text = state.answers.to()
    without = Without.BLANK if dimension.blank and text == BLANK else ""
    checks = (*dimension.shared, *dimension.checks)
    answers = {check.code: answer_to(state, check) for check in checks}
    if dimension.needs_comment:
        answers[COMMENT] = state.answers.to(COMMENT)
    detected = dimension.facts_of_answers(answers) & state.detected
    is_silent = rules.excludes_all_others(dimension, detected)
    if is_silent:  # nothing else is asked here: no other answer counts
        others = {check.code for check in dimension.checks} - state.detected
        answers.update(dict.fromkeys(others, ""))
    required = [check.code for check in checks if check.needs_answer]
    answered = frozenset(code for code in required if answers[code])
    score = None if is_silent else _score_in(text, dimension)
    facts = dimension.facts_of_answers(answers)
    return TargetState(slot.target.key, facts, score, answered, without)


def _score_in(text: str, dimension: Dimension) -> int | None:
    """Return the score that a text says; None if it says no score of the scale."""
    plain = text.strip().replace("−", "-")
    score = int(plain) if _WHOLE.fullmatch(plain) else None
    return score if score in dimension.scores else None


def answer_to(state: SlotState, check: Check) -> str:
    """Return the answer to a check, "" for none.

    If the program asked about the check, only the answer to that question counts.
    """
    if check.kind is Kind.DETECTED:
        return TICKED if check.code in state.detected else ""
    answer = state.answers.to(check.code)
    if check.needs_answer:
        return answer if any(choice.code == answer for choice in check.answers) else ""
    confirmed = state.answers.to(check.code, ASKED)
    if confirmed:
        return TICKED if confirmed == "yes" else ""
    return answer
