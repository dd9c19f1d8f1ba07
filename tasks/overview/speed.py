"""How fast a project goes, when it will be done, and who fell behind or rushes. Pure: no Django.

A working day is Monday to Friday, and a day of the weekend if one of the last days of work was one.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median, quantiles

LAST_DAYS = 10  # days with ratings that the forecast rests on
LEAST_DAYS = 3  # fewer make no forecast
LAST_ITEMS = 20  # ratings that tell how fast someone is
STOPPED_AFTER = 3  # working days without a rating
LONGEST = 366 * 3  # days ahead that a forecast may go
DAY = timedelta(days=1)
Ratings = Mapping[date, int]  # by day


@dataclass(frozen=True, slots=True)
class Forecast:
    """The day on which a project will be done, from the ratings of its last days of work."""

    a_day: float  # ratings of a working day: the median of these days times their share
    done: date | None  # None: too far away to say
    earliest: date | None  # at the pace of their upper quartile
    latest: date | None  # at the pace of their lower quartile


def last_days(ratings: Ratings, today: date) -> list[tuple[date, int]]:
    """Return the last days with ratings before today, oldest first."""
    past = [(day, number) for day, number in ratings.items() if number and day < today]
    return sorted(past)[-LAST_DAYS:]


def working_weekdays(ratings: Ratings, today: date) -> frozenset[int]:
    """Return the weekdays on which people work, 0 for Monday."""
    days = [day for day, _number in last_days(ratings, today)]
    return frozenset((*range(5), *(day.weekday() for day in days)))


def forecast(ratings: Ratings, left: int, today: date) -> Forecast | None:
    """Return when the ratings left will be there, or None if too few days tell.

    Not everybody works daily. So the pace of a working day is that of the last days with ratings
    times their share of all working days since the first of them.
    """
    days = last_days(ratings, today)
    if len(days) < LEAST_DAYS or not left:
        return None
    weekdays = working_weekdays(ratings, today)
    share = len(days) / (1 + idle_days(days[0][0], today, weekdays))
    numbers = [number * share for _day, number in days]
    slow, _middle, fast = quantiles(numbers, n=4, method="inclusive")

    def done(a_day: float) -> date | None:
        after_today = left
        if today.weekday() in weekdays:  # today reaches the number of a day, too
            after_today -= max(0, math.floor(a_day) - ratings.get(today, 0))
        return _days_on(today, math.ceil(max(0, after_today) / a_day), weekdays)

    middle = median(numbers)
    return Forecast(middle, done(middle), done(fast), done(slow))


def _days_on(day: date, number: int, weekdays: frozenset[int]) -> date | None:
    """Return the working day that is so many of them after `day`."""
    end = day + LONGEST * DAY
    while number:
        day += DAY
        number -= day.weekday() in weekdays
        if day > end:
            return None
    return day


def idle_days(last: date, today: date, weekdays: frozenset[int]) -> int:
    """Return the whole working days without a rating, after that of the last one."""
    days = [last + number * DAY for number in range(1, (today - last).days)]
    return sum(day.weekday() in weekdays for day in days)


def far_faster(
    times: Sequence[int], other_times: Sequence[Sequence[int]]
) -> tuple[float, float] | None:
    """Return one's median time and the others', if one's is under half of theirs.

    Times are seconds of each one's last ratings, newest first. Fewer than 20 tell nothing.
    """
    last_times = times[:LAST_ITEMS]
    usual_times: list[int] = []
    for other in other_times:
        usual_times += other[:LAST_ITEMS]
    if min(len(last_times), len(usual_times)) < LAST_ITEMS:
        return None
    middle = median(last_times)
    usual = median(usual_times)
    return (middle, usual) if middle < usual / 2 else None
