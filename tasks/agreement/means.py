"""Mean scores of models and their differences, each with an interval from resamples of items.

Scores of one item go together: a hard item is hard for all who rate it. So a resample draws items,
each with all scores that it got. The annotators stay as they are: an interval says how far a mean
may lie from that over all such items, as these annotators score them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rubrics.judging.kinds import Better
from tasks.agreement.figures import draws_of
from tasks.agreement.samples import Floats, Ints, Scores
from tasks.agreement.stored import Mean

LEAST_ITEMS = 8  # fewer cover the truth less often than they say
NO_MODEL = -1  # the best of models without a mean; models are counted from 0


@dataclass(frozen=True, slots=True)
class OfModel:
    """The mean of a model's scores, and its difference to the model with the best mean.

    None stands where the items are too few, and for classes. The best itself has no difference.
    """

    mean: Mean | None
    difference: Mean | None
    is_best: bool


class ItemSums(NamedTuple):
    """The scores of a model on each item: how many, and their sum."""

    numbers: Floats
    sums: Floats


def means_of(scores: Scores, item_numbers: Ints, better: Better = Better.HIGH) -> Iterator[OfModel]:
    """Yield the mean of each model, in the order of their numbers.

    `item_numbers`: the number of each score's item.

    On an item that two models share, they differ by their mean scores there. That item counts by
    the harmonic mean of their numbers of scores (Mantel & Haenszel). So where both have the same
    numbers everywhere, the difference is that of the means.
    """
    distinct, item = np.unique(item_numbers, return_inverse=True)
    values = scores.scale[scores.value]
    models = np.unique(scores.model).tolist()
    by_model: dict[int, ItemSums] = {}
    for model in (*models, NO_MODEL):
        rows = (scores.model == model) & (better is not Better.NONE)
        by_model[model] = _sums_by_item(item[rows], values[rows], len(distinct))
    means = {model: mean_over_items(*by_model[model]) for model in models}
    best = _best_model(means, better)
    for model in models:
        difference = None
        if model != best:
            difference = _mean_difference(by_model[model], by_model[best])
        yield OfModel(means[model], difference, model == best)


def _best_model(means: Mapping[int, Mean | None], better: Better) -> int:
    values = {model: mean.value for model, mean in means.items() if mean}
    if not values:
        return NO_MODEL
    choose = min if better is Better.LOW else max
    return choose(values, key=lambda model: values[model])


def _sums_by_item(item_numbers: Ints, score_values: Floats, items: int) -> ItemSums:
    numbers = np.bincount(item_numbers, minlength=items)
    sums = np.bincount(item_numbers, score_values, minlength=items)
    return ItemSums(numbers.astype(float), sums.astype(float))


def _mean_difference(model: ItemSums, best_model: ItemSums) -> Mean | None:
    """Return the mean of a model less that of the best, over the items that both have."""
    both = np.maximum(model.numbers + best_model.numbers, 1)
    weights = 2 * model.numbers * best_model.numbers / both
    differences = model.sums * best_model.numbers - best_model.sums * model.numbers
    return mean_over_items(weights, 2 * differences / both)


def mean_over_items(numbers: Floats, sums: Floats) -> Mean | None:
    """Return all sums by all numbers, with an interval from resamples of the items.

    Both are by item; items whose number is 0 are left out. Items with the same pair are one pattern
    and drawn together.

    Percentiles of resamples are too narrow where items are few. They are moved outward by as much
    as an interval by Student's t is wider. Hesterberg, T. C. (2015), The American Statistician 69,
    371-386.
    """
    is_scored = numbers > 0
    # A complex number holds a pair, and is sorted a hundred times faster than a row.
    pairs_of_items = numbers[is_scored] + 1j * sums[is_scored]
    pairs, items = np.unique(pairs_of_items, return_counts=True)
    number = int(items.sum())
    if number < LEAST_ITEMS:
        return None
    # n / (n - 3) is within 4 % of the square of t / z times n / (n - 1).
    end = NormalDist().cdf(-1.96 * sqrt(number / (number - 3)))
    themselves = items[None, :].astype(float)
    chunks = [_ratios(pairs, draws) for draws in (themselves, *draws_of(items))]
    value, *resampled = np.concatenate(chunks).tolist()
    low, high = np.quantile(resampled, (end, 1 - end)).tolist()
    return Mean(value, low, high, number)


def _ratios(sums_and_numbers: npt.NDArray[np.complex128], draws: Floats) -> Floats:
    """Return the quotients of sums and numbers, one for each draw."""
    numbers = draws @ sums_and_numbers.real
    sums = draws @ sums_and_numbers.imag
    return np.asarray(sums / numbers, dtype=np.float64)
