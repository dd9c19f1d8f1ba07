"""Scores as coloured badges."""

from typing import NamedTuple

from rubrics.judging.dimension import Dimension
from rubrics.judging.scales import SIGN, shade


class Badge(NamedTuple):
    """A score and its colour. The answer without a score has a sign, and the colour 0."""

    value: int | str
    colour: int | str


def badge_of(dimension: Dimension, value: int | None) -> Badge:
    """Return the badge of a score, or of the answer without one."""
    if value is None:
        return Badge(SIGN, 0)
    return Badge(value, shade(dimension, value))
