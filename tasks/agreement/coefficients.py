"""Coefficients of agreement, each for all draws of a bootstrap at once.

Each takes a sample and draws (R × P), and returns R values, NaN where the coefficient is undefined.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from tasks.agreement.samples import Counts, Floats, Matrix

# Weights of agreement between two levels: 1 for the same level, less for levels further apart. Each
# takes the values of the whole scale (L) and returns L × L weights, with 1 on the diagonal. Gwet,
# K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 3.
Weighing = Callable[[Floats], Floats]
# The squared difference of two levels, by the values of the whole scale and its margins.
Metric = Callable[[Floats, Floats], Floats]
# Sums of squares below this part of all squares are rounding. With whole numbers there is none.
_ROUNDING = 1e-12


# --- weighings ---


def exact(levels: Floats) -> Floats:
    """Return 1 for the same level and 0 for all others."""
    return np.eye(len(levels))


def within_one(levels: Floats) -> Floats:
    """Return 1 for the same level and its neighbours on the scale, and 0 for all others."""
    positions = np.arange(len(levels))
    return (abs(positions[:, None] - positions) <= 1).astype(float)


def linear(levels: Floats) -> Floats:
    """Return 1 less the distance, as a part of the whole scale's length."""
    distances = abs(levels[:, None] - levels)
    return 1 - distances / (distances.max() or 1)


def quadratic(levels: Floats) -> Floats:
    """Return 1 less the squared distance, as a part of the whole scale's squared length."""
    return 1 - (1 - linear(levels)) ** 2


# --- metrics of Krippendorff's α ---


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


# --- any number of annotators, who may differ from unit to unit ---


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


def alpha_of_moments(moments: Counts, draws: Floats) -> Floats:
    """Return Krippendorff's α by squared differences of values, from `Moments`.

    It is `alpha` by the metric `interval`, without its matrix of levels. That has 10,201 cells for
    each pattern on a scale from 0 to 100.
    """
    ratings, sums, squares = moments.patterns.T.astype(float)
    # The last has half the squared differences of a unit's pairs, divided by its ratings less one.
    of_units = [ratings, sums, squares, (ratings * squares - sums**2) / np.maximum(ratings - 1, 1)]
    ratings, sums, squares, within = (draws @ (np.array(of_units) * moments.pairable).T).T
    return 1 - ratio(within * (ratings - 1), ratings * squares - sums**2)


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


# --- two annotators ---


def cohen_kappa(pair: Matrix, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Cohen's κ, weighted over the whole scale if the weighing is another than `exact`.

    It is undefined if both gave one and the same level to every unit. Cohen, J. (1960), Educational
    and Psychological Measurement 20, 37-46, and (1968), Psychological Bulletin 70, 213-220.
    """
    tables = _tables(pair, draws)
    first, second = tables.sum(axis=2), tables.sum(axis=1)
    disagreement = 1 - weighing(pair.levels)
    observed = (tables * disagreement).sum(axis=(1, 2))
    by_chance = ((first @ disagreement) * second).sum(axis=1)
    return 1 - ratio(observed * draws.sum(axis=1), by_chance)


def spearman(pair: Matrix, draws: Floats) -> Floats:
    """Return Spearman's ρ: the correlation of ranks, where equal ratings share their mean rank.

    It is undefined if either annotator gave one level to every unit.
    """
    tables = _tables(pair, draws)
    first, second = tables.sum(axis=2), tables.sum(axis=1)
    # Ranks around their mean, which is half the number of units whatever the ties.
    middle = draws.sum(axis=1, keepdims=True) / 2
    ranks, others = midranks(first) - middle, midranks(second) - middle
    together = ((ranks[:, None, :] @ tables)[:, 0, :] * others).sum(axis=1)
    apart = (first * ranks**2).sum(axis=1) * (second * others**2).sum(axis=1)
    return ratio(together, np.sqrt(apart))


def kendall(pair: Matrix, draws: Floats) -> Floats:
    """Return Kendall's τ-b: ordered pairs of units less reversed ones, corrected for ties.

    It is undefined if either annotator gave one level to every unit. Kendall, M. G. (1945),
    Biometrika 33, 239-251.
    """
    tables = _tables(pair, draws)
    positions = np.arange(len(pair.levels))
    order = np.sign(positions[:, None] - positions).astype(float)
    ordered = (tables * (order @ tables @ order.T)).sum(axis=(1, 2))
    squared = draws.sum(axis=1) ** 2
    untied = [squared - (tables.sum(axis=each) ** 2).sum(axis=1) for each in (1, 2)]
    return ratio(ordered, np.sqrt(untied[0] * untied[1]))


def _tables(pair: Matrix, draws: Floats) -> Floats:
    """Return the contingency tables of the draws (R × L × L)."""
    size = len(pair.levels)
    tables = np.zeros((len(draws), size, size))
    tables[:, pair.patterns[:, 0], pair.patterns[:, 1]] = draws
    return tables


# --- annotators who all rated the same units ---


def icc(
    matrix: Matrix, draws: Floats, model: Literal[1, 2, 3] = 2, *, average: bool = False
) -> Floats:
    """Return ICC(model,1), or ICC(model,k) for the mean of the k annotators' ratings.

    All of them rated the same units.

    - Model 1: each unit has annotators of its own, so differences between them are error.
    - Model 2: the annotators are a random sample, and their differences count (absolute agreement).
    - Model 3: these annotators are all there are, and their differences don't count (consistency).

    Two annotators and two units are needed. It is undefined if nothing varies that it compares.
    Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
    reliability. Psychological Bulletin 86, 420-428.
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


# --- what they share ---


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
