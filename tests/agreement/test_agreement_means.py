"""A model's mean has an interval from resamples of items, for the annotators that there are."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest

from tasks.agreement.means import OfModel, mean_over_items, means_of
from tasks.agreement.samples import Floats, Ints, Scores
from tasks.agreement.stored import Mean

# Item, model, score.
Said = list[tuple[int, int, int]]
STUDIES, ITEMS, RATERS, EACH = 400, 40, 8, 3
LEVELS = range(1, 8)
# The standard deviations of what makes a score: the item, the model's response to it, who rates,
# and the rest.
OF_ITEM, OF_RESPONSE, OF_RATER, REST = 0.8, 0.5, 0.5, 0.7
NONE = np.zeros(0, dtype=np.int64)
# Of each item, the scores of the first and of the second model.
SEVERAL = (((7, 5, 6), (3, 4, 5)), ((6,), (6,)), ((5, 5), (2, 7)), ((4,), (4,)), ((7,), (6,)))
MEANS = (4.2, 4.5)  # of the two models, before scores are rounded


def scores(values: Ints, items: Ints, models: Ints) -> Scores:
    """Scores of LEVELS; who gave them, and for which response, makes no difference here."""
    none = np.zeros(len(values), dtype=np.int64)
    return Scores(
        levels=LEVELS,
        value=values - LEVELS[0],
        unit=np.arange(len(values)),
        annotator=none,
        model=models,
        batch=none,
        week=none,
        answer_set=none,
    )


def means(said: Said) -> list[OfModel]:
    items, models, values = np.array(said).T
    return list(means_of(scores(values, items, models), items))


def had(found: Mean | None) -> Mean:
    assert found is not None
    return found


# --- the simulation ---


@pytest.fixture(scope="module")
def covered() -> dict[str, float]:
    """The share of made studies in which an interval covers the truth, by the kind of interval.

    The truth is the expected mean over all items for the raters of that study.
    """
    chance = np.random.default_rng(36)
    hits: dict[str, list[bool]] = {"mean": [], "difference": [], "independent": []}
    models, items = np.repeat([0, 1], ITEMS * EACH), np.tile(np.repeat(range(ITEMS), EACH), 2)
    for _ in range(STUDIES):
        raters = chance.normal(0, OF_RATER, RATERS)
        who = chance.permuted(np.tile(np.arange(RATERS), (ITEMS, 1)), axis=1)[:, :EACH]
        height = np.array(MEANS)[:, None] + chance.normal(0, OF_ITEM, ITEMS)
        height += chance.normal(0, OF_RESPONSE, (2, ITEMS))
        given = height[:, :, None] + raters[who] + chance.normal(0, REST, (2, ITEMS, EACH))
        values = np.clip(np.rint(given), LEVELS[0], LEVELS[-1]).astype(np.int64)
        truth = [expected(mean, raters) for mean in MEANS]
        found = list(means_of(scores(values.reshape(-1), items, models), items))
        for model, true, own in zip(found, truth, values, strict=True):
            interval = had(model.mean)
            hits["mean"].append(interval.low <= true <= interval.high)
            half = 1.96 * own.std(ddof=1) / sqrt(own.size)
            hits["independent"].append(abs(own.mean() - true) <= half)
            if model.difference:
                apart = true - sum(truth) + true
                hits["difference"].append(model.difference.low <= apart <= model.difference.high)
    assert [len(each) for each in hits.values()] == [2 * STUDIES, STUDIES, 2 * STUDIES]
    return {kind: float(np.mean(each)) for kind, each in hits.items()}


def expected(mean: float, raters: Floats) -> float:
    """The expected score of a model over all items, for these raters."""
    spread = sqrt(2) * sqrt(OF_ITEM**2 + OF_RESPONSE**2 + REST**2)
    steps = [level + 0.5 for level in LEVELS[:-1]]
    above = [[(1 - erf((step - mean - each) / spread)) / 2 for step in steps] for each in raters]
    return LEVELS[0] + float(np.sum(above)) / len(raters)


def test_intervals_of_means_cover_the_truth_as_often_as_they_say(
    covered: dict[str, float],
) -> None:
    assert covered["mean"] >= 0.92


def test_intervals_of_paired_differences_cover_the_truth_as_often_as_they_say(
    covered: dict[str, float],
) -> None:
    assert covered["difference"] >= 0.92


def test_simulated_studies_unmask_an_interval_that_takes_scores_as_independent(
    covered: dict[str, float],
) -> None:
    assert covered["independent"] < 0.86


# --- the mean ---


def test_the_mean_is_that_of_all_scores_however_many_an_item_has() -> None:
    others = ((item, 0, value) for item, value in enumerate((2, 3, 4, 5, 5, 5, 5), start=1))
    [found] = means([*[(0, 0, 7)] * 3, *others])
    assert (had(found.mean).value, had(found.mean).items) == (5, 8)


def test_an_interval_is_from_resamples_that_draw_items_with_all_their_scores() -> None:
    chance = np.random.default_rng(5)
    numbers = chance.integers(1, 4, 60).astype(float)
    sums = numbers * chance.integers(2, 7, 60).astype(float)
    found = had(mean_over_items(numbers, sums))
    drawn = chance.integers(0, 60, (4000, 60))
    means = sums[drawn].sum(axis=1) / numbers[drawn].sum(axis=1)
    assert found.value == sums.sum() / numbers.sum()
    # As many percentiles outward as Student's t with 59 degrees of freedom is wider.
    ends = np.percentile(means, [2.17, 97.83])
    assert (found.low, found.high) == pytest.approx(ends, abs=0.04)


def test_responses_of_one_item_go_together() -> None:
    """The same scores: as 90 items, and as 30 items whose three responses got the same."""
    values = [1, 3, 3, 4, 5, 5, 6, 6, 7, 7] * 9
    [apart] = means([(item, 0, value) for item, value in enumerate(values)])
    [together] = means([(item % 30, 0, value) for item, value in enumerate(values)])
    of_apart, of_together = had(apart.mean), had(together.mean)
    ratio = (of_together.high - of_together.low) / (of_apart.high - of_apart.low)
    assert of_apart.value == of_together.value
    assert ratio == pytest.approx(sqrt(3), rel=0.1)


def test_the_same_ratings_give_the_same_interval_in_whatever_order_they_come() -> None:
    said = [(item, model, 1 + (item * 3 + model) % 7) for item in range(20) for model in (0, 1)]
    assert means(said) == means(said[::-1])


def test_a_model_with_fewer_than_eight_items_has_no_interval() -> None:
    [found] = means([(0, 0, 7), *((item, 0, 2) for item in range(7))])
    assert found == OfModel(None, None, is_best=False)
    assert not list(means_of(scores(NONE, NONE, NONE), NONE))


# --- differences ---


def test_models_are_compared_with_the_highest_mean_on_the_items_that_both_answered() -> None:
    of_first = [(item, 0, value) for item, value in enumerate((5, 6, 7, 6, 6, 7, 5, 6, 7, 7))]
    of_second = [(item, 1, value) for item, value in enumerate((4, 6, 5, 7, 3, 6, 4, 5))]
    first, second = means(of_first + of_second)
    assert (first.is_best, second.is_best) == (True, False)
    assert first.difference is None
    apart = had(second.difference)
    assert (apart.value, apart.items) == (-1, 8)
    assert had(second.mean).value - had(first.mean).value == pytest.approx(5 - 6.2)


def test_an_item_that_moves_both_models_leaves_their_difference_as_it_is() -> None:
    said = [(item, model, 1 + item % 6 + model) for item in range(30) for model in (0, 1)]
    lower, _higher = means(said)
    assert had(lower.mean).high - had(lower.mean).low > 1
    assert (had(lower.difference).low, had(lower.difference).high) == (-1, -1)


def test_an_item_counts_by_its_scores_so_differences_are_those_of_the_means() -> None:
    said = [
        (item, model, value)
        for item, both in enumerate(SEVERAL * 2)
        for model, values in enumerate(both)
        for value in values
    ]
    first, second = means(said)
    assert had(second.difference).value == pytest.approx(
        had(second.mean).value - had(first.mean).value
    )
    # One more score of the first model: its item counts by 2 · 2 · 1 / 3.
    first, second = means([*said, (1, 0, 4)])
    others = 3 * -2 + 1 * 0 + 2 * -0.5 + 1 * 0 + 1 * -1  # there twice, but for that item
    weighed = (2 * others + 4 / 3 * 1) / (2 * (3 + 1 + 2 + 1 + 1) - 1 + 4 / 3)
    assert had(second.difference).value == pytest.approx(weighed)


def test_models_with_fewer_than_eight_items_in_common_are_not_compared() -> None:
    said = [(item, 0, 6) for item in range(9)] + [(item, 1, 5) for item in range(2, 12)]
    first, second = means(said)
    assert first.is_best
    assert second.difference is None
    assert had(second.mean).items == 10


def test_a_model_with_few_items_is_not_the_one_to_compare_with() -> None:
    said = [(item, 0, 6) for item in range(8)] + [(item, 1, 7) for item in range(7)]
    first, second = means(said)
    assert first.is_best
    assert second == OfModel(None, None, is_best=False)
