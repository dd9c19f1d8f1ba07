"""Coefficients for two annotators.

Each takes a `Matrix` of two annotators and draws (R × P), and returns R values, NaN where the
coefficient is undefined.
"""

import numpy as np

from tasks.agreement.arrays import Floats, midranks, ratio
from tasks.agreement.samples import Matrix
from tasks.agreement.weighings import Weighing, exact


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
    places = np.arange(len(pair.levels))
    order = np.sign(places[:, None] - places).astype(float)
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
