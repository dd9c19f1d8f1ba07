"""A figure has an interval and its numbers, or says what is missing."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
import pytest

from tasks.agreement import figures
from tasks.agreement.coefficients import (
    alpha,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    kendall,
    percent_agreement,
    spearman,
)
from tasks.agreement.figures import reading
from tasks.agreement.samples import Counts, Floats, Matrix
from tasks.agreement.stored import Figure, Missing, Why
from tests.cases import cases

from .spelt_out import (
    OBSERVED,
    counts_of,
    figure,
    had,
    matrix_of,
)

LEVELS = [1, 2, 3, 4, 5]
COUNTS = counts_of(OBSERVED, LEVELS)


# --- the figure ---


def test_counts_say_how_many_units_they_compare_and_how_the_levels_are_used() -> None:
    assert COUNTS.compared == 11
    assert COUNTS.tally.tolist() == [9, 13, 10, 5, 3]


def test_a_matrix_compares_the_units_that_all_rated() -> None:
    matrix = matrix_of(OBSERVED, LEVELS)
    assert (matrix.compared, matrix.tally.sum()) == (8, 32)


def test_the_value_is_that_of_the_sample_and_lies_in_its_interval() -> None:
    found = had(figure(alpha, COUNTS, seed=7))
    assert round(found.value, 3) == 0.815
    assert found.low < found.value < found.high


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    one, again, other = (had(figure(alpha, COUNTS, seed=seed)) for seed in (7, 7, 8))
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)


def test_the_order_in_which_patterns_are_delivered_changes_no_interval() -> None:
    backwards = Counts(COUNTS.levels, COUNTS.patterns[::-1], COUNTS.units[::-1], 4)
    apart = counts_of([*OBSERVED[6:], *OBSERVED[:6]], LEVELS)
    found = figure(alpha, COUNTS, seed=7)
    assert found == figure(alpha, backwards, seed=7) == figure(alpha, apart, seed=7)


def test_an_interval_is_from_the_percentiles_of_resamples_of_as_many_units() -> None:
    drawn = []

    def seen(counts: Counts, draws: Floats) -> Floats:
        drawn.append(draws)
        return alpha(counts, draws)

    found = had(figure(seen, COUNTS, seed=7))
    [itself, resamples] = drawn
    assert itself.tolist() == [COUNTS.units.tolist()]
    assert resamples.shape == (1000, len(COUNTS.units))
    assert set(resamples.sum(axis=1)) == {12}
    values = np.sort(alpha(COUNTS, resamples))
    low, high = np.percentile(values, [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx((low, high))


def test_resamples_draw_each_pattern_as_often_as_it_occurs() -> None:
    counts = Counts(np.array([0.0, 1.0]), np.array([[2, 0], [1, 1]]), np.array([300, 100]), 2)
    draws = []

    def seen(counts: Counts, chunk: Floats) -> Floats:
        draws.append(chunk)
        return np.zeros(len(chunk))

    figure(seen, counts, seed=7)
    # Sorted: the mixed pattern first. The standard error of these means is 0.3.
    assert draws[1].mean(axis=0).tolist() == pytest.approx([100, 300], abs=1.5)
    assert draws[1][:, 0].std() == pytest.approx(np.sqrt(400 * 0.25 * 0.75), rel=0.1)


def test_rare_patterns_are_drawn_together_with_all_others_as_one_multinomial() -> None:
    units = np.array([1, 300, 2, 80, 15])
    draws = np.concatenate(list(figures.draws_of(units, seed=7, resamples=20_000)))
    shares = units / units.sum()
    assert set(draws.sum(axis=1)) == {398}
    assert draws.mean(axis=0) == pytest.approx(units, rel=0.03)
    of_multinomial = 398 * (np.diag(shares) - np.outer(shares, shares))
    # The standard error of a correlation is 0.007.
    scale = np.sqrt(np.outer(of_multinomial.diagonal(), of_multinomial.diagonal()))
    assert np.cov(draws.T) / scale == pytest.approx(of_multinomial / scale, abs=0.04)
    # Units of a pattern that occurs once: 0, 1 or 2 times, as a binomial says.
    often = np.bincount(draws[:, 0].astype(int))[:3] / len(draws)
    assert often == pytest.approx([0.3674, 0.3684, 0.1842], abs=0.015)


def test_the_interval_covers_the_true_value_about_as_often_as_it_says() -> None:
    """Two annotators who agree with probability .8, on 100 units each time: of 200, some 190."""
    chance = np.random.default_rng(7)
    covered = 0
    for agreed in chance.binomial(100, 0.8, size=200):
        counts = Counts(
            np.array([0.0, 1.0]), np.array([[2, 0], [1, 1]]), np.array([agreed, 100 - agreed]), 2
        )
        found = had(figure(percent_agreement, counts, seed=7, resamples=200))
        covered += found.low <= 0.8 <= found.high
    assert 180 <= covered <= 198


def test_resamples_in_which_a_figure_is_undefined_are_left_out_and_counted() -> None:
    counts = counts_of([[1, 1], [1, 1], [2, 2]], [1, 2])
    found = had(figure(alpha, counts, seed=7))
    # One level only: (1/3)³ + (2/3)³ of the resamples.
    assert found.undefined / 1000 == pytest.approx(1 / 3, abs=0.05)
    assert (found.value, found.low, found.high) == (1, 1, 1)


def test_a_figure_without_any_resample_to_go_by_is_missing() -> None:
    """Seed 2 draws one of the two units twice."""
    counts = counts_of([[1, 1], [2, 2]], [1, 2])
    assert figure(alpha, counts, seed=2, resamples=1) == Missing(Why.TOO_FEW_UNITS)


def test_the_size_of_a_chunk_changes_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = had(figure(alpha, COUNTS, seed=7))
    monkeypatch.setattr(figures, "MOST_AT_ONCE", 100)
    in_chunks = had(figure(alpha, COUNTS, seed=7))
    assert (in_chunks.low, in_chunks.high) == pytest.approx((at_once.low, at_once.high), abs=1e-12)


# --- what is missing ---


@cases("coefficient", [alpha, percent_agreement, fleiss_kappa, gwet_ac])
@cases(
    ("rows", "why"),
    [
        ([], Why.NO_RATINGS),
        ([[None, None]], Why.NO_RATINGS),
        ([[1], [2], [1]], Why.ONE_ANNOTATOR),
        ([[1, None], [2, None]], Why.ONE_ANNOTATOR),
        ([[1, None], [None, 2], [1, None]], Why.NO_OVERLAP),
        ([[1, 2], [None, 2], [1, None]], Why.TOO_FEW_UNITS),
    ],
)
def test_a_figure_of_counts_that_cannot_be_had_says_what_is_missing(
    coefficient: Callable[[Counts, Floats], Floats], rows: list[list[float | None]], why: Why
) -> None:
    assert figure(coefficient, counts_of(rows, [1, 2]), seed=7) == Missing(why)


@cases("coefficient", [cohen_kappa, spearman, kendall, icc])
@cases(
    ("rows", "why"),
    [
        ([[1, None], [None, 2], [1, None]], Why.NO_OVERLAP),
        ([[1, 2], [None, 2], [1, None]], Why.TOO_FEW_UNITS),
        ([[1, 1], [1, 1], [1, 1]], Why.ONE_CATEGORY),
    ],
)
def test_a_figure_of_a_pair_that_cannot_be_had_says_what_is_missing(
    coefficient: Callable[[Matrix, Floats], Floats], rows: list[list[float | None]], why: Why
) -> None:
    assert figure(coefficient, matrix_of(rows, [1, 2]), seed=7) == Missing(why)


def test_a_matrix_of_one_annotator_is_told_so() -> None:
    assert figure(icc, matrix_of([[1], [2]], [1, 2]), seed=7) == Missing(Why.ONE_ANNOTATOR)


@pytest.mark.parametrize("coefficient", [alpha, fleiss_kappa])
def test_a_single_category_in_use_leaves_nothing_to_correct_by(
    coefficient: Callable[[Counts, Floats], Floats],
) -> None:
    counts = counts_of([[1, 1], [1, 1], [1, 1]], [1, 2])
    assert figure(coefficient, counts, seed=7) == Missing(Why.ONE_CATEGORY)


@pytest.mark.parametrize("coefficient", [percent_agreement, gwet_ac])
def test_percent_agreement_and_ac1_can_be_had_of_one_category_in_use(
    coefficient: Callable[[Counts, Floats], Floats],
) -> None:
    counts = counts_of([[1, 1], [1, 1], [1, 1]], [1, 2])
    found = had(figure(coefficient, counts, seed=7))
    assert (found.value, found.low, found.high) == (1, 1, 1)


@pytest.mark.parametrize(
    ("coefficient", "rows"),
    [
        (spearman, [[1, 1], [1, 2], [1, 3]]),
        (kendall, [[1, 1], [1, 2], [1, 3]]),
        (partial(icc, icc_model=3), [[1, 2], [1, 2], [1, 2]]),
        (partial(icc, icc_model=1, average=True), [[1, 2], [2, 1], [1, 2]]),
    ],
)
def test_a_figure_of_what_does_not_vary_says_so(
    coefficient: Callable[[Matrix, Floats], Floats], rows: list[list[float | None]]
) -> None:
    assert figure(coefficient, matrix_of(rows, [1, 2, 3]), seed=7) == Missing(Why.NO_VARIATION)


def test_levels_that_are_no_whole_numbers_leave_no_rounding_that_looks_like_variation() -> None:
    matrix = matrix_of([[0.1, 0.1, 0.7]] * 3, [0.1, 0.7])
    assert figure(partial(icc, icc_model=3), matrix, seed=7) == Missing(Why.NO_VARIATION)


# --- how to read it ---


@cases(
    ("low", "expected"),
    [
        (0.9, "reliable"),
        (0.8, "reliable"),
        (0.799, "tentative"),
        (0.667, "tentative"),
        (0.666, "unreliable"),
        (-0.2, "unreliable"),
    ],
)
def test_a_figure_is_read_by_the_lower_end_of_its_interval(low: float, expected: str) -> None:
    assert reading(Figure(0.95, low, 0.99, undefined=0)) == expected


# --- work and memory ---


def test_a_thousand_resamples_of_a_million_ratings_are_drawn_by_pattern() -> None:
    """200,000 units with five ratings each on seven levels have 462 patterns at most."""
    chosen = list(combinations_with_replacement(range(7), 5))
    patterns = np.array([[each.count(level) for level in range(7)] for each in chosen])
    units = np.full(462, 433)
    units[0] += 200_000 - units.sum()
    counts = Counts(np.arange(1.0, 8), patterns, units, annotators=40)
    drawn = []

    def seen(counts: Counts, draws: Floats) -> Floats:
        drawn.append(draws.size)
        return alpha(counts, draws)

    tracemalloc.start()
    figure(seen, counts, seed=7)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (counts.compared, counts.tally.sum()) == (200_000, 1_000_000)
    assert sum(drawn) == 462 + 1000 * 462
    assert most < 50_000_000


def test_no_chunk_of_resamples_is_larger_than_it_may_be_where_patterns_are_many() -> None:
    chance = np.random.default_rng(7)
    patterns = np.unique(chance.multinomial(30, [1 / 7] * 7, size=30_000), axis=0)
    counts = Counts(np.arange(7.0), patterns, np.ones(len(patterns), dtype=np.int64), 30)
    drawn = []

    def seen(counts: Counts, draws: Floats) -> Floats:
        drawn.append(draws.shape)
        return np.zeros(len(draws))

    figure(seen, counts, seed=7, resamples=150)
    assert len(patterns) > 20_000
    assert max(rows * width for rows, width in drawn) <= figures.MOST_AT_ONCE
    assert [sum(rows for rows, _width in drawn), {width for _rows, width in drawn}] == [
        151,
        {len(patterns)},
    ]


def test_a_chunk_of_resamples_is_smaller_where_levels_are_many() -> None:
    pair = matrix_of([[0, 1], [2, 300], [300, 299]], range(301))
    drawn = []

    def seen(pair: Matrix, draws: Floats) -> Floats:
        drawn.append(len(draws))
        return np.zeros(len(draws))

    figure(seen, pair, seed=7)
    assert max(drawn) * 301**2 <= figures.MOST_AT_ONCE
    assert sum(drawn) == 1001


# --- samples ---


def test_equal_patterns_are_joined() -> None:
    patterns = np.array([[2, 0], [0, 2], [2, 0], [1, 1], [0, 0]])
    counts = Counts(np.array([1.0, 2.0]), patterns, np.array([3, 1, 4, 0, 9]), 2)
    assert counts.patterns.tolist() == [[0, 2], [2, 0]]
    assert counts.units.tolist() == [1, 7]
