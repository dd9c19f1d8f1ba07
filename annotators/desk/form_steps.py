"""Answers to what the page of a form sends before it is submitted: a verdict, a draft, a view.

Each takes the item on the page. The desk, the page of a rating, previews and practice share them.
"""

from collections.abc import Callable, Collection
from typing import TypeVar

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import HttpResponseClientRedirect

from config.web.requests import Request
from tasks.item_pages.texts import WHOLE_TEXT, texts_of, whole_text
from tasks.models import Rating
from tasks.rating_form.compare import differences
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.row_view import Row
from tasks.rating_form.stored_forms import first_evaluated

from .corpus import corpus_page, save_clicks
from .desk_page import DESK_PAGE, show_item
from .drafts import save_draft
from .form_contexts import form_context, other_versions_context
from .forms import CorpusForm
from .loading import DeskItem
from .recovered_forms import answer_recovered_form
from .text_views import text_views_of

CORPUS_PAGE = "annotators/desk/corpus.html"
AnyDeskItem = TypeVar("AnyDeskItem", bound=DeskItem)


def answer_verdict(desk_item: DeskItem) -> HttpResponse:
    """Save the form, and answer a verdict: the row that `?row=` names, or the whole page."""
    request = desk_item.request
    desk_item.lease.choose_view(request.POST.get("show", ""))  # by a button, without JavaScript
    evaluated = save_and_evaluate(desk_item)
    conflict = save_draft(desk_item, evaluated)
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return show_item(desk_item, evaluated, conflict)
    return _answer_row(desk_item, evaluated, row, conflict)


def answer_verdict_of_unsaved(
    desk_item: AnyDeskItem, show_form: Callable[[AnyDeskItem, EvaluatedForm], HttpResponse]
) -> HttpResponse:
    """Judge the form of an item whose lease is not stored: the row that changed, or the page."""
    request = desk_item.request
    evaluated = desk_item.form.evaluated()
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return show_form(desk_item, evaluated)
    return _answer_row(desk_item, evaluated, row, preview=True)


def save_and_evaluate(desk_item: DeskItem, *, submitting: bool = False) -> EvaluatedForm:
    """Save the answers about corpora that were clicked, and return the form that was sent."""
    evaluated = desk_item.form.evaluated(submitting=submitting)
    if desk_item.is_over or not save_clicks(desk_item.lease, evaluated, desk_item.now):
        return evaluated
    desk_item.forget_view_and_form()
    return desk_item.form.evaluated(submitting=submitting)


def _answer_row(
    desk_item: DeskItem,
    evaluated: EvaluatedForm,
    row: Row,
    conflict: Rating | None = None,
    *,
    preview: bool = False,
) -> HttpResponse:
    """Render what the verdict on a row changes on the page."""
    # All corpora when the candidate sets appear; one, with its figures, when it is answered.
    corpora_of: Collection[str] | None = ()
    if evaluated.sets_appear:
        corpora_of = None
    elif row.corpus:
        corpora_of = {row.target.key}
    post = desk_item.request.POST
    context = {
        **form_context(desk_item, evaluated, post=post, corpora_of=corpora_of),
        **other_versions_context(desk_item, conflict),
        **desk_item.urls,
        "row": row,
        "others": evaluated.along_with(row),
        "form": desk_item.form,
        "preview": preview,
    }
    return render(desk_item.request, f"{DESK_PAGE}#live", context)


def answer_texts(desk_item: DeskItem) -> HttpResponse:
    """Render the item's texts in the view that is asked for."""
    context = {
        **desk_item.urls,
        "texts": texts_of(desk_item.lease.item),
        "desk": desk_item.view,
        "rubric": desk_item.lease.project.rubric,
        "look": text_views_of(desk_item.view, desk_item.lease.view, desk_item.request.POST),
    }
    return render(desk_item.request, "annotators/desk/texts.html", context)


def answer_whole_text(desk_item: DeskItem) -> HttpResponse:
    """Answer all of the text that `?whole=` names, as it is stored.

    Raise Http404 if the item has no such text, or shows none of its texts now.
    """
    lease = desk_item.lease
    if lease.is_covered or lease.is_long_over(desk_item.now):
        raise Http404
    texts = texts_of(lease.item)
    for response in desk_item.view.responses:
        texts[response.key] = response.text
    return whole_text(texts, desk_item.request.GET.get(WHOLE_TEXT, ""))


def answer_texts_of_unsaved(desk_item: DeskItem) -> HttpResponse:
    """Answer the texts of an item whose lease is not stored, or by GET all of one."""
    if desk_item.request.method == "POST":
        return answer_texts(desk_item)
    return answer_whole_text(desk_item)


def answer_corpus(desk_item: DeskItem) -> HttpResponse:
    """Render a page of a model's responses in the batch. Raise Http404 for an unknown model.

    `?model=` is the name that the lease gave the model.
    """
    request = desk_item.request
    number, words = CorpusForm(request.GET).query
    by_key = {candidate_set.corpus_key: candidate_set for candidate_set in desk_item.view.sets}
    candidate_set = by_key.get(request.GET.get("model", ""))
    if candidate_set is None:
        raise Http404
    page = corpus_page(desk_item.lease, desk_item.view, candidate_set, number, words)
    context = {**desk_item.urls, "project": desk_item.lease.project, "corpus": page}
    template = f"{CORPUS_PAGE}#page" if request.htmx else CORPUS_PAGE
    return render(request, template, context)


def answer_draft(desk_item: DeskItem) -> HttpResponse:
    """Save the form; confirm it, or go where the annotator wants."""
    request = desk_item.request
    header = desk_item.header
    evaluated = desk_item.form.evaluated()
    loaded = first_evaluated(desk_item.view, desk_item.corrected, desk_item.page_draft)
    if header.leaves and not differences(evaluated, loaded):  # nothing was entered since
        return leave(request, desk_item.urls["back_url"])
    conflict = save_draft(desk_item, evaluated)
    if conflict and header.is_recovered:
        return answer_recovered_form(desk_item, conflict)
    if header.leaves:
        return leave(request, desk_item.urls["back_url"])
    if request.htmx:
        context = {**other_versions_context(desk_item, conflict), **desk_item.urls}
        return render(request, "annotators/drafts/draft.html", context)
    if conflict:
        return show_item(desk_item, evaluated, conflict)
    return leave(request, desk_item.urls["page_url"])


def leave(request: Request, address: str) -> HttpResponse:
    """Redirect the whole page, also for HTMX, which would swap the other page into this one."""
    if request.htmx:
        return HttpResponseClientRedirect(address)
    return redirect(address)
