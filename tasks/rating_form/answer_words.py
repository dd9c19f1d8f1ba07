"""Ratings in words: scores and their answers, comments, and the claims that were looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from rubrics.schema import Dimension
from tasks.answers import NONE_OF_THESE, TICKED, SlotAnswers
from tasks.models import FactCheck, Rating

from .fields import Target


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """A score in one dimension, and the answers and ticks given with it."""

    dimension: str
    score: int | None
    label: str  # the name of the score's level
    answers: tuple[tuple[str, str], ...]  # (check, answer), with "" for the answer of a tick

    @classmethod
    def of(cls, dimension: Dimension, score: int | None, given: SlotAnswers) -> ScoreWords:
        """Put a score in words, with the answers given with it."""
        label = "" if score is None else dimension.level(score).label
        return cls(dimension.title, score, label, tuple(_answers(dimension, given)))

    @property
    def said(self) -> tuple[str, ...]:
        """The answers and ticks, one text each."""
        return tuple(": ".join(filter(None, pair)) for pair in self.answers)


@dataclass(frozen=True, slots=True)
class SaidTarget:
    """Everything that a rating says about a response or a candidate set."""

    target: Target
    scores: Mapping[str, ScoreWords] = field(default_factory=dict)  # by dimension
    comment: str = ""
    claims: tuple[str, ...] = ()


def said_by(rating: Rating) -> dict[int | str, SaidTarget]:
    """Put a stored rating in words: the responses as they were shown, then the candidate sets.

    The key is the primary key of a response, or the model of a candidate set.
    """
    dimensions = {dimension.code: dimension for dimension in rating.rubric.schema.dimensions}
    scores: dict[int | str, dict[str, ScoreWords]] = defaultdict(dict)
    for score in rating.scores.all():
        given = SlotAnswers.stored(score.value, score.checks)
        scores[score.target][score.dimension] = ScoreWords.of(
            dimensions[score.dimension], score.value, given
        )
    claims: dict[int, tuple[str, ...]] = defaultdict(tuple)
    for fact in rating.fact_checks.all():
        claims[fact.response_id] += (claim_in_words(fact.claim, fact.outcome, fact.sources),)
    said: dict[int | str, SaidTarget] = {
        placed.response_id: SaidTarget(
            Target(f"r{placed.position}"),
            scores[placed.response_id],
            placed.comment,
            claims[placed.response_id],
        )
        for placed in rating.placements.all()
    }
    for score in rating.scores.all():
        if score.response_id is None:
            said[score.model] = SaidTarget(Target(f"s{score.position}"), scores[score.model])
    return said


def claim_in_words(claim: str, outcome: str, sources: str) -> str:
    """Return a claim with its outcome and its sources in one line."""
    label = str(dict(FactCheck.Outcome.choices).get(outcome, ""))
    parts = (claim, label, *sources.splitlines())
    return " · ".join(filter(None, map(str.strip, parts)))


def _answers(dimension: Dimension, said: SlotAnswers) -> Iterator[tuple[str, str]]:
    """Yield the answers in the rubric's order, without the ticks that were not set."""
    checks = said.checks
    for check in dimension.checks:
        given = checks.get(check.code, "")
        if check.asked and given:
            wordings = {answer.code: answer.wording for answer in check.answers}
            # Only in rows that were changed by hand.
            unknown = _("“%(answer)s”, which the rubric does not have") % {"answer": given}
            answer = wordings.get(given, unknown)
            if lines := ", ".join(map(str, said.lines(check.code))):
                answer = _("%(answer)s (lines %(lines)s)") % {"answer": answer, "lines": lines}
            yield check.wording, answer
        elif given:
            yield check.wording, "" if given == TICKED else _("no")
    if said.to(NONE_OF_THESE):
        yield _("None of these"), ""
