"""On a scale of many levels agreement is computed from sums of each unit, without its levels."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tasks.agreement.coefficients import alpha, alpha_of_moments, interval
from tasks.agreement.figures import estimates, value_of
from tasks.agreement.measures import OF_MANY_LEVELS
from tasks.agreement.report import report
from tasks.agreement.samples import Moments, Scores
from tasks.agreement.stored import Figure, Missing, Why

from .spelt_out import (
    OBSERVED,
    Rows,
    counts_of,
)

SCALE = range(-50, 51)


def scores(rows: Rows) -> Scores:
    given = [
        (unit, annotator, value)
        for unit, row in enumerate(rows)
        for annotator, value in enumerate(row)
        if value is not None
    ]
    unit, annotator, value = np.array(given, dtype=np.int64).reshape(-1, 3).T
    none = np.zeros(len(given), dtype=np.int64)
    return Scores(
        levels=SCALE,
        value=value - SCALE[0],
        unit=unit,
        annotator=annotator,
        model=none,
        batch=none,
        week=none,
        answer_set=none,
        measures=OF_MANY_LEVELS,
    )


def test_alpha_is_krippendorffs_of_2011() -> None:
    assert round(value_of(alpha_of_moments, scores(OBSERVED).counts), 3) == 0.849


@given(
    st.lists(
        st.lists(st.none() | st.integers(SCALE[0], SCALE[-1]), min_size=3, max_size=3),
        min_size=1,
        max_size=12,
    )
)
def test_alpha_is_the_one_that_a_matrix_of_levels_gives(rows: Rows) -> None:
    sample, spelt = scores(rows).counts, counts_of(rows, SCALE)
    assert isinstance(sample, Moments)
    assert (sample.compared, sample.annotators) == (spelt.compared, spelt.annotators)
    assert sample.tally.sum() == spelt.tally.sum()
    general = value_of(partial(alpha, metric=interval), spelt)
    assert value_of(alpha_of_moments, sample) == pytest.approx(general, nan_ok=True)


def test_the_interval_is_made_of_the_same_resamples() -> None:
    rows: Rows = [[unit * 2 - 40, unit * 2 - 40 + unit % 7, None] for unit in range(40)]
    [shown] = estimates({"": alpha_of_moments}, scores(rows).counts).values()
    [general] = estimates({"": partial(alpha, metric=interval)}, counts_of(rows, SCALE)).values()
    assert isinstance(shown, Figure)
    assert isinstance(general, Figure)
    assert shown.value == pytest.approx(general.value)
    assert (shown.low, shown.high) == pytest.approx((general.low, general.high), abs=0.005)


def test_where_everyone_gave_the_same_the_reason_is_named() -> None:
    [shown] = estimates({"": alpha_of_moments}, scores([[33, 33, 33]] * 3).counts).values()
    assert shown == Missing(Why.ONE_CATEGORY)


def test_a_report_has_what_a_long_scale_has_and_pairs_are_those_that_both_rated() -> None:
    rows: Rows = [[10, 12, None], [-20, -18, 5], [0, 4, None], [30, 31, 33], [7, None, 1]]
    found = report(scores([*([*row, None] for row in rows), [None, None, None, 3]]), {})
    assert set(found.overall.figures) == {"alpha-interval"}
    assert len(found.of_team) == 6
    first = found.pairs[0]
    assert (first.first, first.second, first.units, set(first.figures)) == (
        *(0, 1, 4),
        {"alpha-interval"},
    )
    general = value_of(
        partial(alpha, metric=interval), counts_of([row[:2] for row in rows[:4]], SCALE)
    )
    shown = first.figures["alpha-interval"]
    assert isinstance(shown, Figure)
    assert shown.value == pytest.approx(general)
    apart = next(each for each in found.pairs if (each.first, each.second) == (0, 3))
    assert apart.figures["alpha-interval"] == Missing(Why.NO_OVERLAP)


def test_a_report_of_nothing_says_so() -> None:
    found = report(scores([[None, None]]), {})
    assert found.overall.figures["alpha-interval"] == Missing(Why.NO_RATINGS)


def test_a_hundred_thousand_scores_take_no_matrix_of_levels() -> None:
    """With one there are 50,000 × 101² numbers; 300 MB are what a worker may take."""
    chance = np.random.default_rng(3)
    height = chance.integers(-40, 40, (50_000, 1))
    rows = np.clip(height + chance.integers(-10, 11, (50_000, 2)), SCALE[0], SCALE[-1])
    unit = np.repeat(np.arange(50_000), 2)
    none = np.zeros(len(unit), dtype=np.int64)
    many = Scores(
        levels=SCALE,
        value=rows.reshape(-1) - SCALE[0],
        unit=unit,
        annotator=np.tile([0, 1], 50_000),
        model=none,
        batch=none,
        week=none,
        answer_set=none,
        measures=OF_MANY_LEVELS,
    )
    tracemalloc.start()
    try:
        [shown] = estimates({"": alpha_of_moments}, many.counts).values()
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(shown, Figure)
    assert shown.low < shown.value < shown.high
    assert peak < 300_000_000
