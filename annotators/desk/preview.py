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
from rubrics.models import RubricDraft
from rubrics.schema import Better, Dimension
from tasks.answers import WHOLE
from tasks.item_pages.texts import WHOLE_TEXT
from tasks.models import Lease, Project
from tasks.rating_form.compare import Difference, differences
from tasks.rating_form.evaluate import SETS, evaluate
from tasks.rating_form.form import item_view_of
from tasks.rating_form.in_memory import Tried, demonstrations, items_to_try, unsaved_lease
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm
from tasks.views.led import drafts_of

from .forms import PanelForm, PasteForm
from .loading import Opened
from .pages import DESK, answer_corpus, answer_row, answer_texts_of_unsaved, form_context

step = redirect_get_to("../")  # the page itself
PANEL = "annotators/desk/try_panel.html"


class Preview(Opened):
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
        items: Sequence[Tried] = (),
    ) -> None:
        super().__init__(request, lease)
        self.where, self.tried_draft, self.items = where, draft, items

    @cached_property
    def urls(self) -> dict[str, str]:
        """Addresses under which nothing is stored, and that of the project or the draft."""
        name, page, draft = "preview", "tasks:project", self.tried_draft
        if draft:
            name, page = "try", "tasks:draft"
        steps = ("verdict", "submit", "texts", "corpus")
        return {
            f"{step}_url": reverse(f"annotators:{name}_{step}", kwargs=self.where) for step in steps
        } | {"back_url": reverse(page, args=[draft.pk if draft else self.lease.project.slug])}

    @cached_property
    def view(self) -> ItemView:
        """The item as the page shows it."""
        return replace(item_view_of(self.lease), about_corpora={})


def with_preview(view: Callable[[Preview], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view an item of the project or the draft of its URL; answer 404 to others.

    The user leads the project, or may edit the draft. If the draft could never be read, a page says
    so.
    """

    @wraps(view)
    def answer(request: Request, **where: Any) -> HttpResponse:
        if "pk" not in where:
            return view(_of_project(request, where))
        draft = get_object_or_404(drafts_of(request.user), pk=where["pk"])
        if draft.shown is None:
            page = "annotators/desk/unread.html"
            return render(request, f"{page}#said" if request.htmx else page, {"draft": draft})
        return view(_of_draft(request, draft, where["number"]))

    return answer


def _of_project(request: Request, where: dict[str, Any]) -> Preview:
    """Return the first item of a project that the user leads, or an example while it has none."""
    projects = Project.objects.led_by(request.user).select_related("rubric")
    project = get_object_or_404(projects, **where)
    item = project.items.first_to_rate() or next(demonstrations(project))
    return Preview(request, unsaved_lease(project, item, request.user), where)


def _of_draft(request: Request, draft: RubricDraft, number: int) -> Preview:
    """Return an item to try a draft on, by its number from 1. Raise Http404 if there is none."""
    project = Project(pk=0, title=str(draft), rubric=draft.as_rubric())
    items = list(items_to_try(project, draft.pasted))
    if not 1 <= number <= len(items):
        raise Http404
    lease = unsaved_lease(project, items[number - 1].item, request.user)
    return Preview(request, lease, {"pk": draft.pk, "number": number}, draft, items)


@require_safe
@with_preview
def preview(opened: Preview) -> HttpResponse:
    """Show the desk with the item."""
    return _page(opened, opened.first_evaluated())


@step
@with_preview
def preview_verdict(opened: Preview) -> HttpResponse:
    """Judge the form as it is now: the row that changed, or the whole page."""
    request, evaluated = opened.request, opened.form.evaluated()
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return _page(opened, evaluated)
    return answer_row(opened, evaluated, row, preview=True)


@step
@with_preview
def preview_submit(opened: Preview) -> HttpResponse:
    """Show what would be stored, or what is missing."""
    evaluated = opened.form.evaluated(submitting=True)
    would = differences(evaluated, opened.first_evaluated()) if evaluated.storable else ()
    return _page(opened, evaluated, would=would)


# Neither remembers anything: the lease is not stored.
preview_texts = redirect_get_to("../", but=WHOLE_TEXT)(with_preview(answer_texts_of_unsaved))
preview_corpus = require_safe(with_preview(answer_corpus))


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


def _panel(opened: Preview, pasting: PasteForm | None = None) -> HttpResponse:
    """Show one dimension of a draft with an item, or judge it: the row that changed, or all of it.

    The item is the first about the dimension, from the number in the address or from `on`.
    """
    request, dimensions = opened.request, opened.view.rubric.dimensions
    asked = PanelForm(request.POST or request.GET).asked
    named = (each for each in dimensions if each.code == asked["dimension"])
    dimension = next(named, dimensions[0])
    numbered = enumerate(opened.items, start=1)
    items = [each for each in numbered if each[1].dimension in (None, dimension)]
    least = asked["on"] or opened.where["number"]
    number, tried = next((each for each in items if each[0] >= least), items[-1])
    opened = _of_draft(request, opened.tried_draft, number)
    panel_url = reverse("annotators:try_panel", kwargs=opened.where)
    context = _panel_context(opened, dimension, tried) | {
        "draft": opened.tried_draft,
        "number": number,
        "items": items,
        "tried": tried,
        # Where a rule bars the score of an example, its row says so.
        "fits": tried.place not in {".".join(found.path) for found in examined.findings}
        if (examined := opened.tried_draft.examined).rubric
        else False,
        "panel_url": panel_url,
        "verdict_url": panel_url,
        "pasting": pasting
        or PasteForm(
            initial=dict(zip(PasteForm.base_fields, opened.tried_draft.pasted, strict=False))
        ),
    }
    if context["row"] and request.htmx:
        return render(request, f"{PANEL}#live", context)
    answer = render(request, f"{PANEL}#panel" if request.htmx else PANEL, context)
    if not request.htmx:
        return answer
    # A swap of our own (static/js/merge.js), which the types of django_htmx do not list.
    answer["HX-Reswap"] = "merge"
    return retarget(answer, "#try")


def _panel_context(opened: Preview, dimension: Dimension, tried: Tried) -> dict[str, Any]:
    """Return what is judged: the answers that were sent, else those of the example."""
    if "seen" in opened.request.POST:
        evaluated = opened.form.evaluated()
    else:
        evaluated = evaluate(opened.view, tried.answers(opened.view), seen=[SETS])
    parts = (dimension.code, *([WHOLE] if dimension.shared else ()))
    shown = [
        replace(target, rows=tuple(each for each in target.rows if each.dimension.code in parts))
        for target in evaluated.targets
    ]
    targets = [target for target in shown if target.rows][:2]  # there is little room
    rows = [each for target in targets for each in target.rows]
    row = next((each for each in rows if each.id == opened.request.GET.get("row")), None)
    return form_context(opened, evaluated, corpora_of=()) | {
        "dimension": dimension,
        "targets": targets,
        "row": row,
        "others": [each for each in evaluated.along_with(row) if each in rows] if row else (),
        "chosen": [each.score for each in rows if each.dimension.code == dimension.code],
        "levels": sorted(
            dimension.levels,
            key=lambda level: dimension.merit(level.score),
            reverse=dimension.better is not Better.NONE,
        ),
    }


try_panel = require_http_methods(["GET", "HEAD", "POST"])(with_preview(_panel))


@redirect_get_to("../1/panel/")
@with_preview
def try_paste(opened: Preview) -> HttpResponse:
    """Store texts to try the draft on, and show the panel with them."""
    draft, form = opened.tried_draft, PasteForm(opened.request.POST)
    if not form.is_valid():
        return _panel(opened, form)
    # Someone may delete it now.
    RubricDraft.objects.filter(pk=draft.pk).update(pasted=[*form.cleaned_data.values()])
    query = {"dimension": opened.request.POST.get("dimension", "")}
    return redirect(reverse("annotators:try_panel", args=[draft.pk, 1], query=query))
