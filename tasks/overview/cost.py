"""The cost of a project in ratings and hours."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from tasks.models import Project, Workday
from tasks.models.pace import LEAST
from tasks.models.progress import progress_of


@dataclass(frozen=True, slots=True)
class Cost:
    """The ratings that a project wants, and the hours that they take.

    Hours are None if too few ratings tell.
    """

    items: int
    ratings: int
    of_an_item: int | None  # ratings; None if those of all items are not this times their number
    hours: float | None
    more: float | None  # hours for one more rating of each item


def cost_of(project: Project) -> Cost:
    """Return the cost of a project."""
    progress = progress_of(project)
    hours = mean_seconds(project.workdays.latest_by_annotator()) or 0
    hours /= 3600
    is_even = progress.items * project.wanted == progress.wanted
    return Cost(
        items=progress.items,
        ratings=progress.wanted,
        of_an_item=project.wanted if is_even else None,
        hours=progress.wanted * hours or None,
        more=progress.items * hours or None,
    )


def mean_seconds(days: Iterable[Workday]) -> float | None:
    """Return the mean of the last active times of all annotators, from their latest days.

    A sum of many times is their number times the mean. A few long ones lift it above the median.
    """
    times: list[int] = []
    for day in days:
        times += day.recent
    return fmean(times) if len(times) >= LEAST else None
