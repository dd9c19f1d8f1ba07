"""How much work a project is, in ratings and hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from tasks.models import Project, Workday
from tasks.models.progress import progress_of
from tasks.pace import LEAST


@dataclass(frozen=True, slots=True)
class Cost:
    """The ratings that a project wants, and the hours that they take."""

    items: int
    ratings: int
    each: int | None  # ratings that each item wants; None if that is not their sum
    seconds: float | None  # mean of a rating; None if too few tell

    @property
    def hours(self) -> float | None:
        return self.hours_of(self.ratings)

    @property
    def hours_of_one_more(self) -> float | None:
        """Hours for one more rating of each item."""
        return self.hours_of(self.items)

    def hours_of(self, ratings: int) -> float | None:
        return None if self.seconds is None else ratings * self.seconds / 3600


def mean_seconds(days: Iterable[Workday]) -> float | None:
    """Return the mean of the last active times of all annotators, from their latest days.

    A sum of many times is their number times the mean. A few long ones lift it above the median.
    """
    times = [seconds for day in days for seconds in day.recent]
    return fmean(times) if len(times) >= LEAST else None


def cost_of(project: Project) -> Cost:
    """Return what all ratings of a project cost."""
    progress = progress_of(project)
    each = project.wanted if progress.items * project.wanted == progress.wanted else None
    seconds = mean_seconds(project.workdays.latest_of_each())
    return Cost(progress.items, progress.wanted, each, seconds)
