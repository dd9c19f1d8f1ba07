"""The questions and ticks of a row, made from the answers at its slot and the verdict on them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import gettext as _

from rubrics.judging import rules
from rubrics.judging.dimension import ApplicableCheck, Dimension
from rubrics.judging.kinds import Kind, Scope
from rubrics.judging.parts import Check
from rubrics.judging.reasons import exclusions
from rubrics.judging.verdict import Clashes, Exclusion, TargetState, Verdict
from tasks.answers.slot_answers import LINE

from . import verdict_words as wording
from .fields import FormSlot
from .form_parts import CheckQuestion, Detection, Mark, Tick
from .slot_state import SlotState, answer_to, facts_and_score


@dataclass(frozen=True)
class RowParts:
    """One slot with the verdict on its answers; it makes the questions and ticks of a row."""

    state: SlotState
    judgement: Verdict | Clashes
    detections: tuple[Detection, ...]
    submitting: bool

    @property
    def slot(self) -> FormSlot:
        return self.state.slot

    @property
    def dimension(self) -> Dimension:
        return self.state.slot.dimension

    @property
    def verdict(self) -> Verdict | None:
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @cached_property
    def target_state(self) -> TargetState:
        """The facts and the score that were entered."""
        return facts_and_score(self.state)

    @cached_property
    def is_silent(self) -> bool:
        """True if what was answered leaves nothing else to ask."""
        return rules.excludes_all_others(self.dimension, self.target_state.facts)

    @cached_property
    def asking(self) -> Mapping[str, bool]:
        """True for the code of a check that is asked, False for one that may be yet."""
        return {state.check.code: state.applies for state in self._asking}

    @cached_property
    def undecided(self) -> tuple[Check, ...]:
        """The checks that lack their answer, or wait for one."""
        return tuple(state.check for state in self._asking if state.is_pending)

    @cached_property
    def _asking(self) -> list[ApplicableCheck]:
        target = self.target_state
        return self.dimension.applicable_checks(target.facts, target.answered or ())

    def is_applicable(self, check: Check) -> bool:
        """Return True if a check is asked now."""
        return not check.when.names or self.asking.get(check.code, False)

    def waits_for(self, check: Check) -> str:
        """Return the question that decides whether a check is asked, as `FormPart` has it."""
        if self.is_applicable(check) or check.code not in self.asking:
            return ""
        names = {*check.when.names}
        deciding = [other for other in self.undecided if not names.isdisjoint(other.facts)]
        for other in deciding:
            if other.needs_answer:
                return other.wording
        return self.waits_for(deciding[0])  # a tick, which itself waits for a question

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """The facts that do not go with those that force the score, other answers to it apart."""
        verdict = self.verdict
        if verdict is None or verdict.forced is None or self.target_state.without:
            return ()
        other_answers: set[str] = set()
        for _check, names in self.dimension.required_checks:
            if not verdict.forcing.isdisjoint(names):
                other_answers.update(names)
        excluded = exclusions(self.dimension, verdict.forcing)
        return tuple(exclusion for exclusion in excluded if exclusion.fact not in other_answers)

    @cached_property
    def excluded_facts(self) -> frozenset[str | None]:
        return frozenset(exclusion.fact for exclusion in self.excluded)

    def questions(self) -> Iterator[CheckQuestion]:
        """Yield the questions about the target."""
        for check in self.dimension.lettered_checks:
            if check.needs_answer and check.scope is Scope.TARGET:
                yield self.question(check)

    def corpus(self) -> Iterator[CheckQuestion]:
        """Yield the questions about the corpus of its model."""
        for about in self.state.about_corpus:
            check = self.dimension.check(about.check)
            question = self.question(check)
            yield replace(question, about_corpus=about)

    def question(self, check: Check) -> CheckQuestion:
        """Return a check that must be answered."""
        error = self.clash_at(check)
        is_missing = self.verdict is not None and check.code in self.verdict.missing
        if not error and is_missing and self.submitting:
            error = _("Not answered yet.")
        facts = self.excluded_facts
        excluded = frozenset(answer.code for answer in check.answers if answer.sets in facts)
        marks = tuple(self.marks(check)) if check.marks_persona else ()
        return CheckQuestion(
            name=self.slot.field_of(check),
            check=check,
            answer=self.state.answers.to(check.code),
            good=self.dimension.faultless_answers(check),
            marks=marks,
            error=error,
            is_applicable=self.is_applicable(check),
            waits_for=self.waits_for(check),
            excluded=excluded,
        )

    def marks(self, check: Check) -> Iterator[Mark]:
        """Yield the persona's lines, which the answer to a check may name."""
        for number, text in enumerate(self.slot.persona, start=1):
            part = f"{LINE}{number}"
            name = self.slot.field_of(check, part)
            is_marked = bool(self.state.answers.to(check.code, part))
            yield Mark(name, number, text, is_marked)

    def ticks(self) -> Iterator[Tick]:
        """Yield the ticks that are offered or detected."""
        questioned = {detection.check.code for detection in self.detections}
        for check in self.dimension.lettered_checks:
            if check.kind is Kind.DETECTED:
                if check.code in self.target_state.facts:
                    yield self.tick(check)
            # The question of the program stands in for the tick.
            elif not (check.needs_answer or check.code in questioned or self.is_silent):
                yield self.tick(check)

    def tick(self, check: Check) -> Tick:
        """Return a check that may be ticked, or that is detected."""
        return Tick(
            name=self.slot.field_of(check),
            check=check,
            checked=bool(answer_to(self.state, check)),
            good=check.code not in self.dimension.faults,
            error=self.clash_at(check),
            is_applicable=self.is_applicable(check),
            waits_for=self.waits_for(check),
            excluded=check.code in self.excluded_facts,
        )

    def clash_at(self, check: Check) -> str:
        """Return the error at a check that contradicts others; "" for none."""
        if isinstance(self.judgement, Verdict):
            return ""
        clash_texts: list[str] = []
        for clash in self.judgement.clashes:
            if not set(check.facts).isdisjoint(clash.checks):
                text = wording.cited(clash.text, clash.clause)
                clash_texts.append(text)
        return " ".join(clash_texts)
