"""The people of a project: its members, and how far and how fast its annotators are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from statistics import median

from django.contrib.auth import get_user_model
from django.db.models import Exists, F, OuterRef, Q, Subquery, Sum
from django.utils import timezone

from config.web.people import User
from rubrics.schema import Dimension
from tasks.agreement.measures import MAIN, Json, coefficient
from tasks.agreement.results import last_result
from tasks.exporting.filters import pseudonyms_of
from tasks.fact_checks import minutes
from tasks.models import Batch, Lease, Membership, Project, Rating, Workday
from tasks.models.progress import ProjectFigures, progress_of
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
class Person:
    """An annotator's work in a project, with its figures as they are shown."""

    key: int
    name: str
    rated: int  # items
    left: int  # items that want ratings and may come to them, at most; 0 if they may not rate
    spark: str  # ratings of the last days, today last, as the points of a line
    median: str  # time of the last ratings; "" without any
    mean: float | None  # of their scores
    alpha: str  # with the others; "" without a figure
    last: datetime | None  # time of the last rating
    may_rate: bool  # they are a member, with an active account
    is_rating: bool  # they hold an item now
    is_today: bool  # the last rating is of today
    idle: int  # whole working days since the last rating
    faster: list[str]  # their time and the others', if far faster

    @property
    def has_stopped(self) -> bool:
        """True if they rated, have items left, and gave no rating for three working days."""
        return bool(self.left) and not self.is_rating and self.idle >= STOPPED_AFTER


@dataclass(frozen=True, slots=True)
class Member:
    """A person with a role in a project. Nothing here comes from other projects."""

    user: User
    roles: frozenset[str]
    figures: Person | None  # None: does not rate here
    hours: float
    pseudonym: str  # "" until they have rated

    @property
    def role(self) -> str:
        """The roles as a choice of `RoleForm`."""
        return "+".join(sorted(self.roles))


def alphas_of(figures: Json) -> dict[str, str]:
    """Return α with the others for each name: the mean of the pairs', by what both rated."""
    sums: dict[str, tuple[float, int]] = {}
    for pair in figures.get("pairs", []):
        alpha = pair["figures"][MAIN]
        if "missing" not in alpha:
            for name in (pair["first"], pair["second"]):
                total, units = sums.get(name, (0.0, 0))
                sums[name] = (total + alpha["value"] * pair["units"], units + pair["units"])
    return {name: coefficient(total / units) for name, (total, units) in sums.items() if units}


def _annotators(
    project: Project, now: datetime
) -> list[tuple[int, str, datetime | None, bool, bool]]:
    """Return who may rate or has rated.

    Each has a key, a name, the time of the last rating, holds an item now, and may still rate.
    """
    people = get_user_model()
    own = {"project": project, "annotator": OuterRef("pk")}
    members = project.memberships.filter(role=Membership.Role.ANNOTATOR)
    there = Q(pk__in=members.values("user")) | Q(pk__in=project.batch_progress.values("annotator"))
    last = Rating.objects.filter(**own).order_by("-pk").values("submitted_at")[:1]
    holds = Lease.objects.filter(**own, status=Lease.Status.LIVE, expires_at__gt=now)
    may_rate = members.filter(user=OuterRef("pk"), user__is_active=True)
    return list(
        people.objects.filter(there)
        .order_by(people.USERNAME_FIELD)
        .values_list("pk", people.USERNAME_FIELD, Subquery(last), Exists(holds), Exists(may_rate))
    )


def latest_day(ratings: Ratings, now: datetime) -> date:
    """Return today, or the day after if it has begun where someone rates."""
    return max([timezone.localdate(now), *ratings])


def people_of(
    project: Project,
    progress: ProjectFigures,
    ratings: Ratings,
    days: Iterable[Workday],
    now: datetime,
    *,
    figures: Json,
    means: Mapping[int, float],
) -> list[Person]:
    """Return the annotators of a project, by name.

    `ratings`: of all by day. `days`: the latest workday of each. `figures`: of agreement. `means`:
    of each one's scores, by the annotator's primary key. States and times are by the day of whoever
    looks.
    """
    today, alphas = latest_day(ratings, now), alphas_of(figures)
    looking = timezone.localdate(now)
    progressed = project.batch_progress.order_by().values_list("annotator")
    there = Sum(F("rated") - F("dropped"), filter=Q(batch__status=Batch.Status.OPEN), default=0)
    done = {
        annotator: (rated, in_open_batches)
        for annotator, rated, in_open_batches in progressed.annotate(Sum("rated"), there=there)
    }
    first = today - DAY * (SPARK_DAYS - 1)
    recent = {
        (annotator, day): rated
        for annotator, day, rated in project.workdays.filter(day__gte=first).values_list(
            "annotator", "day", "rated"
        )
    }
    weekdays = working_weekdays(ratings, today)
    may_go_on = project.status == Project.Status.OPEN and progress.left
    times = {day.annotator_id: tuple(day.recent) for day in days}
    found = []
    for key, name, last, is_rating, may_rate in _annotators(project, now):
        rated, in_open_batches = done.get(key, (0, 0))
        last_day = last and timezone.localdate(last)
        others = [each for annotator, each in times.items() if annotator != key]
        own = times.get(key, ())
        left = min(progress.open_items - in_open_batches, progress.unfinished)
        found.append(
            Person(
                key=key,
                name=name,
                rated=rated,
                left=max(0, left) if may_go_on and may_rate else 0,
                spark=spark(
                    [recent.get((key, first + DAY * number), 0) for number in range(SPARK_DAYS)]
                ),
                median=minutes(round(median(own))) if own else "",
                mean=means.get(key),
                alpha=alphas.get(name, ""),
                last=last,
                may_rate=may_rate,
                is_rating=is_rating,
                is_today=last_day == looking,
                idle=idle_days(last_day, looking, weekdays) if last_day else 0,
                faster=[minutes(round(each)) for each in far_faster(own, others) or () if may_rate],
            )
        )
    return found


def members_of(project: Project, dimension: Dimension, now: datetime) -> list[Member]:
    """Return the members by name. `dimension`: of α with others."""
    roles: dict[int, set[str]] = {}
    for user, role in project.memberships.values_list("user", "role"):
        roles.setdefault(user, set()).add(role)
    found = people_of(
        project,
        progress_of(project),
        project.workdays.ratings_by_day(),
        project.workdays.latest_of_each(),
        now,
        figures=last_result(project, dimension, people=False) or {},
        means={},
    )
    figures = {each.key: each for each in found}
    pseudonyms = pseudonyms_of(project)
    seconds = {key: spent for key, (_n, spent, _day) in project.workdays.sums().items()}
    people = get_user_model()
    return [
        Member(
            user=user,
            roles=frozenset(roles[user.pk]),
            figures=figures.get(user.pk),
            hours=seconds.get(user.pk, 0) / 3600,
            pseudonym=pseudonyms.get(user.pk, ""),
        )
        for user in people.objects.filter(pk__in=roles).order_by(people.USERNAME_FIELD)
    ]
