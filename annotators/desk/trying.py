"""The panel beside a draft of a rubric: one dimension of an item, judged as on the desk."""

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import reswap, retarget

from config.web.decorators import redirect_get_to
from rubrics.schema import Better, Dimension
from tasks.answers import WHOLE
from tasks.rating_form.evaluate import SETS, evaluate
from tasks.rating_form.view_models import EvaluatedForm, Row

from .forms import PanelForm, PasteForm
from .pages import form_context
from .preview import DraftTrial, with_preview

PANEL = "annotators/desk/try_panel.html"
MOST_TARGETS = 2  # that the panel shows of an item


@require_http_methods(["GET", "HEAD", "POST"])
@with_preview
def try_panel(opened: DraftTrial) -> HttpResponse:
    """Show one dimension with an item, or judge it: the row that changed, or the whole panel.

    The item is the first about the dimension, from the number in the address or from `?on=`.
    """
    request, dimension = opened.request, _dimension(opened)
    if request.method == "POST":
        evaluated = opened.form.evaluated()
        return _panel(opened, dimension, evaluated, row=evaluated.row(request.GET.get("row", "")))
    least = PanelForm(request.GET).asked[0] or opened.number
    return _panel(_about(opened, dimension, least), dimension)


@redirect_get_to("annotators:try_panel", "pk", "number")
@with_preview
def try_paste(opened: DraftTrial) -> HttpResponse:
    """Store texts to try the draft on, and show the panel with them."""
    draft, dimension, form = opened.rubric_draft, _dimension(opened), PasteForm(opened.request.POST)
    if not form.is_valid():
        return _panel(_about(opened, dimension, 1), dimension, pasting=form)
    draft.pasted = form.pasted
    draft.save(update_fields=["pasted"])
    panel = reverse("annotators:try_panel", args=[draft.pk, 1])
    return redirect(f"{panel}?dimension={dimension.code}")


def _dimension(opened: DraftTrial) -> Dimension:
    """Return the dimension that is asked for, else the first."""
    request = opened.request
    code = PanelForm(request.POST or request.GET).asked[1]
    dimensions = opened.view.rubric.dimensions
    return next((each for each in dimensions if each.code == code), dimensions[0])


def _about(opened: DraftTrial, dimension: Dimension, least: int) -> DraftTrial:
    """Return the first item about a dimension from a number on, else the last."""
    numbers = (
        number
        for number, tried in enumerate(opened.items, start=1)
        if number >= least and tried.is_about(dimension)
    )
    return DraftTrial(opened.request, opened.rubric_draft, next(numbers, len(opened.items)))


def _panel(
    opened: DraftTrial,
    dimension: Dimension,
    evaluated: EvaluatedForm | None = None,
    *,
    row: Row | None = None,
    pasting: PasteForm | None = None,
) -> HttpResponse:
    request = opened.request
    if evaluated is None:
        evaluated = evaluate(opened.view, opened.tried.answers(opened.view), seen=[SETS])
    parts = {dimension.code, *([WHOLE] if dimension.shared else ())}
    shown = [
        replace(target, rows=tuple(each for each in target.rows if each.dimension.code in parts))
        for target in evaluated.targets
    ]
    targets = [target for target in shown if target.rows][:MOST_TARGETS]
    rows = [each for target in targets for each in target.rows]
    panel_url = reverse("annotators:try_panel", kwargs=opened.where)
    context: dict[str, Any] = form_context(opened, evaluated, corpora_of=()) | {
        "draft": opened.rubric_draft,
        "trial": opened,
        "panel_url": panel_url,
        "verdict_url": panel_url,
        "dimension": dimension,
        "items": [
            (number, tried)
            for number, tried in enumerate(opened.items, start=1)
            if tried.is_about(dimension)
        ],
        "targets": targets,
        "levels": sorted(
            dimension.levels,
            key=lambda level: dimension.merit(level.score),
            reverse=dimension.better is not Better.NONE,
        ),
        "chosen": [each.score for each in rows if each.dimension == dimension],
        "pasting": pasting or PasteForm.of(opened.rubric_draft.pasted),
    }
    if row and row in rows and request.htmx:
        others = [each for each in evaluated.along_with(row) if each in rows]
        return render(request, f"{PANEL}#live", context | {"row": row, "others": others})
    answer = render(request, f"{PANEL}#panel" if request.htmx else PANEL, context)
    return retarget(reswap(answer, "innerHTML"), "#try") if request.htmx else answer
