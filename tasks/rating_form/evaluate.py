"""Build the evaluated form from an item and its answers.

`rubrics.judging.rules` applies the rules. This module calls it and arranges the outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import get_language, override

from rubrics.judging import rules
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Effect, Unit
from rubrics.judging.parts import Aid
from rubrics.judging.schema import verdict_language
from rubrics.judging.verdict import Reason, Verdict
from tasks.answers.fact_checks import Clock
from tasks.answers.slot_answers import COMMENT, NOT_SURE, REPLY, Answers
from tasks.models import FactCheck

from . import verdict_words as wording
from .between_responses import Note, notes_on
from .evaluated_form import EvaluatedForm, EvaluatedTarget, Fact
from .fields import FactPlace, fact_places, seal
from .item_judge import ItemJudge
from .item_view import ItemView, ResponseView, ScoredTarget
from .row_view import Display, Row
from .rows import row_at

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
    first = _FormBuilder(desk, answers, submitting, looking_up, already)
    responses = tuple(first.targets(Unit.RESPONSE))
    # Keep showing the sets once shown: taking a score back must not discard the answers there.
    is_known = SETS in already
    shows_sets = bool(desk.sets)
    if shows_sets and not is_known:
        shows_sets = all(target.complete for target in responses)
    submitting_sets = submitting and shows_sets and is_known
    second = _FormBuilder(desk, answers, submitting_sets, seen=already)
    sets = tuple(target for target in second.targets(Unit.CANDIDATE_SET) if target.rows)
    shows_sets = shows_sets and bool(sets)
    evaluated = EvaluatedForm(
        responses=responses,
        sets=sets,
        shows_sets=shows_sets,
        sets_appear=shows_sets and not is_known,
        comment=answers.at(COMMENT).to(),
        not_sure=bool(answers.at(NOT_SURE).to()),
        reply=answers.at(REPLY).to(),
    )
    return _with_notes(evaluated, first.notes, already, submitting)


def _with_notes(
    evaluated: EvaluatedForm, notes: list[Note], already: frozenset[str], submitting: bool
) -> EvaluatedForm:
    """Add the notes between responses, and mark what the annotator has not been shown yet."""
    names = {SETS} if evaluated.shows_sets else set()  # what must be seen before it is stored
    remarked: list[tuple[Row, Reason]] = []
    for row in evaluated.rows:
        for remark in row.notices:
            if remark.rule not in row.remarks_seen:
                name = _seen_as(row, remark)
                names.add(name)
                if name not in already:
                    remarked.append((row, remark))
    news: dict[str, None] = {}  # an ordered set
    notes_between: list[tuple[str, Reason]] = []
    for note in notes:
        if note.remark:
            names.add(note.name)
            for row_name in note.row_names:
                notes_between.append((row_name, note.remark))
        if note.name and note.name not in already:
            news[note.text] = None
    known = {note.name for note in notes if note.name}
    texts = dict.fromkeys(note.text for note in notes)
    is_unseen = submitting and (not names <= already or evaluated.asks)
    evaluated = replace(
        evaluated,
        notes=tuple(texts),
        remarked=tuple(remarked),
        news=tuple(news),
        between=tuple(notes_between),
        unseen=is_unseen,
        seen=already | names | known,
    )
    if not submitting:
        return evaluated
    errors = dict.fromkeys(wording.summary(evaluated))
    return replace(evaluated, errors=tuple(errors))


def _seen_as(row: Row, remark: Reason) -> str:
    """Return the name in `seen` of a remark on the row's score, or of a proposal at any score."""
    name = f"{row.name}/{remark.rule}"
    return f"{name}={row.score}" if remark in row.remarks else name


@dataclass(frozen=True)
class _FormBuilder(ItemJudge):
    """An item that is judged, and the rows and claims of its form."""

    looking_up: str = ""
    seen: frozenset[str] = frozenset()

    def targets(self, unit: Unit) -> Iterator[EvaluatedTarget]:
        """Yield the responses or the candidate sets with all that is asked of them."""
        dimensions = self.desk.dimensions(unit)
        if unit is Unit.CANDIDATE_SET:
            for group in self.desk.sets:
                applicable = [part for part in dimensions if part.code in group.applicable]
                rows = tuple(self.row(part, group) for part in applicable)
                yield EvaluatedTarget(group, rows)
            return
        aid = None
        for dimension in dimensions:
            aid = aid or dimension.fact_check
        for response in self.desk.responses:
            rows = tuple(self.row(dimension, response) for dimension in dimensions)
            facts = tuple(self.facts(response, aid)) if aid else ()
            comment = self.answers.at(response.key, COMMENT).to()
            yield EvaluatedTarget(response, rows, aid=aid, look_ups=facts, comment=comment)

    def row(self, dimension: Dimension, scored_target: ScoredTarget) -> Row:
        """Return the row of a dimension of a target."""
        outcome = self.judge(dimension)
        state = outcome.states[scored_target.key]
        verdicts_in = verdict_language(self.desk.rubric.language)
        judgement = outcome.verdict.of(scored_target.key)
        detections = tuple(self.detections(state, scored_target))
        row = row_at(
            get_language(),
            verdicts_in,
            state,
            judgement,
            detections,
            self.submitting,
            outcome.is_alone,
            self.desk.consequences,
        )
        wrong = [note for note in self.errors if row.name in note.row_names]
        if wrong:
            row = _with_errors(row, wrong)
        uncommented = self.uncommented(row)
        if uncommented:
            row = self.in_want_of_comment(row, uncommented)
        proposals = tuple(self.proposals(row)) if self.answers.has_claims else ()
        if proposals:
            row = replace(row, proposals=proposals, silent_inputs=())
        remarks_seen = self.remarks_seen(row)
        if remarks_seen:
            row = replace(row, remarks_seen=remarks_seen)
        return row

    def remarks_seen(self, row: Row) -> frozenset[str]:
        """Return the rules whose remark was shown at another score."""
        codes: set[str] = set()
        for remark in row.remarks:
            at_any_score = f"{row.name}/{remark.rule}="
            is_new = _seen_as(row, remark) not in self.seen
            if is_new and any(name.startswith(at_any_score) for name in self.seen):
                codes.add(remark.rule)
        return frozenset(codes)

    def uncommented(self, row: Row) -> Verdict | None:
        """Return the verdict without a comment, if it bars the score for want of one."""
        if not (row.complete and row.dimension.needs_comment) or row.score is None:
            return None
        if self.answers.at(row.target.key, COMMENT).to().strip():
            return None
        verdict = rules.judge(row.dimension, row.facts - {COMMENT})
        if isinstance(verdict, Verdict) and verdict.bars(row.score):
            return verdict
        return None

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
        errors = (*row.errors, *wording.score_errors(row.score, verdict, ""))
        obstacles = (*row.obstacles, wording.no_comment())
        return replace(
            row, errors=errors, obstacles=obstacles, lacks_comment=True, headline=headline
        )

    def proposals(self, row: Row) -> Iterator[Reason]:
        """Yield the answer or tick that refuted claims propose, until a fault is named (RQ-02)."""
        aid = row.dimension.fact_check
        if not (aid and aid.proposes and row.applies):
            return
        claims = self.refuted(row.target.key)
        if not claims or rules.excludes_all_others(row.dimension, row.facts):
            return
        faults = {aid.proposes}
        for check in row.dimension.checks:
            if aid.proposes in check.facts:
                faults |= row.dimension.faults.intersection(check.facts)
        if row.facts.isdisjoint(faults):
            label = row.dimension.labels[aid.proposes]
            text = wording.what_was_refuted(label, claims)
            clause = aid.clauses[0] if aid.clauses else ""
            yield Reason(clause, aid.code, Effect.ADVISE, text)

    def refuted(self, target: str) -> list[str]:
        """Return the claims of a response that their look-up refuted."""
        claims: list[str] = []
        for place in fact_places(target):
            claim = self.answers.claim(target, place.number)
            if claim.outcome == FactCheck.Outcome.REFUTED:
                claims.append(claim.claim.strip())
        return claims

    def facts(self, response_view: ResponseView, aid: Aid) -> Iterator[Fact]:
        """Yield the claims filled in, then an empty one if another is allowed."""
        places = fact_places(response_view.key)
        blank = None
        for place in places if self.answers.has_claims else places[:1]:
            fact = self.fact_at(place, response_view, aid)
            if not fact.blank:
                yield fact
            elif place.prefix == self.looking_up:
                blank = replace(fact, errors=(("claim", wording.no_claim()),))
            else:
                blank = blank or fact
        if blank:
            yield blank

    def fact_at(self, place: FactPlace, response_view: ResponseView, aid: Aid) -> Fact:
        """Return the claim at one place, which may be empty, with the clock of its look-up."""
        claim, outcome, sources, clock = self.answers.claim(response_view.key, place.number)
        fact = Fact(place, claim, outcome, sources, limit=aid.seconds, search=self.desk.search)
        read = Clock.read(clock)
        if read:
            sealed = seal(self.desk.annotator, response_view.pk, place.number, read)
            fact = replace(fact, clock=read, sealed=sealed, now=self.desk.now)
        if self.submitting and not fact.blank:
            errors = tuple(wording.fact_errors(fact))
            fact = replace(fact, errors=errors)
        return fact

    @cached_property
    def notes(self) -> list[Note]:
        return notes_on(self)

    @cached_property
    def errors(self) -> list[Note]:
        """The notes on scores that are out of order."""
        return [note for note in self.notes if not note.name]


def _with_errors(row: Row, notes: list[Note]) -> Row:
    """Return the row with the errors that these notes on it are."""
    errors = (*row.errors, *(note.text for note in notes))
    new_obstacles = dict.fromkeys(note.obstacle for note in notes)
    obstacles = (*row.obstacles, *new_obstacles)
    return replace(row, errors=errors, obstacles=obstacles)
