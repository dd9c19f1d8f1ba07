"""Pages on which a lead writes a rubric: a draft, part by part, until it is published."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import trigger_client_event

from config.web.decorators import redirect_get_to
from config.web.requests import Request, download
from rubrics.by_clause import SourceText
from rubrics.editing import MOST_SHOWN, Entered, scores_of
from rubrics.editor_fields import (
    at_rows,
    digest,
    fits_form,
    found_in,
    outline_of,
    said,
    shown,
    with_effects,
)
from rubrics.models import Rubric, RubricDraft
from rubrics.page import score_lines, score_tables
from rubrics.schema import COMMENT
from rubrics.views import answer_beside, page_of
from rubrics.yaml_lines import DocumentError, in_yaml, refuse_beyond
from tasks.exporting.writing import csv_lines, defuse
from tasks.forms.rubrics import WORDS, ClauseTextForm, DimensionForm, PublishForm
from tasks.models import ClauseText, Project

from .led import TooLargeError, edited, led, or_document, to

EDIT = "tasks/rubrics/edit.html"


@require_safe
@edited
@or_document
def draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Lead to the first part of a draft that something is to be done in."""
    findings = found_in(draft.edit(), draft.examined.faults)
    dimensions = [each["code"] for each in draft.content["dimensions"]]
    parts = [each["part"] for each in findings if each["part"] in dimensions]
    return redirect("tasks:draft_part", draft.pk, next(iter([*parts, *dimensions]), "about"))


@require_http_methods(["GET", "HEAD", "POST"])
@edited
@or_document
def draft_part(request: Request, draft: RubricDraft, part: str) -> HttpResponse:
    """Show a part of a draft as a form, and save what it sends.

    The form names the text that it was shown. If someone changed that meanwhile, nothing is saved,
    and both texts are shown.
    """
    edit, theirs, sent = draft.edit(), "", Entered({})
    try:
        now = digest(edit, part)
    except LookupError as error:
        raise Http404 from error
    if not fits_form(edit, part):
        raise TooLargeError
    if request.method == "POST":
        sent = Entered(dict(request.POST.lists()))
        refuse_beyond([text for texts in sent.fields.values() for text in texts])
        theirs = in_yaml(said(edit, part)) if sent.text("shown") != now else ""
        edit.take(part, sent)
        if not theirs and not (edit.slips and edit.has(part)):
            draft.beside = edit.beside
            draft.keep(edit.content, by=request.user, now=timezone.now())
            if not edit.has(part):  # removed
                return redirect("tasks:draft", draft.pk)
            if not fits_form(edit, part):  # any more
                return to(request, reverse("tasks:draft_part", args=[draft.pk, part]))
            if not request.htmx:
                there = reverse("tasks:draft_part", args=[draft.pk, part])
                return redirect(f"{there}?new=1#new" if sent.text("act") == "add" else there)
            order, edit = edit.order, draft.edit()  # as it is stored
            edit.order = order
            now = digest(edit, part)
        if not edit.has(part):  # to be removed, but not as it is now
            edit, sent = draft.edit(), Entered({"shown": [now]})
    findings = found_in(edit, draft.examined.findings)
    dimension = None if part in ("about", "checks") else edit.dimension(part)
    form, section = shown(edit, part, sent), part.partition(".")[2]
    context = {
        "draft": draft,
        "part": part,
        "section": section,
        "content": edit.content,
        "form": form,
        "words": WORDS,
        # Until she presses Save, nothing of hers takes the place of theirs.
        "shown": sent.text("shown") if theirs else now,
        "now": now,
        "theirs": theirs,
        "slips": edit.slips,
        "dimension": dimension,
        "facts": (facts := edit.facts(dimension)),
        "needed": [*facts, (COMMENT, _("a comment"))],
        "scores": scores if len(scores := scores_of(dimension or {})) <= MOST_SHOWN else (),
        "outline": outline_of(edit.content, findings),
        "findings": findings,
        "open": sum(each["is_fault"] for each in findings),
        "here": at_rows(form, [each for each in findings if each["part"] == part]),
    }
    if dimension and section == "rules" and draft.examined.rubric:
        with_effects(form, draft.examined.rubric.dimension(dimension["code"]))
    if not request.htmx:
        return render(request, EDIT, context)
    answer = render(request, f"{EDIT}#whole", context)
    return trigger_client_event(answer, "evenhand:saved")


@redirect_get_to("tasks:draft", "pk")
@edited
@or_document
def add_dimension(request: Request, draft: RubricDraft) -> HttpResponse:
    """Add a dimension, and open it."""
    form = DimensionForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Write the title of the dimension, then add it."))
        return redirect("tasks:draft", draft.pk)
    edit = draft.edit()
    code = edit.add_dimension(form.cleaned_data["title"])
    draft.keep(edit.content, by=request.user, now=timezone.now())
    return redirect("tasks:draft_part", draft.pk, code)


@require_http_methods(["GET", "HEAD", "POST"])
@edited
@or_document
def publish_draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Publish a draft as the next version, if the proof finds no fault."""
    slug = Rubric.objects.free_slug(draft.slug, draft.made_by)
    findings = found_in(draft.edit(), draft.examined.findings)
    number = sum(each["is_fault"] for each in findings)
    before = Rubric.objects.filter(slug=slug).order_by("-version").first()
    form = PublishForm(draft, before, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = draft.publish(
                changes=form.cleaned_data["changes"], by=request.user, now=timezone.now()
            )
        except DocumentError:  # the page lists the faults
            draft.mark_tried()
            said = ngettext(
                "Not published: %(number)s thing to do first.",
                "Not published: %(number)s things to do first.",
                number,
            )
            form.add_error(None, said % {"number": number})
        else:
            messages.success(request, _("%(rubric)s is published.") % {"rubric": made})
            return redirect("rubrics:rubric", made.slug, made.version)
    return render(
        request,
        "tasks/rubrics/publish.html",
        {
            "draft": draft,
            "form": form,
            "slug": slug,
            "version": before.version + 1 if before else 1,
            "findings": findings,
            "open": number,
        },
    )


def _as_read(draft: RubricDraft) -> Rubric:
    if (rubric := draft.as_rubric()) is None:
        raise Http404
    return rubric


@require_safe
@edited
def draft_page(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show a draft as annotators would read it."""
    return render(request, "rubrics/rubric.html", page_of(_as_read(draft)) | {"draft": draft})


@require_safe
@edited
def draft_beside(request: Request, draft: RubricDraft, digest: str) -> HttpResponse:
    """Show the scales of a draft in words, as the desk fetches them."""
    return answer_beside(_as_read(draft), digest)


@require_safe
@edited
def draft_scores(request: Request, draft: RubricDraft, **as_csv: Any) -> HttpResponseBase:
    """Show or download which scores a draft leaves open, as it could be read last."""
    rubric = _as_read(draft)
    return _scores(request, rubric, "tasks/rubrics/scores.html", {"draft": draft}, **as_csv)


@require_http_methods(["GET", "HEAD", "POST"])
@led
def project_rubric(request: Request, project: Project, version: int) -> HttpResponse:
    """Show a version of a project's rubric, with the tabs of the project.

    A lead adds the source's own text of a clause to the version that the project is on: the page
    has the form of the clause that the address names.
    """
    found = project.rubric
    is_own = version == found.version
    if not is_own:
        found = get_object_or_404(Rubric.objects.to_show(), slug=found.slug, version=version)
    is_sent = request.method == "POST" and is_own
    form = ClauseTextForm(found.schema, request.POST if is_sent else request.GET)
    if is_sent and form.is_valid():
        project.write_clause(**form.cleaned_data, by=request.user, now=timezone.now())
        return redirect(f"{request.path}#{form.cleaned_data['clause']}")
    follows = Rubric.objects.free_slug(found.slug, request.user) == found.slug
    sent = form["text"].value() if is_sent else ""
    stored = {text.clause: text.text for text in project.clause_texts.all()} if is_own else {}
    texts = {clause: [SourceText(tuple(text.splitlines()))] for clause, text in stored.items()}
    context = page_of(found, texts) | {
        "changes": found.since(found.older),
        "frame": "tasks/project_base.html",
        "project": project,
        "follows": follows,
        "clause_form": form if is_own else None,
        "stored": stored,
        "clause_text": sent or stored.get(form["clause"].value(), ""),
    }
    return render(request, "rubrics/rubric.html", context)


@require_safe
def published(request: Request, slug: str, version: int) -> HttpResponse:
    """Show a version in full, with the texts that leads of one's projects added to its clauses."""
    rubric = get_object_or_404(Rubric.objects.to_show(), slug=slug, version=version)
    texts: defaultdict[str, list[SourceText]] = defaultdict(list)
    for entry in ClauseText.objects.read_by(request.user, rubric):
        text = SourceText(tuple(entry.text.splitlines()), entry.project.title)
        texts[entry.clause].append(text)
    context = page_of(rubric, texts) | {"changes": rubric.since(rubric.older)}
    return render(request, "rubrics/rubric.html", context)


@require_safe
def scores(request: Request, slug: str, version: int, **as_csv: Any) -> HttpResponseBase:
    """Show or download which scores are open, to everyone who may read the rubric."""
    rubric = get_object_or_404(Rubric, slug=slug, version=version)
    return _scores(request, rubric, "rubrics/scores.html", {}, **as_csv)


def _scores(
    request: Request, version: Rubric, template: str, about: dict[str, Any], *, as_csv: bool = False
) -> HttpResponseBase:
    """Return a page, whose address may ask a row why a score is barred, or a file."""
    if as_csv:
        lines = ([*map(defuse, line)] for line in score_lines(version.schema))
        return download(
            request,
            f"{version.schema.slug}-{version.version}-open-scores.csv",
            "text/csv; charset=utf-8",
            csv_lines(("dimension", "facts", "open", "barred", "by"), lines),
        )
    asked = [request.GET.get(name) for name in ("dimension", "row", "score")]
    tables = score_tables(
        version.schema, asked, reverse("rubrics:rubric", args=[version.slug, version.version])
    )
    return render(
        request, template, about | {"version": version, "rubric": version.schema, "tables": tables}
    )


@require_safe
@edited
def draft_changes(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show in words what differs from the newest version."""
    if not (draft.shown and draft.published):
        raise Http404
    return render(request, "tasks/rubrics/changes.html", {"draft": draft})
