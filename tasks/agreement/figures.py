"""A coefficient with its interval, from resamples of units, or the reason why there is none.

Reasons and readings are codes; the pages make words of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from tasks.agreement.samples import Counts, Floats, Ints, Matrix
from tasks.agreement.stored import Estimate, Figure, Missing, Why

Sample = TypeVar("Sample", Counts, Matrix)
Coefficient = Callable[[Sample, Floats], Floats]

RESAMPLES = 1000
SEED = 7  # the same seed gives the same resamples
# The largest array of a chunk of resamples, in numbers of 8 bytes. The chunks follow one another in
# one stream of random numbers, so their size changes no result. Larger ones leave the processor's
# cache and take longer; smaller ones are too many.
MOST_AT_ONCE = 300_000
RARE = 16  # units; a pattern with fewer is rare
_ENDS = (0.025, 0.975)


def estimates(
    coefficients: Mapping[str, Coefficient[Sample]],
    sample: Sample,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Estimate]:
    """Return each coefficient with its interval, or what is missing, all from the same resamples.

    Options of a coefficient are given by `functools.partial`. The same seed gives the same figures.
    """
    lack = _lack_of(sample)
    if lack is not None:
        return dict.fromkeys(coefficients, Missing(lack))
    functions = list(coefficients.values())
    values = [value_of(function, sample) for function in functions]
    resampled = _resampled(functions, sample, seed=seed, resamples=resamples)
    by_code: dict[str, Estimate] = {}
    for code, value, others in zip(coefficients, values, resampled, strict=True):
        by_code[code] = _estimate(value, others, sample)
    return by_code


def _estimate(value: float, resampled: Floats, sample: Counts | Matrix) -> Estimate:
    """Return the figure of a sample's value and of those of its resamples."""
    if np.isnan(value):
        used = np.count_nonzero(sample.tally)
        return Missing(Why.ONE_CATEGORY if used < 2 else Why.NO_VARIATION)
    is_undefined = np.isnan(resampled)
    defined = resampled[~is_undefined]
    if not len(defined):
        return Missing(Why.TOO_FEW_UNITS)
    # As `np.quantile` does, which takes ten times as long for so few.
    positions = np.linspace(0, 1, len(defined))
    low, high = np.interp(_ENDS, positions, np.sort(defined))
    undefined = len(resampled) - len(defined)
    return Figure(value, float(low), float(high), undefined)


def reading(figure: Figure) -> str:
    """Return how far one may rely on ratings, by the lower end of the figure's interval.

    From .800 on one may rely on the ratings, from .667 on draw tentative conclusions. The marks are
    for coefficients that leave out chance; percent agreement has no such reading. Krippendorff, K.
    (2004). Content Analysis, 2nd ed., page 241.
    """
    if figure.low >= 0.800:
        return "reliable"
    if figure.low >= 0.667:
        return "tentative"
    return "unreliable"


def _lack_of(sample: Sample) -> Why | None:
    """Return what a sample lacks for any coefficient at all, else None."""
    if sample.annotators == 0:
        return Why.NO_RATINGS
    if sample.annotators == 1:
        return Why.ONE_ANNOTATOR
    if sample.compared == 0:
        return Why.NO_OVERLAP
    if sample.compared == 1:
        return Why.TOO_FEW_UNITS
    return None


def value_of(coefficient: Coefficient[Sample], sample: Sample) -> float:
    """Return the coefficient of the sample as it is, or NaN."""
    as_it_is = sample.units[None, :].astype(float)
    (value,) = coefficient(sample, as_it_is)
    return float(value)


def _resampled(
    coefficients: Sequence[Coefficient[Sample]], sample: Sample, *, seed: int, resamples: int
) -> list[Floats]:
    """Return each coefficient of each resample, NaN where it is undefined.

    A resample draws as many units as there are, with replacement. Efron, B. (1979), Annals of
    Statistics 7, 1-26.
    """
    cells = len(sample.levels) ** 2
    chunks: list[list[Floats]] = [[] for _coefficient in coefficients]
    for draws in draws_of(sample.units, cells, seed=seed, resamples=resamples):
        for coefficient, values in zip(coefficients, chunks, strict=True):
            values.append(coefficient(sample, draws))
    return [np.concatenate(values) for values in chunks]


def draws_of(
    units: Ints, largest: int = 1, *, seed: int = SEED, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """Yield chunks of draws (r × P) until there are as many rows as resamples.

    `units` (P) have each pattern; `largest` is the most numbers made of one resample. A binomial
    costs as much as some sixteen units do. So the units of rare patterns are drawn one by one, as
    many as one multinomial says that also draws all other patterns: together they are one.
    """
    common, single = np.random.default_rng(seed).spawn(2)
    total = units.sum()
    size = len(units)
    is_rare = units < RARE
    pattern_of_unit = np.repeat(np.arange(size), units * is_rare)  # of the units of rare patterns
    rare = len(pattern_of_unit)
    shares = np.append(units[~is_rare], rare) / total
    step = max(1, MOST_AT_ONCE // max(size, largest, rare))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        numbers = common.multinomial(total, shares, size=rows)
        rare_in_row = numbers[:, -1]
        begins = np.arange(0, rows * size, size)  # of the rows, in one line
        single_units = single.integers(0, rare, rare_in_row.sum())
        cells = np.repeat(begins, rare_in_row) + pattern_of_unit[single_units]
        flat = np.bincount(cells, minlength=rows * size)
        draws = flat.reshape(rows, size)
        draws[:, ~is_rare] = numbers[:, :-1]
        yield draws.astype(float)
