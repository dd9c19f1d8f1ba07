"""Mean distances with intervals over items."""

from __future__ import annotations

import random
from math import isclose

import pytest

from tasks.cases.distances import mean_distance


def test_the_mean_is_over_scores_and_the_interval_over_items() -> None:
    """Ten items of two scores: on five of them both are 1 too high, on five both are right.

    The mean is 0.5, each item's sum is 1 off, so the half is 1.96 √(10/7) √10 / 20.
    """
    mean = mean_distance([2] * 10, [2, 0] * 5)
    assert mean
    assert mean.value == 0.5
    half = 1.96 * (10 / 7) ** 0.5 * 10**0.5 / 20
    assert isclose(mean.high - mean.value, half)
    assert isclose(mean.value - mean.low, half)


@pytest.mark.parametrize(
    ("numbers", "is_enough"), [([1] * 19, False), ([1] * 20, True), ([4] * 7, False)]
)
def test_twenty_scores_on_eight_items_are_enough(numbers: list[int], is_enough: bool) -> None:
    assert (mean_distance(numbers, numbers) is not None) == is_enough


@pytest.mark.parametrize("items", [20, 60])
def test_nineteen_of_twenty_intervals_cover_the_truth(items: int) -> None:
    """Of 2,000 drawn studies, in which scores of one item go together, 93 to 97 % cover 0."""
    draw = random.Random(3)  # noqa: S311 - the same on every run
    covered = 0
    for _study in range(2_000):
        numbers = [draw.choice((1, 2, 3)) for _item in range(items)]
        sums = []
        for number in numbers:
            shift = draw.choice((-1, 0, 1))
            sums.append(sum(shift + draw.choice((-1, 0, 1)) for _score in range(number)))
        mean = mean_distance(numbers, sums)
        assert mean
        covered += mean.low <= 0 <= mean.high
    assert 0.93 <= covered / 2_000 <= 0.97
