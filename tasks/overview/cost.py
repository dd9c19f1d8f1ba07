"""How much work a project is, in ratings and hours."""

from collections.abc import Iterable
from statistics import fmean

from tasks.models import Project, Workday
from tasks.models.progress import progress_of
from tasks.pace import LEAST


def mean_seconds(days: Iterable[Workday]) -> float | None:
    """Return the mean of the last active times of all annotators, from their latest days.

    A sum of many times is their number times the mean. A few long ones lift it above the median.
    """
    times = [seconds for day in days for seconds in day.recent]
    return fmean(times) if len(times) >= LEAST else None


def cost_of(project: Project) -> dict[str, float | None]:
    """Return the ratings that a project wants, and the hours that they take.

    `each`: ratings that each item wants; None if that is not their sum. `more`: hours for one more
    rating of each item. Hours are None if too few ratings tell.
    """
    progress = progress_of(project)
    hours = (mean_seconds(project.workdays.latest_of_each()) or 0) / 3600
    return {
        "items": progress.items,
        "ratings": progress.wanted,
        "each": project.wanted if progress.items * project.wanted == progress.wanted else None,
        "hours": progress.wanted * hours or None,
        "more": progress.items * hours or None,
    }
