"""My work: one's own hours, returned ratings, skips and flags, and all of it as a file.

Every query here starts from the current user. Nobody else's work is included.
"""

from collections.abc import Iterable
from datetime import date
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
from tasks.exporting.own_data import own_csv
from tasks.forms.results import TextsForm
from tasks.models import Batch, Concern, Project, ReturnedRating, Workday

from .progress import hours

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


class MonthForm(forms.Form):
    """A month, as 2026-03. An invalid one leads to the current month."""

    month = forms.DateField(
        input_formats=["%Y-%m"],
        required=False,
        validators=[MaxValueValidator(date(9998, 12, 1))],  # the next month must exist too
    )

    def first_day(self, today: date) -> date:
        """Return the first day of the month asked for, else of today's."""
        chosen: date | None = self.cleaned_data["month"] if self.is_valid() else None
        return (chosen or today).replace(day=1)


@require_safe
def work(request: Request) -> HttpResponse:
    """Show one's own work."""
    user = request.user
    own_days = Workday.objects.by(user)
    first = MonthForm(request.GET).first_day(user.today(timezone.now()))
    month = list(own_days.in_month(first).select_related("project"))
    before, after = own_days.months_beside(first)
    projects = own_days.work_by_project()
    open_to = set(Project.objects.rated_by(user).values_list("slug", flat=True))
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
            "projects": [(row, hours(row["active"]), row["slug"] in open_to) for row in projects],
            "in_all": _sum((row["rated_items"], row["active"]) for row in projects),
            "returned": _returned(request, open_to),
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


def _returned(request: Request, open_to: set[str]) -> dict[str, object]:
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
                and row.project.slug in open_to
                and row.project.status == Project.Status.OPEN
                and row.rating.item.batch.status == Batch.Status.OPEN,
            )
            for row in rows
        ],
        "waiting": asked.filter(settled_at=None).count(),
    }
