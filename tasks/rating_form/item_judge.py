"""Judge the answers to an item: each dimension once, for all that it scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from rubrics.judging import detectors, rules
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Detector, Scope
from rubrics.judging.parts import Check
from rubrics.judging.repetition import repeats
from rubrics.judging.verdict import ItemVerdict
from tasks.answers.slot_answers import ASKED, COMMENT, SHOWN, TICKED, WHOLE, Answers, SlotAnswers

from . import verdict_words as wording
from .fields import FormSlot
from .form_parts import AboutCorpus, Detection
from .item_view import ItemView, ResponseView, ScoredTarget
from .slot_state import SlotState, facts_and_score, with_typed_score


@dataclass(frozen=True, slots=True)
class DimensionVerdict:
    """The verdict on all targets of a dimension."""

    states: dict[str, SlotState]  # by target
    verdict: ItemVerdict
    is_alone: bool  # no score bears on another response's


@dataclass(frozen=True)
class ItemJudge:
    """An item with the answers to it, and the verdicts on them."""

    desk: ItemView
    answers: Answers
    submitting: bool
    # By dimension: the judgements so far. `judge` fills it.
    verdicts: dict[str, DimensionVerdict] = field(default_factory=dict, kw_only=True)

    def judge(self, dimension: Dimension) -> DimensionVerdict:
        """Judge all targets of a dimension, once."""
        if dimension.code not in self.verdicts:
            self.verdicts[dimension.code] = self._judge(dimension)
        return self.verdicts[dimension.code]

    def _judge(self, dimension: Dimension) -> DimensionVerdict:
        states: dict[str, SlotState] = {}
        for target in self.desk.targets(dimension):
            states[target.key] = self.state_at(dimension, target)
        twins = self.twins if self.compares(dimension) else ()
        asserted = [facts_and_score(state) for state in states.values()]
        verdict = rules.judge_item(dimension, asserted, twins=twins)
        is_bound = bool(self.desk.sets) or rules.orders(dimension, asserted)
        is_alone = bool(dimension.scores) and not is_bound
        return DimensionVerdict(states, verdict, is_alone)

    def state_at(self, dimension: Dimension, scored_target: ScoredTarget) -> SlotState:
        """Return the answers at one slot, and what the program detected there.

        The slot has those that are entered elsewhere, too. No two of them have one code.
        """
        slot = self.desk.slot(dimension, scored_target)
        about_corpus = tuple(self.about_corpus(slot))
        answers = self.answers.at(scored_target.key, dimension.code)
        if dimension.shared:
            answers |= self.answers.at(scored_target.key, WHOLE)
        if dimension.needs_comment:  # counts as written until the form is sent
            answers |= SlotAnswers.of([(COMMENT, "", TICKED)])
        if about_corpus:
            answers |= SlotAnswers.of((about.check, "", about.answer) for about in about_corpus)
        checks = dimension.detected_checks
        detected = [check.code for check in checks if self.is_detected(check, scored_target)]
        return with_typed_score(SlotState(slot, answers, frozenset(detected), about_corpus))

    def about_corpus(self, slot: FormSlot) -> Iterator[AboutCorpus]:
        """Yield the answers about the corpus of the model at a slot."""
        answers = self.answers.at(slot.corpus, slot.dimension.code)
        for check in slot.dimension.checks:
            if check.scope is Scope.CORPUS:
                on_page = answers.to(check.code)
                previous = answers.to(check.code, SHOWN)
                stored = self.desk.about_corpora.get(slot.field_of(check), "")
                yield AboutCorpus(on_page, previous, stored, check.code)

    def compares(self, dimension: Dimension) -> bool:
        """Return True if twin responses matter: at submit, if a rule is about them."""
        return self.submitting and any(rule.between is Detector.TWINS for rule in dimension.rules)

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        pairs: list[tuple[str, str]] = []
        for first, second in combinations(self.desk.responses, 2):
            if detectors.twins(first.text, second.text):
                pairs.append((first.key, second.key))
        return tuple(pairs)

    def is_detected(self, check: Check, scored_target: ScoredTarget) -> bool:
        """Return True if the detector of a check fires on a target."""
        text = scored_target.text if isinstance(scored_target, ResponseView) else ""
        match check.detector:
            case Detector.EMPTY:
                return isinstance(scored_target, ResponseView) and detectors.is_empty(text)
            case Detector.REPEATS:
                return repeats(text) is not None
            case Detector.SAME_AS_QUERY:
                return detectors.same_as_query(text, self.desk.query)
            case Detector.TWINS | None:
                return False

    def detections(self, state: SlotState, scored_target: ScoredTarget) -> Iterator[Detection]:
        """Yield the checks that the program detects and the annotator did not tick.

        The program first asks about them at submit, so that it does not lead the annotator.
        """
        dimension = state.slot.dimension
        if not dimension.watched_ticks:
            return
        target = facts_and_score(state)
        is_silent = rules.excludes_all_others(dimension, target.facts)
        if is_silent or not dimension.when.holds(target.facts):
            return
        for check in dimension.watched_ticks:
            answer = state.answers.to(check.code, ASKED)
            is_ticked = bool(state.answers.to(check.code))
            asks_now = self.submitting and not is_ticked and not target.without
            if not (answer or asks_now) or not check.when.holds(target.facts):
                continue
            if self.is_detected(check, scored_target):
                text = scored_target.text if isinstance(scored_target, ResponseView) else ""
                question = wording.what_was_seen(check, text)
                yield Detection(state.slot.field_of(check, ASKED), check, question, answer)
