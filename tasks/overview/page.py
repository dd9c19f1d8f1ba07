"""All that the overview shows of a project.

The figures are made from stored counts. No query reads all items or ratings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rubrics.judging.dimension import Dimension
from tasks.agreement.charts import ChartMark, Whisker, axis_marks, whisker
from tasks.agreement.drawing import MARKS, ends_of, is_awaiting, printed_value
from tasks.agreement.measures import sentence
from tasks.agreement.page_result import PageResult
from tasks.agreement.results import lacking_since, last_result
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.model_names import ModelNames
from tasks.lead_pages.ramp import ramp
from tasks.models import Project, Workday
from tasks.models.progress import ProjectFigures, progress_of
from tasks.models.stored_figures import whole_tally
from tasks.models.tallies import Tally
from tasks.overview.cost import mean_seconds
from tasks.overview.days import labelled_days, latest_day
from tasks.overview.drawing import bar_chart, meter
from tasks.overview.lead_needs import needs_of
from tasks.overview.model_scores import (
    annotators_means,
    blanks_of,
    compared_with,
    model_rows,
    ticked_most,
)
from tasks.overview.partial_dimensions import partly_applied
from tasks.overview.people_rows import PeopleFigures, PersonRow, people_of
from tasks.overview.shortage import shortage_of
from tasks.overview.speed import Forecast, Ratings, forecast, last_days


@dataclass(frozen=True, slots=True)
class _Work:
    """The work in a project: how far it is, day by day, and by whom."""

    project: Project
    progress: ProjectFigures
    ratings: Ratings
    days: Sequence[Workday]  # the latest of each annotator
    person_rows: Sequence[PersonRow]


@dataclass(frozen=True, slots=True)
class AgreementHeadline:
    """The main figure of agreement, as it was last made."""

    sentence: str  # "" if it would be wrong by now
    alpha: str  # "" without a figure
    interval: list[str]
    whisker: Whisker
    marks: list[ChartMark]
    main: str  # the code of the measure
    made_at: datetime | None


def overview_of(
    project: Project, dimension: Dimension, now: datetime, names: ModelNames
) -> Mapping[str, object]:
    """Return the context of the page."""
    progress = progress_of(project)
    ratings = project.workdays.ratings_by_day()
    days = list(project.workdays.latest_by_annotator())
    tally = whole_tally(project)
    stored = last_result(project, dimension, names_people=False)
    means = annotators_means(tally, dimension)
    people = people_of(PeopleFigures(project, progress, ratings, days, stored, means), now)
    lacking = lacking_since(project, stored)
    return {
        "now": now,
        "fresh": Freshness(lacking, now),
        "people": people,
        "shows_models": names.are_visible,
        "agreement": _headline(stored, lacking is not None),
        **_figures_of_work(_Work(project, progress, ratings, days, people), now),
        **_figures_of_scores(project, tally, dimension, names, stored),
    }


def _figures_of_work(work: _Work, now: datetime) -> Mapping[str, object]:
    """Return how far a project is and when it will be done, and what needs its lead."""
    progress = work.progress
    today = latest_day(work.ratings, now)
    gets_items = any(person.left for person in work.person_rows)
    may_get = [person.may_get for person in work.person_rows if person.may_rate]
    shortage = shortage_of(work.project, progress, may_get)
    ahead: Forecast | None = None
    if gets_items and not shortage.ratings:
        ahead = forecast(work.ratings, progress.left, today)
    seconds = mean_seconds(work.days) or 0
    chart = bar_chart(work.ratings, ahead, today) if work.ratings else None
    days = last_days(work.ratings, today)
    needs = needs_of(work.project, progress, work.person_rows, shortage, now)
    return {
        "today": today,
        "progress": progress,
        "gets_items": gets_items,  # somebody can, now
        "partly_applied": list(partly_applied(work.project)),
        "share": 100 * progress.counted // max(1, progress.wanted),
        "meter": meter(progress),
        "forecast": ahead,
        "hours_left": progress.left * seconds / 3600,
        "days": labelled_days(work.ratings),
        "days_used": len(days),
        "chart": chart,
        "needs": needs,
        "open_cases": needs.cases,
    }


def _figures_of_scores(
    project: Project,
    tally: Tally,
    dimension: Dimension,
    model_names: ModelNames,
    agreement: PageResult | None,
) -> Mapping[str, object]:
    """Return the scores of the models in a dimension, and what was ticked most."""
    models = model_rows(tally, dimension, model_names, agreement)
    return {
        "models": models,
        "blanks": blanks_of(tally, dimension, model_names),
        "compared_with": compared_with(models),
        "ramp": ramp(dimension),
        "ticks": ticked_most(tally, dimension, project.rubric.schema),
    }


def _headline(agreement: PageResult | None, is_outdated: bool) -> AgreementHeadline | None:
    """Return the headline of the figures as they were last made, or None."""
    if agreement is None:
        return None
    result = agreement.result
    main = result.main_figure
    # "No ratings" is wrong once there are some: the worker makes the figures next.
    waits = is_outdated and is_awaiting(main)
    return AgreementHeadline(
        sentence="" if waits else sentence(result, agreement.names_by_number),
        alpha=printed_value(main),
        interval=ends_of(main),
        whisker=whisker("", main),
        marks=axis_marks(MARKS),
        main=result.main,
        made_at=agreement.made_at,
    )
