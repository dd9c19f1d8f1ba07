"""Coefficients for any number of annotators, who may differ from unit to unit.

Each takes `Counts` and draws (R × P), and returns R values, NaN where the coefficient is undefined.
"""

from collections.abc import Callable

import numpy as np

from tasks.agreement.arrays import Floats, midranks, ratio
from tasks.agreement.samples import Counts
from tasks.agreement.weighings import Weighing, exact

Metric = Callable[[Floats, Floats], Floats]


def nominal(levels: Floats, margins: Floats) -> Floats:
    """Return the squared difference of two levels (L × L): 1, or 0 for the same level."""
    return 1 - np.eye(len(levels))


def ordinal(levels: Floats, margins: Floats) -> Floats:
    """Return the squared difference of two levels' mean ranks (R × L × L).

    `margins` (R × L) are the pairable ratings on each level. Krippendorff's sum of the margins from
    one level to the other, less half of both ends, is this difference of ranks.
    """
    ranks = midranks(margins)
    return (ranks[:, :, None] - ranks[:, None, :]) ** 2


def interval(levels: Floats, margins: Floats) -> Floats:
    """Return the squared difference of two levels' values (L × L)."""
    return (levels[:, None] - levels) ** 2


def alpha(counts: Counts, draws: Floats, metric: Metric = ordinal) -> Floats:
    """Return Krippendorff's α: 1 less observed by expected disagreement.

    Units with one rating count for nothing. It is undefined if all pairable ratings are the same.
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, section D.
    """
    size = len(counts.levels)
    observed = (draws @ counts.coincidences).reshape(-1, size, size)
    margins = observed.sum(axis=2)
    differences = metric(counts.levels, margins)
    disagreement = (observed * differences).sum(axis=(1, 2))
    by_chance = (margins[:, :, None] * margins[:, None, :] * differences).sum(axis=(1, 2))
    return 1 - ratio(disagreement * (margins.sum(axis=1) - 1), by_chance)


def percent_agreement(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return the share of a unit's pairs of ratings that agree, as a mean over units.

    Every unit with two ratings or more counts once, however many it has; with `within_one`, ratings
    on neighbouring levels agree too. Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th
    ed., chapters 2 and, for weights, 3.
    """
    ratings = counts.ratings_of_unit
    weighted = counts.patterns @ weighing(counts.levels)
    pairs = np.maximum(ratings * (ratings - 1), 1)
    share = (counts.patterns * (weighted - 1)).sum(axis=1) / pairs
    return ratio(draws @ share, draws @ counts.pairable)


def fleiss_kappa(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Fleiss' κ, in Gwet's generalisation to unequal numbers of ratings.

    All units count alike, however many ratings they have. Agreement is that of units with two
    ratings or more; for chance, units with one count too. Gwet (2014), as in `percent_agreement`.
    With equal numbers it is the κ of Fleiss, J. L. (1971), Psychological Bulletin 76, 378-382.

    Another generalisation, of Fleiss & Cuzick (1979), has two categories and counts ratings alike.
    """
    shares = _shares(counts, draws)
    by_chance = ((shares @ weighing(counts.levels)) * shares).sum(axis=1)
    return _beyond(percent_agreement(counts, draws, weighing), by_chance)


def gwet_ac(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Gwet's AC1, or AC2 if the weighing is another than `exact`.

    All levels of the scale count, those included that nobody gave. Units count as in
    `fleiss_kappa`. Gwet, K. L. (2008), British Journal of Mathematical and Statistical Psychology
    61, 29-48; for weights and unequal numbers, Gwet (2014), as in `percent_agreement`.
    """
    size = len(counts.levels)
    shares = _shares(counts, draws)
    spread = (shares * (1 - shares)).sum(axis=1)
    by_chance = weighing(counts.levels).sum() / (size * (size - 1)) * spread
    return _beyond(percent_agreement(counts, draws, weighing), by_chance)


def _shares(counts: Counts, draws: Floats) -> Floats:
    """Return the share of each level within a unit, as a mean over all units (R × L)."""
    of_pattern = counts.patterns / counts.ratings_of_unit[:, None]
    return ratio(draws @ of_pattern, draws.sum(axis=1, keepdims=True))


def _beyond(agreement: Floats, by_chance: Floats) -> Floats:
    """Return the agreement beyond chance, as a part of what is possible."""
    return ratio(agreement - by_chance, 1 - by_chance)
