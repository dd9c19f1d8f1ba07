"""The first page: the projects that a user rates in, and those that they lead."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.requests import Request
from tasks.models import Notice, Project, ReturnedRating, Workday

from .inbox import inbox_lines
from .own_projects import own_projects
from .progress import hours

RETURNED_SHOWN = 10
NOTICES_SHOWN = 5


@require_safe
def home(request: Request) -> HttpResponse:
    """Show one's projects, what came back, and the newest notices."""
    user, now = request.user, timezone.now()
    rated = own_projects(user, now)
    returned = ReturnedRating.objects.waiting_of(user).filter(
        project__in=[row["project"] for row in rated]
    )
    led = list(Project.objects.led_by(user))
    seconds = Workday.objects.by(user).filter(day__gte=user.today(now)).seconds()
    return render(
        request,
        "annotators/home.html",
        {
            "rated": [row for row in rated if row["can_rate"]],
            "resting": [row for row in rated if not row["can_rate"]],
            "today": hours(seconds) if seconds else "",
            "returned": returned.select_related("project", "rating__item")[:RETURNED_SHOWN],
            "returned_number": returned.count(),
            "notices": inbox_lines(
                Notice.objects.of(user)[:NOTICES_SHOWN],
                rated={row["project"].pk for row in rated},
                led={project.pk for project in led},
            ),
            "leading": [project for project in led if not project.archived_at],
            "archived": [project for project in led if project.archived_at],
            "may_create": Project.objects.may_be_made_by(user),
        },
    )
