"""Types of arrays, and two helpers that all coefficients share."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotients, and NaN where the denominator is not above zero."""
    quotients = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=quotients, where=denominator > 0)
    return quotients


def midranks(margins: Floats) -> Floats:
    """Return the mean rank of the ratings on each level, less one half.

    `margins` (… × L) says how many ratings fall on each level; ratings on one level share a rank.
    """
    return np.cumsum(margins, axis=-1) - margins / 2
