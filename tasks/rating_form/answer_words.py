"""A score and its answers in words, from the codes that are stored with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rubrics.schema import Dimension
from tasks.answers import NONE_OF_THESE, TICKED, SlotAnswers


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """A score in one dimension, and the answers and ticks given with it."""

    dimension: str
    score: str  # "–" for none
    label: str  # the name of the score's level
    answers: tuple[tuple[str, str], ...]  # (check, answer), with "" for the answer of a tick

    @classmethod
    def of(cls, dimension: Dimension, score: int | None, given: SlotAnswers) -> ScoreWords:
        """Put a score in words, with the answers given with it."""
        said = tuple(_answers(dimension, given))
        if score is None:
            return cls(dimension.title, "–", "", said)
        return cls(dimension.title, str(score), dimension.level(score).label, said)

    @classmethod
    def stored(cls, dimension: Dimension, value: int, checks: Mapping[str, str]) -> ScoreWords:
        """Put a stored score in words."""
        return cls.of(dimension, value, SlotAnswers.stored(value, checks))

    @property
    def said(self) -> tuple[str, ...]:
        """The answers and ticks, one text each."""
        return tuple(": ".join(filter(None, pair)) for pair in self.answers)


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
