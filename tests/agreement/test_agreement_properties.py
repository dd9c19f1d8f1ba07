"""What holds of every coefficient on any ratings: drawn at random, with gaps."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

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

from .spelt_out import (
    counts_of,
    matrix_of,
)

ALPHAS: dict[str, Callable[[Counts, Floats], Floats]] = {
    "alpha nominal": partial(alpha, metric=nominal),
    "alpha ordinal": partial(alpha, metric=ordinal),
    "alpha interval": partial(alpha, metric=interval),
}
OF_COUNTS: dict[str, Callable[[Counts, Floats], Floats]] = {
    **ALPHAS,
    "percent agreement": percent_agreement,
    "within one": partial(percent_agreement, weighing=within_one),
    "fleiss": fleiss_kappa,
    "fleiss linear": partial(fleiss_kappa, weighing=linear),
    "ac1": gwet_ac,
    "ac2 linear": partial(gwet_ac, weighing=linear),
    "ac2 quadratic": partial(gwet_ac, weighing=quadratic),
}
KAPPAS: dict[str, Callable[[Matrix, Floats], Floats]] = {
    "cohen": cohen_kappa,
    "cohen linear": partial(cohen_kappa, weighing=linear),
    "cohen quadratic": partial(cohen_kappa, weighing=quadratic),
}
OF_MATRICES: dict[str, Callable[[Matrix, Floats], Floats]] = {
    "icc(1,1)": partial(icc, icc_model=1),
    "icc(2,1)": partial(icc, icc_model=2),
    "icc(3,1)": partial(icc, icc_model=3),
    "icc(1,k)": partial(icc, icc_model=1, average=True),
    "icc(2,k)": partial(icc, icc_model=2, average=True),
    "icc(3,k)": partial(icc, icc_model=3, average=True),
}
OF_PAIRS = {**KAPPAS, "spearman": spearman, "kendall": kendall, **OF_MATRICES}

Row = list[float | None]
Values = dict[str, float]


@dataclass(frozen=True)
class Drawn:
    """Rows of ratings and their scale."""

    rows: list[Row]
    levels: list[float]

    @property
    def counts(self) -> Counts:
        return counts_of(self.rows, self.levels)

    @property
    def matrix(self) -> Matrix:
        return matrix_of(self.rows, self.levels)


@st.composite
def ratings(
    draw: st.DrawFn, *, most_annotators: int = 5, gaps: bool = True, agreed: bool = False
) -> Drawn:
    steps = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    levels = [float(sum(steps[:place])) for place in range(len(steps) + 1)]
    annotators = draw(st.integers(2, most_annotators))
    rating = st.sampled_from(levels)
    entry = st.none() | rating if gaps else rating
    rows: list[Row] = []
    for _unit in range(draw(st.integers(2, 12))):
        level = draw(rating)
        row = draw(st.lists(entry, min_size=annotators, max_size=annotators))
        rows.append([level if each is not None and agreed else each for each in row])
    return Drawn(rows, levels)


def pairs(*, agreed: bool = False) -> st.SearchStrategy[Drawn]:
    return ratings(most_annotators=2, gaps=False, agreed=agreed)


def of_counts(sample: Counts) -> Values:
    return {name: value_of(function, sample) for name, function in OF_COUNTS.items()}


def of_pair(sample: Matrix) -> Values:
    return {name: value_of(function, sample) for name, function in OF_PAIRS.items()}


def undefined(values: Values) -> set[str]:
    return {name for name, value in values.items() if np.isnan(value)}


def same(one: Values, other: Values) -> bool:
    return one == pytest.approx(other, abs=1e-10, nan_ok=True)


# --- perfect agreement ---


@given(drawn=ratings(agreed=True))
def test_perfect_agreement_of_any_number_is_1_on_more_than_one_level(drawn: Drawn) -> None:
    counts = drawn.counts
    found = of_counts(counts)
    if counts.compared and np.count_nonzero(counts.tally) > 1:
        assert undefined(found) == set()
    assert same(found, {name: np.nan if name in undefined(found) else 1 for name in found})


@given(drawn=pairs(agreed=True))
def test_perfect_agreement_of_a_pair_is_1_on_more_than_one_level(drawn: Drawn) -> None:
    found = of_pair(drawn.matrix)
    one_level = np.count_nonzero(drawn.matrix.tally) == 1
    assert same(found, dict.fromkeys(found, np.nan if one_level else 1))


@given(drawn=ratings(agreed=True, gaps=False))
def test_perfect_agreement_of_a_matrix_is_1_on_more_than_one_level(drawn: Drawn) -> None:
    found = {name: value_of(function, drawn.matrix) for name, function in OF_MATRICES.items()}
    one_level = np.count_nonzero(drawn.matrix.tally) == 1
    assert same(found, dict.fromkeys(found, np.nan if one_level else 1))


@given(drawn=ratings(), pair=pairs())
def test_no_coefficient_is_above_1(drawn: Drawn, pair: Drawn) -> None:
    found = [*of_counts(drawn.counts).values(), *of_pair(pair.matrix).values()]
    assert [value for value in found if value > 1 + 1e-10] == []


# --- names and order ---


@given(drawn=ratings(), data=st.data())
def test_names_of_annotators_and_the_order_of_items_change_no_coefficient_of_counts(
    drawn: Drawn, data: st.DataObject
) -> None:
    # Who is who may even differ from unit to unit.
    rows = data.draw(st.permutations([data.draw(st.permutations(row)) for row in drawn.rows]))
    other = Drawn(rows, drawn.levels)
    assert drawn.counts.patterns.tolist() == other.counts.patterns.tolist()
    assert drawn.counts.units.tolist() == other.counts.units.tolist()
    assert same(of_counts(drawn.counts), of_counts(other.counts))


@given(drawn=pairs(), data=st.data())
def test_names_of_annotators_and_the_order_of_items_change_no_coefficient_of_a_pair(
    drawn: Drawn, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations([row[::-1] for row in drawn.rows]))
    assert same(of_pair(drawn.matrix), of_pair(Drawn(rows, drawn.levels).matrix))


# --- scales ---


@given(drawn=ratings(), data=st.data())
def test_ordinal_alpha_knows_the_order_of_levels_only(drawn: Drawn, data: st.DataObject) -> None:
    """Other values for the levels, and levels between them that nobody gave, change nothing."""
    values = sorted(data.draw(st.sets(st.integers(-50, 50), min_size=8, max_size=20)))
    taken = data.draw(st.sets(st.sampled_from(values), min_size=7, max_size=7))
    other = dict(zip(drawn.levels, sorted(taken), strict=False))
    rows: list[Row] = [[None if each is None else other[each] for each in r] for r in drawn.rows]
    one, two = drawn.counts, counts_of(rows, values)
    assert value_of(alpha, one) == pytest.approx(value_of(alpha, two), abs=1e-10, nan_ok=True)


@given(drawn=ratings())
def test_on_two_levels_all_alphas_are_one(drawn: Drawn) -> None:
    two = drawn.levels[:2]
    rows = [[each if each in two else None for each in row] for row in drawn.rows]
    found = {name: value_of(alphas, counts_of(rows, two)) for name, alphas in ALPHAS.items()}
    assert same(found, dict.fromkeys(found, found["alpha nominal"]))


@given(drawn=pairs())
def test_kappa_is_unmoved_by_levels_that_nobody_gave(drawn: Drawn) -> None:
    longer = Drawn(drawn.rows, [-3, *drawn.levels, 99])
    one, two = of_pair(drawn.matrix), of_pair(longer.matrix)
    assert same({name: one[name] for name in KAPPAS}, {name: two[name] for name in KAPPAS})


# --- units with one rating, and with none ---


@given(drawn=ratings(), data=st.data())
def test_a_unit_with_one_rating_changes_neither_alpha_nor_percent_agreement(
    drawn: Drawn, data: st.DataObject
) -> None:
    single: Row = [data.draw(st.sampled_from(drawn.levels)), *[None] * (len(drawn.rows[0]) - 1)]
    more = Drawn([*drawn.rows, single], drawn.levels)
    one, two = of_counts(drawn.counts), of_counts(more.counts)
    kept = {*ALPHAS, "percent agreement", "within one"}
    assert same({name: one[name] for name in kept}, {name: two[name] for name in kept})
    assert drawn.counts.compared == more.counts.compared
    assert drawn.counts.tally.tolist() == more.counts.tally.tolist()


@given(drawn=ratings())
def test_a_unit_without_a_rating_changes_nothing(drawn: Drawn) -> None:
    more = Drawn([*drawn.rows, [None] * len(drawn.rows[0])], drawn.levels)
    assert same(of_counts(drawn.counts), of_counts(more.counts))


# --- many draws at once ---


def some_picks(data: st.DataObject, patterns: int) -> list[list[int]]:
    place = st.integers(0, patterns - 1)
    return data.draw(st.lists(st.lists(place, min_size=2, max_size=6), min_size=1, max_size=3))


def as_draws(picks: list[list[int]], patterns: int) -> Floats:
    return np.array([np.bincount(pick, minlength=patterns) for pick in picks], dtype=np.float64)


@given(drawn=ratings().filter(lambda drawn: drawn.counts.compared > 0), data=st.data())
def test_a_draw_of_units_is_the_sample_of_these_units(drawn: Drawn, data: st.DataObject) -> None:
    """A coefficient says of many draws what it says of each, its units spelt out."""
    all_of = drawn.counts
    picks = some_picks(data, len(all_of.units))
    draws = as_draws(picks, len(all_of.units))
    at_once = {name: function(all_of, draws) for name, function in OF_COUNTS.items()}
    for number, pick in enumerate(picks):
        units = np.ones(len(pick), dtype=np.int64)
        spelt_out = Counts(all_of.levels, all_of.patterns[pick], units, all_of.annotators)
        one = {name: float(values[number]) for name, values in at_once.items()}
        assert same(one, of_counts(spelt_out))


@given(drawn=pairs(), data=st.data())
def test_a_draw_of_units_is_the_matrix_of_these_units(drawn: Drawn, data: st.DataObject) -> None:
    all_of = drawn.matrix
    picks = some_picks(data, len(all_of.units))
    draws = as_draws(picks, len(all_of.units))
    at_once = {name: function(all_of, draws) for name, function in OF_PAIRS.items()}
    for number, pick in enumerate(picks):
        units = np.ones(len(pick), dtype=np.int64)
        spelt_out = Matrix(all_of.levels, all_of.patterns[pick], units)
        one = {name: float(values[number]) for name, values in at_once.items()}
        assert same(one, of_pair(spelt_out))
