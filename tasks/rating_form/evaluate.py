"""Evaluation of the form: builds its sheet from the item and the answers given so far.

Only `rubrics.rules` decides rules. This module calls it and arranges the outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby

from rubrics import detectors, rules
from rubrics.schema import Aid, Check, Detector, Dimension, Effect, ItemVerdict, Reason, Unit
from tasks.fact_checks import Clock

from . import verdict_words as wording
from .corpus_answers import Recorded, beside_recorded, recorded_answers
from .fields import REFUTED, FormSlot, element_id, fact_places
from .item_view import ItemView, ShownResponse, Target
from .rows import SlotAnswers, judged, row_without_target
from .view_models import Detection, Fact, Row, Sheet, TargetSheet

# Part of `seen` once the candidate sets have been shown. Only then can answers be missing there.
SETS = "sets"


def evaluate(
    desk: ItemView,
    answers: Mapping[str, str],
    *,
    seen: Iterable[str] = (),
    submitting: bool = False,
    looking_up: str = "",
) -> Sheet:
    """Return the form with these answers.

    `seen` lists the remarks and questions shown before, as `row name/rule`.
    `submitting` turns missing answers into errors and asks about what the program detects.
    `looking_up` is the claim (`r1.fact.1`) about to be looked up.
    """
    already = frozenset(seen)
    recorded = recorded_answers(desk, answers)
    answers = {**answers, **{name: answer.stands for name, answer in recorded.items()}}
    first = _Stage(desk, answers, already, submitting, looking_up)
    responses = tuple(first.targets(Unit.RESPONSE))
    # Keep showing the sets once shown: taking a score back must not discard the answers there.
    shows_sets = bool(desk.sets) and (
        SETS in already or all(target.complete for target in responses)
    )
    second = _Stage(
        desk, answers, already, submitting and shows_sets and SETS in already, recorded=recorded
    )
    sets = tuple(target for target in second.targets(Unit.CANDIDATE_SET) if target.rows)
    sheet = Sheet(
        responses=responses,
        sets=sets,
        shows_sets=shows_sets and bool(sets),
        sets_appear=shows_sets and bool(sets) and SETS not in already,
        comment=answers.get("comment", ""),
    )
    return _finished(sheet, first, already)


def _finished(sheet: Sheet, stage: _Stage, already: frozenset[str]) -> Sheet:
    """Add the results between responses, and mark what the annotator has not been shown yet."""
    between = _Between(stage)
    responses = sheet.responses
    if between.errors:
        responses = tuple(
            replace(
                target,
                rows=tuple(
                    replace(row, errors=(*row.errors, *between.errors.get(row.name, ())))
                    for row in target.rows
                ),
            )
            for target in responses
        )
    told = [(row, remark, f"{row.name}/{remark.rule}") for row in sheet.rows for remark in row.told]
    said = {name for _row, _remark, name in told} | between.said
    if sheet.shows_sets:
        said.add(SETS)
    unseen = stage.submitting and (not said <= already or sheet.asks)
    sheet = replace(
        sheet,
        responses=responses,
        notes=tuple(dict.fromkeys(between.notes)),
        remarked=tuple((row, remark) for row, remark, name in told if name not in already),
        news=tuple(dict.fromkeys(between.news)),
        between=tuple(between.kept),
        unseen=unseen,
        seen=already | said | between.told,
    )
    return (
        replace(sheet, errors=tuple(dict.fromkeys(wording.summary(sheet))))
        if stage.submitting
        else sheet
    )


@dataclass(frozen=True)
class _Stage:
    """One evaluation: everything that its rows are built from."""

    desk: ItemView
    answers: Mapping[str, str]
    seen: frozenset[str]
    submitting: bool
    looking_up: str = ""
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    known: dict[FormSlot, SlotAnswers] = field(default_factory=dict)
    decided: dict[str, ItemVerdict] = field(default_factory=dict)

    def targets(self, unit: Unit) -> Iterator[TargetSheet]:
        dimensions = self.desk.dimensions(unit)
        aids = [dimension.fact_check for dimension in dimensions if dimension.fact_check]
        shown: tuple[Target, ...] = self.desk.responses if unit is Unit.RESPONSE else self.desk.sets
        for target in shown:
            rows = tuple(
                self.row(dimension, target)
                for dimension in dimensions
                if isinstance(target, ShownResponse) or dimension.code in target.asked
            )
            aid = aids[0] if aids and rows else None
            yield TargetSheet(
                shown=target,
                rows=rows,
                aid=aid,
                facts=tuple(self.facts(target, aid)) if aid else (),
                comment=self.answers.get(f"{target.key}.comment", ""),
            )

    def verdicts(self, dimension: Dimension) -> ItemVerdict:
        if dimension.code not in self.decided:
            self.decided[dimension.code] = rules.judge_item(
                dimension,
                [judged(*self.said(dimension, target)) for target in self.desk.targets(dimension)],
                twins=self.twins if self.compares(dimension) else (),
            )
        return self.decided[dimension.code]

    def compares(self, dimension: Dimension) -> bool:
        """Return True if twin responses matter: at submit, if a rule is about them."""
        return self.submitting and any(rule.between is Detector.TWINS for rule in dimension.rules)

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        signatures = [
            (response.key, detectors.signature(response.text)) for response in self.desk.responses
        ]
        return tuple(
            (first, second)
            for (first, one), (second, other) in combinations(signatures, 2)
            if detectors.alike(one, other)
        )

    def said(self, dimension: Dimension, target: Target) -> tuple[FormSlot, SlotAnswers]:
        place = self.desk.place(dimension, target)
        if place not in self.known:
            detected = frozenset(
                check.code for check in dimension.detected if self.is_detected(check, target)
            )
            self.known[place] = SlotAnswers.at(place, self.answers, detected)
        return place, self.known[place]

    def refuted(self, target: str) -> list[str]:
        """Return the claims of a response that their look-up refuted."""
        return [
            self.answers.get(claim, "").strip()
            for claim, outcome, *_ in (place.names for place in fact_places(target))
            if self.answers.get(outcome) == REFUTED
        ]

    @cached_property
    def has_look_ups(self) -> bool:
        return any(".fact." in name for name in self.answers)

    def is_detected(self, check: Check, target: Target) -> bool:
        text = target.text if isinstance(target, ShownResponse) else ""
        match check.detector:
            case Detector.EMPTY:
                return isinstance(target, ShownResponse) and detectors.is_empty(text)
            case Detector.REPEATS:
                return detectors.repeats(text) is not None
            case Detector.SAME_AS_QUERY:
                return detectors.same_as_query(text, self.desk.query)
            case Detector.TWINS | None:
                return False

    def row(self, dimension: Dimension, target: Target) -> Row:
        place, said = self.said(dimension, target)
        detections = tuple(self.detections(place, said, target))
        judgement = self.verdicts(dimension).of(target.key)
        make = row_without_target(place, said, judgement, detections, submitting=self.submitting)
        row = make(target=target)
        if self.has_look_ups and not row.silenced:
            row = replace(row, proposals=tuple(self.proposals(row)))
        return (
            beside_recorded(row, self.recorded, submitting=self.submitting) if row.corpus else row
        )

    def detections(self, place: FormSlot, said: SlotAnswers, target: Target) -> Iterator[Detection]:
        """Yield the checks that the program detects and the annotator did not tick.

        The program first asks about them at submit, so that it does not lead the annotator.
        """
        for check in place.dimension.watched:
            name = place.field_of(check)
            answer = self.answers.get(f"{name}.asked", "")
            asking = self.submitting and not self.answers.get(name)
            if not (answer or asking) or rules.silenced(place.dimension, judged(place, said).facts):
                continue
            if self.is_detected(check, target):
                text = target.text if isinstance(target, ShownResponse) else ""
                yield Detection(
                    name=f"{name}.asked",
                    id=element_id(f"{name}.asked"),
                    code=check.code,
                    key=check.key,
                    question=wording.what_was_seen(check, text),
                    answer=answer,
                )

    def proposals(self, row: Row) -> Iterator[Reason]:
        """Yield the answer or tick that refuted claims propose, until a fault is named (RQ-02)."""
        aid = row.dimension.fact_check
        if not (aid and aid.proposes and (claims := self.refuted(row.target.key))):
            return
        answers = next(check.facts for check in row.dimension.checks if aid.proposes in check.facts)
        if row.facts.isdisjoint({aid.proposes, *row.dimension.faults.intersection(answers)}):
            text = wording.what_was_refuted(row.dimension.labels[aid.proposes], claims)
            yield Reason(next(iter(aid.clauses), ""), aid.code, Effect.ADVISE, text)

    def facts(self, target: Target, aid: Aid) -> Iterator[Fact]:
        """Yield the claims filled in, then an empty one if another is allowed."""
        blank: Fact | None = None
        for place in fact_places(target.key) if self.has_look_ups else fact_places(target.key)[:1]:
            claim, outcome, sources, clock = (self.answers.get(name, "") for name in place.names)
            given = (claim, outcome, sources, Clock.read(clock))
            fact = Fact(
                place,
                *given,
                now=self.desk.now,
                limit=aid.seconds,
                search=self.desk.search,
                annotator=self.desk.annotator,
            )
            if not fact.blank:
                yield (
                    replace(fact, errors=tuple(wording.fact_errors(fact)))
                    if self.submitting
                    else fact
                )
            elif place.prefix == self.looking_up:
                blank = replace(fact, errors=(("claim", wording.no_claim()),))
            else:
                blank = blank or fact
        if blank:
            yield blank


class _Between:
    """Results between the item's responses: scores out of order (RQ-11), remarks, twins (RQ-04)."""

    def __init__(self, stage: _Stage) -> None:
        shown = {response.key: response for response in stage.desk.responses}
        self.notes: list[str] = []
        self.news: list[str] = []  # the notes not shown before
        self.told: set[str] = set()
        self.errors: dict[str, list[str]] = {}
        self.kept: list[tuple[str, Reason]] = []
        self.said: set[str] = set()
        for dimension in stage.desk.dimensions(Unit.RESPONSE):
            verdicts = stage.verdicts(dimension)
            by_lower = groupby(verdicts.out_of_order, key=lambda pair: (pair.lower, pair.reason))
            for (key, reason), pairs in by_lower:
                others = [shown[pair.higher].name for pair in pairs]
                text = wording.out_of_order(shown[key].name, others, reason)
                self.notes.append(text)
                if stage.submitting:
                    self.errors.setdefault(f"{key}.{dimension.code}", []).append(text)
            for remark in verdicts.remarks:
                first, second = remark.keys
                text = wording.remark_between(shown[first].name, shown[second].name, remark.reason)
                name = f"{first}+{second}.{dimension.code}/{remark.reason.rule}"
                self._note(text, name, stage.seen)
                self.said.add(name)
                self.kept += [(f"{key}.{dimension.code}", remark.reason) for key in remark.keys]
            if stage.compares(dimension):
                for one, other in stage.twins:
                    text = wording.twins_note(shown[one].name, shown[other].name)
                    self._note(text, f"{one}+{other}.{dimension.code}/twins", stage.seen)

    def _note(self, text: str, name: str, seen: frozenset[str]) -> None:
        self.notes.append(text)
        self.told.add(name)
        if name not in seen:
            self.news.append(text)
