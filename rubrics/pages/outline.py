"""A rubric in at most five lines, for someone who has not rated by it yet.

Home and the templates of new projects show it. `outline` has a line for each scale; for a single
scale it has lines for some of its levels too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better
from ..judging.parts import Level
from ..judging.schema import Rubric

MOST = 5  # lines


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """One line: a scale with what it asks, or a level of the only scale."""

    range: str  # "1–7" for a scale, "7" for a level
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines, and how many scales they leave out."""

    lines: tuple[OutlineLine, ...]
    more: int = 0

    @property
    def scales(self) -> tuple[OutlineLine, ...]:
        """The lines of scales, without those of levels."""
        return tuple(line for line in self.lines if "–" in line.range)


def outline(rubric: Rubric) -> Outline:
    """Return the scales of a rubric; if there is only one, also the levels that show its range."""
    dimensions = rubric.dimensions
    if len(dimensions) == 1:
        lines = [_scale(dimensions[0])]
        for level in _spread(dimensions[0], MOST - 1):
            lines.append(OutlineLine(str(level.score), level.label, level.definition))
        return Outline(tuple(lines))
    listed = dimensions
    if len(dimensions) > MOST:
        listed = dimensions[: MOST - 1]
    return Outline(tuple(map(_scale, listed)), len(dimensions) - len(listed))


def size(rubric: Rubric) -> tuple[int, int]:
    """Return how many scales and how many questions and ticks one learns: fewer are easier."""
    questions = len(rubric.checks) + sum(len(dimension.checks) for dimension in rubric.dimensions)
    return len(rubric.dimensions), questions


def scales_in_words(dimensions: tuple[Dimension, ...]) -> str:
    """Return the kinds of scales, each once: "1–7, 0–4"."""
    return ", ".join(dict.fromkeys(map(_kind_of_scale, dimensions)))


def _kind_of_scale(dimension: Dimension) -> str:
    if dimension.better is Better.NONE:
        return gettext("classes")
    if len(dimension.scores) == 2:
        return gettext("yes/no")
    return _range(dimension)


def _range(dimension: Dimension) -> str:
    return f"{dimension.lowest}–{dimension.highest}"


def _scale(dimension: Dimension) -> OutlineLine:
    return OutlineLine(_range(dimension), dimension.title, dimension.question)


def _spread(dimension: Dimension, most: int) -> Sequence[Level]:
    """Return the levels with a text of their own, from the best; evenly chosen if too many."""
    levels = [level for level in dimension.levels if not level.between]
    levels.sort(key=lambda level: dimension.goodness(level.score), reverse=True)
    if len(levels) <= most:
        return levels
    return [levels[round(position * (len(levels) - 1) / (most - 1))] for position in range(most)]
