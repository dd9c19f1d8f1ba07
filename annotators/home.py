"""The first page: the projects that a user rates in, and those that they lead.

All projects together take a fixed number of queries, and none of them reads ratings.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.people import User
from config.web.requests import Request
from rubrics.models import PARSED_COLUMNS
from rubrics.pages.outline import Outline, outline, size
from tasks.models import (
    Admission,
    Draft,
    Lease,
    Notice,
    PracticeRound,
    Project,
    ReturnedRating,
    Upload,
    Workday,
)
from tasks.models.open_cases import OpenCases, open_cases_of
from tasks.models.pace import Pace
from tasks.models.roles import Role
from tasks.overview.project_rows import ProjectRow, rows_of
from tasks.queue.availability import availability_of, prospects

from .inbox import inbox_lines
from .progress import duration, hours, span_of_minutes

TEXTS = tuple(f"rubric__{column}" for column in PARSED_COLUMNS)
RETURNED_SHOWN = 10
NOTICES_SHOWN = 5
UPLOADS_SHOWN = 5


@dataclass(frozen=True)
class ProjectCard:
    """A project as its annotator's start page shows it."""

    project: Project
    pace: Pace
    left: int  # items to rate, today if there is a daily limit
    # "" if there is something to rate, else the project's status if it is not open, with "archived"
    # as one, "daily" if the day's limit is reached, "empty", "done", or "none" if only others can
    # rate the rest.
    state: str
    leased: str  # the item on their desk, by name; "" for none
    half_done: str  # the last item with a draft, by name; "" for none
    is_begun: bool  # something was entered in the item on their desk
    practises: bool  # they practise before their first item
    practises_now: bool
    minutes: int | None  # of a round of practice

    @property
    def can_rate(self) -> bool:
        return bool(self.leased) or not self.state

    @property
    def is_new(self) -> bool:
        """True if they have neither rated nor started an item here, and can start."""
        return not (self.pace.rated or self.leased or self.half_done or self.state)

    @cached_property
    def outline(self) -> Outline | None:
        if self.is_new:
            return outline(self.project.rubric.schema)
        return None

    @property
    def median(self) -> str:
        median = self.pace.median
        if median and self.can_rate:
            return duration(median)
        return ""

    @property
    def time_left(self) -> str:
        """The time for the items left, in words; "" without an estimate."""
        time = None
        if self.can_rate:
            time = self.pace.time_for(self.left)
        if time:
            return span_of_minutes(*time)
        return ""

    @property
    def bar(self) -> str:
        """The share of the items rated, as the width of an SVG element."""
        percent = 100 * self.pace.rated / max(1, self.pace.items)
        return f"{min(100, percent):.2f}%"


@dataclass(frozen=True)
class Practice:
    """An annotator's practice in all projects."""

    minutes: dict[int, int]  # by rubric
    under_way: frozenset[int] = frozenset()  # projects
    admitted: frozenset[int] = frozenset()  # projects


@require_safe
def home(request: Request) -> HttpResponse:
    """Show one's projects, what came back, and the newest notices."""
    user = request.user
    now = timezone.now()
    cards = rating_projects(user, now)
    led = list(Project.objects.led_by(user).select_related("rubric").defer(*TEXTS))
    returned = ReturnedRating.objects.waiting_of(user)
    returned = returned.filter(project__in=[card.project for card in cards])
    seconds = Workday.objects.by(user).filter(day__gte=user.today(now)).seconds()
    settling = settling_rows(user)
    keys = {
        Role.ANNOTATOR: {card.project.pk for card in cards},
        Role.LEAD: {project.pk for project in led},
        Role.ADJUDICATOR: {row.project.pk for row in settling},
    }
    notices = inbox_lines(Notice.objects.of(user)[:NOTICES_SHOWN], user, keys)
    idle = [card for card in cards if not card.can_rate]
    context = {
        **vars(_led_projects(user, led, now)),
        "rated": [card for card in cards if card.can_rate],
        "resting": [card for card in idle if card.state != "archived"],
        "settling": settling,
        "left_behind": [card for card in idle if card.state == "archived"],
        "today": hours(seconds) if seconds else "",
        "returned": returned.select_related("project", "rating__item")[:RETURNED_SHOWN],
        "returned_number": returned.count(),
        "notices": notices,
    }
    return render(request, "annotators/home.html", context)


@dataclass(frozen=True, slots=True)
class SettlingRow:
    """A project as its adjudicator's start page shows it."""

    project: Project
    cases: OpenCases


def settling_rows(user: User) -> list[SettlingRow]:
    """Return the projects whose cases one settles without leading them, but no archived ones."""
    adjudicated = Project.objects.adjudicated_by(user).filter(archived_at=None)
    projects = list(adjudicated.select_related("rubric").defer(*TEXTS))
    cases = open_cases_of(projects)
    return [SettlingRow(project, cases[project.pk]) for project in projects]


@dataclass(frozen=True)
class LedProjects:
    """The projects that one leads, by the names in the template."""

    archived: Sequence[Project]
    led_rows: Sequence[ProjectRow]
    running: int
    today_led: int  # ratings
    people_today: int
    may_create: bool
    uploads: Iterable[Upload]


def _led_projects(user: User, led: Sequence[Project], now: datetime) -> LedProjects:
    rows = rows_of([project for project in led if not project.archived_at], now)
    rated_today = Workday.objects.filter(project__in=led, day=user.today(now), rated__gt=0)
    people = rated_today.aggregate(number=Count("annotator", distinct=True))
    return LedProjects(
        archived=[project for project in led if project.archived_at],
        led_rows=rows,
        running=sum(row.project.status == Project.Status.OPEN for row in rows),
        today_led=sum(row.today for row in rows),
        people_today=people["number"],
        may_create=bool(led) or Project.objects.may_be_made_by(user),
        uploads=Upload.objects.unfinished(user, now)[:UPLOADS_SHOWN] if led else (),
    )


def next_project(annotator: User, project: Project, now: datetime) -> Project | None:
    """Return another project in which the annotator gets an item now, or None.

    The queue itself is asked, so that no two projects send their annotator to each other.
    """
    for card in rating_projects(annotator, now):
        if card.project == project or not card.can_rate:
            continue
        if card.leased or availability_of(card.project, annotator, now).is_work:
            return card.project
    return None


def rating_projects(annotator: User, now: datetime) -> list[ProjectCard]:
    """Return the projects that one rates in: what one has begun, what is to be rated, the rest.

    A project that one has rated in comes before a new one. New ones begin with the easiest.
    """
    rated = Project.objects.rated_by(annotator).defer(None)  # with the introduction
    projects = list(rated.select_related("rubric").defer(*TEXTS))
    paces = Workday.objects.paces(annotator, projects, now)
    work = prospects(projects, annotator, now)
    leased: dict[int, str] = {}  # the item, by project
    for lease in Lease.objects.live_in_all_projects(annotator, now):
        leased[lease.project_id] = lease.item.external_id
    begun: dict[int, list[str]] = defaultdict(list)  # items, by project, the last one first
    for draft in Draft.objects.half_done(annotator):
        begun[draft.project_id].append(draft.item.external_id)
    practice = _practice_of(annotator, projects)
    cards = []
    for project in projects:
        left, offered = work[project.pk]
        pace = paces[project.pk]
        item = leased.get(project.pk, "")
        card = _card(project, pace, practice, item, begun[project.pk], left, offered=offered)
        cards.append(card)
    return sorted(cards, key=_order)


def _practice_of(annotator: User, projects: Sequence[Project]) -> Practice:
    """Return the practice that these projects offer to an annotator."""
    offering = [project.rubric_id for project in projects if project.offers_practice]
    if not offering:
        return Practice({})
    minutes = PracticeRound.objects.median_minutes(offering)
    rounds = PracticeRound.objects.filter(annotator=annotator).under_way()
    under_way = frozenset(practice_round.project_id for practice_round in rounds)
    admissions = Admission.objects.filter(annotator=annotator)
    return Practice(minutes, under_way, frozenset(admissions.values_list("project", flat=True)))


def _card(
    project: Project,
    pace: Pace,
    practice: Practice,
    item: str,
    drafts: Sequence[str],
    left: int,
    *,
    offered: bool,
) -> ProjectCard:
    """Return the card of a project; `item`: the one on the desk; `drafts`: items with one."""
    state = _state(project, pace, offered=offered, has_item=bool(item))
    if project.most_daily is not None:
        left = min(left, _left_today(project.most_daily, pace))
    is_admitted = bool(pace.rated) or project.pk in practice.admitted
    practises = project.asks_practice and not is_admitted
    half_done = drafts[0] if drafts else ""
    return ProjectCard(
        project=project,
        pace=pace,
        left=left,
        state=state,
        leased=item,
        half_done=half_done,
        is_begun=item in drafts,
        practises=practises,
        practises_now=project.pk in practice.under_way,
        minutes=practice.minutes.get(project.rubric_id),
    )


def _state(project: Project, pace: Pace, *, offered: bool, has_item: bool) -> str:
    if project.status != Project.Status.OPEN:
        if project.archived_at:
            return "archived"
        return str(project.status)
    if has_item:
        return ""
    if not offered:
        if pace.rated < pace.items:
            return "none"
        if pace.items:
            return "done"
        return "empty"
    if project.most_daily is not None and not _left_today(project.most_daily, pace):
        return "daily"
    return ""


def _left_today(most: int, pace: Pace) -> int:
    """Return how many items the daily limit leaves."""
    return max(0, most - pace.today)


def _order(card: ProjectCard) -> tuple[Any, ...]:
    """Return what orders one's projects."""
    effort = (card.practises, size(card.project.rubric.schema)) if card.is_new else ()
    return not card.leased, not card.can_rate, card.is_new, effort
