"""Samples of ratings that are spelt out: a row for each unit, None where someone did not rate."""

from collections.abc import Sequence

import numpy as np

from tasks.agreement.figures import RESAMPLES, Coefficient, Sample, estimates
from tasks.agreement.samples import Counts, Matrix
from tasks.agreement.stored import Estimate, Figure, Missing

Rows = Sequence[Sequence[float | None]]

# Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability: his four observers and twelve
# units, one of them with one value. The interval α is .849.
OBSERVED: Rows = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]


def had(estimate: Estimate) -> Figure:
    """Return a figure that must be one."""
    assert isinstance(estimate, Figure)
    return estimate


def counts_of(rows: Rows, levels: Sequence[float]) -> Counts:
    patterns = [[list(row).count(level) for level in levels] for row in rows]
    rated = [any(each is not None for each in column) for column in zip(*rows, strict=True)]
    return Counts(
        np.array(levels, dtype=np.float64),
        np.array(patterns, dtype=np.int64).reshape(len(rows), len(levels)),
        np.ones(len(rows), dtype=np.int64),
        sum(rated),
    )


def matrix_of(rows: Rows, levels: Sequence[float]) -> Matrix:
    """The units that all rated."""
    positions = [[list(levels).index(each) for each in row if each is not None] for row in rows]
    width = max(map(len, rows), default=2)
    complete = [row for row in positions if len(row) == width]
    return Matrix(
        np.array(levels, dtype=np.float64),
        np.array(complete, dtype=np.int64).reshape(len(complete), width),
        np.ones(len(complete), dtype=np.int64),
    )


def figure(
    coefficient: Coefficient[Sample], sample: Sample, *, seed: int, resamples: int = RESAMPLES
) -> Figure | Missing:
    return estimates({"": coefficient}, sample, seed=seed, resamples=resamples)[""]
