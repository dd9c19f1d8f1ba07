"""When a project will be done, who has stopped, and who is far faster than the others."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, strategies as st

from tasks.overview.speed import (
    LAST_DAYS,
    far_faster,
    forecast,
    idle_days,
    last_days,
    working_weekdays,
)

THURSDAY = date(2026, 11, 19)
# The mock's days: two weeks, and three days of a third.
MOCK = dict(
    zip(
        [date(2026, 11, day) for day in (2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16, 17, 18)],
        [34, 46, 52, 49, 41, 55, 58, 47, 12, 51, 60, 63, 57],
        strict=True,
    )
)
WORKDAYS = frozenset(range(5))


def test_the_forecast_is_the_median_of_the_last_ten_days_with_ratings() -> None:
    found = forecast({**MOCK, THURSDAY: 53}, 318, THURSDAY)
    assert found is not None
    assert found.a_day == 53
    assert found.done == date(2026, 11, 27)


def test_the_range_of_a_forecast_comes_from_the_quartiles_of_its_days() -> None:
    found = forecast({**MOCK, THURSDAY: 60}, 318, THURSDAY)
    assert found is not None
    # 47.5 and 57.75 a day: seven and six working days from tomorrow on.
    assert (found.earliest, found.latest) == (date(2026, 11, 27), date(2026, 11, 30))


def test_today_is_expected_to_come_as_far_as_other_days() -> None:
    begun, not_begun = (forecast({**MOCK, THURSDAY: done}, 53, THURSDAY) for done in (53, 0))
    assert begun is not None
    assert not_begun is not None
    assert begun.done == THURSDAY + timedelta(days=1)
    assert not_begun.done == THURSDAY


def test_a_team_that_works_on_one_day_a_week_needs_as_many_weeks_as_before() -> None:
    tuesdays = {date(2026, 11, 17) - timedelta(weeks=number): 100 for number in range(10)}
    found = forecast(tuesdays, 1_000, THURSDAY)
    assert found is not None
    # Ten of the 47 working days from 15 September to yesterday: 21.3 a day. 21 today, then 47 days.
    assert found.a_day == pytest.approx(100 * 10 / 47)
    assert found.done == found.earliest == found.latest == date(2027, 1, 25)


def test_days_without_ratings_and_today_do_not_tell() -> None:
    assert last_days({**MOCK, date(2026, 11, 7): 0, THURSDAY: 99}, THURSDAY) == [
        (day, MOCK[day]) for day in list(MOCK)[-LAST_DAYS:]
    ]


def test_there_is_no_forecast_from_two_days_or_when_all_is_there() -> None:
    two = dict(list(MOCK.items())[-2:])
    assert forecast(two, 10, THURSDAY) is None
    assert forecast(MOCK, 0, THURSDAY) is None


def test_a_forecast_of_years_names_no_day() -> None:
    slow = {THURSDAY - timedelta(days=number): 1 for number in (1, 2, 3)}
    found = forecast(slow, 10_000, THURSDAY)
    assert found is not None
    assert found.done is None


def test_weekends_count_where_people_worked_on_them() -> None:
    saturday = date(2026, 11, 14)
    assert working_weekdays(MOCK, THURSDAY) == WORKDAYS
    assert working_weekdays({**MOCK, saturday: 3}, THURSDAY) == WORKDAYS | {5}


@given(
    st.dictionaries(
        st.dates(date(2026, 10, 1), date(2026, 11, 18)), st.integers(1, 500), min_size=3
    ),
    st.integers(1, 5_000),
)
def test_the_day_lies_in_its_range_and_is_not_past(ratings: dict[date, int], left: int) -> None:
    found = forecast(ratings, left, THURSDAY)
    assert found is not None
    latest = date.max
    earliest, done = found.earliest or latest, found.done or latest
    assert THURSDAY <= earliest <= done <= (found.latest or latest)


# --- who stopped ---


@pytest.mark.parametrize(
    ("last", "days"),
    [
        (date(2026, 11, 19), 0),  # today
        (date(2026, 11, 18), 0),  # yesterday
        (date(2026, 11, 16), 2),
        (date(2026, 11, 13), 3),  # Friday: Monday to Wednesday without
        (date(2026, 11, 14), 3),  # Saturday
        (date(2026, 11, 12), 4),
    ],
)
def test_idle_days_are_the_whole_working_days_since_the_last_rating(last: date, days: int) -> None:
    assert idle_days(last, THURSDAY, WORKDAYS) == days


# --- who is far faster ---


def test_under_half_of_the_others_median_is_far_faster() -> None:
    others = [[250] * 20, [252] * 20]
    assert far_faster([119] * 20, others) == (119, 251)
    assert far_faster([126] * 20, others) is None


def test_the_last_twenty_ratings_tell_and_fewer_do_not() -> None:
    others = [[250] * 20]
    assert far_faster([100] * 19, others) is None
    assert far_faster([100] * 20, [[250] * 19]) is None
    assert far_faster([100] * 20 + [300] * 30, others) == (100, 250)
