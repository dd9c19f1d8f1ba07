"""Rows of the form: the questions at one slot, with the answers to them.

A row depends on its slot and its answers, not on the responses, so rows are cached. Most answers
recur on the next item. Items not yet rated all have the same rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from django.utils.translation import override

from rubrics.judging import rules
from rubrics.judging.kinds import Consequences, Without
from rubrics.judging.parts import COMMENT, Answer, Check, Level
from rubrics.judging.scales import is_typed
from rubrics.judging.verdict import Clashes, Exclusion, Reason, Verdict

from . import verdict_words as wording
from .consequences import display_of, grouped, is_due
from .fields import element_id
from .form_parts import CheckQuestion, Detection, Tick
from .headlines import headline_of
from .row_parts import RowParts
from .row_view import Display, Headline, Row
from .slot_state import REMEMBERED, SlotState, facts_and_score


@lru_cache(maxsize=REMEMBERED)
def row_at(
    language: str | None,  # part of the cache key: the row has translated words
    verdicts_in: str,
    state: SlotState,
    judgement: Verdict | Clashes,
    detections: tuple[Detection, ...],
    submitting: bool,
    is_alone: bool,
    consequences: str = Consequences.ALWAYS,
) -> Row:
    """Return the row with these answers.

    `detections` are the program's questions here. If `submitting`, missing answers are errors.
    `is_alone`: no score here bears on anything else of the item. `verdicts_in`: the language of
    the verdict and of the headings over the ticks; errors are in the reader's. `consequences`: when
    the project shows what answers do to the scores.
    """
    # Where there is no score, questions may stay open.
    applies = isinstance(judgement, Clashes) or judgement.applies
    builder = _RowBuilder(
        state=state,
        judgement=judgement,
        detections=detections,
        submitting=submitting and applies and not facts_and_score(state).without,
        verdicts_in=verdicts_in,
        is_alone=is_alone,
        consequences=consequences,
    )
    return builder.row()


class _Outcome(NamedTuple):
    """The score that stands, and the verdict on it."""

    score: int | None
    without: str  # why there is none: a `Without`
    verdict: Verdict | None


@dataclass(frozen=True)
class _RowBuilder(RowParts):
    """The arguments of `row_at`, and all that follows from them. `submitting`: answers are due."""

    verdicts_in: str
    is_alone: bool
    consequences: str

    @cached_property
    def display(self) -> Display:
        """The part of the verdict that the row shows."""
        target = self.target_state
        judgement = self.judgement
        return display_of(self.consequences, self.dimension, target, judgement)

    @cached_property
    def names_scores(self) -> bool:
        """True if the headings over the ticks say what each does to the scores."""
        return is_due(self.consequences, self.dimension, self.target_state)

    @property
    def reserves(self) -> bool:
        """True if the row begins to show what it holds back."""
        return self.consequences == Consequences.AFTER

    @property
    def shows_all(self) -> bool:
        return self.display is Display.ALL

    @cached_property
    def outcome(self) -> _Outcome:
        """The score that stands, be it entered or given by a rule."""
        verdict = self.verdict
        target = self.target_state
        if verdict is None:
            return _Outcome(target.score, target.without, None)
        if not verdict.applies:  # what was entered comes back if it is asked again
            return _Outcome(None, Without.NOT_ASKED, verdict)
        if target.without:  # then no rule forces a score
            unforced = replace(verdict, forced=None, forcing=frozenset())
            return _Outcome(target.score, target.without, unforced)
        if verdict.automatic_score is not None and self.takes_automatic_score:
            return _Outcome(verdict.automatic_score, "", verdict)
        return _Outcome(target.score, "", verdict)

    @property
    def takes_automatic_score(self) -> bool:
        """True if a score that a rule forces stands in place of the one that was entered.

        At submit another score is refused with its reason. Before, the rule has the say. A score
        that the row may not show is entered by hand.
        """
        is_refused = self.submitting and self.target_state.score is not None
        return not is_refused and (self.shows_all or self.dimension.given)

    def row(self) -> Row:
        """Return the row, with what its own properties decide."""
        row = self.row_of_parts()
        return replace(
            row,
            typed_score=self.state.answers.typed_score if row.is_automatic else "",
            silent_inputs=tuple(self.silent_inputs(row)),
            best=tuple(self.best(row)),
            obstacles=tuple(wording.obstacles(row)),
        )

    def row_of_parts(self) -> Row:
        """Return the row without what its own properties decide."""
        dimension = self.dimension
        target = self.slot.target
        outcome = self.outcome
        questions = () if self.is_silent else tuple(self.questions())
        corpus = () if self.is_silent else tuple(self.corpus())
        ticks = tuple(self.ticks())
        judgement = outcome.verdict or self.judgement
        with override(self.verdicts_in):
            headline = headline_of(judgement, dimension, target)
            groups = grouped(
                dimension, ticks, names_scores=self.names_scores, reserves=self.reserves
            )
        misread = self.misread()
        parts: tuple[CheckQuestion | Tick, ...] = (*corpus, *questions, *ticks)
        return Row(
            name=self.slot.name,
            dimension=dimension,
            target=target,
            questions=questions,
            corpus=corpus,
            tick_groups=groups,
            scale=self.scale(headline),
            headline=self.cut(headline),
            barring=self.barring(headline),
            display=self.display,
            names_scores=self.names_scores,
            reserves=self.reserves,
            judgement=self.judgement,
            facts=self.target_state.facts,
            score=outcome.score,
            excluded=self.visible_exclusions(),
            without=outcome.without,
            number=self.number,
            misread=misread,
            remarks=self.remarks(),
            detections=self.detections,
            wrong_parts=tuple(part for part in parts if part.error),
            errors=self.errors(misread),
        )

    @cached_property
    def number(self) -> str:
        """The text in the field of the score, if that is typed or there is no score."""
        has_text = self.outcome.without or is_typed(self.dimension)
        return self.state.answers.to() if has_text else ""

    def misread(self) -> str:
        """Return why what was typed is no score."""
        if self.outcome.without or self.outcome.score is not None or not self.number:
            return ""
        return wording.misread(self.number, self.dimension)

    def scale(self, headline: Headline) -> tuple[tuple[Level, tuple[Reason, ...]], ...]:
        """Return the levels in order, each with why it is barred."""
        dimension = self.dimension
        if self.outcome.without == Without.NOT_ASKED or dimension.given:
            return ()
        ordered_levels: Iterable[Level] = dimension.levels
        if not is_typed(dimension):
            ordered_levels = map(dimension.level, dimension.scores)
        ordered = sorted(ordered_levels, key=attrgetter("score"))
        if not self.shows_all:
            return tuple((level, ()) for level in ordered)
        # Checks that exclude one another bar every score until one is taken back.
        return tuple((level, self.bars(level.score, headline)) for level in ordered)

    def visible_exclusions(self) -> tuple[Exclusion, ...]:
        """Return what does not go with what forces the score, if the row shows that."""
        is_hidden = self.is_silent or self.outcome.without or not self.shows_all
        return () if is_hidden else self.excluded

    def may_refuse(self) -> bool:
        """Return True if the row may say why the score can't be given."""
        return self.outcome.score is None or self.display is not Display.NOTHING

    def bars(self, score: int, headline: Headline) -> tuple[Reason, ...]:
        """Return why a score is barred."""
        return self.verdict.bars(score) if self.verdict else headline.limits

    def barring(self, headline: Headline) -> tuple[Reason, ...]:
        """Return why the score is refused."""
        score = self.outcome.score
        if score is None or not self.may_refuse():
            return ()
        return self.bars(score, headline)

    def errors(self, misread: str) -> tuple[str, ...]:
        """Return the errors of the score, once the form is sent."""
        score, _without, verdict = self.outcome
        is_sent = self.submitting and bool(self.dimension.scores)
        if verdict is None or not is_sent or not self.may_refuse():
            return ()
        errors = wording.score_errors(score, verdict, misread)
        return tuple(errors)

    def remarks(self) -> tuple[Reason, ...]:
        """Return the remarks on the score. They can be held back until it is submitted."""
        score, _without, verdict = self.outcome
        is_late = self.display is Display.REFUSAL and self.submitting
        if verdict is None or score is None or not (self.shows_all or is_late):
            return ()
        return verdict.remarks_on(score)

    def cut(self, headline: Headline) -> Headline:
        """Return the headline without what the row may not show yet.

        Answers that contradict each other are always named: that says nothing of a score.
        """
        says_nothing = self.verdict is None or not self.verdict.applies
        is_closed = self.verdict is not None and not (self.verdict.open or self.verdict.missing)
        if self.shows_all or says_nothing or is_closed or not self.dimension.scores:
            return headline
        tone = "silent" if headline.tone == "silent" else "open"
        return Headline(tone, "")

    def best(self, row: Row) -> Iterator[str]:
        """Yield the ids of the best answers, without those that another answer or tick excludes."""
        facts = row.facts
        for question in row.questions:
            if question.check.best:
                facts = facts.difference(question.check.facts)
        for check, answer in rules.best_answers(row.dimension, facts):
            # Those of the whole response have their own row, and none that is hidden is answered.
            if check in row.dimension.checks and check.code in self.asking:
                element = element_id(self.slot.field_of(check))
                yield f"{element}-{answer.code}"

    def silent_inputs(self, row: Row) -> Iterator[str]:
        """Yield the ids of the scores and answers that the desk asks no verdict for.

        There are none while answers clash, nor where a score bears on others.
        """
        verdict = self.verdict
        if verdict is None or not self.is_alone:
            return
        is_forced = verdict.forced is not None
        if row.without and is_forced:
            return
        if not row.is_typed:  # a number always needs a verdict
            yield from self.silent_scores(row, verdict)
        # Each answer to an automatic score needs a verdict: it may need no further one. The desk
        # asks all the same once no question is left.
        has_score = row.score is not None or bool(row.without) or is_forced
        if verdict.missing and not has_score and not self.submitting:
            yield from self.silent_answers(row)

    def silent_scores(self, row: Row, verdict: Verdict) -> Iterator[str]:
        """Yield the ids of the scores that need no verdict, and of the answer without one.

        Such a score completes the row and has no remark; so does the answer without one, unless a
        rule forces a score. In a row without checks and rules, the id of the scale stands for all.
        """
        is_bare = bool(verdict.open) and not (row.dimension.checks or row.dimension.rules)
        if row.scale and is_bare:
            yield f"{row.id}-scale"
            return
        # The first score may bring what the answers do to the others.
        is_news = row.reserves and not row.names_scores
        if row.scale and not is_news:
            for score in verdict.open:
                if not replace(row, score=score, without="").complete:
                    continue
                if not (self.needs_comment(score) or verdict.remarks_on(score)):
                    yield f"{row.id}-{score}"
        if row.dimension.blank and verdict.forced is None:
            yield row.blank_id

    def silent_answers(self, row: Row) -> Iterator[str]:
        """Yield the ids of the answers that bar and open nothing, and decide no other question."""
        names = chain.from_iterable(check.when.names for check in row.dimension.checks)
        deciding = frozenset(names)
        for question in row.questions:
            if deciding.isdisjoint(question.check.facts):
                for answer in question.check.answers:
                    if self.with_answer(question.check, answer) == self.judgement:
                        yield f"{question.id}-{answer.code}"

    def needs_comment(self, score: int) -> bool:
        """Return True if a score is barred without a comment on the response."""
        if not self.dimension.needs_comment:
            return False
        verdict = rules.judge(self.dimension, self.target_state.facts - {COMMENT})
        return isinstance(verdict, Verdict) and bool(verdict.bars(score))

    def with_answer(self, check: Check, answer: Answer) -> Verdict | Clashes:
        """Return the verdict as it would be with this answer, missing answers and remarks apart."""
        target = self.target_state
        facts = target.facts.difference(check.facts)
        if answer.sets:
            facts |= {answer.sets}
        before = target.answered or ()
        answered = frozenset((*before, check.code))
        verdict = rules.judge(self.dimension, facts, answered=answered)
        if isinstance(verdict, Clashes) or self.verdict is None:
            return verdict
        return replace(verdict, missing=self.verdict.missing, remarks=self.verdict.remarks)
