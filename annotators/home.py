"""The first page: the projects that a user rates in, and those that they lead.

All projects together take a fixed number of queries, and none of them reads ratings.
"""

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.people import User
from config.web.requests import Request
from rubrics.models import PARSED_COLUMNS
from rubrics.outline import outline, size
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
from tasks.overview.projects import rows_of
from tasks.pace import Pace
from tasks.queue.availability import outlook, prospects

from .inbox import inbox_lines
from .progress import about, duration, hours

TEXTS = tuple(f"rubric__{column}" for column in PARSED_COLUMNS)
RETURNED_SHOWN = 10
NOTICES_SHOWN = 5
UPLOADS_SHOWN = 5


@require_safe
def home(request: Request) -> HttpResponse:
    """Show one's projects, what came back, and the newest notices."""
    user, now = request.user, timezone.now()
    rated = own_projects(user, now)
    returned = ReturnedRating.objects.waiting_of(user).filter(
        project__in=[row["project"] for row in rated]
    )
    led = list(Project.objects.led_by(user).select_related("rubric").defer(*TEXTS))
    rows = rows_of([each for each in led if not each.archived_at], now)
    seconds = Workday.objects.by(user).filter(day__gte=user.today(now)).seconds()
    return render(
        request,
        "annotators/home.html",
        {
            "rated": [row for row in rated if row["can_rate"]],
            "resting": [row for row in rated if not row["can_rate"] and row["state"] != "archived"],
            "left_behind": [row for row in rated if row["state"] == "archived"],
            "today": hours(seconds) if seconds else "",
            "returned": returned.select_related("project", "rating__item")[:RETURNED_SHOWN],
            "returned_number": returned.count(),
            "notices": inbox_lines(
                Notice.objects.of(user)[:NOTICES_SHOWN],
                rated={row["project"].pk for row in rated},
                led={project.pk for project in led},
            ),
            "uploads": Upload.objects.unfinished(user, now)[:UPLOADS_SHOWN] if led else (),
            "rows": rows,
            "running": sum(row["project"].status == Project.Status.OPEN for row in rows),
            "people_today": Workday.objects.filter(
                project__in=led, day=user.today(now), rated__gt=0
            ).aggregate(number=Count("annotator", distinct=True))["number"],
            "today_led": sum(row["today"] for row in rows),
            "archived": [project for project in led if project.archived_at],
            "may_create": bool(led) or Project.objects.may_be_made_by(user),
        },
    )


def next_project(annotator: User, project: Project, now: datetime) -> dict[str, Any] | None:
    """Return another project in which the annotator gets an item now, or None.

    The queue itself is asked, so that no two projects send their annotator to each other.
    """
    others = (row for row in own_projects(annotator, now) if row["project"] != project)
    return next(
        (
            row
            for row in others
            if row["held"] or (row["can_rate"] and outlook(row["project"], annotator, now).is_work)
        ),
        None,
    )


def own_projects(annotator: User, now: datetime) -> list[dict[str, Any]]:
    """Return the projects that one rates in: what one has begun, what is to be rated, the rest.

    A project that one has rated in comes before a new one. New ones begin with the easiest.
    """
    rated = Project.objects.rated_by(annotator).defer(None)  # with the introduction
    projects = list(rated.select_related("rubric").defer(*TEXTS))
    paces = Workday.objects.paces(annotator, projects, now)
    found = prospects(projects, annotator, now)
    held = {
        lease.project_id: lease.item.external_id
        for lease in Lease.objects.held_anywhere(annotator, now)
    }
    begun: dict[int, list[str]] = defaultdict(list)  # items, by project, the last one first
    for draft in Draft.objects.half_done(annotator):
        begun[draft.project_id].append(draft.item.external_id)
    offering = [project.rubric_id for project in projects if project.offers_practice]
    minutes = PracticeRound.objects.median_minutes(offering) if offering else {}
    rounds = PracticeRound.objects.filter(annotator=annotator).open() if offering else ()
    under_way = {each.project_id for each in rounds}
    admitted = set(
        Admission.objects.filter(annotator=annotator).values_list("project", flat=True)
        if offering
        else ()
    )
    rows = [
        _own(
            project,
            paces[project.pk],
            *found[project.pk],
            held.get(project.pk, ""),
            begun[project.pk],
        )
        | {
            "practises": project.asks_practice
            and not paces[project.pk].rated
            and project.pk not in admitted,
            "practises_now": project.pk in under_way,
            "minutes": minutes.get(project.rubric_id),
        }
        for project in projects
    ]
    return sorted(rows, key=_place)


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what orders one's projects."""
    effort = (row["practises"], size(row["project"].rubric.schema)) if row["is_new"] else ()
    return not row["held"], not row["can_rate"], row["is_new"], effort


def _own(
    project: Project,
    pace: Pace,
    left: int,
    offered: bool,
    held: str,
    begun: list[str],
) -> dict[str, Any]:
    """Return a project as its annotator's start page shows it."""
    state = ""
    today = None if project.most_daily is None else max(0, project.most_daily - pace.today)
    if project.status != Project.Status.OPEN:
        state = "archived" if project.archived_at else str(project.status)
    elif not (offered or held):
        state = "none" if pace.rated < pace.items else "done" if pace.items else "empty"
    elif today == 0 and not held:
        state = "daily"
    left = left if today is None else min(left, today)
    can_rate = bool(held) or not state
    is_new = not (pace.rated or held or begun or state)
    time = pace.time_for(left) if can_rate else None
    return {
        "project": project,
        "pace": pace,
        "left": left,  # items to rate, today if there is a daily limit
        "held": held,  # the item that they hold, by name; "" for none
        "is_begun": held in begun,  # something was entered in it
        "half_done": begun[0] if begun else "",  # an item with a draft, by name; "" for none
        # "" if there is something to rate, else the project's status if it is not open, with
        # "archived" as one, "daily" if the day's limit is reached, "empty", "done", or "none" if
        # only others can rate the rest.
        "state": state,
        "can_rate": can_rate,
        # They have neither rated nor started an item here, and can start.
        "is_new": is_new,
        "outline": outline(project.rubric.schema) if is_new else None,
        "median": duration(pace.median) if pace.median and can_rate else "",
        "time_left": about(*time) if time else "",  # for the items left; "" without an estimate
        # The share of the items rated, as the width of an SVG element.
        "bar": f"{min(100, 100 * pace.rated / max(1, pace.items)):.2f}%",
    }
