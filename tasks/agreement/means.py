"""Mean scores of models and their differences, each with an interval from resamples of items.

Scores of one item go together: a hard item is hard for all who rate it. So a resample draws items,
each with all scores that it got. The annotators stay as they are: an interval says how far a mean
may lie from that over all such items, as these annotators score them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from rubrics.schema import Better
from tasks.agreement.figures import draws_of
from tasks.agreement.samples import Floats, Ints, Scores

LEAST_ITEMS = 8  # fewer cover the truth less often than they say


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True, slots=True)
class OfModel:
    """The mean of a model's scores, and its difference to the model with the best mean.

    None stands where the items are too few, and for classes. The best itself has no difference.
    """

    mean: Mean | None
    difference: Mean | None
    is_best: bool


def means_of(scores: Scores, items: Ints, better: Better = Better.HIGH) -> Iterator[OfModel]:
    """Yield the mean of each model, in the order of their numbers. `items`: that of each score.

    On an item that two models share, they differ by their mean scores there. That item counts by
    the harmonic mean of their numbers of scores (Mantel & Haenszel). So where both have the same
    numbers everywhere, the difference is that of the means.
    """
    distinct, item = np.unique(items, return_inverse=True)
    values = scores.scale[scores.value]

    def by_item(model: int) -> tuple[Floats, Floats]:
        rows = (scores.model == model) & (better is not Better.NONE)
        return (
            np.bincount(item[rows], minlength=len(distinct)).astype(float),
            np.bincount(item[rows], values[rows], minlength=len(distinct)).astype(float),
        )

    models = np.unique(scores.model).tolist()
    means = {model: mean_over_items(*by_item(model)) for model in models}
    heights = {model: mean.value for model, mean in means.items() if mean}
    best = (min if better is Better.LOW else max)(
        heights, key=lambda model: heights[model], default=-1
    )
    numbers, sums = by_item(best)
    for model in models:
        own, total = by_item(model)
        both = np.maximum(own + numbers, 1)
        apart = mean_over_items(2 * own * numbers / both, 2 * (total * numbers - sums * own) / both)
        yield OfModel(means[model], None if model == best else apart, model == best)


def mean_over_items(numbers: Floats, sums: Floats) -> Mean | None:
    """Return all sums by all numbers, with an interval from resamples of the items.

    Both are by item; items whose number is 0 are left out. Items with the same pair are one pattern
    and drawn together.

    Percentiles of resamples are too narrow where items are few. They are moved outward by as much
    as an interval by Student's t is wider. Hesterberg, T. C. (2015), The American Statistician 69,
    371-386.
    """
    there = numbers > 0
    # A complex number holds a pair, and is sorted a hundred times faster than a row.
    pairs, items = np.unique(numbers[there] + 1j * sums[there], return_counts=True)
    number = int(items.sum())
    if number < LEAST_ITEMS:
        return None
    # n / (n - 3) is within 4 % of the square of t / z times n / (n - 1).
    end = NormalDist().cdf(-1.96 * sqrt(number / (number - 3)))
    ratios = [
        draws @ pairs.imag / (draws @ pairs.real)
        for draws in (items[None, :].astype(float), *draws_of(items))  # themselves first
    ]
    value, *resampled = np.concatenate(ratios).tolist()
    low, high = np.quantile(resampled, (end, 1 - end)).tolist()
    return Mean(value, low, high, number)
