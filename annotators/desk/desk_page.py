"""The page of the desk: the item on it with its form, or what else there is to do.

`show_item` and `show_next` choose between its states. Each state has a function of its own.
"""

from typing import Any

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
        context: dict[str, Any] = {"rubric": lease.project.rubric, **desk_item.urls}
    else:
        context = _form_page_context(desk_item, evaluated, conflict)
    context["notice"] = notice
    context["is_unfolded"] = concern is not None
    context["concern"] = concern.render() if concern else unbound_concern(get_language())
    return _render_desk(desk_item.request, lease.project, lease, context, _status(conflict))


def _form_page_context(
    desk_item: DeskItem, evaluated: EvaluatedForm | None, conflict: Rating | None
) -> dict[str, Any]:
    """Return the context of a page with a form: `evaluated`, or else as a new page shows it."""
    post = desk_item.request.POST if evaluated else None  # of this item, not of the one before it
    return {
        **form_context(desk_item, evaluated or desk_item.first_evaluated(), post=post),
        **new_page_context(desk_item),
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
        context = _empty_desk_context(request.user, project)
    else:
        context = {"state": "introduction"}
    context["notice"] = notice
    return _render_desk(request, project, None, context, 200)


def _empty_desk_context(user: User, project: Project) -> dict[str, Any]:
    """Return why the desk is empty (its state), and what the annotator may do instead."""
    now = timezone.now()
    available = availability_of(project, user, now)
    context: dict[str, Any] = {
        "state": available.state,
        "back": available.back,
        "is_over": available.is_over,
    }
    if not available.is_work:
        context["onward"] = next_project(user, project, now)
    if available.state == "practice":
        context["practice_progress"] = PracticeRound.objects.progress_of(user, project)
    if available.state == "returned":
        waiting = ReturnedRating.objects.waiting_of(user).filter(project=project)
        context["returned"] = waiting.select_related("rating__item__batch").first()
    return context


def _render_desk(
    request: Request, project: Project, lease: Lease | None, context: dict[str, Any], status: int
) -> HttpResponse:
    """Render the desk with the lease on it, or without one. The bar shows the pace of today."""
    pace = lease.pace if lease is not None else None
    if pace is None:
        pace = Workday.objects.pace(request.user, project, timezone.now())
    context |= {"project": project, "lease": lease, "progress": Progress.of(pace)}
    return render_page(request, DESK_PAGE, "next", context, status)


def _status(conflict: Rating | None) -> int:
    return 409 if conflict else 200


def _in_place_of_desk(page: HttpResponse) -> HttpResponse:
    """Put an answer in place of the whole desk, whatever the request was for."""
    return retarget(reswap(page, "outerHTML"), "#desk")


def _dropped_notice(lease: Lease) -> str:
    notice = _("%(item)s was dropped: nobody rates it any more. Anything you entered is kept.")
    return notice % {"item": lease.item}
