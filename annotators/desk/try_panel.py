"""The panel beside a draft of a rubric: one dimension, tried on an item and judged at once.

The item is an example of the draft, a demonstration, or texts that the lead pasted.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import retarget

from config.web.decorators import redirect_get_to
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.parts import Level
from rubrics.judging.schema import Rubric
from rubrics.models import RubricDraft
from tasks.answers.slot_answers import WHOLE
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.evaluated_form import EvaluatedForm, EvaluatedTarget
from tasks.rating_form.in_memory import TrialItem
from tasks.rating_form.row_view import Row
from tasks.rating_form.seen_names import SETS

from .form_contexts import FormContext, form_context
from .forms import PanelForm, PasteForm
from .preview import Preview, preview_of_draft, with_preview

PANEL = "annotators/desk/try_panel.html"


class NumberedItem(NamedTuple):
    """An item to try a draft on."""

    number: int  # from 1, in addresses
    trial: TrialItem


@require_http_methods(["GET", "HEAD", "POST"])
@with_preview
def try_panel(desk_item: Preview) -> HttpResponse:
    """Show the panel, or judge what was sent."""
    return _panel(desk_item)


@redirect_get_to("../1/panel/")
@with_preview
def try_paste(desk_item: Preview) -> HttpResponse:
    """Store texts to try the draft on, and show the panel with them."""
    draft = desk_item.rubric_draft
    assert draft is not None
    form = PasteForm(desk_item.request.POST)
    if not form.is_valid():
        return _panel(desk_item, form)
    # Someone may delete it now.
    RubricDraft.objects.filter(pk=draft.pk).update(pasted=[*form.cleaned_data.values()])
    query = {"dimension": desk_item.request.POST.get("dimension", "")}
    return redirect(reverse("annotators:try_panel", args=[draft.pk, 1], query=query))


def _panel(desk_item: Preview, pasting: PasteForm | None = None) -> HttpResponse:
    """Show one dimension of a draft with an item, or judge it: the row that changed, or all of it.

    The item is the first about the dimension, from the number in the address or from `on`.
    """
    request = desk_item.request
    draft = desk_item.rubric_draft
    assert draft is not None
    least, code = PanelForm(request.POST or request.GET).query
    dimension = _dimension_to_try(desk_item.view.rubric, code)
    items = _items_about(desk_item.items, dimension)
    number, trial = _first_item(items, least or desk_item.where["number"])
    desk_item = preview_of_draft(request, draft, number)
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


def _items_about(items: Sequence[TrialItem], dimension: Dimension) -> list[NumberedItem]:
    """Return the items to try a dimension on."""
    numbered = []
    for number, trial in enumerate(items, start=1):
        if trial.dimension in (None, dimension):
            numbered.append(NumberedItem(number, trial))
    return numbered


def _first_item(numbered_items: Sequence[NumberedItem], least: int) -> NumberedItem:
    """Return the first item from this number on, else the last."""
    for item in numbered_items:
        if item.number >= least:
            return item
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
