"""Estimate an annotator's time left in a project from their pace. Pure: no Django.

Times are the active seconds of the last ratings. A few long items make the mean of such times
greater than their median, while a sum of many times is their number times the mean. So the estimate
is a range. It goes from the lower end of the median's 95 % interval to its upper end, or to the
mean if that is greater. The interval assumes nothing about how the times are distributed: its ends
are two of the times themselves, found by their rank (order statistics, binomial with one half).
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median
from typing import NamedTuple

MOST_RECENT = 50  # times of the last ratings to store
LEAST = 10  # ratings needed for an estimate


class TimeRange(NamedTuple):
    """An estimate, in seconds."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Pace:
    """An annotator's progress and recent times in a project."""

    rated: int = 0  # items
    items: int = 0  # in the project
    today: int = 0  # ratings
    recent: tuple[int, ...] = ()  # seconds of the last ratings, in any order

    @property
    def left(self) -> int:
        """The items left, if all of them go to this annotator."""
        return max(0, self.items - self.rated)

    @property
    def based_on(self) -> int:
        """The number of ratings that the estimate rests on; 0 if they are too few."""
        return len(self.recent) if len(self.recent) >= LEAST else 0

    @property
    def median(self) -> float | None:
        """The median seconds per item."""
        return median(self.recent) if self.based_on else None

    @property
    def time_left(self) -> TimeRange | None:
        """The estimated time for all items left."""
        return self.time_for(self.left)

    def time_for(self, items: int) -> TimeRange | None:
        """Return the estimated time for so many items; None if there are too few to tell."""
        if not self.based_on or not items:
            return None
        times = sorted(self.recent)
        rank = _rank(len(times))
        return TimeRange(items * times[rank - 1], items * max(times[-rank], fmean(times)))


@lru_cache(maxsize=MOST_RECENT)
def _rank(number: int) -> int:
    """Return the rank, from either end of the sorted times, of the median's 95 % interval's ends.

    It is the greatest r for which fewer than r of the times fall below the median with a chance of
    at most 2.5 %. It is at least 1.
    """
    most_ways = 0.025 * 2**number  # of all ways in which times fall below the median or above
    ways = 0
    for rank in range(number):
        ways += math.comb(number, rank)
        if ways > most_ways:
            return max(1, rank)
    return number
