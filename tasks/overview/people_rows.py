"""The people of a project, with the figures of their work as shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from statistics import median

from django.contrib.auth import get_user_model
from django.db.models import Sum
from django.utils import timezone

from config.web.people import User
from rubrics.judging.dimension import Dimension
from tasks.agreement.measures import coefficient
from tasks.agreement.page_result import PageResult
from tasks.agreement.results import last_result
from tasks.agreement.stored import Missing
from tasks.answers.fact_checks import minutes
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.models import Admission, ImportedRater, Project, Workday
from tasks.models.progress import ProjectFigures, progress_of
from tasks.models.roles import Role
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
class PersonRow:
    """An annotator or an imported rater of a project, with the figures of their work as shown."""

    key: int  # of the account; of an imported rater with a minus
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
    faster: tuple[str, ...] = ()  # their time and the others', if far faster

    @property
    def is_imported(self) -> bool:
        """True if all their ratings came from files."""
        return self.rater is not None

    @property
    def has_stopped(self) -> bool:
        """True if they rated, have items left, and gave no rating for three working days."""
        return bool(self.left) and not self.is_rating and self.idle >= STOPPED_AFTER


def alphas_of(agreement: PageResult | None) -> dict[int, str]:
    """Return α with the others for each person: the mean of the pairs', by what both rated."""
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


def people_of(
    project: Project,
    progress: ProjectFigures,
    ratings: Ratings,
    days: Iterable[Workday],
    now: datetime,
    *,
    agreement: PageResult | None,
    means: Mapping[int, float],
) -> list[PersonRow]:
    """Return the annotators of a project, by name, with the figures of their work as shown.

    Imported raters who are none of them come last.

    `ratings`: of all by day. `days`: the latest workday of each. `figures`: of agreement. `means`:
    of each one's scores, by the annotator's primary key. States and times are by the day of whoever
    looks.
    """
    alphas = alphas_of(agreement)
    at_work = project.batch_progress.order_by().values_list("annotator")
    rated = dict(at_work.annotate(Sum("rated")))
    sparks = _Sparks(project, latest_day(ratings, now))
    clock = _Clock(ratings, days, now)
    admitted = Admission.objects.in_project(project) if project.asks_practice else {}
    people = {}
    for annotator in annotators_of(project, now):
        key = annotator.key
        practises = project.asks_practice and key not in admitted
        row = PersonRow(
            key=key,
            name=annotator.name,
            rated=rated.get(key, 0),
            mean=means.get(key),
            alpha=alphas.get(key, ""),
            may_rate=annotator.may_rate,
            may_get=annotator.may_get,
            left=0 if practises else _items_left(project, progress, annotator),
            spark=sparks.of(key),
            last=annotator.last,
            practises=practises,
            is_rating=annotator.is_rating,
        )
        people[key] = clock.with_times(row)
    for rater in raters_of(project, agreement, means):
        person = people.get(rater.key)
        people[rater.key] = rater if person is None else _as_one(person, rater)
    return list(people.values())


def _items_left(project: Project, progress: ProjectFigures, annotator_row: Annotator) -> int:
    """Return how many items want ratings and may come to an annotator, at most."""
    is_over = project.status != Project.Status.OPEN or progress.left <= 0
    if is_over or not annotator_row.may_rate:
        return 0
    return max(0, min(annotator_row.may_get, progress.unfinished))


def _as_one(person_row: PersonRow, rater_row: PersonRow) -> PersonRow:
    """Return the row of an annotator with what they rated in a file, under another name."""
    return replace(person_row, rated=person_row.rated + rater_row.rated)


class _Sparks:
    """The ratings of the last days, as a line for each annotator."""

    def __init__(self, project: Project, today: date) -> None:
        first = today - DAY * (SPARK_DAYS - 1)
        self.days = [first + DAY * number for number in range(SPARK_DAYS)]
        recent = project.workdays.filter(day__gte=first)
        self.rated: dict[tuple[int, date], int] = {}
        for annotator, day, rated in recent.values_list("annotator", "day", "rated"):
            self.rated[annotator, day] = rated

    def of(self, annotator: int) -> str:
        """Return the line of an annotator."""
        return spark([self.rated.get((annotator, day), 0) for day in self.days])


class _Clock:
    """The times of the annotators, by the day of whoever looks."""

    def __init__(self, ratings: Ratings, days: Iterable[Workday], now: datetime) -> None:
        self.today = timezone.localdate(now)
        self.weekdays = working_weekdays(ratings, latest_day(ratings, now))
        self.times = {day.annotator_id: tuple(day.recent) for day in days}

    def with_times(self, person_row: PersonRow) -> PersonRow:
        """Return a row with what tells how fast someone is, and since when they rest."""
        last_day = person_row.last and timezone.localdate(person_row.last)
        times = self.times.get(person_row.key, ())
        middle = minutes(round(median(times))) if times else ""
        idle = idle_days(last_day, self.today, self.weekdays) if last_day else 0
        return replace(
            person_row,
            median=middle,
            is_today=last_day == self.today,
            idle=idle,
            faster=self._if_far_faster(person_row, times),
        )

    def _if_far_faster(self, person_row: PersonRow, times: Sequence[int]) -> tuple[str, ...]:
        others = [seconds for key, seconds in self.times.items() if key != person_row.key]
        both = far_faster(times, others) if person_row.may_rate else None
        return tuple(minutes(round(seconds)) for seconds in both or ())


def raters_of(
    project: Project, agreement: PageResult | None, means: Mapping[int, float]
) -> list[PersonRow]:
    """Return the persons among the imported raters of a project, by name.

    `figures` and `means` are those of `people_of`.
    """
    if not project.has_imported:
        return []
    alphas = alphas_of(agreement)
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


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of a project, with nothing of other projects."""

    user: User
    roles: frozenset[str]
    person: PersonRow | None  # None: does not rate here
    hours: float
    pseudonym: str  # "" until they have rated

    @property
    def role(self) -> str:
        """The roles as a choice of `RoleForm`: a lead adjudicates without that role."""
        roles = self.roles
        if Role.LEAD in self.roles:
            roles = self.roles - {Role.ADJUDICATOR}
        return "+".join(sorted(roles))


def members_of(project: Project, dimension: Dimension, now: datetime) -> list[MemberRow]:
    """Return the members by name. `dimension`: of α with others."""
    roles: dict[int, set[str]] = {}
    for key, role in project.memberships.values_list("user", "role"):
        roles.setdefault(key, set()).add(role)
    people = people_of(
        project,
        progress_of(project),
        project.workdays.ratings_by_day(),
        project.workdays.latest_by_annotator(),
        now,
        agreement=last_result(project, dimension, names_people=False),
        means={},
    )
    by_key = {person.key: person for person in people}
    pseudonyms = pseudonyms_of(project)
    seconds = project.workdays.seconds_by_annotator()
    accounts = get_user_model()
    name = accounts.USERNAME_FIELD
    rows = []
    for user in accounts.objects.filter(pk__in=roles).only(name, "is_active").order_by(name):
        row = MemberRow(
            user=user,
            roles=frozenset(roles[user.pk]),
            person=by_key.get(user.pk),
            hours=seconds.get(user.pk, 0) / 3600,
            pseudonym=pseudonyms.get(user.pk, ""),
        )
        rows.append(row)
    return rows
