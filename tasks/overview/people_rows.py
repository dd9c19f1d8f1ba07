"""The people who rate in a project, a row each, with the figures of their work as shown.

The overview (`page.py`) shows annotators and imported raters in one table; the page of the people
(`tasks/people/`) shows members with the figures of their rows, and imported raters apart.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from statistics import median

from django.db.models import Sum
from django.utils import timezone

from tasks.agreement.measures import coefficient
from tasks.agreement.page_result import PageResult
from tasks.agreement.stored import Missing
from tasks.answers.fact_checks import minutes
from tasks.models import Admission, ImportedRater, Project, Workday
from tasks.models.progress import ProjectFigures
from tasks.overview.annotators import Annotator, annotators_of
from tasks.overview.days import latest_day
from tasks.overview.drawing import spark
from tasks.overview.speed import (
    DAY,
    STOPPED_AFTER,
    Ratings,
    far_faster,
    idle_days,
    working_weekdays,
)

SPARK_DAYS = 14


@dataclass(frozen=True, slots=True)
class FarFaster:
    """The time of somebody who is far faster than the others, and theirs: "4 min", "11 min"."""

    time: str
    usual: str


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An annotator or an imported rater. The fields with defaults are of annotators alone."""

    key: int  # of the account; of an imported rater without one, minus the rater's
    name: str
    rated: int  # items
    mean: float | None  # of their scores
    alpha: str  # with the others; "" without a figure
    rater: ImportedRater | None = None  # None for an annotator
    may_rate: bool = False  # a member, with an active account
    may_get: int = 0  # items
    left: int = 0  # items that want ratings and may come to them, at most
    spark: str = ""  # ratings of the last days, today last, as the points of a line
    median: str = ""  # time of the last ratings; "" without any
    last: datetime | None = None  # time of the last rating
    practises: bool = False  # before their first item
    is_rating: bool = False  # they hold an item now
    is_today: bool = False  # the last rating is of today
    idle: int = 0  # whole working days since the last rating
    faster: FarFaster | None = None

    @property
    def is_imported(self) -> bool:
        """True if all their ratings came from files."""
        return self.rater is not None

    @property
    def has_stopped(self) -> bool:
        """True if they rated, have items left, and gave no rating for three working days."""
        return bool(self.left) and not self.is_rating and self.idle >= STOPPED_AFTER


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """The figures of a project from which the rows of its people are made."""

    project: Project
    progress: ProjectFigures
    ratings: Ratings  # of everybody, by day
    days: Iterable[Workday]  # the latest of each annotator
    agreement: PageResult | None
    means: Mapping[int, float] = field(default_factory=dict)  # of scores, by `PersonRow.key`


def people_of(figures: PeopleFigures, now: datetime) -> list[PersonRow]:
    """Return the annotators of a project by name, then the imported raters who are none of them."""
    rows = {row.key: row for row in _annotator_rows(figures, now)}
    for rater_row in raters_of(figures.project, figures.agreement, figures.means):
        annotator_row = rows.get(rater_row.key)
        if annotator_row is None:
            rows[rater_row.key] = rater_row
        else:  # the rater's account: what they rated in files adds to what they rated here
            rated = annotator_row.rated + rater_row.rated
            rows[rater_row.key] = replace(annotator_row, rated=rated)
    return list(rows.values())


def raters_of(
    project: Project, agreement: PageResult | None, means: Mapping[int, float]
) -> list[PersonRow]:
    """Return the persons among the imported raters of a project, by name.

    `means`: of their scores, by `PersonRow.key`.
    """
    if not project.has_imported:
        return []
    alphas = _alphas_of(agreement)
    rated = project.ratings.items_by_rater()
    rows = []
    for rater in project.raters.filter(is_slot=False).select_related("account"):
        row = PersonRow(
            key=rater.person,
            name=rater.display_name,
            rated=rated.get(rater.pk, 0),  # without those that their account rated
            mean=means.get(rater.person),
            alpha=alphas.get(rater.person, ""),
            rater=rater,
        )
        rows.append(row)
    return rows


def _annotator_rows(figures: PeopleFigures, now: datetime) -> Iterator[PersonRow]:
    """Yield the annotators of a project by name. Days are those of whoever looks."""
    project = figures.project
    today = timezone.localdate(now)
    latest = latest_day(figures.ratings, now)
    weekdays = working_weekdays(figures.ratings, latest)
    alphas = _alphas_of(figures.agreement)
    rated = dict(project.batch_progress.order_by().values_list("annotator").annotate(Sum("rated")))
    sparks = _Sparks(project, latest)
    times = {day.annotator_id: day.recent for day in figures.days}
    admitted = Admission.objects.in_project(project) if project.asks_practice else {}
    for annotator in annotators_of(project, now):
        key = annotator.key
        practises = project.asks_practice and key not in admitted
        last_day = annotator.last and timezone.localdate(annotator.last)
        yield PersonRow(
            key=key,
            name=annotator.name,
            rated=rated.get(key, 0),
            mean=figures.means.get(key),
            alpha=alphas.get(key, ""),
            may_rate=annotator.may_rate,
            may_get=annotator.may_get,
            left=0 if practises else _items_left(figures, annotator),
            spark=sparks.of(key),
            median=_median_time(times.get(key)),
            last=annotator.last,
            practises=practises,
            is_rating=annotator.is_rating,
            is_today=last_day == today,
            idle=idle_days(last_day, today, weekdays) if last_day else 0,
            faster=_far_faster(key, times) if annotator.may_rate else None,
        )


def _items_left(figures: PeopleFigures, annotator: Annotator) -> int:
    """Return how many items want ratings and may come to an annotator, at most."""
    is_open = figures.project.status == Project.Status.OPEN and figures.progress.left > 0
    if not is_open or not annotator.may_rate:
        return 0
    return max(0, min(annotator.may_get, figures.progress.unfinished))


def _median_time(times: Sequence[int] | None) -> str:
    return minutes(round(median(times))) if times else ""


def _far_faster(key: int, times_by_annotator: Mapping[int, Sequence[int]]) -> FarFaster | None:
    """Return the time of an annotator and the others' usual one, if it is far shorter."""
    times = times_by_annotator.get(key, ())
    others = [seconds for other, seconds in times_by_annotator.items() if other != key]
    medians = far_faster(times, others)
    if medians is None:
        return None
    time, usual = medians
    return FarFaster(minutes(round(time)), minutes(round(usual)))


class _Sparks:
    """The ratings of the last days, as a line for each annotator."""

    def __init__(self, project: Project, last: date) -> None:
        first = last - DAY * (SPARK_DAYS - 1)
        self.days = [first + DAY * number for number in range(SPARK_DAYS)]
        recent = project.workdays.filter(day__gte=first)
        self.rated: dict[tuple[int, date], int] = {}
        for annotator, day, rated in recent.values_list("annotator", "day", "rated"):
            self.rated[annotator, day] = rated

    def of(self, annotator: int) -> str:
        """Return the line of an annotator."""
        return spark([self.rated.get((annotator, day), 0) for day in self.days])


def _alphas_of(agreement: PageResult | None) -> dict[int, str]:
    """Return α with the others by person: the mean over the pairs, by how much both rated."""
    if agreement is None:
        return {}
    result = agreement.result
    sums: dict[int, float] = {}
    units: dict[int, int] = {}
    for pair in result.pairs:
        alpha = pair.figures[result.main]
        if isinstance(alpha, Missing):
            continue
        for person in (pair.first, pair.second):
            sums[person] = sums.get(person, 0.0) + alpha.value * pair.units
            units[person] = units.get(person, 0) + pair.units
    return {person: coefficient(sums[person] / units[person]) for person in sums if units[person]}
