"""The queue of disagreements, and the page of a case, where it is settled."""

import re
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.requests import Request
from tasks.cases import deciding
from tasks.cases.case import BareCase, bare_case
from tasks.item_pages.texts import WHOLE_TEXT, whole_text
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import settled, to
from tasks.lead_pages.model_names import ModelNames
from tasks.models import CaseEntry, CaseOpening, Project
from tasks.models.item_list import ItemFilter, missing_since
from tasks.models.open_cases import OpenCases

from .case_form import CaseForm, first_score, initial_of
from .case_view import CaseView, Viewer, case_view, texts_to_open
from .empty_states import empty_state
from .queue import CaseQueue
from .queue_form import QueueForm, unfiltered_form
from .queue_rows import CaseLink, QueueView

ROWS = "queue-rows"  # the element that htmx fetches anew when the rows are used up
TOKEN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Desk:
    """A request for the queue: who asks, and for what."""

    request: Request
    project: Project
    viewer: Viewer
    form: QueueForm

    def queue_around(self, entry: CaseEntry | None) -> QueueView:
        """Return the queue beside a case."""
        now = timezone.now()
        queue = CaseQueue(self.project, self.viewer.user, self.form.wanted, now)
        return QueueView(queue, self.form, entry, has_rows=_asks_for_rows(self.request))


@require_safe
@settled
def disagreements(request: Request, project: Project) -> HttpResponse:
    """Show the queue, and the first of its cases that can be shown.

    The worker may not know yet that a case is gone, because other ratings count.
    """
    desk = _desk(request, project)
    queue = desk.queue_around(None)
    for entry in queue.page.entries:
        if view := _case_to_open(desk, entry):
            queue.current = entry
            return _page(desk, queue, view)
    return _page(desk, queue, None)


@require_http_methods(["GET", "HEAD", "POST"])
@settled
def case(request: Request, project: Project, token: str) -> HttpResponse:
    """Show a case beside the queue, or decide it.

    `?whole=` names a text that is answered by itself, all of it.
    """
    if not TOKEN.fullmatch(token):
        raise Http404
    desk = _desk(request, project)
    if request.method == "POST":
        return _answer(desk, token)
    entry = CaseEntry.objects.with_item(project, token)
    if entry and request.htmx.target == ROWS:
        context = _queue_context(desk, desk.queue_around(entry))
        return render(request, "tasks/disagreements/rows.html", context)
    view = _case_to_open(desk, entry) if entry else None
    if entry is None or view is None:
        return _gone(desk)
    if WHOLE_TEXT in request.GET:
        return whole_text(texts_to_open(view), request.GET[WHOLE_TEXT])
    return _page(desk, desk.queue_around(entry), view)


def _asks_for_rows(request: Request) -> bool:
    """Return True for a whole page, and for the rows alone; htmx puts a case beside them."""
    return not request.htmx or request.htmx.target == ROWS


def _gone(desk: Desk) -> HttpResponse:
    words = _("This case is gone: its answers agree now, or its item was dropped.")
    messages.info(desk.request, words)
    return to(desk.request, desk.queue_around(None).address())


def _desk(request: Request, project: Project, query: QueryDict | None = None) -> Desk:
    """Return a request for the queue; `query`: what it is asked for, if not by the address."""
    names = ModelNames(request, project)
    viewer = Viewer(
        request.user, sees_people=not project.as_adjudicator, shows_models=names.are_visible
    )
    models = tuple(sorted(names.numbers)) if viewer.shows_models else ()
    data = request.GET if query is None else query
    if data:
        form = QueueForm(project, data, models)
    else:
        form = unfiltered_form(project, project.rubric_id, get_language(), models)
    return Desk(request, project, viewer, form)


def _case_to_open(desk: Desk, entry: CaseEntry) -> CaseView | None:
    """Return a case, and note that this person has it open."""
    CaseOpening.objects.note(desk.project, desk.viewer.user, entry.token, now=timezone.now())
    return case_view(entry, desk.project, desk.viewer)


def _answer(desk: Desk, token: str) -> HttpResponse:
    """Decide a case, and show the next one; or show it again, with what is in the way.

    The case is read once, while its item is locked, so that nothing comes in between.
    """
    with transaction.atomic():
        entry = CaseEntry.objects.with_item(desk.project, token, locks_item=True)
        case = bare_case(entry.item, entry.dimension, entry.target) if entry else None
        if entry is None or case is None:
            return _gone(desk)
        form = CaseForm(case, desk.request.POST, is_blind=case.is_hidden_from(desk.viewer.user))
        is_stored = _store(desk, case, form)
        view = None if is_stored else case_view(entry, desk.project, desk.viewer)
    queue = desk.queue_around(entry)
    if not is_stored:
        return _page(desk, queue, view, form) if view else _gone(desk)
    is_decided = not form.is_blind and not _takes_back(desk)
    link = queue.next_or_first if is_decided else queue.link_to(entry.token)
    if link is None:
        return to(desk.request, queue.address(after="", before="", last=""))
    return _show(desk, queue, link, left=entry)


def _takes_back(desk: Desk) -> bool:
    return desk.request.POST.get("act") == "take_back"


def _store(desk: Desk, case: BareCase, form: CaseForm) -> bool:
    """Store what was sent about a case that is locked. Return False if something is in the way."""
    by = desk.request.user
    now = timezone.now()
    if desk.request.POST.get("version", "") != case.version:
        form.outdate()
    elif _takes_back(desk):
        if case.decision is None:
            form.outdate()
            return False
        deciding.take_back_locked(case, by=by, now=now)
        messages.success(desk.request, _("The decision is taken back."))
        return True
    elif form.is_valid() and form.is_blind:
        deciding.store_first_locked(case, first_score(form), by=by, now=now)
        return True
    elif form.is_valid():
        try:
            decision = deciding.decide_locked(case, form.decided, by=by, now=now)
        except deciding.Barred as barred:
            form.refuse(barred)
            return False
        score = case.dimension.blank if decision.value is None else decision.value
        words = {"item": case.item.external_id, "score": score}
        messages.success(desk.request, _("%(item)s: %(score)s is saved.") % words)
        return True
    return False


def _show(desk: Desk, queue: QueueView, link: CaseLink, *, left: CaseEntry) -> HttpResponse:
    """Show a case: at once to htmx, with the row of the case that was left; else by a redirect."""
    if not desk.request.htmx:
        return redirect(link.address)
    entry = CaseEntry.objects.with_item(desk.project, link.token)
    view = _case_to_open(desk, entry) if entry else None
    if entry is None or view is None:
        return to(desk.request, link.address)
    if link.query != desk.form.query():
        desk = _desk(desk.request, desk.project, QueryDict(urlencode(link.query)))
        queue = desk.queue_around(entry)
    queue.current = entry
    return _page(desk, queue, view, left=left)


def _page(
    desk: Desk,
    queue: QueueView,
    case_page: CaseView | None,
    form: CaseForm | None = None,
    *,
    left: CaseEntry | None = None,
) -> HttpResponse:
    """Return the page of a case, what htmx puts on it, or the words for an empty queue.

    `left`: the case that was decided before, or whose decision was taken back.
    """
    request = desk.request
    context = _queue_context(desk, queue)
    if case_page is None:
        context["empty"] = empty_state(queue)
        return render(request, "tasks/disagreements/empty.html", context)
    if form is None:
        initial = initial_of(case_page.case, case_page.first)
        form = CaseForm(case_page.case, is_blind=case_page.is_blind, initial=initial)
    if left and not queue.form.is_filtered:
        context["open_cases"] = OpenCases(queue.queue.numbers.open)
    context |= {"view": case_page, "case": case_page.case, "form": form, "left": left}
    context["is_left_listed"] = bool(left and queue.lists(left))
    context["levels"] = form.levels(case_page.levels)
    context |= vars(case_page.prompt)
    template = "tasks/disagreements/case.html"
    if request.htmx:
        template += "#swapped"
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    return response


def _queue_context(desk: Desk, queue: QueueView) -> dict[str, object]:
    """Return what the templates of the queue need."""
    context = {"project": desk.project, "queue": queue, "filters": desk.form}
    context["shows_models"] = desk.viewer.shows_models
    if queue.has_rows:
        since = missing_since(desk.project, ItemFilter())
        context["fresh"] = Freshness(since, timezone.now())
    return context
