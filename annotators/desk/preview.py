"""The desk as a preview for leads: an item as annotators see it, judged by the same rules.

It has a project's first item, or an item to try a draft of a rubric on (`try_panel.py` shows one
dimension of that beside the draft). Nothing of what is rated is stored: the lease exists only in
memory, and no step here writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.models import RubricDraft
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.lead_pages.led import drafts_of
from tasks.models import Lease, Project
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.in_memory import (
    TrialItem,
    demonstrations,
    items_to_try,
    unsaved_lease,
    unsaved_project,
)
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.leased_item import item_view_of

from .desk_page import DESK_PAGE
from .form_contexts import form_context
from .form_steps import answer_corpus, answer_texts_of_unsaved, answer_verdict_of_unsaved
from .loading import DeskItem

step = redirect_get_to("../")  # the page itself


class Preview(DeskItem):
    """An item that a lead tries, without what they answered elsewhere.

    `where` has the arguments of its addresses. `draft` and `items` are there if a draft of a rubric
    is tried: the items to try it on.
    """

    def __init__(
        self,
        request: Request,
        lease: Lease,
        where: dict[str, Any],
        draft: RubricDraft | None = None,
        items: Sequence[TrialItem] = (),
    ) -> None:
        super().__init__(request, lease)
        self.where, self.rubric_draft, self.items = where, draft, items

    @cached_property
    def urls(self) -> dict[str, str]:
        """Addresses under which nothing is stored, and that of the project or the draft."""
        draft = self.rubric_draft
        name = "try" if draft else "preview"
        urls = {}
        for action in ("verdict", "submit", "texts", "corpus"):
            address = f"annotators:{name}_{action}"
            urls[f"{action}_url"] = reverse(address, kwargs=self.where)
        if draft:
            urls["back_url"] = reverse("tasks:draft", args=[draft.pk])
        else:
            urls["back_url"] = reverse("tasks:project", args=[self.lease.project.slug])
        return urls

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return replace(item_view_of(self.lease), about_corpora={})


def with_preview(step_of_preview: Callable[[Preview], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view an item of the project or the draft of its URL; answer 404 to others.

    The user leads the project, or may edit the draft. If the draft could never be read, a page says
    so.
    """

    @wraps(step_of_preview)
    def answer(request: Request, **where: Any) -> HttpResponse:
        if "pk" not in where:
            return step_of_preview(_of_project(request, where))
        draft = get_object_or_404(drafts_of(request.user), pk=where["pk"])
        if draft.last_readable is None:
            page = "annotators/desk/unread.html"
            return render(request, f"{page}#unread" if request.htmx else page, {"draft": draft})
        return step_of_preview(preview_of_draft(request, draft, where["number"]))

    return answer


def _of_project(request: Request, where: dict[str, Any]) -> Preview:
    """Return the first item of a project that the user leads, or an example while it has none."""
    projects = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(projects, **where)
    item = project.items.first_to_rate() or next(demonstrations(project))
    return Preview(request, unsaved_lease(project, item, request.user), where)


def preview_of_draft(request: Request, draft: RubricDraft, number: int) -> Preview:
    """Return an item to try a draft on, by its number from 1. Raise Http404 if there is none."""
    version = draft.version_to_read
    if version is None:
        raise Http404
    project = unsaved_project(str(draft), version)
    items = list(items_to_try(project, draft.pasted))
    if not 1 <= number <= len(items):
        raise Http404
    lease = unsaved_lease(project, items[number - 1].item, request.user)
    return Preview(request, lease, {"pk": draft.pk, "number": number}, draft, items)


@require_safe
@with_preview
def preview(desk_item: Preview) -> HttpResponse:
    """Show the desk with the item."""
    return _page(desk_item, desk_item.first_evaluated())


@step
@with_preview
def preview_verdict(desk_item: Preview) -> HttpResponse:
    """Judge the form as it is now."""
    return answer_verdict_of_unsaved(desk_item, _page)


@step
@with_preview
def preview_submit(desk_item: Preview) -> HttpResponse:
    """Show what would be stored, or what is missing."""
    evaluated = desk_item.form.evaluated(submitting=True)
    would = differences(evaluated, desk_item.first_evaluated()) if evaluated.storable else ()
    return _page(desk_item, evaluated, would=would)


# Neither remembers anything: the lease is not stored.
preview_texts = redirect_get_to("../", but=WHOLE_TEXT)(with_preview(answer_texts_of_unsaved))
preview_corpus = require_safe(with_preview(answer_corpus))


def _page(
    desk_item: Preview, evaluated: EvaluatedForm, *, would: tuple[Difference, ...] = ()
) -> HttpResponse:
    request = desk_item.request
    context = {
        **form_context(desk_item, evaluated, post=desk_item.post),
        **desk_item.urls,
        "preview": desk_item,
        "would": would,
    }
    return render(request, f"{DESK_PAGE}#main" if request.htmx else DESK_PAGE, context)
