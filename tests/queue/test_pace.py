"""How fast an annotator is, what that says of the time left, and how it is told."""

from __future__ import annotations

from hypothesis import given, strategies as st

from annotators.progress import Progress, duration, span
from tasks.models.pace import LEAST, MOST_RECENT, Pace
from tests.cases import cases

# Ranks of the distribution-free 95 % interval of a median, as in tables of it (Conover, Practical
# Nonparametric Statistics; Hahn and Meeker, Statistical Intervals).
RANKS = {10: 2, 15: 4, 20: 6, 25: 8, 30: 10, 40: 14, 50: 18}


@cases(("number", "rank"), RANKS.items())
def test_the_time_left_spans_the_interval_of_the_median(number: int, rank: int) -> None:
    seconds = tuple(range(1, number + 1))  # the time of rank r is r
    pace = Pace(rated=number, items=number + 100, recent=seconds)
    assert pace.time_left == (100 * rank, 100 * (number + 1 - rank))


def test_the_median_is_that_of_all_the_times() -> None:
    assert Pace(recent=(30, 10, 20) * 4).median == 20
    assert Pace(recent=(40, 10, 20, 30) * 3).median == 25


def test_a_few_long_items_widen_the_time_left_up_to_the_mean() -> None:
    pace = Pace(rated=12, items=22, recent=(*[60] * 10, 3600, 3600))
    assert pace.median == 60
    assert pace.time_left == (600, 10 * (60 * 10 + 7200) / 12)


def test_too_few_ratings_say_nothing() -> None:
    few = Pace(rated=9, items=20, recent=(60,) * (LEAST - 1))
    assert (few.median, few.time_left, few.based_on) == (None, None, 0)
    enough = Pace(rated=10, items=20, recent=(60,) * LEAST)
    assert (enough.median, enough.time_left, enough.based_on) == (60, (600, 600), LEAST)


def test_a_pace_without_items_left_names_no_time() -> None:
    assert Pace(rated=20, items=20, recent=(60,) * 20).time_left is None
    # what one rated may have been dropped since
    assert Pace(rated=21, items=20, recent=(60,) * 20).left == 0


@given(
    st.lists(st.integers(0, 10_000), min_size=LEAST, max_size=MOST_RECENT), st.integers(1, 1_000)
)
def test_the_range_holds_the_median_and_the_mean_is_not_above_it(
    seconds: list[int], left: int
) -> None:
    pace = Pace(rated=5, items=5 + left, recent=tuple(seconds))
    assert pace.median is not None
    assert pace.time_left is not None
    low, high = pace.time_left
    assert low <= pace.median * left <= high
    assert sum(seconds) / len(seconds) * left <= high * (1 + 1e-12)


# --- in words ---


@cases(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (44.6, "45 s"),
        (59.4, "59 s"),
        (60, "1 min 0 s"),
        (119.5, "2 min 0 s"),
        (599, "9 min 59 s"),
        (600, "10 min"),
        (690, "12 min"),
    ],
)
def test_a_length_of_time_is_told_to_the_second_below_ten_minutes(
    seconds: float, words: str
) -> None:
    assert duration(seconds) == words


@cases(
    ("least", "most", "words"),
    [
        (10, 59, "less than a minute"),
        (10, 61, "0–2 min"),
        (600, 600, "10 min"),
        (601, 1199, "10–20 min"),
        (3600, 7199, "60–120 min"),
        (3600, 7200, "1–2 h"),
        (5500, 7201, "1.5–2.5 h"),
        (36000, 36001, "10–10.5 h"),
    ],
)
def test_a_range_is_rounded_away_from_each_other(least: float, most: float, words: str) -> None:
    assert span(least, most) == words


def test_progress_without_enough_ratings_has_no_times() -> None:
    pace = Pace(rated=1200, items=30000, today=7, recent=(60,))
    assert Progress.of(pace) == Progress(pace, "7", "1,200", "30,000", "", "28,800", "", "")


def test_progress_says_what_it_rests_on() -> None:
    pace = Pace(rated=12, items=32, today=12, recent=(90,) * 12)
    assert Progress.of(pace) == Progress(pace, "12", "12", "32", "1 min 30 s", "20", "30 min", "12")
