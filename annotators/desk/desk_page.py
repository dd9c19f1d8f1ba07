"""The page of the desk: the item on it with its form, or what else there is to do.

`show_item` and `show_next` choose between its states. Each state has a function of its own.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import get_language, gettext as _
from django_htmx.http import reswap, retarget

from annotators.home import next_project
from annotators.models import User
from annotators.progress import Progress
from config.web.requests import Request
from tasks.models import Lease, PracticeRound, Project, Rating, ReturnedRating, Workday
from tasks.queue.availability import availability_of
from tasks.rating_form.evaluated_form import EvaluatedForm

from .form_contexts import form_context, new_page_context, other_versions_context, render_page
from .forms import ConcernForm, unbound_concern
from .loading import Correction, DeskItem
from .rating_page import show_correction
from .recovered_forms import answer_recovered_form

DESK_PAGE = "annotators/desk/desk.html"


def show_item(
    desk_item: DeskItem,
    evaluated: EvaluatedForm | None = None,
    conflict: Rating | None = None,
    *,
    notice: str = "",
    concern: ConcernForm | None = None,
) -> HttpResponse:
    """Render the page of an item, filled with `evaluated` or else as a new page shows it.

    `conflict`: the rating by which the item was rated meanwhile, with other answers (409).
    `concern`: the form about a flag or a skip, with its errors.
    """
    lease = desk_item.lease
    if evaluated and desk_item.header.is_recovered:
        return answer_recovered_form(desk_item, conflict)
    if isinstance(desk_item, Correction):
        return show_correction(desk_item, evaluated)
    if lease.is_dropped and not conflict:
        return _show_dropped(desk_item, notice)
    if lease.is_long_over(desk_item.now):
        return _show_long_over(desk_item, conflict)
    if lease.is_covered:
        form_names: Mapping[str, object] = {"rubric": lease.project.rubric, **desk_item.urls}
    else:
        form_names = _form_page_context(desk_item, evaluated, conflict)
    context = {
        **form_names,
        "notice": notice,
        "is_unfolded": concern is not None,
        "concern": concern.render() if concern else unbound_concern(get_language()),
    }
    return _render_desk(desk_item.request, lease.project, lease, context, _status(conflict))


def _form_page_context(
    desk_item: DeskItem, evaluated: EvaluatedForm | None, conflict: Rating | None
) -> Mapping[str, object]:
    """Return the context of a page with a form: `evaluated`, or else as a new page shows it."""
    post = desk_item.request.POST if evaluated else None  # of this item, not of the one before it
    return {
        **form_context(desk_item, evaluated or desk_item.first_evaluated(), post=post),
        **new_page_context(desk_item),
        **desk_item.urls,
        **other_versions_context(desk_item, conflict),
    }


def _show_dropped(desk_item: DeskItem, notice: str) -> HttpResponse:
    """Say that the lead dropped the item, and show what else there is to do."""
    project = desk_item.lease.project
    notice = f"{notice} {_dropped_notice(desk_item.lease)}".lstrip()
    return _in_place_of_desk(show_next(desk_item.request, project, None, notice=notice))


def _show_long_over(desk_item: DeskItem, conflict: Rating | None) -> HttpResponse:
    """Say that the lease ended long ago, without the texts of the item."""
    lease = desk_item.lease
    context = {
        **other_versions_context(desk_item, conflict),
        **desk_item.urls,
        "state": "long_over",
        "until": lease.over_at,
        "item": lease.item,
    }
    answer = _render_desk(desk_item.request, lease.project, None, context, _status(conflict))
    return _in_place_of_desk(answer)


def show_next(
    request: Request, project: Project, lease: Lease | None, *, notice: str = ""
) -> HttpResponse:
    """Render the desk with the lease, or with what else there is to do."""
    if lease is not None:
        return show_item(DeskItem(request, lease), notice=notice)
    if not notice and (dropped := Lease.objects.just_dropped(request.user, project)):
        notice = _dropped_notice(dropped)
    if project.is_introduced_to(request.user):
        empty_desk = _empty_desk(request.user, project)
    else:
        empty_desk = EmptyDesk(state="introduction")
    return _render_desk(request, project, None, {**empty_desk, "notice": notice}, 200)


class EmptyDesk(TypedDict, total=False):
    """Why there is no item, and what the annotator may do instead."""

    state: str
    back: datetime | None
    is_over: bool
    onward: Project | None
    practice_progress: object
    returned: ReturnedRating | None


def _empty_desk(user: User, project: Project) -> EmptyDesk:
    """Return why there is no item for an annotator."""
    now = timezone.now()
    available = availability_of(project, user, now)
    empty_desk = EmptyDesk(state=available.state, back=available.back, is_over=available.is_over)
    if not available.is_work:
        empty_desk["onward"] = next_project(user, project, now)
    if available.state == "practice":
        empty_desk["practice_progress"] = PracticeRound.objects.progress_of(user, project)
    if available.state == "returned":
        waiting = ReturnedRating.objects.waiting_of(user).filter(project=project)
        empty_desk["returned"] = waiting.select_related("rating__item__batch").first()
    return empty_desk


def _render_desk(
    request: Request,
    project: Project,
    lease: Lease | None,
    context: Mapping[str, object],
    status: int,
) -> HttpResponse:
    """Render the desk with the lease on it, or without one. The bar shows the pace of today."""
    pace = lease.pace if lease is not None else None
    if pace is None:
        pace = Workday.objects.pace(request.user, project, timezone.now())
    around = {"project": project, "lease": lease, "progress": Progress.of(pace)}
    return render_page(request, DESK_PAGE, "next", {**context, **around}, status)


def _status(conflict: Rating | None) -> int:
    return 409 if conflict else 200


def _in_place_of_desk(page: HttpResponse) -> HttpResponse:
    """Put an answer in place of the whole desk, whatever the request was for."""
    return retarget(reswap(page, "outerHTML"), "#desk")


def _dropped_notice(lease: Lease) -> str:
    notice = _("%(item)s was dropped: nobody rates it any more. Anything you entered is kept.")
    return notice % {"item": lease.item}
