"""The queue of disagreements, and the page of a case, where it is settled."""

import re
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.requests import Request
from tasks.cases import deciding
from tasks.item_pages.texts import WHOLE_TEXT, whole_text
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import settled, to
from tasks.lead_pages.model_names import ModelNames
from tasks.models import CaseEntry, CaseOpening, Project
from tasks.models.item_list import ItemFilter, missing_since

from .case_view import CaseView, Viewer, case_view, texts_to_open
from .empty_states import empty_state
from .forms import CaseForm, QueueForm, first_score, initial_of
from .queue import CaseQueue
from .queue_rows import CaseLink, QueueView

TOKEN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Desk:
    """A request for the queue: who asks, and for what."""

    request: Request
    project: Project
    viewer: Viewer
    form: QueueForm

    def queue_beside(self, entry: CaseEntry | None) -> QueueView:
        """Return the queue beside a case."""
        now = timezone.now()
        queue = CaseQueue(self.project, self.viewer.user, self.form.wanted, now)
        return QueueView(queue, self.form, entry)


@require_safe
@settled
def disagreements(request: Request, project: Project) -> HttpResponse:
    """Show the queue, and its first case."""
    desk = _desk(request, project)
    queue = desk.queue_beside(None)
    entry = queue.page.entries[0] if queue.page.entries else None
    view = _opened(desk, entry) if entry else None
    if entry is None or view is None:
        return _page(desk, queue, None)
    queue.current = entry
    return _page(desk, queue, view)


@require_http_methods(["GET", "HEAD", "POST"])
@settled
def case(request: Request, project: Project, token: str) -> HttpResponse:
    """Show a case beside the queue, or decide it.

    `?whole=` names a text that is answered by itself, all of it.
    """
    if not TOKEN.fullmatch(token):
        raise Http404
    desk = _desk(request, project)
    entries = CaseEntry.objects.filter(project=project).select_related("item", "batch")
    entry = entries.filter(token=token).first()
    is_sent = request.method == "POST"
    view = None
    if entry:
        view = case_view(entry, project, desk.viewer) if is_sent else _opened(desk, entry)
    if entry is None or view is None:
        messages.info(request, _("This case no longer differs."))
        return to(request, desk.queue_beside(None).address())
    if WHOLE_TEXT in request.GET:
        return whole_text(texts_to_open(view), request.GET[WHOLE_TEXT])
    if is_sent:
        return _answer(desk, entry, view)
    return _page(desk, desk.queue_beside(entry), view)


def _desk(request: Request, project: Project, query: QueryDict | None = None) -> Desk:
    """Return a request for the queue; `query`: what it is asked for, if not by the address."""
    names = ModelNames(request, project)
    viewer = Viewer(
        request.user, sees_people=not project.as_adjudicator, shows_models=names.are_visible
    )
    models = sorted(names.numbers) if viewer.shows_models else []
    form = QueueForm(project, request.GET if query is None else query, models)
    return Desk(request, project, viewer, form)


def _opened(desk: Desk, entry: CaseEntry) -> CaseView | None:
    """Return a case, and note that this person has it open."""
    CaseOpening.objects.note(desk.project, desk.viewer.user, entry.token, now=timezone.now())
    return case_view(entry, desk.project, desk.viewer)


def _answer(desk: Desk, entry: CaseEntry, view: CaseView) -> HttpResponse:
    """Decide a case, and show the next one; or show it again, with what is in the way."""
    request = desk.request
    form = CaseForm(view.case, request.POST, is_blind=view.is_blind)
    version = request.POST.get("version", "")
    try:
        if request.POST.get("act") == "take_back":
            now = timezone.now()
            deciding.take_decision_back(view.case, version=version, by=request.user, now=now)
            messages.success(request, _("The decision is taken back."))
            queue = desk.queue_beside(entry)
            return _show(desk, queue, queue.link_to(entry))
        if version != view.case.version:
            raise deciding.CaseChanged
        if form.is_valid():
            return _store(desk, view, form)
    except deciding.CaseChanged:
        view = case_view(entry, desk.project, desk.viewer) or view
        form = CaseForm(view.case, request.POST, is_blind=view.is_blind)
        form.outdate()
    except deciding.Barred as barred:
        form.refuse(barred)
    return _page(desk, desk.queue_beside(entry), view, form)


def _store(desk: Desk, view: CaseView, form: CaseForm) -> HttpResponse:
    """Store a decision and show the next case; or the first score, and then the answers."""
    now = timezone.now()
    by = desk.request.user
    if view.is_blind:
        deciding.store_first_score(view.case, first_score(form), by=by, now=now)
        queue = desk.queue_beside(view.entry)
        return _show(desk, queue, queue.link_to(view.entry))
    version = view.case.version
    decision = deciding.decide_case(view.case, form.decided, version=version, by=by, now=now)
    score = view.case.dimension.blank if decision.value is None else decision.value
    words = {"item": view.case.item.external_id, "score": score}
    messages.success(desk.request, _("%(item)s: %(score)s is saved.") % words)
    queue = desk.queue_beside(view.entry)
    following = queue.next_case
    if following is None:
        first = queue.queue.first()
        following = queue.link_to(first, after="", before="", last="") if first else None
    if following is None:
        return to(desk.request, queue.address(after="", before="", last=""))
    return _show(desk, queue, following)


def _show(desk: Desk, queue: QueueView, link: CaseLink) -> HttpResponse:
    """Show a case: at once to htmx, else by a redirect."""
    if not desk.request.htmx:
        return redirect(link.address)
    view = _opened(desk, link.entry)
    if view is None:
        return to(desk.request, link.address)
    if link.query != desk.form.query():
        desk = _desk(desk.request, desk.project, QueryDict(urlencode(link.query)))
        queue = desk.queue_beside(link.entry)
    queue.current = link.entry
    return _page(desk, queue, view)


def _page(
    desk: Desk, queue: QueueView, view: CaseView | None, form: CaseForm | None = None
) -> HttpResponse:
    """Return the page of a case, what htmx puts on it, or the words for an empty queue."""
    request = desk.request
    context: dict[str, object] = {"project": desk.project, "queue": queue, "filters": desk.form}
    context["shows_models"] = desk.viewer.shows_models
    if view is None:
        context["empty"] = empty_state(queue)
        return render(request, "tasks/disagreements/empty.html", context)
    if form is None:
        initial = initial_of(view.case, view.first)
        form = CaseForm(view.case, is_blind=view.is_blind, initial=initial)
    context |= {"view": view, "case": view.case, "form": form}
    context["levels"] = form.levels(view.levels)
    context |= vars(view.prompt)
    template = "tasks/disagreements/case.html"
    if request.htmx:
        template += "#swapped"
    else:
        since = missing_since(desk.project, ItemFilter())
        context["fresh"] = Freshness(since, timezone.now())
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
