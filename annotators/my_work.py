"""My work: one's own hours, scores, returned ratings, skips and flags, and all of it as a file.

Every query here starts from the current user. Nobody else's work is included.
"""

from collections.abc import Collection, Iterable
from datetime import date, datetime
from itertools import groupby

from django import forms
from django.core.paginator import Paginator
from django.core.validators import MaxValueValidator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from config.web.requests import Request, download
from rubrics.models import PARSED_COLUMNS
from tasks.agreement.own import own_agreement
from tasks.exporting.own_data import own_csv
from tasks.forms.results import TextsForm
from tasks.models import Batch, Concern, PracticeRound, Project, ReturnedRating, Workday
from tasks.models.stored_figures import whole_tally
from tasks.overview.drawing import ramp, shares, stack

from .progress import Progress, hours

CONCERNS_SHOWN = 20  # on a page
RETURNED_SHOWN = 20
# What a decision means for the annotator: by kind of concern, decision, and whether they have rated
# the item.
BECAME: dict[tuple[str, str, bool], str | Promise] = {
    ("skip", "", False): _("The lead has not decided yet. Meanwhile, others get the item."),
    ("skip", "", True): _("The lead has not decided yet. Your rating stays as it is."),
    ("skip", "again", False): _("Back in the queue. You may get it again."),
    ("skip", "again", True): _("Back in the queue. You have rated it since."),
    ("skip", "someone_else", False): _("Someone else gets it."),
    ("skip", "someone_else", True): _("Someone else gets it too. Your rating stays saved."),
    ("skip", "drop", False): _("Dropped. Nobody rates it any more."),
    ("skip", "drop", True): _("Dropped. Nobody rates it any more. Your rating stays saved."),
    ("flag", "", False): _("The lead has not decided yet. Meanwhile, the item stays as it is."),
    ("flag", "", True): _("The lead has not decided yet. Your rating stays as it is."),
    ("flag", "answered", False): _("Answered. The item stays as it is."),
    ("flag", "answered", True): _("Answered. Your rating stays as it is."),
    ("flag", "again", False): _("Rate it, then check it once more."),
    ("flag", "again", True): _("Back to you. Please check your rating again."),
    ("flag", "someone_else", False): _(
        "Someone else gets it. If you rate it anyway, your rating is saved."
    ),
    ("flag", "someone_else", True): _("Someone else gets it too. Your rating stays saved."),
    ("flag", "drop", False): _("Dropped. Nobody rates it any more."),
    ("flag", "drop", True): _("Dropped. Nobody rates it any more. Your rating stays saved."),
}
NOT_AGAIN = _("Back in the queue, but not for you: items you found distressing don’t come back.")


class WorkForm(forms.Form):
    """A month, as 2026-03, and the slug of a project whose scores are shown."""

    month = forms.DateField(
        input_formats=["%Y-%m"],
        required=False,
        validators=[MaxValueValidator(date(9998, 12, 1))],  # the next month must exist too
    )
    project = forms.CharField(required=False)

    def asked(self, today: date) -> tuple[date, str]:
        """Return the first day of the month, of today's if there is none, and the slug or ""."""
        self.full_clean()
        return (
            (self.cleaned_data.get("month") or today).replace(day=1),
            self.cleaned_data.get("project", ""),
        )


@require_safe
def work(request: Request) -> HttpResponse:
    """Show one's own work."""
    user, now = request.user, timezone.now()
    own_days = Workday.objects.by(user)
    first, slug = WorkForm(request.GET).asked(user.today(now))
    month = list(own_days.in_month(first).select_related("project"))
    before, after = own_days.months_beside(first)
    projects = own_days.work_by_project()
    rated = {
        project.slug: project
        for project in Project.objects.rated_by(user)
        .select_related("rubric")
        .defer(*(f"rubric__{column}" for column in PARSED_COLUMNS))
    }
    # The project asked for, else the one that the user worked in last.
    last = max(projects, key=lambda row: (row["slug"] in rated, row["last"]), default={"slug": ""})
    chosen = rated.get(slug) or rated.get(last["slug"])
    # Prefetched for the page that is shown. A join would load the items of all concerns.
    page = Paginator(
        Concern.objects.raised_by(user).with_what_was_done().prefetch_related("item", "project"),
        CONCERNS_SHOWN,
    ).get_page(request.GET.get("page"))
    return render(
        request,
        "annotators/work/work.html",
        {
            "month": first,
            "before": before,
            "after": after,
            "days": [_day(day, list(rows)) for day, rows in groupby(month, lambda row: row.day)],
            "in_month": _sum((row.rated, row.seconds) for row in month),
            "projects": [(row, hours(row["active"]), row["slug"] in rated) for row in projects],
            "in_all": _sum((row["rated_items"], row["active"]) for row in projects),
            "scores": _scores(request, chosen, now) if chosen else {},
            "returned": _returned(request, rated),
            "rounds": PracticeRound.objects.filter(annotator=user)
            .order_by("-started_at")
            .select_related("project")
            .prefetch_related("answers"),
            "page": page,
            "concerns": [(concern, became(concern)) for concern in page],
            "export": TextsForm(),
        },
    )


@require_safe
def own_data(request: Request) -> HttpResponseBase:
    """Download all of one's own data as CSV."""
    form = TextsForm(request.GET)
    exact = form.is_valid() and form.cleaned_data["exact"]
    return download(
        request,
        f"{request.user.get_username()}-own-data.csv",
        "text/csv; charset=utf-8",
        own_csv(request.user, defused=not exact),
    )


def became(concern: Concern) -> str | Promise:
    """Return what became of a skip or flag, in words."""
    if concern.decision == Concern.Decision.AGAIN and concern.is_distressing:
        return NOT_AGAIN
    return BECAME[concern.kind, concern.decision, concern.is_rated]


def _day(day: date, rows: list[Workday]) -> tuple[date, list[tuple[Workday, str]], tuple[int, str]]:
    """Return a day with its projects and the time in each, and with their sum."""
    parts = [(row, hours(row.seconds)) for row in rows]
    return day, parts, _sum((row.rated, row.seconds) for row in rows)


def _sum(worked: Iterable[tuple[int, int]]) -> tuple[int, str]:
    """Return the sum of items rated, and of active seconds in words."""
    listed = list(worked)
    return sum(rated for rated, _s in listed), hours(sum(seconds for _r, seconds in listed))


def _scores(request: Request, project: Project, now: datetime) -> dict[str, object]:
    """Return one's pace in a project, the shares of one's counted scores, and the agreement."""
    tally = whole_tally(project, by=request.user.pk)
    return {
        "project": project,
        "pace": Progress.of(Workday.objects.pace(request.user, project, now)),
        "rows": [
            {
                "dimension": dimension,
                "number": scores.total(),
                "parts": stack(scores, dimension),
                "shares": shares(scores, dimension),
                "ramp": ramp(dimension),
            }
            for dimension in project.rubric.schema.dimensions
            for scores in tally.by_annotator(dimension.code).values()
        ],
        "agreement": list(own_agreement(project, request.user, now))
        if project.shows_own_agreement
        else [],
    }


def _returned(request: Request, rated: Collection[str]) -> dict[str, object]:
    """Return the first returned ratings, and the number that wait for an answer.

    A rating can be answered if project and batch are open and the user still rates there.
    """
    asked = ReturnedRating.objects.asked_of(request.user)
    rows = asked.prefetch_related("project", "rating__item__batch")[:RETURNED_SHOWN]
    return {
        "rows": [
            (
                row,
                row.settled_at is None
                and row.project.slug in rated
                and row.project.status == Project.Status.OPEN
                and row.rating.item.batch.status == Batch.Status.OPEN,
            )
            for row in rows
        ],
        "waiting": asked.filter(settled_at=None).count(),
    }
