"""The projects of a lead, a row each: how far, when done, how well people agree, what waits.

From stored figures only: all rows take a fixed number of queries, and none of them reads ratings.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F

from config.web.raw_sql import all_rows
from tasks.agreement.drawing import ends_of, is_awaiting
from tasks.agreement.measures import MISSING, coefficient
from tasks.agreement.stored import FORM, Estimate, Missing, estimate_of
from tasks.models import AgreementResult, Concern, Invitation, Project
from tasks.models.agreement_results import ALL_RATINGS
from tasks.models.open_cases import OpenCases, open_cases_of
from tasks.models.progress import ProjectFigures, progress_by_project
from tasks.overview.days import latest_day
from tasks.overview.drawing import per_cent
from tasks.overview.shortage import Shortage, shortages_of
from tasks.overview.speed import LAST_DAYS, Forecast, forecast

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
MISSING_VALUE = 2.0
NOBODY = Shortage(0, people=0, is_all_done=True)


@dataclass(frozen=True, slots=True)
class Alpha:
    """The main figure of agreement in one dimension."""

    dimension: str  # its short title
    figure: Estimate

    def value(self) -> float:
        """Return α, or more than any α if it is missing."""
        return MISSING_VALUE if isinstance(self.figure, Missing) else self.figure.value


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project on its lead's start page."""

    project: Project
    progress: ProjectFigures
    bar: str  # its width
    today: int  # ratings
    last: date | None  # the last day with ratings
    forecast: Forecast | None
    shortage: Shortage | None
    people: int
    concerns: int  # that wait
    undelivered: int  # invitations
    cases: OpenCases
    dimension_count: int  # with figures
    lowest: Alpha | None  # of the dimension with the lowest α, if any has figures

    @property
    def nobody(self) -> bool:
        """True if items want ratings, and nobody rates."""
        is_closed = self.project.status == Project.Status.CLOSED
        return bool(self.progress.unfinished) and not self.people and not is_closed

    @property
    def has_figures(self) -> bool:
        """True if agreement was computed."""
        return bool(self.dimension_count)

    @property
    def dimension(self) -> str:
        return self.lowest.dimension if self.lowest else ""

    @property
    def alpha(self) -> list[str]:
        """The lowest α and the ends of its interval, as far as there are any."""
        if self.lowest is None or isinstance(self.lowest.figure, Missing):
            return []
        figure = self.lowest.figure
        return [coefficient(figure.value), *ends_of(figure)]

    @property
    def is_early(self) -> bool:
        """True if more ratings will bring the α that is missing."""
        return self.lowest is not None and is_awaiting(self.lowest.figure)

    @property
    def why(self) -> str:
        """The reason why there is no α."""
        if self.lowest is None or not isinstance(self.lowest.figure, Missing):
            return ""
        return str(MISSING[self.lowest.figure.missing])


def rows_of(projects: Sequence[Project], now: datetime) -> list[ProjectRow]:
    """Return a row of the start page for each project, in the same order."""
    progress = progress_by_project([project.pk for project in projects])
    days = _ratings(projects)
    alphas = _alphas(projects)
    shortages = shortages_of({project: progress[project.pk] for project in projects})
    concerns = _number_by_project(Concern.objects.filter(project__in=projects).undecided())
    invitations = Invitation.objects.filter(project__in=projects)
    undelivered = _number_by_project(invitations.not_delivered(now))
    cases = open_cases_of(projects)
    rows = []
    for project in projects:
        figures = progress[project.pk]
        ratings = days[project.pk]
        today = latest_day(ratings, now)
        shortage = shortages.get(project.pk, NOBODY)
        ahead: Forecast | None = None
        is_open = project.status == Project.Status.OPEN
        if is_open and shortage.people and not shortage.ratings:
            ahead = forecast(ratings, figures.left, today)
        share = 100 * figures.counted / max(1, figures.wanted)
        row = ProjectRow(
            project=project,
            progress=figures,
            bar=per_cent(share),
            today=ratings.get(today, 0),
            last=max(ratings, default=None),
            forecast=ahead,
            shortage=shortage if shortage.ratings else None,
            people=shortage.people,
            concerns=concerns.get(project.pk, 0),
            undelivered=undelivered.get(project.pk, 0),
            cases=cases[project.pk],
            dimension_count=len(alphas[project.pk]),
            lowest=_lowest(alphas[project.pk]),
        )
        rows.append(row)
    return rows


def _lowest(alphas: Sequence[Alpha]) -> Alpha | None:
    """Return the lowest α, before all that are missing."""
    return min(alphas, key=Alpha.value, default=None)


def _alphas(projects: Sequence[Project]) -> dict[int, list[Alpha]]:
    """Return the main figure of each dimension, by project."""
    alphas: dict[int, list[Alpha]] = defaultdict(list)
    rows = AgreementResult.objects.filter(
        project__in=projects,
        rubric=F("project__rubric"),
        **ALL_RATINGS._asdict(),
        figures__form=FORM,
    ).order_by("pk")  # the first dimension's is made first
    parts = ("project", "figures__short", "figures__main", "figures__overall__figures")
    for project, short, main, figures in rows.values_list(*parts):
        alphas[project].append(Alpha(short, estimate_of(figures[main])))
    return alphas


def _ratings(projects: Sequence[Project]) -> dict[int, dict[date, int]]:
    """Return the ratings of the last days that have any, by project; a forecast needs no others."""
    ratings_by_project: dict[int, dict[date, int]] = defaultdict(dict)
    keys = [project.pk for project in projects]
    values = {"projects": keys, "days": LAST_DAYS + 1}  # and today
    for project, day, rated in all_rows(LATEST_DAYS, values):
        if len(ratings_by_project[project]) <= LAST_DAYS:
            ratings_by_project[project][day] = rated
    return ratings_by_project


def _number_by_project(queryset: Any) -> dict[int, int]:
    """Return how many of the rows each project has."""
    return dict(queryset.order_by().values_list("project").annotate(Count("pk")))
