"""Rows of the form: the questions at one place, with the answers given there.

A row depends on its place and its answers, never on the item's texts, so rows are cached. Most
answers recur on the next item. Items not yet rated all have the same rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from rubrics import rules
from rubrics.schema import Check, Clashes, Dimension, Effect, Judged, Kind, Scope, Verdict

from . import verdict_words as wording
from .fields import NONE_OF_THESE, TICKED, FormSlot, element_id
from .view_models import Choice, Detection, Mark, Question, Row, ScaleLevel, Tick, TickGroup

# Cache size in entries of some hundred bytes to some kB each.
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class SlotAnswers:
    """The answers at a place, and what the program detected there."""

    given: tuple[str, ...]  # in the order of the place's fields; "" for no answer
    detected: frozenset[str]  # codes of checks

    @classmethod
    def at(
        cls, place: FormSlot, answers: Mapping[str, str], detected: frozenset[str]
    ) -> SlotAnswers:
        return cls(tuple([answers.get(name, "") for name in place.names]), detected)


@lru_cache(maxsize=_REMEMBERED)
def judged(place: FormSlot, said: SlotAnswers) -> Judged:
    """Return the facts asserted of a target and its score."""
    dimension = place.dimension
    if rules.silenced(dimension, said.detected):
        # Nothing else is asked, so no other answer counts. The detected facts force the score.
        verdict = rules.judge(dimension, said.detected)
        forced = verdict.forced if isinstance(verdict, Verdict) else None
        return Judged(place.target, said.detected, forced)
    answers = dict(zip(place.names, said.given, strict=True))
    given = {check.code: _given(place, check, answers) for check in dimension.checks}
    answered = frozenset(
        check.code for check in dimension.checks if check.asked and given[check.code]
    )
    facts = said.detected | dimension.asserted_by(given)
    scored = answers[place.name]
    score = int(scored) if scored in {str(score) for score in dimension.scores} else None
    return Judged(place.target, facts, score, answered)


def _given(place: FormSlot, check: Check, answers: Mapping[str, str]) -> str:
    """Return the answer to a check, "" for none.

    If the program asked about the check, only the answer to that question counts.
    """
    if check.kind is Kind.DETECTED:
        return ""
    name = place.field_of(check)
    if check.asked:
        given = answers[name]
        return given if any(answer.code == given for answer in check.answers) else ""
    asked = answers.get(f"{name}.asked", "")
    if asked:
        return TICKED if asked == "yes" else ""
    return answers[name]


def row_without_target(
    place: FormSlot,
    said: SlotAnswers,
    judgement: Verdict | Clashes,
    detections: tuple[Detection, ...],
    *,
    submitting: bool,
) -> partial[Row]:
    """Return a partial `Row`, to be called with its `target`.

    `detections` are the program's questions here. If `submitting`, missing answers are errors.
    """
    return _row(get_language(), place, said, judgement, detections, submitting)


@lru_cache(maxsize=_REMEMBERED)
def _row(
    language: str | None,  # part of the cache key: the row has translated words
    place: FormSlot,
    said: SlotAnswers,
    judgement: Verdict | Clashes,
    detections: tuple[Detection, ...],
    submitting: bool,
) -> partial[Row]:
    return _Drawn(place, said, judgement, detections, submitting).row()


@dataclass(frozen=True)
class _Drawn:
    """The builder of one row."""

    place: FormSlot
    said: SlotAnswers
    judgement: Verdict | Clashes
    detections: tuple[Detection, ...]
    submitting: bool

    @cached_property
    def answers(self) -> dict[str, str]:
        return dict(zip(self.place.names, self.said.given, strict=True))

    def row(self) -> partial[Row]:
        place, dimension = self.place, self.place.dimension
        stands = judged(place, self.said)
        verdict = self.judgement if isinstance(self.judgement, Verdict) else None
        silenced = rules.silenced(dimension, stands.facts)
        asked = {detection.code for detection in self.detections}
        headline = wording.headline(self.judgement)
        questions = () if silenced else tuple(self.questions(Scope.TARGET))
        corpus = () if silenced else tuple(self.questions(Scope.CORPUS))
        ticks = tuple(self.ticks(stands.facts, silenced, asked))
        none_of_these = self.none_of_these(bool(stands.facts)) if place.asks_reason else None
        return partial(
            Row,
            name=place.name,
            id=element_id(place.name),
            dimension=dimension,
            questions=questions,
            corpus=corpus,
            tick_groups=_grouped(dimension, ticks),
            none_of_these=none_of_these,
            levels=tuple(
                ScaleLevel(
                    id=element_id(f"{place.name}.{level.score}"),
                    level=level,
                    checked=level.score == stands.score,
                    # Checks that exclude one another bar every score until one is taken back.
                    reasons=verdict.bars(level.score) if verdict else headline.reasons,
                )
                for level in sorted(dimension.levels, key=lambda level: level.score)
            ),
            headline=headline,
            judgement=self.judgement,
            facts=stands.facts,
            score=stands.score,
            remarks=verdict.remarks_on(stands.score)
            if verdict and stands.score is not None
            else (),
            detections=self.detections,
            unseen=any(detection.pending for detection in self.detections),
            mistakes=tuple(
                _mistakes((*corpus, *questions), (*ticks, *filter(None, [none_of_these])))
            ),
            errors=tuple(self.errors(stands.score)),
        )

    def errors(self, score: int | None) -> Iterator[str]:
        if not self.submitting or isinstance(self.judgement, Clashes):
            return
        if score is None:
            yield wording.unscored()
        else:
            yield from (wording.barred(score, reason) for reason in self.judgement.bars(score))

    def questions(self, scope: Scope) -> Iterator[Question]:
        missing = (
            self.judgement.missing
            if isinstance(self.judgement, Verdict) and self.submitting
            else ()
        )
        for check in self.place.dimension.checks:
            if not check.asked or check.scope is not scope:
                continue
            name = self.place.field_of(check)
            given = self.answers[name]
            yield Question(
                name=name,
                id=element_id(name),
                check=check,
                key=check.key,
                choices=tuple(
                    Choice(
                        id=element_id(f"{name}.{answer.code}"),
                        value=answer.code,
                        wording=answer.wording,
                        help=answer.help,
                        checked=answer.code == given,
                        best=answer.code == check.best,
                        good=answer.code == check.best
                        if check.best
                        else answer.sets not in _against(self.place.dimension),
                    )
                    for answer in check.answers
                ),
                marks=tuple(self.marks(name)) if check.marks_persona else (),
                error=self.clash_at(check)
                or (_("Not answered yet.") if check.code in missing else ""),
            )

    def marks(self, question: str) -> Iterator[Mark]:
        for number in range(1, self.place.lines + 1):
            name = f"{question}.line.{number}"
            yield Mark(name, element_id(name), number, bool(self.answers[name]))

    def ticks(
        self, facts: Collection[str], silenced: bool, asked: Collection[str]
    ) -> Iterator[Tick]:
        for check in self.place.dimension.checks:
            locked = check.kind is Kind.DETECTED
            if check.asked or (check.code not in facts and (locked or silenced)):
                continue
            if check.code in asked:  # the question replaces the tick
                continue
            name = self.place.field_of(check)
            yield Tick(
                name=name,
                id=element_id(name),
                check=check,
                checked=check.code in facts,
                locked=locked,
                good=check.code not in self.place.dimension.faults,
                error=self.clash_at(check),
            )

    def none_of_these(self, ticked: bool) -> Tick:
        name = f"{self.place.name}.{NONE_OF_THESE}"
        checked = bool(self.answers[name])
        return Tick(
            name=name,
            id=element_id(name),
            check=Check(code=NONE_OF_THESE, kind=Kind.TICK, wording=_("None of these")),
            checked=checked,
            locked=False,
            error=wording.reason_error(ticked, checked) if self.submitting else "",
        )

    def clash_at(self, check: Check) -> str:
        """Return the error at a check that contradicts others; "" for none."""
        if isinstance(self.judgement, Verdict):
            return ""
        return " ".join(
            f"{clash.text} ({clash.clause})"
            for clash in self.judgement.clashes
            if not set(check.facts).isdisjoint(clash.checks)
        )


def _mistakes(
    questions: Iterable[Question], ticks: Iterable[Tick]
) -> Iterator[tuple[str, str, str]]:
    for question in questions:
        if question.error:
            yield question.choices[0].id, question.check.wording, question.error
    for tick in ticks:
        if tick.error:
            yield tick.id, tick.check.wording, tick.error


def _grouped(dimension: Dimension, ticks: Iterable[Tick]) -> tuple[TickGroup, ...]:
    """Group ticks by consequence, in the order in which each consequence first appears."""
    groups: dict[str, list[Tick]] = {}
    for tick in ticks:
        groups.setdefault(_consequence(get_language(), dimension, tick.check.code), []).append(tick)
    return tuple(TickGroup(consequence, tuple(group)) for consequence, group in groups.items())


@lru_cache(maxsize=1024)
def _consequence(language: str | None, dimension: Dimension, code: str) -> str:
    return wording.consequence(dimension, code)


@lru_cache(maxsize=256)
def _against(dimension: Dimension) -> frozenset[str]:
    """Return the facts that only lower the score.

    A fact that also raises it by another rule (DQ-12) is no fault.
    """
    raising = {
        name
        for rule in dimension.rules
        if rule.effect is Effect.FLOOR
        for name in rule.when.positive
    }
    return dimension.faults - raising
