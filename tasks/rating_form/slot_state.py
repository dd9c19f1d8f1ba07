"""The state of one slot, and the facts and the score that follow from it.

`ItemJudge` makes a state for each dimension of each target, and `rules.judge` judges its facts.
With quality from 1 to 7 and a check `honest` that is answered by yes or no, the entries

    r1.quality=5  r1.quality.honest=no

give TargetState(key="r1", facts={"dishonest"}, score=5, answered={"honest"}, without="").
"""

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

WHOLE_NUMBER = re.compile("[-+]?[0-9]{1,9}")
REMEMBERED = 4096  # states, of some hundred bytes to some kB each


@dataclass(frozen=True, slots=True)
class SlotState:
    """All that a verdict depends on at one slot: the answers, and what the program detected."""

    slot: FormSlot
    answers: SlotAnswers
    detected: frozenset[str]  # codes of checks
    about_corpus: tuple[AboutCorpus, ...] = ()


def with_typed_score(state: SlotState) -> SlotState:
    """Return the state with the score that was typed, once no rule forces another one."""
    has_score = state.answers.to() != ""
    if has_score or not state.answers.typed_score:
        return state
    target = facts_and_score(state)
    verdict = rules.judge(state.slot.dimension, target.facts, answered=target.answered)
    is_forced = isinstance(verdict, Verdict) and verdict.automatic_score is not None
    if is_forced:
        return state
    return replace(state, answers=state.answers.with_typed_score())


@lru_cache(maxsize=REMEMBERED)
def facts_and_score(state: SlotState) -> TargetState:
    """Return what the answers at a slot say of its target.

    If a detected fact excludes all others, nothing else is asked: only what is detected counts.
    """
    dimension = state.slot.dimension
    entered_score = state.answers.to()
    answers = _answers_by_check(state)
    detected = dimension.facts_of_answers(answers) & state.detected
    excludes_others = rules.excludes_all_others(dimension, detected)
    if excludes_others:
        for check in dimension.checks:
            if check.code not in state.detected:
                answers[check.code] = ""
    answered = set()
    for check in (*dimension.shared, *dimension.checks):
        if check.needs_answer and answers[check.code]:
            answered.add(check.code)
    return TargetState(
        key=state.slot.target.key,
        facts=dimension.facts_of_answers(answers),
        score=None if excludes_others else _read_score(entered_score, dimension),
        answered=frozenset(answered),
        without=Without.BLANK if dimension.blank and entered_score == BLANK else "",
    )


def _answers_by_check(state: SlotState) -> dict[str, str]:
    """Return the answer to each check of the dimension, and the comment if a rule needs one."""
    dimension = state.slot.dimension
    answers = {}
    for check in (*dimension.shared, *dimension.checks):
        answers[check.code] = answer_to(state, check)
    if dimension.needs_comment:
        answers[COMMENT] = state.answers.to(COMMENT)
    return answers


def _read_score(text: str, dimension: Dimension) -> int | None:
    """Return the score that a text says: 5 for "5", None if it is no score of the scale."""
    plain = text.strip().replace("−", "-")
    if not WHOLE_NUMBER.fullmatch(plain):
        return None
    score = int(plain)
    return score if score in dimension.scores else None


def answer_to(state: SlotState, check: Check) -> str:
    """Return the answer to a check: TICKED, the code of the answer to a question, or "" for none.

    If the program asked about the check, only the answer to that question counts.
    """
    if check.kind is Kind.DETECTED:
        return TICKED if check.code in state.detected else ""
    answer = state.answers.to(check.code)
    if check.needs_answer:
        codes = [choice.code for choice in check.answers]
        return answer if answer in codes else ""
    reply = state.answers.to(check.code, ASKED)
    if reply == "":
        return answer
    return TICKED if reply == TICKED else ""
