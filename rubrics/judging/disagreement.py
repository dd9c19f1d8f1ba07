"""From which spread on the scores of one target differ. Pure.

A spread is the distance between the lowest and the highest score that people gave. Classes have a
spread of 1 if they are not the same. A project may set another threshold for a dimension.
"""

from collections.abc import Mapping
from math import ceil

from .dimension import Dimension
from .kinds import Better
from .schema import Rubric

USUAL_THRESHOLD = 2
ANY_DIFFERENCE = 1
MOST_USUAL_LEVELS = 11  # more of them, and two people hardly ever give the same score


def usual_threshold(dimension: Dimension) -> int:
    """Return the spread from which scores differ, where a project says nothing else.

    Any difference counts for classes and for two levels. On more than eleven levels it is a tenth
    of the range, else 2.
    """
    levels = len(dimension.scores)
    if dimension.better is Better.NONE or levels == 2:
        return ANY_DIFFERENCE
    if levels > MOST_USUAL_LEVELS:
        return ceil((levels - 1) / 10)
    return USUAL_THRESHOLD


def largest_spread(dimension: Dimension) -> int:
    """Return the largest spread that scores can have."""
    if dimension.better is Better.NONE:
        return ANY_DIFFERENCE
    return len(dimension.scores) - 1


def thresholds_of(rubric: Rubric, chosen: Mapping[str, int]) -> dict[str, int]:
    """Return the threshold of each dimension with scores: the chosen one, else the usual one."""
    thresholds = {}
    for dimension in rubric.dimensions:
        if dimension.scores:
            usual = usual_threshold(dimension)
            thresholds[dimension.code] = chosen.get(dimension.code, usual)
    return thresholds
