"""Our coefficients come out as in the papers that define them, to the digit that is printed."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from tasks.agreement.coefficients import (
    Metric,
    alpha,
    cohen_kappa,
    fleiss_kappa,
    icc,
    interval,
    linear,
    nominal,
    ordinal,
)
from tasks.agreement.figures import value_of
from tasks.agreement.samples import Counts, Floats, Ints, Matrix

from .spelt_out import (
    counts_of,
    matrix_of,
)

# Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, sections C and D: four
# observers and twelve units; a dot where there is no value.
OBSERVERS = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""
# Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382, table 1: how many of six psychiatrists
# gave each of 30 patients each of five diagnoses.
DIAGNOSES = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
    10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
    00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# Shrout, P. E., & Fleiss, J. L. (1979). Psychological Bulletin 86, 420-428, table 2: six targets,
# four judges.
TARGETS = [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)]
# Cohen, J. (1968). Psychological Bulletin 70, 213-220, table 1: two judges' diagnoses of 200
# people, and what each disagreement weighs.
JUDGES = [(88, 14, 18), (10, 40, 10), (2, 6, 12)]
DISAGREEMENT = [(0, 1, 3), (1, 0, 6), (3, 6, 0)]
# Altman, D. G. (1991). Practical Statistics for Medical Research, table 14.2: two radiologists'
# readings of 85 xeromammograms.
RADIOLOGISTS = [(21, 12, 0, 0), (4, 17, 1, 0), (3, 9, 15, 2), (0, 0, 0, 1)]


def pair(table: Sequence[Sequence[int]]) -> Matrix:
    cells: Ints = np.array(table)
    return Matrix(np.arange(float(len(table))), np.argwhere(cells >= 0), cells.ravel())


@pytest.mark.parametrize(
    ("metric", "printed"), [(nominal, 0.743), (ordinal, 0.815), (interval, 0.849)]
)
def test_alpha_is_krippendorffs_of_2011(metric: Metric, printed: float) -> None:
    observers = [line.split() for line in OBSERVERS.split("\n") if line.strip()]
    rows = [
        [None if value == "." else int(value) for value in unit]
        for unit in zip(*observers, strict=True)
    ]
    counts = counts_of(rows, [1, 2, 3, 4, 5])
    assert round(value_of(partial(alpha, metric=metric), counts), 3) == printed


def test_kappa_of_many_is_fleiss_of_1971() -> None:
    patterns = np.array([[int(digit) for digit in patient] for patient in DIAGNOSES.split()])
    counts = Counts(np.arange(5.0), patterns, np.ones(30, dtype=np.int64), annotators=6)
    assert counts.compared == 30
    assert round(value_of(fleiss_kappa, counts), 3) == 0.430


def test_intraclass_correlations_are_those_of_shrout_and_fleiss_of_1979() -> None:
    matrix = matrix_of(TARGETS, range(1, 11))
    single = [round(value_of(partial(icc, icc_model=model), matrix), 2) for model in (1, 2, 3)]
    average = [
        round(value_of(partial(icc, icc_model=model, average=True), matrix), 2)
        for model in (1, 2, 3)
    ]
    assert (single, average) == ([0.17, 0.29, 0.71], [0.44, 0.62, 0.91])


def test_kappa_of_two_is_cohens_of_1968_plain_and_by_his_weights() -> None:
    def his(levels: Floats) -> Floats:
        weights: Floats = 1 - np.array(DISAGREEMENT) / 6
        return weights

    plain = value_of(cohen_kappa, pair(JUDGES))
    weighted = value_of(partial(cohen_kappa, weighing=his), pair(JUDGES))
    assert (round(plain, 3), round(weighted, 3)) == (0.492, 0.348)


def test_kappa_of_two_is_altmans_of_1991_plain_and_linear() -> None:
    plain = value_of(cohen_kappa, pair(RADIOLOGISTS))
    weighted = value_of(partial(cohen_kappa, weighing=linear), pair(RADIOLOGISTS))
    assert (round(plain, 2), round(weighted, 2)) == (0.47, 0.57)
