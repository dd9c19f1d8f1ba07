"""My work: one's own hours, scores, returned ratings, skips and flags, and all of it as a file.

Every query here starts from the current user. Nobody else's work is included.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Self

from django import forms
from django.core.paginator import Page, Paginator
from django.core.validators import MaxValueValidator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from config.web.people import User
from config.web.requests import Request, download
from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Level
from rubrics.models import PARSED_COLUMNS
from tasks.agreement.own import PersonalAgreement, agreement_of_annotator
from tasks.exporting.forms import TextsForm
from tasks.exporting.own_data import personal_csv
from tasks.lead_pages.ramp import ramp
from tasks.models import Batch, Concern, PracticeRound, Project, ReturnedRating, Workday
from tasks.models.stored_figures import whole_tally
from tasks.models.workdays import ProjectWork
from tasks.overview.drawing import ShareMark, shares, stack

from .progress import Progress, hours

CONCERNS_SHOWN = 20  # on a page
RETURNED_SHOWN = 20
# What a decision means for the annotator: by kind of concern and decision, before and after they
# rated the item.
OUTCOMES: dict[tuple[str, str], tuple[str | Promise, str | Promise]] = {
    ("skip", ""): (
        _("The lead has not decided yet. Meanwhile, others get the item."),
        _("The lead has not decided yet. Your rating stays as it is."),
    ),
    ("skip", "again"): (
        _("Back in the queue. You may get it again."),
        _("Back in the queue. You have rated it since."),
    ),
    ("skip", "someone_else"): (
        _("Someone else gets it."),
        _("Someone else gets it too. Your rating stays saved."),
    ),
    ("skip", "drop"): (
        _("Dropped. Nobody rates it any more."),
        _("Dropped. Nobody rates it any more. Your rating stays saved."),
    ),
    ("flag", ""): (
        _("The lead has not decided yet. Meanwhile, the item stays as it is."),
        _("The lead has not decided yet. Your rating stays as it is."),
    ),
    ("flag", "answered"): (
        _("Answered. The item stays as it is."),
        _("Answered. Your rating stays as it is."),
    ),
    ("flag", "again"): (
        _("Rate it, then check it once more."),
        _("Back to you. Please check your rating again."),
    ),
    ("flag", "someone_else"): (
        _("Someone else gets it. If you rate it anyway, your rating is saved."),
        _("Someone else gets it too. Your rating stays saved."),
    ),
    ("flag", "drop"): (
        _("Dropped. Nobody rates it any more."),
        _("Dropped. Nobody rates it any more. Your rating stays saved."),
    ),
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

    def month_and_project(self, today: date) -> tuple[date, str]:
        """Return the first day of the month, of today's if there is none, and the slug or ""."""
        self.full_clean()
        month = self.cleaned_data.get("month") or today
        return month.replace(day=1), self.cleaned_data.get("project", "")


@dataclass(frozen=True)
class WorkSum:
    """A sum of work."""

    items: int  # rated
    time: str  # active, in words

    @classmethod
    def of(cls, workdays: Sequence[Workday]) -> Self:
        items = sum(workday.rated for workday in workdays)
        return cls(items, hours(sum(workday.seconds for workday in workdays)))


@dataclass(frozen=True)
class WorkedDay:
    """A day with its projects, the time in each, and their sum."""

    day: date
    workday_times: list[tuple[Workday, str]]
    whole: WorkSum


@require_safe
def work(request: Request) -> HttpResponse:
    """Show one's own work."""
    user = request.user
    now = timezone.now()
    first, slug = WorkForm(request.GET).month_and_project(user.today(now))
    workdays = Workday.objects.by(user)
    before, after = workdays.neighbouring_months(first)
    in_month = list(workdays.in_month(first).select_related("project"))
    projects = workdays.work_by_project()
    seconds = sum(row.active for row in projects)
    rated = _rated_projects(user)
    project = _project_to_show(slug, rated, projects)
    concerns = _page_of_concerns(request)
    context = {
        "month": first,
        "before": before,
        "after": after,
        "days": _days(in_month),
        "in_month": WorkSum.of(in_month),
        "projects": [(row, hours(row.active), row.slug in rated) for row in projects],
        "in_all": WorkSum(sum(row.rated_items for row in projects), hours(seconds)),
        "scores": _scores(request, project, now) if project else None,
        "returned": _returned_ratings(request, rated),
        "rounds": _rounds(user),
        "page": concerns,
        "concerns": [(concern, outcome_in_words(concern)) for concern in concerns],
        "export": TextsForm(),
    }
    return render(request, "annotators/work/work.html", context)


def _rated_projects(user: User) -> dict[str, Project]:
    """Return the projects that one rates in, by slug."""
    projects = Project.objects.rated_by(user).select_related("rubric")
    texts = [f"rubric__{column}" for column in PARSED_COLUMNS]
    return {project.slug: project for project in projects.defer(*texts)}


def _project_to_show(
    slug: str, rated: Mapping[str, Project], projects: Sequence[ProjectWork]
) -> Project | None:
    """Return the project of this slug, else the one that the user worked in last."""
    if slug in rated:
        return rated[slug]
    worked_in = [row for row in projects if row.slug in rated]
    if not worked_in:
        return None
    last = max(worked_in, key=lambda row: row.last)
    return rated[last.slug]


def _page_of_concerns(request: Request) -> Page[Concern]:
    """Return a page of one's skips and flags."""
    # Prefetched for the page that is shown. A join would load the items of all concerns.
    concerns = Concern.objects.raised_by(request.user).with_what_was_done()
    pages = Paginator(concerns.prefetch_related("item", "project"), CONCERNS_SHOWN)
    return pages.get_page(request.GET.get("page"))


def _rounds(user: User) -> QuerySet[PracticeRound]:
    rounds = PracticeRound.objects.filter(annotator=user).order_by("-started_at")
    return rounds.select_related("project").prefetch_related("answers")


@require_safe
def my_data(request: Request) -> HttpResponseBase:
    """Download all of one's own data as CSV."""
    form = TextsForm(request.GET)
    exact = form.is_valid() and form.cleaned_data["exact"]
    return download(
        request,
        f"{request.user.get_username()}-own-data.csv",
        "text/csv; charset=utf-8",
        personal_csv(request.user, defused=not exact),
    )


def outcome_in_words(concern: Concern) -> str | Promise:
    """Return what became of a skip or flag, in words."""
    if concern.decision == Concern.Decision.AGAIN and concern.is_distressing:
        return NOT_AGAIN
    before, after = OUTCOMES[concern.kind, concern.decision]
    if concern.is_rated:
        return after
    return before


def _days(workdays: Sequence[Workday]) -> list[WorkedDay]:
    days = []
    for day, group in groupby(workdays, lambda workday: workday.day):
        rows = list(group)
        parts = [(row, hours(row.seconds)) for row in rows]
        days.append(WorkedDay(day, parts, WorkSum.of(rows)))
    return days


@dataclass(frozen=True)
class ScoresOfDimension:
    """One's counted scores in a dimension."""

    dimension: Dimension
    number: int
    parts: list[ShareMark]
    shares: str
    ramp: list[tuple[int, str, Level]]


@dataclass(frozen=True)
class MyScores:
    """One's pace and counted scores in a project, and the agreement with others."""

    project: Project
    pace: Progress
    dimension_rows: list[ScoresOfDimension]
    agreement: list[PersonalAgreement]


@dataclass(frozen=True)
class ReturnedPart:
    """The first returned ratings, each with True if it may be answered, and how many wait."""

    returned_rows: list[tuple[ReturnedRating, bool]]
    waiting: int


def _scores(request: Request, project: Project, now: datetime) -> MyScores:
    """Return one's pace in a project, the shares of one's counted scores, and the agreement."""
    tally = whole_tally(project, by=request.user.pk)
    rows = []
    for dimension in project.rubric.schema.dimensions:
        for scores in tally.by_annotator(dimension.code).values():
            row = ScoresOfDimension(
                dimension=dimension,
                number=scores.total(),
                parts=stack(scores, dimension),
                shares=shares(scores, dimension),
                ramp=ramp(dimension),
            )
            rows.append(row)
    agreement: list[PersonalAgreement] = []
    if project.shows_own_agreement:
        agreement.extend(agreement_of_annotator(project, request.user, now))
    pace = Progress.of(Workday.objects.pace(request.user, project, now))
    return MyScores(project, pace, rows, agreement)


def _returned_ratings(request: Request, rated: Collection[str]) -> ReturnedPart:
    """Return the first returned ratings, and the number that wait for an answer.

    A rating can be answered if project and batch are open and the user still rates there.
    """
    returned = ReturnedRating.objects.returned_to(request.user)
    rows = returned.prefetch_related("project", "rating__item__batch")[:RETURNED_SHOWN]
    waiting = returned.filter(settled_at=None).count()
    return ReturnedPart([(row, _may_answer(row, rated)) for row in rows], waiting)


def _may_answer(returned: ReturnedRating, rated: Collection[str]) -> bool:
    project = returned.project
    batch = returned.rating.item.batch
    is_open = project.status == Project.Status.OPEN and batch.status == Batch.Status.OPEN
    return returned.settled_at is None and project.slug in rated and is_open
