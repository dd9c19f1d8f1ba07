"""Intraclass correlation of annotators who all rated the same units.

Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater reliability.
Psychological Bulletin 86, 420-428.
"""

from typing import Literal

import numpy as np

from tasks.agreement.arrays import Floats, ratio
from tasks.agreement.samples import Matrix

# Sums of squares below this part of all squares are rounding. With whole numbers there is none.
_ROUNDING = 1e-12


def icc(
    matrix: Matrix, draws: Floats, model: Literal[1, 2, 3] = 2, *, average: bool = False
) -> Floats:
    """Return ICC(model,1), or ICC(model,k) for the mean of the k annotators' ratings.

    - Model 1: each unit has annotators of its own, so differences between them are error.
    - Model 2: the annotators are a random sample, and their differences count (absolute agreement).
    - Model 3: these annotators are all there are, and their differences don't count (consistency).

    Two annotators and two units are needed. It is undefined if nothing varies that it compares.
    """
    mean_units, mean_within, mean_annotators, mean_error = _mean_squares(matrix, draws)
    k, n = matrix.annotators, draws.sum(axis=1)
    noise = mean_within if model == 1 else mean_error
    between = (mean_annotators - mean_error) / n if model == 2 else np.zeros(len(draws))
    whole = mean_units + (between if average else (k - 1) * noise + k * between)
    return ratio(mean_units - noise, whole)


def _mean_squares(matrix: Matrix, draws: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the mean squares between units, within, between annotators, and of error (each R).

    Shrout & Fleiss (1979), table 3: BMS, WMS, JMS and EMS, all of them times the number of ratings.
    This factor cancels in every coefficient, and keeps sums of whole numbers exact.
    """
    k, n = matrix.annotators, draws.sum(axis=1)
    values = matrix.levels[matrix.patterns]
    of_unit = values.sum(axis=1)
    # One product of matrices: the draws are large, and each reading of them takes its time.
    squares = (values**2).sum(axis=1)
    totals = draws @ np.column_stack([of_unit, of_unit**2, squares, values])
    grand = totals[:, 0] ** 2
    everything = k * n * totals[:, 2]
    units = n * totals[:, 1] - grand
    annotators = k * (totals[:, 3:] ** 2).sum(axis=1) - grand
    error = everything - grand - units - annotators
    units, annotators, error = (
        np.where(each > _ROUNDING * everything, each, 0) for each in (units, annotators, error)
    )
    return (
        units / (n - 1),
        (annotators + error) / (n * (k - 1)),
        annotators / (k - 1),
        error / ((n - 1) * (k - 1)),
    )
