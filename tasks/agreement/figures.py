"""A coefficient with its interval and its numbers, or the reason why there is none.

Reasons and readings are codes; the pages make words of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tasks.agreement.arrays import Floats
from tasks.agreement.bootstrap import Coefficient, Sample, resampled, value_of
from tasks.agreement.samples import Counts, Matrix

RESAMPLES = 1000
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


class Reading(StrEnum):
    """How far one may rely on ratings that agree so well."""

    RELIABLE = "reliable"
    TENTATIVE = "tentative"
    UNRELIABLE = "unreliable"


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient's value and its 95 % interval, with the numbers behind it.

    - `low`, `high`: percentiles 2.5 and 97.5 of the resamples in which the coefficient is defined;
      `undefined` of them were left out.
    - `units`, `ratings`: the units that can be compared, and how many ratings they have.
    - `prevalence` (L): the share of each level among these ratings.
    """

    value: float
    low: float
    high: float
    undefined: int
    units: int
    ratings: int
    prevalence: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that cannot be had, and why."""

    why: Why


def figure(
    coefficient: Coefficient[Sample], sample: Sample, *, seed: int, resamples: int = RESAMPLES
) -> Figure | Missing:
    """Return the coefficient of the sample with its interval, or what is missing.

    Options of a coefficient are given by `functools.partial`. The same seed gives the same figure.
    """
    return estimates({"": coefficient}, sample, seed=seed, resamples=resamples)[""]


def estimates(
    coefficients: Mapping[str, Coefficient[Sample]],
    sample: Sample,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> dict[str, Figure | Missing]:
    """Return each coefficient of the sample as `figure` does, all from the same resamples."""
    why = _lacks(sample)
    if why is not None:
        return dict.fromkeys(coefficients, Missing(why))
    values = [value_of(each, sample) for each in coefficients.values()]
    drawn = resampled(list(coefficients.values()), sample, seed=seed, resamples=resamples)
    return {
        code: _figure(value, resamples_of, sample)
        for code, value, resamples_of in zip(coefficients, values, drawn, strict=True)
    }


def _figure(value: float, values: Floats, sample: Counts | Matrix) -> Figure | Missing:
    tally = sample.tally
    if np.isnan(value):
        return Missing(Why.ONE_CATEGORY if np.count_nonzero(tally) < 2 else Why.NO_VARIATION)
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Missing(Why.TOO_FEW_UNITS)
    low, high = np.quantile(defined, _ENDS)
    return Figure(
        value=value,
        low=float(low),
        high=float(high),
        undefined=len(values) - len(defined),
        units=sample.compared,
        ratings=int(tally.sum()),
        prevalence=tuple((tally / tally.sum()).tolist()),
    )


def reading(shown: Figure) -> Reading:
    """Return how to read a figure, by the lower end of its interval.

    From .800 on one may rely on the ratings, from .667 on draw tentative conclusions. The marks are
    for coefficients that leave out chance; percent agreement has no such reading. Krippendorff, K.
    (2004). Content Analysis, 2nd ed., page 241.
    """
    if shown.low >= 0.800:
        return Reading.RELIABLE
    if shown.low >= 0.667:
        return Reading.TENTATIVE
    return Reading.UNRELIABLE


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
