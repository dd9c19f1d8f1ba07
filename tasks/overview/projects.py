"""The projects of a lead, a row each: how far, when done, how well people agree, what waits.

From kept figures only: all rows take a fixed number of queries, and none of them reads ratings.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F

from config.web.raw_sql import all_rows
from tasks.agreement.drawing import WAITING
from tasks.agreement.measures import MISSING, Json, coefficient
from tasks.agreement.results import FORM
from tasks.models import AgreementResult, Concern, Invitation, Project
from tasks.models.progress import progress_of_each
from tasks.overview.drawing import per_cent
from tasks.overview.page import latest_day
from tasks.overview.shortage import Shortage, shortages
from tasks.overview.speed import LAST_DAYS, forecast

# The project's last days are among the last days of each annotator. Their older days are not whole.
LATEST_DAYS = """
SELECT own.project_id, latest.day, sum(latest.rated)::int
FROM (SELECT DISTINCT project_id, annotator_id FROM tasks_batchprogress
    WHERE project_id = ANY(%(projects)s)) AS own,
  LATERAL (SELECT day, rated FROM tasks_workday
    WHERE project_id = own.project_id AND annotator_id = own.annotator_id AND rated > 0
    ORDER BY day DESC LIMIT %(days)s) AS latest
GROUP BY 1, 2 ORDER BY 1, 2 DESC
"""
NOBODY = Shortage(0, people=0, is_all_done=True)


def rows_of(projects: Sequence[Project], now: datetime) -> list[Json]:
    """Return a row of the start page for each project, in the same order."""
    progress = progress_of_each([each.pk for each in projects])
    days = _ratings(projects)
    alphas = _alphas(projects)
    lacking = shortages({project: progress[project.pk] for project in projects})
    waiting = Concern.objects.filter(project__in=projects).undecided()
    counts = {
        "concerns": _counted(waiting),
        "undelivered": _counted(Invitation.objects.filter(project__in=projects).not_delivered(now)),
    }
    rows = []
    for project in projects:
        own, ratings = progress[project.pk], days[project.pk]
        today = latest_day(ratings, now)
        is_open = project.status == Project.Status.OPEN
        of_dimensions = alphas.get(project.pk, [])
        dimension, alpha = min(of_dimensions, key=_by_value, default=("", {}))
        shortage = lacking.get(project.pk, NOBODY)
        rows.append(
            {
                "project": project,
                "progress": own,
                "bar": per_cent(100 * own.counted / max(1, own.wanted)),
                "today": ratings.get(today, 0),
                "last": max(ratings, default=None),  # the last day with ratings
                "forecast": forecast(ratings, own.left, today)
                if is_open and shortage.people and not shortage.ratings
                else None,
                "shortage": shortage if shortage.ratings else None,
                "people": shortage.people,
                "has_figures": project.pk in alphas,
                "dimension": dimension,  # the one of the lowest α
                "dimensions": len(of_dimensions),
                "is_early": alpha.get("missing") in WAITING,
                "why": MISSING.get(alpha.get("missing", ""), ""),  # there is no α
                "alpha": [coefficient(alpha[e]) for e in ("value", "low", "high") if e in alpha],
                "nobody": own.unfinished and not shortage.people and project.status != "closed",
                **{name: found.get(project.pk, 0) for name, found in counts.items()},
            }
        )
    return rows


def _alphas(projects: Sequence[Project]) -> dict[int, list[tuple[str, Json]]]:
    """Return the main figure of each dimension with its short title, by project."""
    alphas: dict[int, list[tuple[str, Json]]] = defaultdict(list)
    rows = AgreementResult.objects.filter(
        project__in=projects,
        rubric=F("project__rubric"),
        first=False,
        sound=False,
        figures__form=FORM,
    ).order_by("pk")  # the first dimension's is made first
    parts = ("project", "figures__short", "figures__main", "figures__overall__figures")
    for project, short, main, figures in rows.values_list(*parts):
        alphas[project].append((short, figures[main]))
    return alphas


def _by_value(of_dimension: tuple[str, Json]) -> float:
    """Return the key by which the lowest α comes first, and one that is missing last."""
    return float(of_dimension[1].get("value", 2))


def _ratings(projects: Sequence[Project]) -> dict[int, dict[date, int]]:
    """Return the ratings of the last days that have any, by project; a forecast needs no others."""
    found: dict[int, dict[date, int]] = defaultdict(dict)
    values = {"projects": [each.pk for each in projects], "days": LAST_DAYS + 1}  # and today
    for project, day, rated in all_rows(LATEST_DAYS, values):
        if len(found[project]) <= LAST_DAYS:
            found[project][day] = rated
    return found


def _counted(rows: Any) -> dict[int, int]:
    """Return how many of the rows each project has."""
    return dict(rows.order_by().values_list("project").annotate(Count("pk")))
