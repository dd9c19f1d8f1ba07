"""Build the parts of the evaluated form: the targets with their rows, and the claims."""

from __future__ import annotations

from collections.abc import Iterator
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
from tasks.answers.slot_answers import COMMENT
from tasks.models import FactCheck

from . import verdict_words as wording
from .between_responses import Note, notes_on
from .evaluated_form import EvaluatedTarget, Fact, FieldError
from .fields import FactPlace, fact_places, seal
from .headlines import headline_of
from .item_judge import ItemJudge
from .item_view import ResponseView, ScoredTarget
from .row_view import Display, Row
from .rows import row_at
from .seen_names import is_remarked_elsewhere


@dataclass(frozen=True)
class FormBuilder(ItemJudge):
    """An item that is judged, and the rows and claims of its form."""

    looking_up: str = ""  # the claim (`r1.fact.1`) about to be looked up
    seen: frozenset[str] = frozenset()  # as in `seen_names`

    def responses(self) -> Iterator[EvaluatedTarget]:
        """Yield the responses with all that is asked of them."""
        dimensions = self.desk.dimensions(Unit.RESPONSE)
        aids = [dimension.fact_check for dimension in dimensions if dimension.fact_check]
        aid = aids[0] if aids else None
        for response in self.desk.responses:
            rows = tuple(self.row(dimension, response) for dimension in dimensions)
            facts = tuple(self.facts(response, aid)) if aid else ()
            comment = self.answers.at(response.key, COMMENT).to()
            yield EvaluatedTarget(response, rows, aid=aid, look_ups=facts, comment=comment)

    def candidate_sets(self) -> Iterator[EvaluatedTarget]:
        """Yield the candidate sets of which anything is asked."""
        dimensions = self.desk.dimensions(Unit.CANDIDATE_SET)
        for group in self.desk.sets:
            applicable = [part for part in dimensions if part.code in group.applicable]
            rows = tuple(self.row(dimension, group) for dimension in applicable)
            if rows:
                yield EvaluatedTarget(group, rows)

    def row(self, dimension: Dimension, scored_target: ScoredTarget) -> Row:
        """Return the row of a dimension of a target.

        Most rows come from the cache as they are. The others get what the cache can't have, because
        it depends on more than the answers of the row. Errors between responses precede the one of
        a missing comment.
        """
        row = self.cached_row(dimension, scored_target)
        if dimension.unit is Unit.RESPONSE:
            row = self.with_errors_between(row)
        row = self.with_need_of_comment(row)
        row = self.with_proposals(row)
        return self.with_remarks_seen(row)

    def cached_row(self, dimension: Dimension, scored_target: ScoredTarget) -> Row:
        """Return the row that all targets with these answers share."""
        outcome = self.judge(dimension)
        state = outcome.states[scored_target.key]
        return row_at(
            language=get_language(),
            verdicts_in=verdict_language(self.desk.rubric.language),
            state=state,
            judgement=outcome.verdict.of(scored_target.key),
            detections=tuple(self.detections(state, scored_target)),
            submitting=self.submitting,
            is_alone=outcome.is_alone,
            consequences=self.desk.consequences,
        )

    @cached_property
    def notes(self) -> list[Note]:
        """The notes on several responses."""
        return notes_on(self)

    @cached_property
    def errors_between(self) -> list[Note]:
        """The notes on scores that are out of order."""
        return [note for note in self.notes if note.is_error]

    def with_errors_between(self, row: Row) -> Row:
        """Return the row with the errors that its score makes with those of other responses."""
        notes = [note for note in self.errors_between if row.name in note.row_names]
        if not notes:
            return row
        errors = (*row.errors, *(note.text for note in notes))
        new_obstacles = dict.fromkeys(note.obstacle for note in notes)
        return replace(row, errors=errors, obstacles=(*row.obstacles, *new_obstacles))

    def with_need_of_comment(self, row: Row) -> Row:
        """Return the row with what bars its score for want of a comment.

        It is an error once the form is sent.
        """
        verdict = self.verdict_without_comment(row)
        if verdict is None or row.score is None or not verdict.bars(row.score):
            return row
        if not self.submitting:
            return replace(row, wants_comment=verdict.bars(row.score))
        headline = row.headline
        if row.display is Display.ALL:
            with override(verdict_language(self.desk.rubric.language)):
                headline = headline_of(verdict, row.dimension, row.target)
        errors = (*row.errors, *wording.score_errors(row.score, verdict, ""))
        obstacles = (*row.obstacles, wording.no_comment())
        return replace(
            row, errors=errors, obstacles=obstacles, lacks_comment=True, headline=headline
        )

    def verdict_without_comment(self, row: Row) -> Verdict | None:
        """Return the verdict on a complete row without its comment; None if it has or needs none.

        `state_at` takes the comment as written, because it is the last thing that one writes.
        """
        if not (row.dimension.needs_comment and row.complete):
            return None
        if self.answers.at(row.target.key, COMMENT).to().strip():
            return None
        verdict = rules.judge(row.dimension, row.facts - {COMMENT})
        return verdict if isinstance(verdict, Verdict) else None

    def with_proposals(self, row: Row) -> Row:
        """Return the row with what its refuted claims propose.

        Then each input asks for a verdict, which may take the proposal back.
        """
        proposals = tuple(self.proposals(row)) if self.answers.has_claims else ()
        return replace(row, proposals=proposals, silent_inputs=()) if proposals else row

    def with_remarks_seen(self, row: Row) -> Row:
        """Return the row with the rules whose remark was shown at another score."""
        codes: set[str] = set()
        for remark in row.remarks:
            if is_remarked_elsewhere(self.seen, row.name, remark.rule, row.score):
                codes.add(remark.rule)
        return replace(row, remarks_seen=frozenset(codes)) if codes else row

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

    def facts(self, response_view: ResponseView, aid: Aid) -> list[Fact]:
        """Return the claims filled in, then an empty one if another is allowed."""
        places = fact_places(response_view.key)
        if not self.answers.has_claims:
            places = places[:1]
        facts = [self.fact_at(place, response_view, aid) for place in places]
        filled = [fact for fact in facts if not fact.blank]
        blanks = [fact for fact in facts if fact.blank]
        for fact in blanks:
            if fact.place.prefix == self.looking_up:
                without_claim = replace(fact, errors=(FieldError("claim", wording.no_claim()),))
                return [*filled, without_claim]
        return [*filled, *blanks[:1]]

    def fact_at(self, place: FactPlace, response_view: ResponseView, aid: Aid) -> Fact:
        """Return the claim at one place, which may be empty, with the clock of its look-up."""
        claim = self.answers.claim(response_view.key, place.number)
        fact = Fact(
            place=place,
            claim=claim.claim,
            outcome=claim.outcome,
            sources=claim.sources,
            limit=aid.seconds,
            search=self.desk.search,
        )
        clock = Clock.read(claim.clock)
        if clock:
            sealed = seal(self.desk.annotator, response_view.pk, place.number, clock)
            fact = replace(fact, clock=clock, sealed=sealed, now=self.desk.now)
        if self.submitting and not fact.blank:
            errors = tuple(wording.fact_errors(fact))
            fact = replace(fact, errors=errors)
        return fact
