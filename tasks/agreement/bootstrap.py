"""Resamples of units, drawn as numbers of patterns: the same for the same seed."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from tasks.agreement.arrays import Floats
from tasks.agreement.samples import Counts, Matrix

Sample = TypeVar("Sample", Counts, Matrix)
Coefficient = Callable[[Sample, Floats], Floats]

# The largest array of a chunk of resamples, in numbers of 8 bytes. The chunks follow one another in
# one stream of random numbers, so their size changes no result.
MOST_AT_ONCE = 2_000_000


def value_of(coefficient: Coefficient[Sample], sample: Sample) -> float:
    """Return the coefficient of the sample as it is, or NaN."""
    return float(coefficient(sample, sample.units[None, :].astype(float))[0])


def resampled(
    coefficients: Sequence[Coefficient[Sample]], sample: Sample, *, seed: int, resamples: int
) -> list[Floats]:
    """Return each coefficient of each resample, NaN where it is undefined.

    A resample draws as many units as there are, with replacement. Efron, B. (1979), Annals of
    Statistics 7, 1-26.
    """
    values = [
        [each(sample, draws) for each in coefficients] for draws in _draws(sample, seed, resamples)
    ]
    return [np.concatenate(each) for each in zip(*values, strict=True)]


def _draws(sample: Sample, seed: int, resamples: int) -> Iterator[Floats]:
    """Yield chunks of draws (r × P) until there are as many rows as resamples."""
    generator = np.random.default_rng(seed)
    total = sample.units.sum()
    step = max(1, MOST_AT_ONCE // max(len(sample.units), len(sample.levels) ** 2))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        yield generator.multinomial(total, sample.units / total, size=rows).astype(float)
