"""Pages on which a lead writes a rubric: a draft, part by part, until it is published."""

from collections import defaultdict
from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import trigger_client_event

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.documents.draft_parts import plain_values
from rubrics.documents.yaml_lines import DocumentError, refuse_beyond
from rubrics.editor.conditions import facts_to_choose
from rubrics.editor.edit import Edit
from rubrics.editor.elements import codes_of, scores_of
from rubrics.editor.fields import PartFields
from rubrics.editor.findings import findings_in, outline_of
from rubrics.editor.parts import digest, empty_fields, fits_form, save_part, text_of_part
from rubrics.editor.rules import effects_of_rules
from rubrics.editor.scale import MOST_SHOWN
from rubrics.judging.parts import COMMENT
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.by_clause import SourceText
from rubrics.pages.score_tables import score_tables
from rubrics.versions import RubricVersion, UnpublishedVersion
from rubrics.views import answer_rubric_text, page_of
from tasks.lead_pages.led import TooLargeError, edited, or_document, settled, to
from tasks.models import ClauseText, Project

from .forms import ClauseTextForm, DimensionForm, PublishForm, SavingForm
from .part_forms import RulesForm, add_findings, focus, form_to_show, posted_fields
from .row_forms import RuleForm

EDIT = "tasks/rubric_editor/edit.html"


@require_safe
@edited
@or_document
def draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Lead to the first part of a draft that something is to be done in."""
    edit = draft.edit()
    dimensions = codes_of(edit.dimensions)
    for finding in findings_in(edit, draft.report.faults):
        if finding.part in dimensions:
            return redirect("tasks:draft_part", draft.pk, finding.part)
    part = dimensions[0] if dimensions else "about"
    return redirect("tasks:draft_part", draft.pk, part)


@require_http_methods(["GET", "HEAD", "POST"])
@edited
@or_document
def draft_part(request: Request, draft: RubricDraft, part: str) -> HttpResponse:
    """Show a part of a draft as a form, and save what it sends.

    The form names the text that it was shown. If someone changed that meanwhile, nothing is saved,
    and both texts are shown.
    """
    edit = draft.edit()
    try:
        version = digest(edit, part)
    except LookupError as error:
        raise Http404 from error
    if not fits_form(edit, part):
        raise TooLargeError
    if request.method != "POST":
        return _show_part(request, draft, part, edit, version)
    every_text: list[str] = []
    for _name, texts in request.POST.lists():
        every_text += texts
    refuse_beyond(every_text)
    sent = SavingForm(request.POST)
    sent.is_valid()
    base_version = sent.cleaned_data.get("shown", "")
    stored = ""
    if base_version != version:
        stored = text_of_part(edit, part)
    posted = posted_fields(empty_fields(part), request.POST)
    save_part(edit, part, posted, sent.cleaned_data.get("act", ""))
    if not stored and not (edit.slips and edit.has(part)):
        draft.beside = plain_values(edit.memory)
        draft.keep(edit.document, by=request.user, now=timezone.now())
        return _answer_saved(request, draft, part, edit.order, posted)
    if not edit.has(part):  # to be removed, but not as it is now
        edit = draft.edit()
        return _show_part(request, draft, part, edit, version, stored=stored, base_version=version)
    return _show_part(
        request, draft, part, edit, version, posted, stored=stored, base_version=base_version
    )


def _answer_saved(
    request: Request, draft: RubricDraft, part: str, order: list[str], fields: PartFields
) -> HttpResponse:
    """Return the part as it is stored, with its rows in the order of the form."""
    edit = draft.edit()
    if not edit.has(part):  # removed
        return redirect("tasks:draft", draft.pk)
    address = reverse("tasks:draft_part", args=[draft.pk, part])
    if not fits_form(edit, part):  # any more
        return to(request, address)
    if not request.htmx:
        end = "?new=1#new" if request.POST.get("act") == "add" else ""
        return redirect(f"{address}{end}")
    edit.order = order
    version = digest(edit, part)
    return _show_part(request, draft, part, edit, version, fields)


def _show_part(
    request: Request,
    draft: RubricDraft,
    part: str,
    edit: Edit,
    version: str,
    part_fields: PartFields | None = None,
    *,
    stored: str = "",
    base_version: str = "",
) -> HttpResponse:
    """Show the form of a part.

    `version` is the stored one; `stored`, the text that someone else saved meanwhile, when the form
    was made from the version `base_version`.
    """
    findings = findings_in(edit, draft.report.findings)
    dimension = None if part in ("about", "checks") else edit.dimension(part)
    form = form_to_show(edit, part, part_fields)
    if not request.htmx:
        focus(form, is_added=bool(request.GET.get("new")))
    facts = facts_to_choose(edit, dimension)
    numbers = scores_of(dimension) if dimension else ()
    scores = [*map(str, numbers)] if len(numbers) <= MOST_SHOWN else []
    findings_of_part = [finding for finding in findings if finding.part == part]
    context = {
        "draft": draft,
        "part": part,
        "section": part.partition(".")[2],
        "form": form,
        "dimension": dimension,
        "content": edit.content,
        "slips": edit.slips,
        # Until she presses Save, nothing of hers takes the place of theirs.
        "shown": base_version if stored else version,
        "now": version,
        "theirs": stored,
        "facts": facts,
        "needed": [*facts, (COMMENT, _("a comment"))],
        "scores": scores,
        "outline": outline_of(edit, findings),
        "findings": findings,
        "open": sum(finding.is_fault for finding in findings),
        "part_findings": add_findings(form, findings_of_part),
    }
    rubric = draft.report.rubric
    if dimension and isinstance(form, RulesForm):
        effects = effects_of_rules(rubric.dimension(dimension.code)) if rubric else {}
        for row in form.rows:
            if isinstance(row, RuleForm):
                row.offer_scores(scores)
            row.effects = effects.get(row.place)
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
    title = form.cleaned_data["title"]
    code = edit.add_dimension(title)
    draft.keep(edit.document, by=request.user, now=timezone.now())
    return redirect("tasks:draft_part", draft.pk, code)


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
