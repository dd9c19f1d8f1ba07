"""The projects of a lead, a row each: how far, when done, how well people agree, what waits.

From kept figures only: all rows take a fixed number of queries, and none of them reads ratings.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, Sum

from tasks.agreement.drawing import WAITING
from tasks.agreement.measures import MISSING, Json, coefficient
from tasks.agreement.results import FORM
from tasks.models import AgreementResult, Concern, Invitation, Membership, Project, Workday
from tasks.models.progress import progress_of_each
from tasks.overview.drawing import per_cent
from tasks.overview.page import latest_day
from tasks.overview.speed import forecast


def rows_of(projects: Sequence[Project], now: datetime) -> list[Json]:
    """Return a row of the start page for each project, in the same order."""
    progress = progress_of_each([each.pk for each in projects])
    days = _ratings(projects)
    alphas = {
        project: figures[main]
        for project, main, figures in AgreementResult.objects.filter(
            project__in=projects,
            rubric=F("project__rubric"),
            first=False,
            sound=False,
            figures__form=FORM,
        )
        .order_by("-pk")  # the first dimension's is made first, and stays
        .values_list("project", "figures__main", "figures__overall__figures")
    }
    waiting = Concern.objects.filter(project__in=projects).undecided()
    counts = {
        "concerns": _counted(waiting),
        "undelivered": _counted(Invitation.objects.filter(project__in=projects).not_delivered(now)),
        "people": _counted(
            Membership.objects.filter(
                project__in=projects, role=Membership.Role.ANNOTATOR, user__is_active=True
            )
        ),
    }
    rows = []
    for project in projects:
        own, ratings = progress[project.pk], days[project.pk]
        today = latest_day(ratings, now)
        people = counts["people"].get(project.pk, 0)
        is_open = project.status == Project.Status.OPEN
        alpha = alphas.get(project.pk, {})
        rows.append(
            {
                "project": project,
                "progress": own,
                "bar": per_cent(100 * own.counted / max(1, own.wanted)),
                "today": ratings.get(today, 0),
                "last": max(ratings, default=None),  # the last day with ratings
                "forecast": forecast(ratings, own.left, today) if is_open and people else None,
                "has_figures": project.pk in alphas,
                "is_early": alpha.get("missing") in WAITING,
                "why": MISSING.get(alpha.get("missing", ""), ""),  # there is no α
                "alpha": [coefficient(alpha[e]) for e in ("value", "low", "high") if e in alpha],
                "nobody": own.unfinished and not people and project.status != "closed",
                **{name: found.get(project.pk, 0) for name, found in counts.items()},
            }
        )
    return rows


def _ratings(projects: Sequence[Project]) -> dict[int, dict[date, int]]:
    """Return the ratings of each day that has any, by project."""
    found: dict[int, dict[date, int]] = defaultdict(dict)
    days = Workday.objects.filter(project__in=projects, rated__gt=0).order_by()
    for project, day, rated in days.values_list("project", "day").annotate(Sum("rated")):
        found[project][day] = rated
    return found


def _counted(rows: Any) -> dict[int, int]:
    """Return how many of the rows each project has."""
    return dict(rows.order_by().values_list("project").annotate(Count("pk")))
