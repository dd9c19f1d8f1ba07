"""Weights of agreement between two levels: 1 for the same level, less for levels further apart.

Each takes the values of the whole scale (L) and returns L × L weights, with 1 on the diagonal.
Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 3.
"""

from collections.abc import Callable

import numpy as np

from tasks.agreement.arrays import Floats

Weighing = Callable[[Floats], Floats]


def exact(levels: Floats) -> Floats:
    """Return 1 for the same level and 0 for all others."""
    return np.eye(len(levels))


def within_one(levels: Floats) -> Floats:
    """Return 1 for the same level and its neighbours on the scale, and 0 for all others."""
    places = np.arange(len(levels))
    return (abs(places[:, None] - places) <= 1).astype(float)


def linear(levels: Floats) -> Floats:
    """Return 1 less the distance, as a part of the whole scale's length."""
    distances = abs(levels[:, None] - levels)
    return 1 - distances / (distances.max() or 1)


def quadratic(levels: Floats) -> Floats:
    """Return 1 less the squared distance, as a part of the whole scale's squared length."""
    return 1 - (1 - linear(levels)) ** 2
