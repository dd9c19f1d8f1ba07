"""The desk as a preview for leads: an item as annotators see it, judged by the same rules.

It has a project's first item, or an item to try a draft of a rubric on. Nothing of what is rated
is stored: the lease exists only in memory, and no step here writes.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, wraps
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.models import RubricDraft
from tasks.models import Item, Lease, Project
from tasks.queue.permutation import permuted
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import item_view_of
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm
from tasks.views.led import drafts_of

from .in_memory import Tried, demonstrations, items_to_try
from .loading import Opened
from .pages import DESK, answer_corpus, answer_row, answer_texts, form_context


class Preview(Opened):
    """An item that a lead tries, without what they answered elsewhere.

    The names of its addresses begin with `prefix`. They are given `where`.
    """

    prefix = "preview"

    def __init__(self, request: Request, lease: Lease, where: dict[str, Any]) -> None:
        super().__init__(request, lease)
        self.where = where

    @cached_property
    def urls(self) -> dict[str, str]:
        """Addresses under which nothing is stored."""
        steps = {
            f"{step}_url": reverse(f"annotators:{self.prefix}_{step}", kwargs=self.where)
            for step in ("verdict", "submit", "texts", "corpus")
        }
        return steps | {"back_url": self.back_url}

    @property
    def back_url(self) -> str:
        """The page that the preview belongs to."""
        return reverse("tasks:project", kwargs=self.where)

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return replace(item_view_of(self.lease), about_corpora={})


class DraftTrial(Preview):
    """An item that a draft of a rubric is tried on: the one with a number, from 1."""

    prefix = "try"

    def __init__(self, request: Request, draft: RubricDraft, number: int) -> None:
        project = Project(pk=0, title=str(draft), rubric=draft.as_rubric())
        self.rubric_draft, self.number, self.items = draft, number, items_to_try(draft, project)
        if not 1 <= number <= len(self.items):
            raise Http404
        lease = _unsaved_lease(request, project, self.tried.item)
        super().__init__(request, lease, {"pk": draft.pk, "number": number})

    @property
    def tried(self) -> Tried:
        """The item with its name."""
        return self.items[self.number - 1]

    @property
    def back_url(self) -> str:
        return reverse("tasks:draft", args=[self.rubric_draft.pk])

    @property
    def next_number(self) -> int | None:
        """The number of the next item, if there is one."""
        return self.number + 1 if self.number < len(self.items) else None


def with_preview(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view an item of the project or the draft of its URL; answer 404 to others.

    The user leads the project, or may edit the draft. If the draft could never be read, a page says
    so.
    """

    @wraps(view)
    def answer(request: Request, **where: Any) -> HttpResponse:
        if "slug" in where:
            return view(_of_project(request, where))
        draft = get_object_or_404(drafts_of(request.user), pk=where["pk"])
        if draft.shown is None:
            page = "annotators/desk/unread.html"
            return render(request, f"{page}#said" if request.htmx else page, {"draft": draft})
        return view(DraftTrial(request, draft, where["number"]))

    return answer


def _of_project(request: Request, where: dict[str, Any]) -> Preview:
    """Return the first item of a project that the user leads, or an example while it has none."""
    projects = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(projects, **where)
    item = project.items.first_to_rate() or next(demonstrations(project))
    return Preview(request, _unsaved_lease(request, project, item), where)


def _step(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Accept POST only, as `redirect_get_to`, and give the view what it opens."""

    @wraps(view)
    def answer(request: Request, **where: Any) -> HttpResponse:
        page = "annotators:preview" if "slug" in where else "annotators:try_draft"
        return redirect_get_to(page, *where)(with_preview(view))(request, **where)

    return answer


@require_safe
@with_preview
def preview(opened: Preview) -> HttpResponse:
    """Show the desk with the item."""
    return _page(opened, opened.first_evaluated())


@_step
def preview_verdict(opened: Preview) -> HttpResponse:
    """Judge the form as it is now: the row that changed, or the whole page."""
    request, evaluated = opened.request, opened.form.evaluated()
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return _page(opened, evaluated)
    return answer_row(opened, evaluated, row, preview=True)


@_step
def preview_submit(opened: Preview) -> HttpResponse:
    """Show what would be stored, or what is missing."""
    evaluated = opened.form.evaluated(submitting=True)
    would = differences(evaluated, opened.first_evaluated()) if evaluated.storable else ()
    return _page(opened, evaluated, would=would)


@_step
def preview_texts(opened: Preview) -> HttpResponse:
    """Show the texts in the requested view, and remember nothing."""
    return answer_texts(opened)


@require_safe
@with_preview
def preview_corpus(opened: Preview) -> HttpResponse:
    """Show a page of a model's responses in the batch."""
    return answer_corpus(opened)


def _page(
    opened: Preview, evaluated: EvaluatedForm, *, would: tuple[Difference, ...] = ()
) -> HttpResponse:
    request = opened.request
    asked = request.POST if request.method == "POST" else None
    return render(
        request,
        f"{DESK}#main" if request.htmx else DESK,
        form_context(opened, evaluated, asked=asked) | {"preview": opened, "would": would},
    )


def _unsaved_lease(request: Request, project: Project, item: Item) -> Lease:
    """Return a lease in memory. Its order is drawn for the lead, and the same at every step.

    An item in memory keeps its order.
    """
    item.project, there, now = project, item.own_responses, timezone.now()
    key = f"{project.seed}/preview/{request.user.pk}".encode()
    places = [permuted(key, len(there), each) if item.pk else each for each in range(len(there))]
    drawn = [there[place] for place in places]
    return Lease(
        project=project,
        item=item,
        annotator=request.user,
        started_at=now,
        expires_at=now + timedelta(minutes=project.lease_minutes),
        opened_at=now,
        responses=[response.pk for response in drawn],
        model_names=list(dict.fromkeys(response.model for response in drawn)),
    )
