"""Rows of the form: the questions at one slot, with the answers given there.

A row depends on its slot and its answers, not on the responses, so rows are cached. Most answers
recur on the next item. Items not yet rated all have the same rows.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from django.utils.translation import gettext as _, override

from rubrics import rules
from rubrics.reasons import exclusions
from rubrics.scales import BLANK, digits, is_typed
from rubrics.schema import (
    COMMENT,
    Answer,
    Check,
    Clashes,
    Consequences,
    Dimension,
    Exclusion,
    Judged,
    Kind,
    Reason,
    Scope,
    Verdict,
    Without,
)
from tasks.answers import ASKED, LINE, NONE_OF_THESE, TICKED, SlotAnswers

from . import verdict_words as wording
from .consequences import display_of, grouped, is_due
from .fields import FormSlot, element_id
from .view_models import AboutCorpus, Detection, Display, Headline, Mark, Question, Row, Tick


@dataclass(frozen=True, slots=True)
class SlotState:
    """All that a verdict depends on at one slot: the answers, and what the program detected."""

    slot: FormSlot
    answers: SlotAnswers
    detected: frozenset[str]  # codes of checks
    about_corpus: tuple[AboutCorpus, ...] = ()


def with_own_score(said: SlotState) -> SlotState:
    """Return the answers with their own score again, once no rule forces another one."""
    if said.answers.to() or not said.answers.own_score:
        return said
    without_score = judged(said)
    verdict = rules.judge(said.slot.dimension, without_score.facts, answered=without_score.answered)
    if isinstance(verdict, Verdict) and verdict.automatic is not None:
        return said
    return replace(said, answers=said.answers.with_own_score())


_WHOLE = re.compile("[-+]?[0-9]{1,9}")
# Entries of some hundred bytes to some kB each.
_REMEMBERED = 4096


@lru_cache(maxsize=_REMEMBERED)
def judged(said: SlotState) -> Judged:
    """Return the facts asserted of a target and its score."""
    slot, dimension = said.slot, said.slot.dimension
    without = Without.BLANK if dimension.blank and said.answers.to() == BLANK else ""
    checks = (*dimension.shared, *dimension.checks)
    given = {check.code: _answer(said, check) for check in checks}
    is_silent = rules.silenced(dimension, dimension.asserted_by(given) & said.detected)
    if is_silent:  # nothing else is asked here: no other answer counts
        given |= {each.code: "" for each in dimension.checks if each.code not in said.detected}
    answered = frozenset(check.code for check in checks if check.asked and given[check.code])
    score = None if is_silent else _score_in(said.answers.to(), dimension)
    return Judged(slot.target.key, dimension.asserted_by(given), score, answered, without)


def _score_in(text: str, dimension: Dimension) -> int | None:
    """Return the score that a text says; None if it says no score of the scale."""
    plain = text.strip().replace("−", "-")
    score = int(plain) if _WHOLE.fullmatch(plain) else None
    return score if score in dimension.scores else None


def _answer(said: SlotState, check: Check) -> str:
    """Return the answer to a check, "" for none.

    If the program asked about the check, only the answer to that question counts.
    """
    if check.kind is Kind.DETECTED:
        return TICKED if check.code in said.detected else ""
    given = said.answers.to(check.code)
    if check.asked:
        return given if any(answer.code == given for answer in check.answers) else ""
    asked = said.answers.to(check.code, ASKED)
    return (TICKED if asked == "yes" else "") if asked else given


@lru_cache(maxsize=_REMEMBERED)
def row_at(
    _language: str | None,  # part of the cache key: the row has translated words
    verdicts_in: str,
    said: SlotState,
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
    is_asked = isinstance(judgement, Clashes) or judgement.is_asked
    asks = submitting and is_asked and not judged(said).without
    return _Builder(verdicts_in, said, judgement, detections, asks, is_alone, consequences).row()


@dataclass(frozen=True)
class _Builder:
    verdicts_in: str
    said: SlotState
    judgement: Verdict | Clashes
    detections: tuple[Detection, ...]
    submitting: bool
    is_alone: bool
    consequences: str

    @cached_property
    def display(self) -> Display:
        """The part of the verdict that the row shows."""
        judgement = self.judgement
        return display_of(self.consequences, self.slot.dimension, judged(self.said), judgement)

    @cached_property
    def names_scores(self) -> bool:
        """True if the headings over the ticks say what each does to the scores."""
        return is_due(self.consequences, self.slot.dimension, judged(self.said))

    @property
    def slot(self) -> FormSlot:
        return self.said.slot

    @cached_property
    def asking(self) -> Mapping[str, bool]:
        """True for the code of a check that is asked, False for one that may be yet."""
        return {check.code: is_asked for check, is_asked, _is_open in self._asking}

    @cached_property
    def undecided(self) -> tuple[Check, ...]:
        """The checks that lack their answer, or wait for one."""
        return tuple(check for check, is_asked, is_open in self._asking if is_open or not is_asked)

    @cached_property
    def _asking(self) -> tuple[tuple[Check, bool, bool], ...]:
        said = judged(self.said)
        return tuple(self.slot.dimension.asking(said.facts, said.answered or ()))

    def after(self, check: Check) -> str | None:
        """Return the question that decides whether a check is asked, as `FormPart` has it."""
        is_asked = not check.when.names or self.asking.get(check.code)
        if is_asked is not False:  # None if it can no longer be asked
            return "" if is_asked else None
        names = {*check.when.names}
        before = [other for other in self.undecided if not names.isdisjoint(other.facts)]
        question = next((other for other in before if other.asked), None)
        return question.wording if question else self.after(before[0])

    @property
    def verdict(self) -> Verdict | None:
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """The facts that do not go with those that force the score, other answers to it apart."""
        if self.verdict is None or self.verdict.forced is None or judged(self.said).without:
            return ()
        forcing, dimension = self.verdict.forcing, self.slot.dimension
        others = {name for _check, names in dimension.asked if forcing & {*names} for name in names}
        return tuple(each for each in exclusions(dimension, forcing) if each.fact not in others)

    def is_excluded(self, fact: str | None) -> bool:
        """Return True if a fact does not go with what forces the score."""
        return any(exclusion.fact == fact for exclusion in self.excluded)

    def row(self) -> Row:
        """Return the row."""
        slot, dimension, verdict = self.slot, self.slot.dimension, self.verdict
        facts, score = judged(self.said).facts, judged(self.said).score
        without: str
        if verdict and not verdict.is_asked:  # what was entered comes back if it is asked again
            score, without = None, Without.NOT_ASKED
        elif without := judged(self.said).without:  # then no rule forces a score
            verdict = verdict and replace(verdict, forced=None, forcing=frozenset())
        # At submit another score is refused with its reason. Before, the rule has the say. A score
        # that the row may not show is entered by hand.
        elif (
            verdict
            and verdict.automatic is not None
            and (score is None or not self.submitting)
            and (self.display is Display.ALL or dimension.given)
        ):
            score = verdict.automatic
        silenced = rules.silenced(dimension, facts)
        questions = () if silenced else tuple(self.questions())
        corpus = () if silenced else tuple(self.corpus())
        ticks = tuple(self.ticks(facts, silenced))
        none_of_these = (
            self.none_of_these(any(not facts.isdisjoint(check.facts) for check in dimension.checks))
            if slot.asks_reason and not silenced
            else None
        )
        with override(self.verdicts_in):
            headline = wording.headline(verdict or self.judgement, dimension, slot.target)
            tick_groups = grouped(
                dimension, ticks, names_scores=self.names_scores, reserves=self.reserves
            )
        number = self.said.answers.to() if without or is_typed(dimension) else ""
        is_misread = number and score is None and not without
        misread = wording.misread(number, dimension) if is_misread else ""
        shown = dimension.levels if is_typed(dimension) else map(dimension.level, dimension.scores)
        row = Row(
            name=slot.name,
            dimension=dimension,
            target=slot.target,
            questions=questions,
            corpus=corpus,
            tick_groups=tick_groups,
            none_of_these=none_of_these,
            scale=tuple(
                # Checks that exclude one another bar every score until one is taken back.
                (level, self.bars(level.score, headline) if self.shows_all else ())
                for level in sorted(shown, key=lambda level: level.score)
                if without != Without.NOT_ASKED and not dimension.given
            ),
            headline=self.cut(headline),
            barring=self.barring(score, headline),
            display=self.display,
            names_scores=self.names_scores,
            reserves=self.reserves,
            judgement=self.judgement,
            facts=facts,
            score=score,
            excluded=() if silenced or without or not self.shows_all else self.excluded,
            without=without,
            number=number,
            misread=misread,
            remarks=self.remarks(verdict, score),
            detections=self.detections,
            mistakes=tuple(
                (each.focus, each.check.wording, each.error)
                for each in (*corpus, *questions, *ticks, none_of_these)
                if each and each.error
            ),
            errors=tuple(wording.score_errors(score, verdict, misread))
            if self.submitting and verdict and dimension.scores and self.may_refuse(score)
            else (),
        )
        return replace(
            row,
            own_score=self.said.answers.own_score if row.is_automatic else "",
            quiet=tuple(self.quiet(row)),
            best=tuple(self.best(row)),
            obstacles=tuple(wording.obstacles(row)),
        )

    @property
    def reserves(self) -> bool:
        """True if the row begins to show what it holds back."""
        return self.consequences == Consequences.AFTER

    @property
    def shows_all(self) -> bool:
        return self.display is Display.ALL

    def may_refuse(self, score: int | None) -> bool:
        """Return True if the row may say why a score can't be given."""
        return score is None or self.display is not Display.NOTHING

    def bars(self, score: int, headline: Headline) -> tuple[Reason, ...]:
        """Return why a score is barred."""
        return self.verdict.bars(score) if self.verdict else headline.lines

    def barring(self, score: int | None, headline: Headline) -> tuple[Reason, ...]:
        """Return why the score entered is refused."""
        if score is None or not self.may_refuse(score):
            return ()
        return self.bars(score, headline)

    def remarks(self, verdict: Verdict | None, score: int | None) -> tuple[Reason, ...]:
        """Return the remarks on the score. They can be held back until it is submitted."""
        is_late = self.display is Display.REFUSAL and self.submitting
        if verdict is None or score is None or not (self.shows_all or is_late):
            return ()
        return verdict.remarks_on(score)

    def cut(self, headline: Headline) -> Headline:
        """Return the headline without what the row may not show yet.

        Answers that contradict each other are always named: that says nothing of a score.
        """
        says_nothing = self.verdict is None or not self.verdict.is_asked
        is_closed = self.verdict is not None and not (self.verdict.open or self.verdict.missing)
        if self.shows_all or says_nothing or is_closed or not self.slot.dimension.scores:
            return headline
        return Headline("silent" if headline.tone == "silent" else "open", "")

    def best(self, row: Row) -> Iterator[str]:
        """Yield the ids of the best answers, without those that another answer or tick excludes."""
        changed = (question.check.facts for question in row.questions if question.check.best)
        for check, answer in rules.best_answers(row.dimension, row.facts.difference(*changed)):
            # Those of the whole response have their own row, and none that is hidden is answered.
            if check in row.dimension.checks and check.code in self.asking:
                yield f"{element_id(self.slot.field_of(check))}-{answer.code}"

    def quiet(self, row: Row) -> Iterator[str]:
        """Yield the ids of the scores and answers that the desk asks no verdict for.

        Such a score completes the row and has no remark; so does the answer without one, unless a
        rule forces a score. Such an answer bars and opens nothing; the desk asks all the same once
        no question is left, or a score is given. A number always needs a verdict, and so does each
        answer to an automatic score, which may need no further one. In a row that has no checks and
        no rules, the id of the scale stands for all its scores.
        """
        is_forced = self.verdict is not None and self.verdict.forced is not None
        if self.verdict is None or not self.is_alone or (row.without and is_forced):
            return
        is_bare = bool(self.verdict.open) and not (row.dimension.checks or row.dimension.rules)
        # The first score may bring what the answers do to the others.
        is_news = row.reserves and not row.names_scores
        is_judged = row.is_typed or is_bare or is_news or not row.scale
        for score in () if is_judged else self.verdict.open:
            then = replace(row, score=score, without="")
            needs_none = then.complete and not self.needs_comment(score)
            if needs_none and not self.verdict.remarks_on(score):
                yield f"{row.id}-{score}"
        if row.scale and is_bare and not row.is_typed:
            yield f"{row.id}-scale"
        elif row.dimension.blank and not is_forced and not row.is_typed:
            yield row.blank_id
        is_given = row.score is not None or bool(row.without) or is_forced
        if self.verdict.missing and not is_given and not self.submitting:
            decide = {name for check in row.dimension.checks for name in check.when.names}
            silent = (e for e in row.questions if decide.isdisjoint(e.check.facts))
            for question in silent:
                for answer in question.check.answers:
                    if self.with_answer(question.check, answer) == self.judgement:
                        yield f"{question.id}-{answer.code}"

    def needs_comment(self, score: int) -> bool:
        """Return True if a score is barred without a comment on the response."""
        if not self.slot.dimension.needs_comment:
            return False
        verdict = rules.judge(self.slot.dimension, judged(self.said).facts - {COMMENT})
        return isinstance(verdict, Verdict) and bool(verdict.bars(score))

    def with_answer(self, check: Check, answer: Answer) -> Verdict | Clashes:
        """Return the verdict as it would be with this answer, missing answers and remarks apart."""
        said = judged(self.said)
        facts = said.facts.difference(check.facts) | ({answer.sets} if answer.sets else set())
        answered = frozenset((*(said.answered or ()), check.code))
        verdict = rules.judge(self.slot.dimension, facts, answered=answered)
        if isinstance(verdict, Clashes) or self.verdict is None:
            return verdict
        return replace(verdict, missing=self.verdict.missing, remarks=self.verdict.remarks)

    def questions(self) -> Iterator[Question]:
        """Yield the questions about the target."""
        for check in self.slot.dimension.lettered:
            if check.asked and check.scope is Scope.TARGET:
                yield self.question(check)

    def corpus(self) -> Iterator[Question]:
        """Yield the questions about the corpus of its model."""
        for each in self.said.about_corpus:
            question = self.question(self.slot.dimension.check(each.check))
            yield replace(question, about_corpus=each)

    def question(self, check: Check) -> Question:
        """Return a check that must be answered."""
        missing = self.verdict.missing if self.verdict and self.submitting else ()
        lines = self.slot.persona if check.marks_persona else ()
        return Question(
            name=self.slot.field_of(check),
            check=check,
            given=self.said.answers.to(check.code),
            good=self.slot.dimension.faultless(check),
            marks=tuple(
                Mark(
                    self.slot.field_of(check, f"{LINE}{number}"),
                    number,
                    text,
                    bool(self.said.answers.to(check.code, f"{LINE}{number}")),
                )
                for number, text in enumerate(lines, start=1)
            ),
            error=self.clash_at(check) or (_("Not answered yet.") if check.code in missing else ""),
            after=self.after(check),
            excluded=frozenset(
                answer.code for answer in check.answers if self.is_excluded(answer.sets)
            ),
        )

    def ticks(self, facts: frozenset[str], silenced: bool) -> Iterator[Tick]:
        """Yield the ticks that are offered or detected."""
        asked = {detection.check.code for detection in self.detections}  # instead of the tick
        for check in self.slot.dimension.lettered:
            locked = check.kind is Kind.DETECTED
            is_offered = not (check.asked or check.code in asked or silenced)
            if (locked and check.code in facts) or (not locked and is_offered):
                yield Tick(
                    name=self.slot.field_of(check),
                    check=check,
                    checked=bool(_answer(self.said, check)),
                    good=check.code not in self.slot.dimension.faults,
                    error=self.clash_at(check),
                    after=self.after(check),
                    excluded=self.is_excluded(check.code),
                )

    def none_of_these(self, ticked: bool) -> Tick:
        """Return the tick of whoever finds no reason in the list."""
        checked = bool(self.said.answers.to(NONE_OF_THESE))
        dimension = self.slot.dimension
        is_free = not is_typed(dimension) and "0" not in digits(dimension).values()
        return Tick(
            name=self.slot.none_of_these,
            check=Check(
                code=NONE_OF_THESE,
                kind=Kind.TICK,
                wording=_("None of these"),
                key="0" if is_free else "",
            ),
            checked=checked,
            error=wording.reason_error(ticked, checked) if self.submitting else "",
        )

    def clash_at(self, check: Check) -> str:
        """Return the error at a check that contradicts others; "" for none."""
        if isinstance(self.judgement, Verdict):
            return ""
        return " ".join(
            wording.cited(clash.text, clash.clause)
            for clash in self.judgement.clashes
            if not set(check.facts).isdisjoint(clash.checks)
        )
