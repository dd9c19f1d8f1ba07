"""How fast an annotator is in a project, and what that says of the time that is left. Pure: no
Django.

Seconds are active ones, of the last ratings. A few long items make the mean of such times greater
than their median; a sum of many is so many times the mean. So what is left is told as a range: from
the lower end of the median's 95 % interval to its upper end or the mean, whichever is greater. The
interval is free of any assumption about how the times are spread: its ends are two of the times
themselves, found by their rank (order statistics, binomial with one half).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median

KEPT = 50  # of the last ratings
LEAST = 10  # ratings before anything is said


@dataclass(frozen=True, slots=True)
class Pace:
    """Where an annotator stands in a project: items rated, of how many; today's ratings; and how
    long the last ones took, in seconds, in no order that matters."""

    rated: int = 0
    items: int = 0
    today: int = 0
    recent: tuple[int, ...] = ()

    @property
    def left(self) -> int:
        """Items, if all of them come to this annotator."""
        return max(0, self.items - self.rated)

    @property
    def based_on(self) -> int:
        """The number of ratings that what follows rests on; 0 where they are too few to say
        anything."""
        return len(self.recent) if len(self.recent) >= LEAST else 0

    @property
    def median(self) -> float | None:
        """Seconds of an item."""
        return median(self.recent) if self.based_on else None

    @property
    def time_left(self) -> tuple[float, float] | None:
        """Seconds for all items that are left, from and to."""
        if not self.based_on or not self.left:
            return None
        times = sorted(self.recent)
        rank = _rank(len(times))
        return self.left * times[rank - 1], self.left * max(times[-rank], fmean(times))


@lru_cache(maxsize=KEPT)
def _rank(number: int) -> int:
    """Of so many times, sorted, the rank from either end of the ends of the median's 95 % interval:
    the greatest r for which the chance of fewer than r of them below the median is 2.5 % at most; 1
    at least."""
    below, rank = 0, 0
    while rank < number and (below := below + math.comb(number, rank)) <= 0.025 * 2**number:
        rank += 1
    return max(1, rank)
