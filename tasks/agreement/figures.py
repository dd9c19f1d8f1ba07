"""A coefficient with its interval, from resamples of units, or the reason why there is none.

Reasons and readings are codes; the pages make words of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np

from tasks.agreement.samples import Counts, Floats, Ints, Matrix

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


class Why(StrEnum):
    """A reason why there is no figure."""

    NO_RATINGS = "no ratings"
    ONE_ANNOTATOR = "one annotator"
    # No unit has ratings by two annotators, or none by all whom the sample compares.
    NO_OVERLAP = "no overlap"
    # An interval needs two units that can be compared.
    TOO_FEW_UNITS = "too few units"
    ONE_CATEGORY = "one category"
    # An annotator gave one level only, or the units' means are all the same.
    NO_VARIATION = "no variation"


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient's value and its 95 % interval.

    `low` and `high` are the percentiles 2.5 and 97.5 of the resamples in which the coefficient is
    defined; `undefined` of them were left out.
    """

    value: float
    low: float
    high: float
    undefined: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that cannot be had, and why."""

    missing: Why


def estimates(
    coefficients: Mapping[str, Coefficient[Sample]],
    sample: Sample,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Figure | Missing]:
    """Return each coefficient with its interval, or what is missing, all from the same resamples.

    Options of a coefficient are given by `functools.partial`. The same seed gives the same figures.
    """
    why = _lacks(sample)
    if why is not None:
        return dict.fromkeys(coefficients, Missing(why))
    values = [value_of(each, sample) for each in coefficients.values()]
    drawn = _resampled(list(coefficients.values()), sample, seed=seed, resamples=resamples)
    return {
        code: _figure(value, resamples_of, sample)
        for code, value, resamples_of in zip(coefficients, values, drawn, strict=True)
    }


def _figure(value: float, values: Floats, sample: Counts | Matrix) -> Figure | Missing:
    if np.isnan(value):
        used = np.count_nonzero(sample.tally)
        return Missing(Why.ONE_CATEGORY if used < 2 else Why.NO_VARIATION)
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Missing(Why.TOO_FEW_UNITS)
    # As `np.quantile` does, which takes ten times as long for so few.
    low, high = np.interp(_ENDS, np.linspace(0, 1, len(defined)), np.sort(defined))
    return Figure(value, float(low), float(high), undefined=len(values) - len(defined))


def reading(shown: Figure) -> str:
    """Return how far one may rely on ratings, by the lower end of the figure's interval.

    From .800 on one may rely on the ratings, from .667 on draw tentative conclusions. The marks are
    for coefficients that leave out chance; percent agreement has no such reading. Krippendorff, K.
    (2004). Content Analysis, 2nd ed., page 241.
    """
    marks = {0.800: "reliable", 0.667: "tentative"}
    return next((read for mark, read in marks.items() if shown.low >= mark), "unreliable")


def _lacks(sample: Sample) -> Why | None:
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
    return float(coefficient(sample, sample.units[None, :].astype(float))[0])


def _resampled(
    coefficients: Sequence[Coefficient[Sample]], sample: Sample, *, seed: int, resamples: int
) -> list[Floats]:
    """Return each coefficient of each resample, NaN where it is undefined.

    A resample draws as many units as there are, with replacement. Efron, B. (1979), Annals of
    Statistics 7, 1-26.
    """
    values = [
        [each(sample, draws) for each in coefficients]
        for draws in draws_of(sample.units, len(sample.levels) ** 2, seed=seed, resamples=resamples)
    ]
    return [np.concatenate(each) for each in zip(*values, strict=True)]


def draws_of(
    units: Ints, largest: int = 1, *, seed: int = SEED, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """Yield chunks of draws (r × P) until there are as many rows as resamples.

    `units` (P) have each pattern; `largest` is the most numbers made of one resample. A binomial
    costs as much as some sixteen units do. So the units of rare patterns are drawn one by one, as
    many as one multinomial says that also draws all other patterns: together they are one.
    """
    common, single = np.random.default_rng(seed).spawn(2)
    rare, total, size = units < RARE, units.sum(), len(units)
    pattern = np.repeat(np.arange(size), units * rare)  # of each unit of a rare one
    step = max(1, MOST_AT_ONCE // max(size, largest, len(pattern)))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = common.multinomial(total, np.append(units[~rare], len(pattern)) / total, size=rows)
        draws = np.bincount(
            np.repeat(np.arange(0, rows * size, size), drawn[:, -1])
            + pattern[single.integers(0, len(pattern), drawn[:, -1].sum())],
            minlength=rows * size,
        ).reshape(rows, size)
        draws[:, ~rare] = drawn[:, :-1]
        yield draws.astype(float)
