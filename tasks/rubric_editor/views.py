"""Pages on which a lead publishes a draft, and reads a draft or a published version.

A draft and a version have the same page: `rubrics.views.page_of` makes its context. The parts of a
draft are written in `part_views`.
"""

from collections import defaultdict
from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from config.web.requests import Request
from rubrics.documents.yaml_lines import DocumentError
from rubrics.editor.findings import findings_in
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.by_clause import SourceText
from rubrics.pages.score_tables import score_tables
from rubrics.versions import RubricVersion, UnpublishedVersion
from rubrics.views import answer_rubric_text, page_of
from tasks.lead_pages.led import edited, or_document, settled
from tasks.models import ClauseText, Project

from .forms import ClauseTextForm, PublishForm


@require_http_methods(["GET", "HEAD", "POST"])
@edited
@or_document
def publish_draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Publish a draft as the next version, if the proof finds no fault."""
    slug = Rubric.objects.free_slug(draft.slug, draft.made_by)
    findings = findings_in(draft.edit(), draft.report.findings)
    number = sum(finding.is_fault for finding in findings)
    versions = Rubric.objects.filter(slug=slug)
    before = versions.order_by("-version").first()
    sent = request.POST if request.method == "POST" else None
    form = PublishForm(draft, before, sent)
    if form.is_valid():
        changes = form.cleaned_data["changes"]
        try:
            made = draft.publish(changes=changes, by=request.user, now=timezone.now())
        except DocumentError:  # the page lists the faults
            draft.mark_publish_attempt()
            message = ngettext(
                "Not published: %(number)s thing to do first.",
                "Not published: %(number)s things to do first.",
                number,
            )
            form.add_error(None, message % {"number": number})
        else:
            messages.success(request, _("%(rubric)s is published.") % {"rubric": made})
            return redirect("rubrics:rubric", made.slug, made.version)
    version = before.version + 1 if before else 1
    context = {"draft": draft, "form": form, "slug": slug, "version": version}
    context["findings"] = findings
    context["open"] = number
    return render(request, "tasks/rubric_editor/publish.html", context)


def _as_read(draft: RubricDraft) -> UnpublishedVersion:
    version = draft.version_to_read
    if version is None:
        raise Http404
    return version


@require_safe
@edited
def draft_page(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show a draft as annotators would read it."""
    rubric = _as_read(draft)
    return render(request, "rubrics/rubric.html", {**page_of(rubric), "draft": draft})


@require_safe
@edited
def draft_rubric_text(request: Request, draft: RubricDraft, digest: str) -> HttpResponse:
    """Show the scales of a draft in words, as the desk fetches them."""
    return answer_rubric_text(_as_read(draft), digest)


@require_safe
@edited
def draft_scores(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show which scores a draft leaves open, as it could be read last."""
    context = {**_scores_of(_as_read(draft)), "draft": draft}
    return render(request, "tasks/rubric_editor/scores.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@settled
def project_rubric(request: Request, project: Project, version: int) -> HttpResponse:
    """Show a version of a project's rubric, with the tabs of the project.

    A lead adds the source's own text of a clause to the version that the project is on: the page
    has the form of the clause that the address names. An adjudicator only reads.
    """
    may_write = not project.as_adjudicator
    if request.method == "POST" and not may_write:
        raise Http404
    rubric = project.rubric
    is_current = version == rubric.version
    if not is_current:
        rubric = get_object_or_404(Rubric.objects.to_show(), slug=rubric.slug, version=version)
    is_sent = request.method == "POST" and is_current
    form = ClauseTextForm(rubric.schema, request.POST if is_sent else request.GET)
    if is_sent and form.is_valid():
        clause = form.cleaned_data["clause"]
        project.write_clause(**form.cleaned_data, by=request.user, now=timezone.now())
        return redirect(f"{request.path}#{clause}")
    clause_texts: dict[str, str] = {}
    texts_by_clause: dict[str, list[SourceText]] = {}
    entries = project.clause_texts.all() if is_current else ()
    for entry in entries:
        lines = tuple(entry.text.splitlines())
        clause_texts[entry.clause] = entry.text
        texts_by_clause[entry.clause] = [SourceText(lines)]
    sent = form["text"].value() if is_sent else ""
    clause = form["clause"].value()
    free_slug = Rubric.objects.free_slug(rubric.slug, request.user)
    context = {
        **page_of(rubric, texts_by_clause),
        "changes": rubric.since(rubric.older),
        "frame": "tasks/lead_pages/project_base.html",
        "project": project,
        "follows": free_slug == rubric.slug,
        "clause_form": form if is_current and may_write else None,
        "stored": clause_texts,
        "clause_text": sent or clause_texts.get(clause, ""),
    }
    return render(request, "rubrics/rubric.html", context)


@require_safe
def published(request: Request, slug: str, version: int) -> HttpResponse:
    """Show a version in full, with the texts that leads of one's projects added to its clauses."""
    rubric = get_object_or_404(Rubric.objects.to_show(), slug=slug, version=version)
    texts_by_clause: defaultdict[str, list[SourceText]] = defaultdict(list)
    for entry in ClauseText.objects.read_by(request.user, rubric):
        lines = tuple(entry.text.splitlines())
        text = SourceText(lines, entry.project.title)
        texts_by_clause[entry.clause].append(text)
    changes = rubric.since(rubric.older)
    context = {**page_of(rubric, texts_by_clause), "changes": changes}
    return render(request, "rubrics/rubric.html", context)


@require_safe
def scores(request: Request, slug: str, version: int) -> HttpResponse:
    """Show which scores are open, to everyone who may read the rubric."""
    rubric = get_object_or_404(Rubric, slug=slug, version=version)
    return render(request, "rubrics/scores.html", _scores_of(rubric))


def _scores_of(version: RubricVersion) -> Mapping[str, object]:
    """Return the context of a page of open scores."""
    rubric = version.schema
    address = reverse("rubrics:rubric", args=[version.slug, version.version])
    return {"version": version, "rubric": rubric, "tables": score_tables(rubric, address)}


@require_safe
@edited
def draft_changes(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show in words what differs from the newest version."""
    if not (draft.last_readable and draft.published):
        raise Http404
    return render(request, "tasks/rubric_editor/changes.html", {"draft": draft})
