"""Stored ratings in words: scores with their answers, comments and claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Without
from rubrics.judging.parts import Check
from rubrics.pages.rule_sentences import rule_in_words
from tasks.answers.slot_answers import TICKED, WHOLE, SlotAnswers
from tasks.models import FactCheck, Rating

from .fields import Target


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """A score in one dimension, and the answers and ticks given with it."""

    dimension: str
    score: int | None
    label: str  # the name of the score's level, or of the answer without a score
    answer_pairs: tuple[tuple[str, str], ...]  # (check, answer), with "" for the answer of a tick
    breaks: tuple[str, ...] = ()  # the rules that an imported score breaks

    @classmethod
    def of(
        cls,
        dimension: Dimension,
        score: int | None,
        answers: SlotAnswers,
        without: str = "",
        breaks: tuple[str, ...] = (),
        *,
        best: bool = True,
    ) -> ScoreWords:
        """Put a score in words, with the answers stored with it; `without`: why there is none.

        `best`: with the best answers too.
        """
        label = ""
        if score is not None:
            label = dimension.level(score).label
        elif without:
            reasons = {Without.BLANK: dimension.blank, Without.NOT_ASKED: _("not asked")}
            label = reasons[Without(without)]
        pairs = tuple(_answers_in_words(dimension, answers, best=best))
        return cls(dimension.title, score, label, pairs, breaks)

    @property
    def answers_in_words(self) -> dict[str, str]:
        """The answers by their check, without the ticks."""
        return {check: answer for check, answer in self.answer_pairs if answer}

    @property
    def ticks(self) -> dict[str, None]:
        """The checks that are ticked.

        They are equal in any order, which another version of the rubric may have.
        """
        return {check: None for check, answer in self.answer_pairs if not answer}

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """The answers and ticks, one text each."""
        return tuple(": ".join(filter(None, pair)) for pair in self.answer_pairs)


NO_SCORE = ScoreWords("", None, "", ())  # by a rating of what a dimension lacks


@dataclass(frozen=True, slots=True)
class TargetInWords:
    """Everything that a rating says about a response or a candidate set."""

    target: Target
    words_by_dimension: Mapping[str, ScoreWords] = field(default_factory=dict)
    comment: str = ""
    claims: tuple[str, ...] = ()


def rating_in_words(rating: Rating, *, best: bool = True) -> dict[int | str, TargetInWords]:
    """Put a stored rating in words: the responses as they were shown, then the candidate sets.

    The key is the primary key of a response, or the model of a candidate set. `best`: with the best
    answers too.
    """
    scores = _scores_in_words(rating, best=best)
    claims: dict[int, tuple[str, ...]] = defaultdict(tuple)
    for fact in rating.fact_checks.all():
        words = claim_in_words(fact.claim, fact.outcome, fact.sources)
        claims[fact.response_id] += (words,)
    targets_in_words: dict[int | str, TargetInWords] = {}
    for placement in rating.placements.all():
        pk = placement.response_id
        target = Target(f"r{placement.position}")
        targets_in_words[pk] = TargetInWords(target, scores[pk], placement.comment, claims[pk])
    for score in rating.scores.all():
        if score.response_id is None:
            target = Target(f"s{score.position}")
            targets_in_words[score.model] = TargetInWords(target, scores[score.model])
    return targets_in_words


def _scores_in_words(rating: Rating, *, best: bool) -> dict[int | str, dict[str, ScoreWords]]:
    """Return the words of each score by target and dimension, those of whole responses too."""
    rubric = rating.rubric.schema
    dimensions = {dimension.code: dimension for dimension in rubric.dimensions}
    words_by_target: dict[int | str, dict[str, ScoreWords]] = defaultdict(dict)
    for score in rating.scores.all():
        answers = SlotAnswers.stored(score.value, score.checks)
        dimension = dimensions[score.dimension]
        breaks = tuple(rule_in_words(rubric, dimension, rule) for rule in score.breaks)
        in_words = ScoreWords.of(dimension, score.value, answers, score.without, breaks, best=best)
        words_by_target[score.target][score.dimension] = in_words
    for placement in rating.placements.all():
        if placement.checks:
            answers = SlotAnswers.stored(None, placement.checks)
            in_words = ScoreWords.of(rubric.whole_response, None, answers, best=best)
            words_by_target[placement.response_id][WHOLE] = in_words
    return words_by_target


def claim_in_words(claim: str, outcome: str, sources: str) -> str:
    """Return a claim with its outcome and its sources in one line."""
    labels = dict(FactCheck.Outcome.choices)
    label = str(labels.get(outcome, ""))
    parts = (claim, label, *sources.splitlines())
    return " · ".join(filter(None, map(str.strip, parts)))


def _answers_in_words(
    dimension: Dimension, answers: SlotAnswers, *, best: bool
) -> Iterator[tuple[str, str]]:
    """Yield the answers in the rubric's order, without the ticks that were not set."""
    checks = answers.checks
    for check in dimension.checks:
        code = checks.get(check.code, "")
        if not code or (code == check.best and not best):
            continue
        if check.needs_answer:
            lines = answers.lines(check.code)
            yield check.wording, _answer_in_words(check, code, lines)
        else:
            yield check.wording, "" if code == TICKED else _("no")


def _answer_in_words(check: Check, code: str, line_numbers: list[int]) -> str:
    words = wording_of_answer(check, code)
    if not words:  # only in rows that were changed by hand
        words = _("“%(answer)s”, which the rubric does not have") % {"answer": code}
    if not line_numbers:
        return words
    numbers = ", ".join(map(str, line_numbers))
    return _("%(answer)s (lines %(lines)s)") % {"answer": words, "lines": numbers}


def wording_of_answer(check: Check, code: str) -> str:
    """Return an answer in the rubric's words; "" if the rubric does not have it."""
    wordings = {answer.code: answer.wording for answer in check.answers}
    return wordings.get(code, "")


def align_answers(sides: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield all that any side answers: what it is about, and the answer of each side."""
    for about in dict.fromkeys(chain.from_iterable(sides)):
        yield about, [side.get(about, "") for side in sides]
