"""The desk as a preview for leads: an item as annotators see it, judged by the same rules.

It has a project's first item, or an item to try a draft of a rubric on. Nothing of what is rated
is stored: the lease exists only in memory, and no step here writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import retarget

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.parts import Level
from rubrics.judging.schema import Rubric
from rubrics.models import RubricDraft
from tasks.answers.slot_answers import WHOLE
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.lead_pages.led import drafts_of
from tasks.models import Lease, Project
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.evaluated_form import EvaluatedForm, EvaluatedTarget
from tasks.rating_form.in_memory import (
    TrialItem,
    demonstrations,
    items_to_try,
    unsaved_lease,
    unsaved_project,
)
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.leased_item import item_view_of
from tasks.rating_form.row_view import Row
from tasks.rating_form.seen_names import SETS

from .desk_page import DESK_PAGE
from .form_contexts import FormContext, form_context
from .form_steps import answer_corpus, answer_texts_of_unsaved, answer_verdict_of_unsaved
from .forms import PanelForm, PasteForm
from .loading import DeskItem

step = redirect_get_to("../")  # the page itself
PANEL = "annotators/desk/try_panel.html"


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
        draft: Any = None,  # a RubricDraft
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
        return step_of_preview(_of_draft(request, draft, where["number"]))

    return answer


def _of_project(request: Request, where: dict[str, Any]) -> Preview:
    """Return the first item of a project that the user leads, or an example while it has none."""
    projects = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(projects, **where)
    item = project.items.first_to_rate() or next(demonstrations(project))
    return Preview(request, unsaved_lease(project, item, request.user), where)


def _of_draft(request: Request, draft: RubricDraft, number: int) -> Preview:
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


def _panel(desk_item: Preview, pasting: PasteForm | None = None) -> HttpResponse:
    """Show one dimension of a draft with an item, or judge it: the row that changed, or all of it.

    The item is the first about the dimension, from the number in the address or from `on`.
    """
    request = desk_item.request
    draft = desk_item.rubric_draft
    least, code = PanelForm(request.POST or request.GET).query
    dimension = _dimension_to_try(desk_item.view.rubric, code)
    items = _items_about(desk_item.items, dimension)
    number, trial = _first_item(items, least or desk_item.where["number"])
    desk_item = _of_draft(request, draft, number)
    panel_url = reverse("annotators:try_panel", kwargs=desk_item.where)
    panel = _panel_context(desk_item, dimension, trial)
    context = {
        **panel,
        **desk_item.urls,
        "draft": draft,
        "number": number,
        "items": items,
        "trial": trial,
        "fits": _fits(draft, trial),
        "panel_url": panel_url,
        "verdict_url": panel_url,
        "pasting": pasting or _paste_form(draft),
    }
    if panel["row"] and request.htmx:
        return render(request, f"{PANEL}#live", context)
    answer = render(request, f"{PANEL}#panel" if request.htmx else PANEL, context)
    if not request.htmx:
        return answer
    # A swap of our own (static/js/merge.js), which the types of django_htmx do not list.
    answer["HX-Reswap"] = "merge"
    return retarget(answer, "#try")


def _dimension_to_try(rubric: Rubric, code: str) -> Dimension:
    """Return the dimension of this code, else the first."""
    for dimension in rubric.dimensions:
        if dimension.code == code:
            return dimension
    return rubric.dimensions[0]


def _items_about(items: Sequence[TrialItem], dimension: Dimension) -> list[tuple[int, TrialItem]]:
    """Return the items to try a dimension on, with their numbers."""
    numbered = enumerate(items, start=1)
    return [(number, item) for number, item in numbered if item.dimension in (None, dimension)]


def _first_item(
    numbered_items: Sequence[tuple[int, TrialItem]], least: int
) -> tuple[int, TrialItem]:
    """Return the first item from this number on, else the last."""
    for number, item in numbered_items:
        if number >= least:
            return number, item
    return numbered_items[-1]


def _fits(draft: RubricDraft, trial: TrialItem) -> bool:
    """Return True if no finding is about the example.

    A rule that bars the score of an example is said in its row.
    """
    report = draft.report
    if not report.rubric:
        return False
    return trial.place not in {".".join(finding.path) for finding in report.findings}


def _paste_form(draft: RubricDraft) -> PasteForm:
    """Return the form with the texts that were pasted last."""
    return PasteForm(initial=dict(zip(PasteForm.base_fields, draft.pasted, strict=False)))


class PanelContext(FormContext):
    """The names in the templates of the panel, beside its addresses."""

    dimension: Dimension
    panel_targets: list[EvaluatedTarget]
    row: Row | None  # that changed
    others: list[Row]  # that changed along with it
    chosen: list[int | None]
    levels_in_order: list[Level]


def _panel_context(desk_item: Preview, dimension: Dimension, trial: TrialItem) -> PanelContext:
    """Return what is judged: the answers that were sent, else those of the example."""
    if "seen" in desk_item.request.POST:
        evaluated = desk_item.form.evaluated()
    else:
        evaluated = evaluate(desk_item.view, trial.answers(desk_item.view), seen=[SETS])
    targets = _targets_of(evaluated, dimension)[:2]  # there is little room
    rows = {row.id: row for target in targets for row in target.rows}
    row = rows.get(desk_item.request.GET.get("row", ""))
    others: list[Row] = []
    if row:
        others = [other for other in evaluated.along_with(row) if other.id in rows]
    of_dimension = [row for row in rows.values() if row.dimension.code == dimension.code]
    return PanelContext(
        **form_context(desk_item, evaluated, corpora_of=()),
        dimension=dimension,
        panel_targets=targets,
        row=row,
        others=others,
        chosen=[row.score for row in of_dimension],
        levels_in_order=_levels_best_first(dimension),
    )


def _levels_best_first(dimension: Dimension) -> list[Level]:
    """Return the levels, the best one first; those of classes in their order."""
    is_scale = dimension.better is not Better.NONE
    return sorted(
        dimension.levels, key=lambda level: dimension.goodness(level.score), reverse=is_scale
    )


def _targets_of(evaluated: EvaluatedForm, dimension: Dimension) -> list[EvaluatedTarget]:
    """Return the targets with rows of a dimension or of its shared checks, and these rows only."""
    codes = {dimension.code}
    if dimension.shared or dimension.needs_comment:  # both are of the whole response
        codes.add(WHOLE)
    targets = []
    for target in evaluated.targets:
        rows = tuple(row for row in target.rows if row.dimension.code in codes)
        if rows:
            targets.append(replace(target, rows=rows))
    return targets


try_panel = require_http_methods(["GET", "HEAD", "POST"])(with_preview(_panel))


@redirect_get_to("../1/panel/")
@with_preview
def try_paste(desk_item: Preview) -> HttpResponse:
    """Store texts to try the draft on, and show the panel with them."""
    draft = desk_item.rubric_draft
    form = PasteForm(desk_item.request.POST)
    if not form.is_valid():
        return _panel(desk_item, form)
    # Someone may delete it now.
    RubricDraft.objects.filter(pk=draft.pk).update(pasted=[*form.cleaned_data.values()])
    query = {"dimension": desk_item.request.POST.get("dimension", "")}
    return redirect(reverse("annotators:try_panel", args=[draft.pk, 1], query=query))
