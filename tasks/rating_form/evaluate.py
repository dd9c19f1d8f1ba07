"""Build the evaluated form from an item and its answers.

`rubrics.rules` applies the rules. This module calls it and arranges the outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby

from django.utils.html import format_html
from django.utils.translation import get_language, override

from rubrics import detectors, rules
from rubrics.in_words import language_of_verdicts
from rubrics.schema import (
    Aid,
    Better,
    Check,
    Detector,
    Dimension,
    Effect,
    ItemVerdict,
    Reason,
    Scope,
    Unit,
    Verdict,
    verdict_language,
)
from tasks.answers import (
    ASKED,
    COMMENT,
    NOT_SURE,
    SHOWN,
    TICKED,
    WHOLE,
    Answers,
    FieldName,
    SlotAnswers,
)
from tasks.fact_checks import Clock
from tasks.models import FactCheck

from . import verdict_words as wording
from .fields import Target, fact_places, seal
from .item_view import ItemView, ShownResponse, ShownSet
from .rows import SlotState, judged, row_at, with_own_score
from .view_models import AboutCorpus, Detection, Display, EvaluatedForm, EvaluatedTarget, Fact, Row

# Part of `seen` once the candidate sets have been shown. Only then can answers be missing there.
SETS = "sets"


def evaluate(
    desk: ItemView,
    answers: Answers,
    *,
    seen: Iterable[str] = (),
    submitting: bool = False,
    looking_up: str = "",
) -> EvaluatedForm:
    """Return the form with these answers.

    `seen` lists the remarks and questions shown before (`_seen_as`).
    `submitting` turns missing answers into errors and asks about what the program detects.
    `looking_up` is the claim (`r1.fact.1`) about to be looked up.
    """
    already = frozenset(seen)
    first = _Stage(desk, answers, submitting, looking_up, already)
    responses = tuple(first.targets(Unit.RESPONSE))
    # Keep showing the sets once shown: taking a score back must not discard the answers there.
    shows_sets = bool(desk.sets) and (
        SETS in already or all(target.complete for target in responses)
    )
    submitting_sets = submitting and shows_sets and SETS in already
    second = _Stage(desk, answers, submitting_sets, seen=already)
    sets = tuple(target for target in second.targets(Unit.CANDIDATE_SET) if target.rows)
    shows_sets = shows_sets and bool(sets)
    evaluated = EvaluatedForm(
        responses=responses,
        sets=sets,
        shows_sets=shows_sets,
        sets_appear=shows_sets and SETS not in already,
        comment=answers.at(COMMENT).to(),
        not_sure=bool(answers.at(NOT_SURE).to()),
    )
    return _finished(evaluated, first.notes, already, submitting)


def _finished(
    evaluated: EvaluatedForm, notes: list[_Note], already: frozenset[str], submitting: bool
) -> EvaluatedForm:
    """Add the notes between responses, and mark what the annotator has not been shown yet."""
    told = [
        (row, remark, _seen_as(row, remark))
        for row in evaluated.rows
        for remark in row.told
        if remark.rule not in row.asked_before
    ]
    said = {name for _row, _remark, name in told} | {note.name for note in notes if note.remark}
    if evaluated.shows_sets:
        said.add(SETS)
    evaluated = replace(
        evaluated,
        notes=tuple(dict.fromkeys(note.text for note in notes)),
        remarked=tuple((row, remark) for row, remark, name in told if name not in already),
        news=tuple(
            dict.fromkeys(note.text for note in notes if note.name and note.name not in already)
        ),
        between=tuple((row, note.remark) for note in notes if note.remark for row in note.rows),
        unseen=submitting and (not said <= already or evaluated.asks),
        seen=already | said | {note.name for note in notes if note.name},
    )
    errors = tuple(dict.fromkeys(wording.summary(evaluated))) if submitting else ()
    return replace(evaluated, errors=errors)


def _seen_as(row: Row, remark: Reason) -> str:
    """Return the name in `seen` of a remark on the row's score, or of a proposal at any score."""
    name = f"{row.name}/{remark.rule}"
    return f"{name}={row.score}" if remark in row.remarks else name


@dataclass(frozen=True, slots=True)
class _Note:
    """A line about several responses: out of order (RQ-11), a remark, or twins (RQ-04)."""

    text: str
    name: str = ""  # in `seen` once it was shown; "" for an error, which is shown until corrected
    rows: tuple[str, ...] = ()
    remark: Reason | None = None  # to be seen before the rating is stored, and stored with it
    obstacle: str = ""  # the error in few words


@dataclass(frozen=True, slots=True)
class _Decided:
    """The verdict on all targets of a dimension."""

    said: dict[str, SlotState]  # by target
    verdicts: ItemVerdict
    is_alone: bool  # no score bears on another response's


@dataclass(frozen=True)
class _Stage:
    """One evaluation: everything that its rows are built from."""

    desk: ItemView
    answers: Answers
    submitting: bool
    looking_up: str = ""
    seen: frozenset[str] = frozenset()
    decided: dict[str, _Decided] = field(default_factory=dict)

    def targets(self, unit: Unit) -> Iterator[EvaluatedTarget]:
        """Yield the responses or the candidate sets with all that is asked of them."""
        dimensions = self.desk.dimensions(unit)
        aids = [dimension.fact_check for dimension in dimensions if dimension.fact_check]
        if unit is Unit.CANDIDATE_SET:
            for shown in self.desk.sets:
                yield EvaluatedTarget(
                    shown,
                    tuple(
                        self.row(dimension, shown)
                        for dimension in dimensions
                        if dimension.code in shown.asked
                    ),
                )
            return
        for response in self.desk.responses:
            yield EvaluatedTarget(
                response,
                tuple(self.row(dimension, response) for dimension in dimensions),
                aid=aids[0] if aids else None,
                facts=tuple(self.facts(response, aids[0])) if aids else (),
                comment=self.answers.at(response.key, COMMENT).to(),
            )

    def judge(self, dimension: Dimension) -> _Decided:
        """Judge all targets of a dimension, once."""
        if dimension.code not in self.decided:
            said = {
                target.key: self.said(dimension, target) for target in self.desk.targets(dimension)
            }
            twins = self.twins if self.compares(dimension) else ()
            asserted = [judged(each) for each in said.values()]
            verdicts = rules.judge_item(dimension, asserted, twins=twins)
            is_alone = bool(dimension.scores) and not (
                self.desk.sets or rules.orders(dimension, asserted)
            )
            self.decided[dimension.code] = _Decided(said, verdicts, is_alone)
        return self.decided[dimension.code]

    def said(self, dimension: Dimension, target: ShownResponse | ShownSet) -> SlotState:
        """Return the answers at one slot, and what the program detected there."""
        slot = self.desk.slot(dimension, target)
        answers = self.answers.at(target.key, dimension.code)
        on_page = self.answers.at(slot.corpus, dimension.code)
        about_corpus = tuple(
            AboutCorpus(
                on_page.to(check.code),
                on_page.to(check.code, SHOWN),
                self.desk.about_corpora.get(slot.field_of(check), ""),
                check.code,
            )
            for check in dimension.checks
            if check.scope is Scope.CORPUS
        )
        if dimension.shared:  # their codes differ from those of its own checks
            answers |= self.answers.at(target.key, WHOLE)
        if dimension.needs_comment:  # counts as written until the form is sent
            answers |= SlotAnswers.of([(COMMENT, "", TICKED)])
        if about_corpus:
            answers |= SlotAnswers.of((each.check, "", each.answer) for each in about_corpus)
        return with_own_score(
            SlotState(
                slot,
                answers,
                frozenset(
                    check.code for check in dimension.detected if self.is_detected(check, target)
                ),
                about_corpus,
            )
        )

    def compares(self, dimension: Dimension) -> bool:
        """Return True if twin responses matter: at submit, if a rule is about them."""
        return self.submitting and any(rule.between is Detector.TWINS for rule in dimension.rules)

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (first.key, second.key)
            for first, second in combinations(self.desk.responses, 2)
            if detectors.twins(first.text, second.text)
        )

    def is_detected(self, check: Check, target: ShownResponse | ShownSet) -> bool:
        """Return True if the detector of a check fires on a target."""
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

    def row(self, dimension: Dimension, target: ShownResponse | ShownSet) -> Row:
        """Return the row of a dimension of a target."""
        decided = self.judge(dimension)
        said, judgement = decided.said[target.key], decided.verdicts.of(target.key)
        detections = tuple(self.detections(said, target))
        languages = get_language(), verdict_language(self.desk.rubric.language)
        row = row_at(
            *languages,
            said,
            judgement,
            detections,
            self.submitting,
            decided.is_alone,
            self.desk.consequences,
        )
        if wrong := [note for note in self.errors if row.name in note.rows]:
            errors = (*row.errors, *(note.text for note in wrong))
            row = replace(row, errors=errors, obstacles=(*row.obstacles, *_obstacles(wrong)))
        if without := self.uncommented(row):
            row = self.in_want_of_comment(row, without)
        if self.answers.has_claims and (proposals := tuple(self.proposals(row))):
            row = replace(row, proposals=proposals, quiet=())
        asked_before = frozenset(
            remark.rule
            for remark in row.remarks
            if _seen_as(row, remark) not in self.seen
            if any(name.startswith(f"{row.name}/{remark.rule}=") for name in self.seen)
        )
        return replace(row, asked_before=asked_before) if asked_before else row

    def uncommented(self, row: Row) -> Verdict | None:
        """Return the verdict without a comment, if it bars the score for want of one."""
        is_due = row.complete and row.dimension.needs_comment
        if not is_due or row.score is None or self.answers.at(row.target.key, COMMENT).to().strip():
            return None
        verdict = rules.judge(row.dimension, row.facts - {COMMENT})
        is_barred = isinstance(verdict, Verdict) and verdict.bars(row.score)
        return verdict if isinstance(verdict, Verdict) and is_barred else None

    def in_want_of_comment(self, row: Row, verdict: Verdict) -> Row:
        """Return the row with what its score needs; once the form is sent, that is an error.

        `verdict` is the one without a comment.
        """
        assert row.score is not None
        if not self.submitting:
            return replace(row, wants_comment=verdict.bars(row.score))
        headline = row.headline
        if row.display is Display.ALL:
            with override(verdict_language(self.desk.rubric.language)):
                headline = wording.headline(verdict, row.dimension, row.target)
        return replace(
            row,
            errors=(*row.errors, *wording.score_errors(row.score, verdict, "")),
            obstacles=(*row.obstacles, wording.no_comment()),
            lacks_comment=True,
            headline=headline,
        )

    def detections(self, said: SlotState, target: ShownResponse | ShownSet) -> Iterator[Detection]:
        """Yield the checks that the program detects and the annotator did not tick.

        The program first asks about them at submit, so that it does not lead the annotator.
        """
        dimension, facts = said.slot.dimension, judged(said).facts
        for check in dimension.watched:
            answer = said.answers.to(check.code, ASKED)
            asking = self.submitting and not (said.answers.to(check.code) or judged(said).without)
            if not (answer or asking) or rules.silenced(dimension, facts):
                continue
            is_asked = dimension.when.holds(facts) and check.when.holds(facts)
            if is_asked and self.is_detected(check, target):
                text = target.text if isinstance(target, ShownResponse) else ""
                question = wording.what_was_seen(check, text)
                yield Detection(said.slot.field_of(check, ASKED), check, question, answer)

    def proposals(self, row: Row) -> Iterator[Reason]:
        """Yield the answer or tick that refuted claims propose, until a fault is named (RQ-02)."""
        aid = row.dimension.fact_check
        if not (aid and aid.proposes and row.is_asked and (claims := self.refuted(row.target.key))):
            return
        if rules.silenced(row.dimension, row.facts):
            return
        answers = next(check.facts for check in row.dimension.checks if aid.proposes in check.facts)
        if row.facts.isdisjoint({aid.proposes, *row.dimension.faults.intersection(answers)}):
            text = wording.what_was_refuted(row.dimension.labels[aid.proposes], claims)
            yield Reason(next(iter(aid.clauses), ""), aid.code, Effect.ADVISE, text)

    def refuted(self, target: str) -> list[str]:
        """Return the claims of a response that their look-up refuted."""
        return [
            said.claim.strip()
            for said in (self.answers.claim(target, place.number) for place in fact_places(target))
            if said.outcome == FactCheck.Outcome.REFUTED
        ]

    def facts(self, response: ShownResponse, aid: Aid) -> Iterator[Fact]:
        """Yield the claims filled in, then an empty one if another is allowed."""
        places, blank = fact_places(response.key), None
        for place in places if self.answers.has_claims else places[:1]:
            claim, outcome, sources, clock = self.answers.claim(response.key, place.number)
            fact = Fact(place, claim, outcome, sources, limit=aid.seconds, search=self.desk.search)
            if read := Clock.read(clock):
                sealed = seal(self.desk.annotator, response.pk, place.number, read)
                fact = replace(fact, clock=read, sealed=sealed, now=self.desk.now)
            if not fact.blank:
                yield replace(
                    fact, errors=tuple(wording.fact_errors(fact)) if self.submitting else ()
                )
            elif place.prefix == self.looking_up:
                blank = replace(fact, errors=(("claim", wording.no_claim()),))
            else:
                blank = blank or fact
        if blank:
            yield blank

    @cached_property
    def notes(self) -> list[_Note]:
        with override(verdict_language(self.desk.rubric.language)):
            notes = list(self._notes())
        marks = language_of_verdicts(self.desk.rubric)
        if not marks:
            return notes
        return [
            replace(note, text=format_html("<span{}>{}</span>", marks, note.text)) for note in notes
        ]

    @cached_property
    def errors(self) -> list[_Note]:
        """The notes on scores that are out of order."""
        return [note for note in self.notes if not note.name]

    def _notes(self) -> Iterator[_Note]:
        """Yield what is to be said about several responses at once."""
        names = {response.key: response.name for response in self.desk.responses}
        for dimension in self.desk.dimensions(Unit.RESPONSE):
            verdicts = self.judge(dimension).verdicts
            by_lower = groupby(verdicts.out_of_order, key=lambda pair: (pair.lower, pair.reason))
            for (key, reason), pairs in by_lower:
                others = [pair.higher for pair in pairs]
                text = wording.out_of_order(
                    names[key],
                    [names[other] for other in others],
                    reason,
                    is_low=dimension.better is Better.LOW,
                )
                order = wording.order([Target(name).short for name in sorted([key, *others])])
                yield _Note(text, rows=_rows(dimension, key, *others), obstacle=order)
            for remark in verdicts.remarks:
                first, second = remark.keys
                yield _Note(
                    wording.remark_between(names[first], names[second], remark.reason),
                    f"{first}+{second}.{dimension.code}/{remark.reason.rule}",
                    _rows(dimension, *remark.keys),
                    remark.reason,
                )
            remarked = {remark.keys for remark in verdicts.remarks}
            twins = self.twins if self.compares(dimension) else ()
            for first, second in (pair for pair in twins if pair not in remarked):
                text = wording.twins_note(names[first], names[second])
                yield _Note(text, f"{first}+{second}.{dimension.code}/twins")


def _obstacles(errors: Iterable[_Note]) -> Iterator[str]:
    """Yield each error in few words, once."""
    yield from dict.fromkeys(note.obstacle for note in errors)


def _rows(dimension: Dimension, *targets: str) -> tuple[str, ...]:
    return tuple(str(FieldName(target, dimension.code)) for target in targets)
