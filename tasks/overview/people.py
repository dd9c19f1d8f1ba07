"""The annotators of a project: how far each is, how fast, and since when they rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median

from django.contrib.auth import get_user_model
from django.db.models import Exists, F, OuterRef, Q, Subquery, Sum
from django.utils import timezone

from tasks.models import Batch, Lease, Membership, Project, Rating, Workday
from tasks.models.progress import ProjectFigures
from tasks.overview.speed import STOPPED_AFTER, Ratings, far_faster, idle_days, working_weekdays

SPARK_DAYS = 14


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator's work in a project."""

    key: int
    name: str
    rated: int  # items
    left: int  # items that want ratings and may come to them, at most; 0 if they may not rate
    by_day: tuple[int, ...]  # ratings of the last days, today last
    times: tuple[int, ...]  # seconds of the last ratings, newest first
    last: datetime | None  # time of the last rating
    is_rating: bool  # they hold an item now
    is_today: bool  # the last rating is of today
    idle: int  # whole working days since the last rating
    faster: tuple[float, float] | None  # seconds: theirs and the others', if far faster

    @property
    def median(self) -> float | None:
        return median(self.times) if self.times else None

    @property
    def has_stopped(self) -> bool:
        """True if they rated, have items left, and gave no rating for three working days."""
        return bool(self.left) and not self.is_rating and self.idle >= STOPPED_AFTER


def _annotators(
    project: Project, now: datetime
) -> list[tuple[int, str, datetime | None, bool, bool]]:
    """Return who may rate or has rated.

    Each has a key, a name, the time of the last rating, holds an item now, and may still rate.
    """
    people = get_user_model()
    own = {"project": project, "annotator": OuterRef("pk")}
    members = project.memberships.filter(role=Membership.Role.ANNOTATOR)
    there = Q(pk__in=members.values("user")) | Q(pk__in=project.seats.values("annotator"))
    last = Rating.objects.filter(**own).order_by("-pk").values("submitted_at")[:1]
    holds = Lease.objects.filter(**own, status=Lease.Status.LIVE, expires_at__gt=now)
    may_rate = members.filter(user=OuterRef("pk"), user__is_active=True)
    rows = people.objects.filter(there).order_by(people.USERNAME_FIELD)
    return list(
        rows.values_list(
            "pk", people.USERNAME_FIELD, Subquery(last), Exists(holds), Exists(may_rate)
        )
    )


def people_of(
    project: Project,
    progress: ProjectFigures,
    ratings: Ratings,
    days: Mapping[int, Workday],
    today: date,
    now: datetime,
) -> list[Person]:
    """Return the annotators of a project, by name.

    `ratings`: of all by day. `days`: the latest workday of each, by the annotator's primary key.
    `today`: the latest day anywhere. States and times are by the day of whoever looks.
    """
    looking = timezone.localdate(now)
    seats = project.seats.order_by().values_list("annotator")
    there = Sum(F("rated") - F("dropped"), filter=Q(batch__status=Batch.Status.OPEN), default=0)
    done = {
        annotator: (rated, in_open_batches)
        for annotator, rated, in_open_batches in seats.annotate(Sum("rated"), there=there)
    }
    first = today - timedelta(days=SPARK_DAYS - 1)
    recent = {
        (annotator, day): rated
        for annotator, day, rated in project.workdays.filter(day__gte=first).values_list(
            "annotator", "day", "rated"
        )
    }
    weekdays = working_weekdays(ratings, today)
    may_go_on = project.status == Project.Status.OPEN and progress.left
    times = {annotator: tuple(day.recent) for annotator, day in days.items()}
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
                by_day=tuple(
                    recent.get((key, first + timedelta(days=number)), 0)
                    for number in range(SPARK_DAYS)
                ),
                times=own,
                last=last,
                is_rating=is_rating,
                is_today=last_day == looking,
                idle=idle_days(last_day, looking, weekdays) if last_day else 0,
                faster=far_faster(own, others) if may_rate else None,
            )
        )
    return found
