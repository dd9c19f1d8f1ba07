"""Coefficients of agreement, each for all draws of a bootstrap at once.

Each takes a sample and draws (R × P), and returns R values, NaN where the coefficient is undefined.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

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
    steps = abs(positions[:, None] - positions)
    is_within_one = steps <= 1
    return is_within_one.astype(float)


def linear(levels: Floats) -> Floats:
    """Return 1 less the distance, as a part of the whole scale's length."""
    distances = abs(levels[:, None] - levels)
    length = distances.max() or 1
    return 1 - distances / length


def quadratic(levels: Floats) -> Floats:
    """Return 1 less the squared distance, as a part of the whole scale's squared length."""
    distances = 1 - linear(levels)
    return 1 - distances**2


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
    differences = ranks[:, :, None] - ranks[:, None, :]
    return differences**2


def interval(levels: Floats, margins: Floats) -> Floats:
    """Return the squared difference of two levels' values (L × L)."""
    differences = levels[:, None] - levels
    return differences**2


# --- any number of annotators, who may differ from unit to unit ---


def alpha(counts: Counts, draws: Floats, metric: Metric = ordinal) -> Floats:
    """Return Krippendorff's α: 1 less observed by expected disagreement.

    Units with one rating count for nothing. It is undefined if all pairable ratings are the same.
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, section D.
    """
    size = len(counts.levels)
    coincidences = draws @ counts.coincidences
    observed = coincidences.reshape(-1, size, size)
    margins = observed.sum(axis=2)
    differences = metric(counts.levels, margins)
    disagreement = _sum_of_tables(observed * differences)
    products = margins[:, :, None] * margins[:, None, :]
    by_chance = _sum_of_tables(products * differences)
    ratings = margins.sum(axis=1)
    observed_by_pair = disagreement * (ratings - 1)
    return 1 - ratio(observed_by_pair, by_chance)


def alpha_of_moments(moments: Counts, draws: Floats) -> Floats:
    """Return Krippendorff's α by squared differences of values, from `Moments`.

    It is `alpha` by the metric `interval`, without its matrix of levels. That has 10,201 cells for
    each pattern on a scale from 0 to 100.
    """
    ratings, sums, squares = moments.patterns.T.astype(float)
    # Half the squared differences of a unit's pairs, divided by its ratings less one.
    differences = ratings * squares - sums**2
    divisors = np.maximum(ratings - 1, 1)
    within = differences / divisors
    of_units = np.array([ratings, sums, squares, within])
    of_pairable = of_units * moments.pairable
    totals = draws @ of_pairable.T
    ratings, sums, squares, within = totals.T
    expected = ratings * squares - sums**2
    observed = within * (ratings - 1)
    return 1 - ratio(observed, expected)


def percent_agreement(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return the share of a unit's pairs of ratings that agree, as a mean over units.

    Every unit with two ratings or more counts once, however many it has; with `within_one`, ratings
    on neighbouring levels agree too. Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th
    ed., chapters 2 and, for weights, 3.
    """
    ratings = counts.ratings_of_unit
    weights = weighing(counts.levels)
    weighted = counts.patterns @ weights
    agreeing = counts.patterns * (weighted - 1)
    pairs = np.maximum(ratings * (ratings - 1), 1)
    share = agreeing.sum(axis=1) / pairs
    shares = draws @ share
    units = draws @ counts.pairable
    return ratio(shares, units)


def fleiss_kappa(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Fleiss' κ, in Gwet's generalisation to unequal numbers of ratings.

    All units count alike, however many ratings they have. Agreement is that of units with two
    ratings or more; for chance, units with one count too. Gwet (2014), as in `percent_agreement`.
    With equal numbers it is the κ of Fleiss, J. L. (1971), Psychological Bulletin 76, 378-382.

    Another generalisation, of Fleiss & Cuzick (1979), has two categories and counts ratings alike.
    """
    agreement = percent_agreement(counts, draws, weighing)
    shares = _shares(counts, draws)
    weighted = shares @ weighing(counts.levels)
    by_chance = (weighted * shares).sum(axis=1)
    return _beyond_chance(agreement, by_chance)


def gwet_ac(counts: Counts, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Gwet's AC1, or AC2 if the weighing is another than `exact`.

    All levels of the scale count, those included that nobody gave. Units count as in
    `fleiss_kappa`. Gwet, K. L. (2008), British Journal of Mathematical and Statistical Psychology
    61, 29-48; for weights and unequal numbers, Gwet (2014), as in `percent_agreement`.
    """
    agreement = percent_agreement(counts, draws, weighing)
    shares = _shares(counts, draws)
    variances = shares * (1 - shares)
    spread = variances.sum(axis=1)
    size = len(counts.levels)
    weights = weighing(counts.levels)
    pairs = size * (size - 1)
    mean_weight = weights.sum() / pairs
    return _beyond_chance(agreement, mean_weight * spread)


def _shares(counts: Counts, draws: Floats) -> Floats:
    """Return the share of each level within a unit, as a mean over all units (R × L)."""
    of_pattern = counts.patterns / counts.ratings_of_unit[:, None]
    sums = draws @ of_pattern
    units = draws.sum(axis=1, keepdims=True)
    return ratio(sums, units)


def _sum_of_tables(tables: Floats) -> Floats:
    """Return the sum of the cells of each draw's table (R × L × L)."""
    sums: Floats = tables.sum(axis=(1, 2))
    return sums


def _beyond_chance(agreement: Floats, by_chance: Floats) -> Floats:
    """Return the agreement beyond chance, as a part of what is possible."""
    return ratio(agreement - by_chance, 1 - by_chance)


# --- two annotators ---


def cohen_kappa(pair: Matrix, draws: Floats, weighing: Weighing = exact) -> Floats:
    """Return Cohen's κ, weighted over the whole scale if the weighing is another than `exact`.

    It is undefined if both gave one and the same level to every unit. Cohen, J. (1960), Educational
    and Psychological Measurement 20, 37-46, and (1968), Psychological Bulletin 70, 213-220.
    """
    tables = _tables(pair, draws)
    first = tables.sum(axis=2)
    second = tables.sum(axis=1)
    disagreement = 1 - weighing(pair.levels)
    observed = _sum_of_tables(tables * disagreement)
    products = (first @ disagreement) * second
    by_chance = products.sum(axis=1)
    units = draws.sum(axis=1)
    return 1 - ratio(observed * units, by_chance)


def spearman(pair: Matrix, draws: Floats) -> Floats:
    """Return Spearman's ρ: the correlation of ranks, where equal ratings share their mean rank.

    It is undefined if either annotator gave one level to every unit.
    """
    tables = _tables(pair, draws)
    first = tables.sum(axis=2)
    second = tables.sum(axis=1)
    # Ranks around their mean, which is half the number of units whatever the ties.
    units = draws.sum(axis=1, keepdims=True)
    mean_rank = units / 2
    first_ranks = midranks(first) - mean_rank
    second_ranks = midranks(second) - mean_rank
    products = first_ranks[:, None, :] @ tables
    rank_sums = products[:, 0, :]
    covariance = (rank_sums * second_ranks).sum(axis=1)
    first_variance = (first * first_ranks**2).sum(axis=1)
    second_variance = (second * second_ranks**2).sum(axis=1)
    variances = first_variance * second_variance
    return ratio(covariance, np.sqrt(variances))


def kendall(pair: Matrix, draws: Floats) -> Floats:
    """Return Kendall's τ-b: ordered pairs of units less reversed ones, corrected for ties.

    It is undefined if either annotator gave one level to every unit. Kendall, M. G. (1945),
    Biometrika 33, 239-251.
    """
    tables = _tables(pair, draws)
    positions = np.arange(len(pair.levels))
    directions = np.sign(positions[:, None] - positions)
    order = directions.astype(float)
    ordered_with_cell = order @ tables @ order.T
    ordered = _sum_of_tables(tables * ordered_with_cell)
    units = draws.sum(axis=1)
    squared = units**2
    second = tables.sum(axis=1)
    first = tables.sum(axis=2)
    untied_by_second = squared - (second**2).sum(axis=1)
    untied_by_first = squared - (first**2).sum(axis=1)
    untied = untied_by_second * untied_by_first
    return ratio(ordered, np.sqrt(untied))


def _tables(pair: Matrix, draws: Floats) -> Floats:
    """Return the contingency tables of the draws (R × L × L)."""
    size = len(pair.levels)
    first = pair.patterns[:, 0]
    second = pair.patterns[:, 1]
    tables = np.zeros((len(draws), size, size))
    tables[:, first, second] = draws
    return tables


# --- annotators who all rated the same units ---


def icc(
    matrix: Matrix, draws: Floats, icc_model: Literal[1, 2, 3] = 2, *, average: bool = False
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
    mean = _mean_squares(matrix, draws)
    k = matrix.annotators
    n = draws.sum(axis=1)
    noise = mean.within if icc_model == 1 else mean.residual
    between = np.zeros(len(draws))
    if icc_model == 2:
        between = (mean.annotators - mean.residual) / n
    rest = between
    if not average:
        rest = (k - 1) * noise + k * between
    return ratio(mean.units - noise, mean.units + rest)


class MeanSquares(NamedTuple):
    """The mean squares of draws (each R), all of them times the number of ratings.

    Shrout & Fleiss (1979), table 3: BMS, WMS, JMS and EMS. The factor cancels in every coefficient,
    and keeps sums of whole numbers exact.
    """

    units: Floats
    within: Floats
    annotators: Floats
    residual: Floats


def _mean_squares(matrix: Matrix, draws: Floats) -> MeanSquares:
    k = matrix.annotators
    n = draws.sum(axis=1)
    values = matrix.levels[matrix.patterns]
    of_unit = values.sum(axis=1)
    squares = (values**2).sum(axis=1)
    # One product of matrices: the draws are large, and each reading of them takes its time.
    columns = np.column_stack([of_unit, of_unit**2, squares, values])
    totals = draws @ columns
    grand = totals[:, 0] ** 2
    everything = k * n * totals[:, 2]
    units = n * totals[:, 1] - grand
    of_annotator = totals[:, 3:] ** 2
    annotators = k * of_annotator.sum(axis=1) - grand
    error = everything - grand - units - annotators
    rounding = _ROUNDING * everything
    units = np.where(units > rounding, units, 0)
    annotators = np.where(annotators > rounding, annotators, 0)
    error = np.where(error > rounding, error, 0)
    mean_units = units / (n - 1)
    within = (annotators + error) / (n * (k - 1))
    mean_annotators = annotators / (k - 1)
    mean_error = error / ((n - 1) * (k - 1))
    return MeanSquares(mean_units, within, mean_annotators, mean_error)


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
    ratings_up_to_level = np.cumsum(margins, axis=-1)
    return ratings_up_to_level - margins / 2
