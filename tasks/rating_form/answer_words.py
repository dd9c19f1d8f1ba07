"""A score and its answers in words, from the codes that are stored with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rubrics.schema import Dimension

from .fields import NONE_OF_THESE, TICKED


@dataclass(frozen=True, slots=True)
class ScoreWords:
    """A score in one dimension, and the answers and ticks given with it."""

    dimension: str
    score: str  # "–" for none
    label: str  # the name of the score's level
    answers: tuple[tuple[str, str], ...]  # (check, answer), with "" for the answer of a tick

    @classmethod
    def of(cls, dimension: Dimension, score: int | None, checks: Mapping[str, str]) -> ScoreWords:
        """Put a score in words, with the answers by the code of their check."""
        said = tuple(_answers(dimension, checks))
        if score is None:
            return cls(dimension.title, "–", "", said)
        return cls(dimension.title, str(score), dimension.level(score).label, said)

    @property
    def said(self) -> tuple[str, ...]:
        """The answers and ticks, one text each."""
        return tuple(": ".join(filter(None, pair)) for pair in self.answers)


def _answers(dimension: Dimension, checks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the answers in the rubric's order, without the ticks that were not set."""
    for check in dimension.checks:
        given = checks.get(check.code, "")
        if check.asked and given:
            wordings = {answer.code: answer.wording for answer in check.answers}
            # Only in rows that were changed by hand.
            unknown = _("“%(answer)s”, which the rubric does not have") % {"answer": given}
            answer = wordings.get(given, unknown)
            if lines := checks.get(f"{check.code}.lines", "").replace(",", ", "):
                answer = _("%(answer)s (lines %(lines)s)") % {"answer": answer, "lines": lines}
            yield check.wording, answer
        elif given:
            yield check.wording, "" if given == TICKED else _("no")
    if NONE_OF_THESE in checks:
        yield _("None of these"), ""
