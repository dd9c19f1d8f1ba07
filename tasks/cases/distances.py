"""Mean distances to decided scores, with intervals. Pure.

Scores of one item go together, so an item is what varies: the mean is a ratio of two sums over
items, and its variance that of a ratio (Cochran, W. G. (1977). Sampling Techniques, 3rd ed.,
section 6.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

LEAST = 20  # scores, or decisions: fewer say nothing of a habit
LEAST_ITEMS = 8  # fewer cover the truth less often than they say
Z = 1.96


@dataclass(frozen=True, slots=True)
class MeanDistance:
    """A mean distance with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def mean_distance(numbers: Sequence[int], sums: Sequence[int]) -> MeanDistance | None:
    """Return all sums by all numbers, both by item; None if scores or items are too few.

    The interval is wider for few items: n / (n - 3) is within 4 % of n / (n - 1) times the square
    of Student's t by z.
    """
    items = len(numbers)
    total = sum(numbers)
    if total < LEAST or items < LEAST_ITEMS:
        return None
    mean = sum(sums) / total
    squares = 0.0
    for number, item_sum in zip(numbers, sums, strict=True):
        squares += (item_sum - mean * number) ** 2
    half = Z * sqrt(items / (items - 3)) * sqrt(squares) / total
    return MeanDistance(mean, mean - half, mean + half)
