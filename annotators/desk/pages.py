"""Answers of the desk and of the correction page: the page itself, a verdict, a saved draft."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext as _
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget

from annotators.home import next_project
from annotators.progress import Progress
from config.web.requests import Request
from tasks.item_pages.texts import WHOLE_TEXT, texts_of, whole_text
from tasks.models import Lease, PracticeRound, Project, Rating, ReturnedRating, Workday
from tasks.queue.availability import outlook
from tasks.rating_form.compare import annotate_with_earlier, differences, fixed
from tasks.rating_form.form import evaluated_of, first_evaluated
from tasks.rating_form.view_models import EvaluatedForm, Row

from .corpus import corpora, corpus_page, save_clicks
from .drafts import save_draft
from .forms import ConcernForm, CorpusForm, CorrectionForm, unbound_concern
from .loading import Correction, Opened
from .text_views import look_at

DESK, RATING = "annotators/desk/desk.html", "annotators/ratings/rating.html"


def show(
    opened: Opened,
    evaluated: EvaluatedForm | None = None,
    rated: Rating | None = None,
    *,
    notice: str = "",
    concern: ConcernForm | None = None,
) -> HttpResponse:
    """Render the page of an item, filled with `evaluated` or else as a new page shows it."""
    if evaluated and opened.header["kept"]:
        return answer_kept(opened, rated)
    if isinstance(opened, Correction):
        return show_correction(opened, evaluated)
    lease, request = opened.lease, opened.request
    if lease.is_dropped and not rated:
        words = " ".join(filter(None, (notice, _dropped_notice(lease))))
        return _to_desk(show_next(request, lease.project, None, notice=words))
    if lease.is_long_over(opened.now):
        return _show_long_over(opened, rated)
    context: dict[str, Any] = {
        "notice": notice,
        "is_open": concern is not None,
        "concern": concern.render() if concern else unbound_concern(get_language()),
    }
    if lease.is_covered:
        context |= {"rubric": lease.project.rubric, **opened.urls}
    else:
        asked = request.POST if evaluated else None  # of this item, not of the one before it
        context |= form_context(opened, evaluated or opened.first_evaluated(), asked=asked)
        context |= _page_of(opened) | _beside(opened, rated)
    return _render_desk(request, lease.project, lease, context, 409 if rated else 200)


def _show_long_over(opened: Opened, rated: Rating | None) -> HttpResponse:
    context = {
        "state": "long_over",
        "until": opened.lease.over_at,
        "item": opened.lease.item,
        **_beside(opened, rated),
        **opened.urls,
    }
    answer = _render_desk(
        opened.request, opened.lease.project, None, context, 409 if rated else 200
    )
    return _to_desk(answer)


def _to_desk(answer: HttpResponse) -> HttpResponse:
    """Put an answer in place of the whole desk, whatever the request was for."""
    return retarget(reswap(answer, "outerHTML"), "#desk")


def _dropped_notice(lease: Lease) -> str:
    notice = _("%(item)s was dropped: nobody rates it any more. Anything you entered is kept.")
    return notice % {"item": lease.item}


def show_next(
    request: Request, project: Project, lease: Lease | None, *, notice: str = ""
) -> HttpResponse:
    """Render the desk with the lease, or with what else there is to do."""
    if lease is not None:
        return show(Opened(request, lease), notice=notice)
    if not notice and (dropped := Lease.objects.just_dropped(request.user, project)):
        notice = _dropped_notice(dropped)
    if not project.is_introduced_to(request.user):
        due = {"state": "introduction", "notice": notice}
        return _render_desk(request, project, None, due, 200)
    now = timezone.now()
    found = outlook(project, request.user, now)
    onward = None if found.is_work else next_project(request.user, project, now)
    context = asdict(found) | {"notice": notice, "onward": onward, "is_over": found.is_over}
    if found.state == "practice":
        context["standing"] = PracticeRound.objects.standing(request.user, project)
    if found.state == "returned":
        waiting = ReturnedRating.objects.waiting_of(request.user).filter(project=project)
        context["returned"] = waiting.select_related("rating__item__batch").first()
    return _render_desk(request, project, None, context, 200)


def _render_desk(
    request: Request, project: Project, lease: Lease | None, context: dict[str, Any], status: int
) -> HttpResponse:
    pace = lease.pace if lease is not None else None
    pace = pace or Workday.objects.pace(request.user, project, timezone.now())
    context |= {"project": project, "lease": lease, "progress": Progress.of(pace)}
    return _render(request, DESK, context, status)


def show_correction(
    opened: Correction,
    evaluated: EvaluatedForm | None = None,
    *,
    sent: bool = False,
    notice: str = "",
) -> HttpResponse:
    """Render the page of one's own rating; `sent`: the form was submitted to be stored."""
    request, latest = opened.request, opened.latest
    stored = evaluated_of(latest, opened.view)
    asked = request.POST if evaluated else None
    evaluated = evaluated or opened.first_evaluated()
    is_outdated = sent and CorrectionForm(request.POST).is_outdated(latest.revision)
    is_refused = sent and (is_outdated or bool(opened.read_only))
    changed = differences(evaluated, stored) if is_refused or (opened.draft and not sent) else ()
    if opened.draft and opened.draft.corrects_id is None:  # two ratings meet: one may be half done
        changed = tuple(each for each in changed if each.here)
    shown = fixed(stored) if opened.read_only else annotate_with_earlier(evaluated, stored)
    context = (
        form_context(opened, shown, asked=asked)
        | _page_of(opened)
        | _beside(opened, None)
        | {
            "rating": latest,
            "revisions": _history(opened),
            "read_only": opened.read_only,
            "outdated": is_outdated,
            "changed": changed,
            "notice": notice,
            "is_stored": bool(notice) and not latest.is_asked_for,
        }
    )
    return _render(request, RATING, context, 409 if is_refused else 200)


def _history(opened: Correction) -> list[dict[str, Any]]:
    """Return the later revisions, newest first, each compared with the one before."""
    if len(opened.revisions) == 1:
        return []
    said = [(each, evaluated_of(each, opened.view)) for each in opened.revisions]
    return [
        {"rating": newer, "differences": differences(evaluated, before)}
        for (_older, before), (newer, evaluated) in pairwise(said)
    ][::-1]


def _render(request: Request, page: str, context: dict[str, Any], status: int) -> HttpResponse:
    """Render a page, or for HTMX only what a new item changes."""
    part = "#next" if page == DESK else "#main"
    name = f"{page}{part}" if request.htmx and not request.htmx.boosted else page
    return render(request, name, context, status=status)


def answer_verdict(opened: Opened) -> HttpResponse:
    """Save the form, and answer a verdict: the row asked for, or the whole page."""
    request = opened.request
    opened.lease.choose_view(request.POST.get("show", ""))  # by a button, without JavaScript
    evaluated = judged_form(opened)
    rated = save_draft(opened, evaluated)
    row = evaluated.row(request.GET.get("row", ""))
    if not request.htmx or row is None:
        return show(opened, evaluated, rated)
    return answer_row(opened, evaluated, row, rated)


def judged_form(opened: Opened, *, submitting: bool = False) -> EvaluatedForm:
    """Save the answers about corpora that were clicked, and return the form that was sent."""
    evaluated = opened.form.evaluated(submitting=submitting)
    if opened.is_over or not save_clicks(opened.lease, evaluated, opened.now):
        return evaluated
    del opened.view, opened.form  # made again, with the answers that were just saved
    return opened.form.evaluated(submitting=submitting)


def answer_row(
    opened: Opened,
    evaluated: EvaluatedForm,
    row: Row,
    rated: Rating | None = None,
    *,
    preview: bool = False,
) -> HttpResponse:
    """Render what the verdict on a row changes on the page."""
    # All corpora when the candidate sets appear; one, with its figures, when it is answered.
    some = None if evaluated.sets_appear else {row.target.key} if row.corpus else ()
    context = form_context(opened, evaluated, asked=opened.request.POST, corpora_of=some) | {
        "row": row,
        "others": evaluated.along_with(row),
        "form": opened.form,
        "preview": preview,
        **_beside(opened, rated),
    }
    return render(opened.request, f"{DESK}#live", context)


def answer_texts(opened: Opened) -> HttpResponse:
    """Render the item's texts in the view that is asked for."""
    context = {
        **opened.urls,
        "texts": texts_of(opened.lease.item),
        "desk": opened.view,
        "rubric": opened.lease.project.rubric,
        "look": look_at(opened.view, opened.lease.view, opened.request.POST),
    }
    return render(opened.request, "annotators/desk/texts.html", context)


def answer_whole(opened: Opened) -> HttpResponse:
    """Answer all of the text that `?whole=` names, as it is stored.

    Raise Http404 if the item has no such text, or shows none of its texts now.
    """
    lease = opened.lease
    if lease.is_covered or lease.is_long_over(opened.now):
        raise Http404
    responses = {response.key: response.text for response in opened.view.responses}
    return whole_text({**texts_of(lease.item), **responses}, opened.request.GET.get(WHOLE_TEXT, ""))


def answer_texts_of_unsaved(opened: Opened) -> HttpResponse:
    """Answer the texts of an item whose lease is not stored, or by GET all of one."""
    return answer_texts(opened) if opened.request.method == "POST" else answer_whole(opened)


def answer_corpus(opened: Opened) -> HttpResponse:
    """Render a page of a model's responses in the batch. Raise Http404 for an unknown model.

    `?model=` is the name that the lease gave the model.
    """
    request, asked = opened.request, CorpusForm(opened.request.GET).asked
    key = request.GET.get("model")
    shown = next((shown for shown in opened.view.sets if shown.corpus_key == key), None)
    if shown is None:
        raise Http404
    page = corpus_page(opened.lease, opened.view, shown, *asked)
    name = "annotators/desk/corpus.html#page" if request.htmx else "annotators/desk/corpus.html"
    return render(request, name, {**opened.urls, "project": opened.lease.project, "corpus": page})


def answer_draft(opened: Opened) -> HttpResponse:
    """Save the form; confirm it, or go where the annotator wants."""
    request, header = opened.request, opened.header
    evaluated = opened.form.evaluated()
    loaded = first_evaluated(opened.view, opened.corrected, opened.own_draft)
    if header["leave"] and not differences(evaluated, loaded):  # nothing was entered since
        return leave(request, opened.urls["back_url"])
    rated = save_draft(opened, evaluated)
    if rated and header["kept"]:
        return answer_kept(opened, rated)
    if header["leave"]:
        return leave(request, opened.urls["back_url"])
    if request.htmx:
        context = _beside(opened, rated) | opened.urls
        return render(request, "annotators/drafts/draft.html", context)
    return show(opened, evaluated, rated) if rated else leave(request, opened.urls["page_url"])


def answer_kept(
    opened: Opened, rated: Rating | None = None, *, stored: str | None = None
) -> HttpResponse:
    """Answer a form that the browser kept and sends from another page.

    Say that the item was rated otherwise, or confirm with the message `stored` that the form is
    stored. Without either, say that it could not be stored and is saved as a draft.
    """
    context = {
        "name": getattr(opened.header["version"], "writer", opened.lease.pk),
        "is_open": opened.lease.status == Lease.Status.LIVE or opened.corrected,
        "item": opened.lease.item,
        "stored": stored,
        **_beside(opened, rated),
        **opened.urls,
    }
    return render(opened.request, "annotators/drafts/kept.html", context)


def _beside(opened: Opened, rated: Rating | None) -> dict[str, Any]:
    """Return what there is beside the page's own draft: a rating, or drafts of other pages."""
    if rated is None:
        return {"other_drafts": opened.other_drafts}
    slug, own = opened.lease.project.slug, opened.draft
    page = reverse("annotators:rating", args=[slug, rated.pk])
    return {"rated": rated, "rated_url": f"{page}?draft={own.writer}" if own else page}


def leave(request: Request, where: str) -> HttpResponse:
    return HttpResponseClientRedirect(where) if request.htmx else redirect(where)


def form_context(
    opened: Opened,
    evaluated: EvaluatedForm,
    *,
    asked: Mapping[str, str] | None = None,
    corpora_of: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return the context of the templates that show a form.

    `corpora_of`: show the corpora of these candidate sets' models; None for all.
    """
    lease, project, on_desk = opened.lease, opened.lease.project, opened.view
    rating = opened.corrected
    return {
        "project": project,
        "rubric": project.rubric,
        "lease": lease,
        "item": lease.item,
        "desk": on_desk,
        "evaluated": evaluated,
        "look": look_at(on_desk, lease.view, asked),
        "corpora": corpora(lease, on_desk, corpora_of if evaluated.shows_sets else ()),
        "returned": rating.returned if rating and rating.is_asked_for else None,
        **opened.urls,
    }


def _page_of(opened: Opened) -> dict[str, Any]:
    """Return the name of a new page, and the draft that it shows."""
    draft = opened.draft
    return {
        "draft_writer": secrets.token_hex(8),
        "draft_shown": draft.version if draft else "",
        "draft": draft,
    }
