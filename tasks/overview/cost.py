"""How much work a project is, in ratings and hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from tasks.models import Project, Workday
from tasks.models.progress import progress_of
from tasks.pace import LEAST


@dataclass(frozen=True, slots=True)
class Cost:
    """The ratings that a project wants, and the hours that they take at its median."""

    items: int
    ratings: int
    seconds: float | None  # median of a rating; None if too few tell

    @property
    def hours(self) -> float | None:
        return self.hours_of(self.ratings)

    @property
    def hours_of_one_more(self) -> float | None:
        """Hours for one more rating of each item."""
        return self.hours_of(self.items)

    def hours_of(self, ratings: int) -> float | None:
        return None if self.seconds is None else ratings * self.seconds / 3600


def median_seconds(days: Iterable[Workday]) -> float | None:
    """Return the median of the last active times of all annotators, from their latest days."""
    times = [seconds for day in days for seconds in day.recent]
    return median(times) if len(times) >= LEAST else None


def cost_of(project: Project) -> Cost:
    """Return what all ratings of a project cost."""
    progress = progress_of(project)
    seconds = median_seconds(project.workdays.latest_of_each())
    return Cost(progress.items, progress.wanted, seconds)
