"""Our coefficients are those of published libraries, on random ratings with gaps.

`tests/calculators` says which libraries, and how their values were written.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tasks.agreement.coefficients import (
    alpha,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    interval,
    kendall,
    linear,
    nominal,
    ordinal,
    percent_agreement,
    quadratic,
    spearman,
    within_one,
)
from tasks.agreement.figures import value_of
from tasks.agreement.samples import Counts, Floats, Matrix
from tests.cases import cases

from .spelt_out import (
    Rows,
    counts_of,
    matrix_of,
)

CALCULATORS = Path(__file__).parents[1] / "calculators"
Levels = list[float]
Ours = Callable[[Rows, Levels], float]


def of_all(function: Callable[[Counts, Floats], Floats]) -> Ours:
    return lambda rows, levels: value_of(function, counts_of(rows, levels))


def of_complete_rows(function: Callable[[Counts, Floats], Floats]) -> Ours:
    return lambda rows, levels: value_of(
        function, counts_of([row for row in rows if None not in row], levels)
    )


def of_two(function: Callable[[Matrix, Floats], Floats]) -> Ours:
    return lambda rows, levels: value_of(function, matrix_of([row[:2] for row in rows], levels))


def of_matrix(function: Callable[[Matrix, Floats], Floats]) -> Ours:
    return lambda rows, levels: value_of(function, matrix_of(rows, levels))


def gwets_ordinal(levels: Floats, margins: Floats) -> Floats:
    """The disagreement that irrCAC takes for ordinal: the pairs of levels from one to the other."""
    places = np.arange(len(levels))
    between = abs(places[:, None] - places) + 1
    squares: Floats = between * (between - 1) / 2
    return squares


OURS: dict[str, Ours] = {
    "alpha_nominal": of_all(partial(alpha, metric=nominal)),
    "alpha_ordinal": of_all(partial(alpha, metric=ordinal)),
    "alpha_interval": of_all(partial(alpha, metric=interval)),
    "alpha_by_gwets_ordinal_weights": of_all(partial(alpha, metric=gwets_ordinal)),
    "percent_agreement": of_all(percent_agreement),
    "within_one": of_all(partial(percent_agreement, weighing=within_one)),
    "fleiss_exact": of_all(fleiss_kappa),
    "fleiss_linear": of_all(partial(fleiss_kappa, weighing=linear)),
    "fleiss_quadratic": of_all(partial(fleiss_kappa, weighing=quadratic)),
    "fleiss_of_complete_rows": of_complete_rows(fleiss_kappa),
    "ac1": of_all(gwet_ac),
    "ac2_linear": of_all(partial(gwet_ac, weighing=linear)),
    "ac2_quadratic": of_all(partial(gwet_ac, weighing=quadratic)),
    "cohen_exact": of_two(cohen_kappa),
    "cohen_linear": of_two(partial(cohen_kappa, weighing=linear)),
    "cohen_quadratic": of_two(partial(cohen_kappa, weighing=quadratic)),
    "spearman": of_two(spearman),
    "kendall": of_two(kendall),
    "icc_1_1": of_matrix(partial(icc, icc_model=1)),
    "icc_2_1": of_matrix(partial(icc, icc_model=2)),
    "icc_3_1": of_matrix(partial(icc, icc_model=3)),
    "icc_1_k": of_matrix(partial(icc, icc_model=1, average=True)),
    "icc_2_k": of_matrix(partial(icc, icc_model=2, average=True)),
    "icc_3_k": of_matrix(partial(icc, icc_model=3, average=True)),
}


def read(name: str) -> list[dict[str, float]]:
    values: list[dict[str, float]] = json.loads((CALCULATORS / name).read_text(encoding="utf-8"))
    return values


SAMPLES = json.loads((CALCULATORS / "samples.json").read_text(encoding="utf-8"))
EXPECTED = {
    "libraries": read("libraries/expected.json"),
    "irrcac": read("irrcac/expected.json"),
}


@cases("calculator", EXPECTED)
@cases("number", range(len(SAMPLES)))
def test_a_coefficient_is_what_a_published_library_says(calculator: str, number: int) -> None:
    expected = EXPECTED[calculator][number]
    sample = SAMPLES[number]
    ours = {name: OURS[name](sample["rows"], sample["levels"]) for name in expected}
    assert ours == pytest.approx(expected, abs=1e-10)


def test_every_coefficient_is_compared_with_a_library_on_five_samples_or_more() -> None:
    compared = [name for values in EXPECTED.values() for sample in values for name in sample]
    assert {name: compared.count(name) for name in OURS if compared.count(name) < 5} == {}
    assert set(compared) == set(OURS)
    assert [len(values) for values in EXPECTED.values()] == [len(SAMPLES)] * 2


def test_the_samples_have_gaps_single_ratings_levels_unused_and_unequal_steps() -> None:
    ratings = [[[each for each in row if each is not None] for row in s["rows"]] for s in SAMPLES]
    scales = [sample["levels"] for sample in SAMPLES]
    assert any(len(row) == 1 for rows in ratings for row in rows)
    assert any(len(row) == 0 for rows in ratings for row in rows)
    assert any(
        set(scale) > {each for row in rows for each in row}
        for scale, rows in zip(scales, ratings, strict=True)
    )
    assert any(len(set(np.diff(scale))) > 1 for scale in scales)


def test_ordinal_alpha_is_krippendorffs_and_not_the_one_with_gwets_weights() -> None:
    """The published table: Krippendorff says .815, irrCAC .834."""
    rows, levels = SAMPLES[0]["rows"], SAMPLES[0]["levels"]
    assert round(OURS["alpha_ordinal"](rows, levels), 3) == 0.815
    assert round(EXPECTED["irrcac"][0]["alpha_by_gwets_ordinal_weights"], 3) == 0.834
