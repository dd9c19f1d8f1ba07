"""The desk as a preview for leads: an item as annotators see it, judged by the same rules.

Nothing is stored: the lease exists only in memory, and no step here writes.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache, cached_property, wraps
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.shipped import FOLDER, SLUGS
from tasks.models import Batch, Item, Lease, Project, Response
from tasks.queue.permutation import permuted
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.form import item_view_of
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm

from .loading import Opened
from .pages import DESK, answer_corpus, answer_row, answer_texts, form_context

step = redirect_get_to("annotators:preview", "slug")


class Preview(Opened):
    """An item that a lead tries, without what they answered elsewhere."""

    @cached_property
    def urls(self) -> dict[str, str]:
        """Addresses under which nothing is stored."""
        return {
            f"{step}_url": reverse(f"annotators:preview_{step}", args=[self.lease.project.slug])
            for step in ("verdict", "submit", "texts", "corpus")
        }

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return replace(item_view_of(self.lease), about_corpora={})


def _with_preview(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view a project's first item, if the user leads the project; else answer 404."""

    @wraps(view)
    def answer(request: Request, slug: str) -> HttpResponse:
        project = get_object_or_404(
            Project.objects.led_by(request.user).select_related("rubric"), slug=slug
        )
        item = project.items.first_to_rate() or _example(project)
        return view(Preview(request, _unsaved_lease(request, project, item)))

    return answer


@require_safe
@_with_preview
def preview(opened: Preview) -> HttpResponse:
    """Show the desk with the project's first item, or with an example while it has none."""
    return _page(opened, opened.first_evaluated())


@step
@_with_preview
def preview_verdict(opened: Preview) -> HttpResponse:
    """Judge the form as it is now: the row that changed, or the whole page."""
    request, evaluated = opened.request, opened.form.evaluated()
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return _page(opened, evaluated)
    return answer_row(opened, evaluated, row, preview=True)


@step
@_with_preview
def preview_submit(opened: Preview) -> HttpResponse:
    """Show what would be stored, or what is missing."""
    evaluated = opened.form.evaluated(submitting=True)
    would = differences(evaluated, opened.first_evaluated()) if evaluated.storable else ()
    return _page(opened, evaluated, would=would)


@step
@_with_preview
def preview_texts(opened: Preview) -> HttpResponse:
    """Show the texts in the requested view, and remember nothing."""
    return answer_texts(opened)


@require_safe
@_with_preview
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
        form_context(opened, evaluated, asked=asked) | {"preview": True, "would": would},
    )


def _unsaved_lease(request: Request, project: Project, item: Item) -> Lease:
    """Return a lease in memory. Its order is drawn for the lead, and the same at every step."""
    item.project, there, now = project, item.own_responses, timezone.now()
    key = f"{project.seed}/preview/{request.user.pk}".encode()
    drawn = [there[permuted(key, len(there), position)] for position in range(len(there))]
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


@cache
def _example_line(slug: str) -> dict[str, Any]:
    """Return the first demonstration item of a shipped rubric."""
    with (FOLDER / f"demo-{slug}.items.jsonl").open(encoding="utf-8") as lines:
        return dict(json.loads(lines.readline()))


def _example(project: Project) -> Item:
    """Return an item in memory, for a project that has none."""
    slug = project.rubric.slug if project.rubric.slug in SLUGS else SLUGS[0]
    line = _example_line(slug)
    item = Item(
        pk=0,
        batch=Batch(pk=0, project=project),
        external_id=_("example"),
        persona=line.get("persona", []),
        messages=line["history"],
    )
    item.own_responses = [
        Response(pk=position, position=position, model=each["model"], text=each["text"])
        for position, each in enumerate(line["responses"], start=1)
    ]
    return item
