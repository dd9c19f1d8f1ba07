"""Pages on which a lead writes the draft of a rubric, part by part.

A part is the texts about the rubric, a dimension with its scale, or a list of checks, rules or
examples (`rubrics.editor.parts`). Each has a form (`part_forms`).
"""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import trigger_client_event

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.documents.draft_parts import plain_values
from rubrics.documents.yaml_lines import refuse_beyond
from rubrics.editor.edit import Edit
from rubrics.editor.elements import codes_of, scores_of
from rubrics.editor.facts import facts_to_choose
from rubrics.editor.fields import PartFields
from rubrics.editor.findings import findings_in, outline_of
from rubrics.editor.parts import digest, empty_fields, fits_form, text_of_part
from rubrics.editor.rules import effects_of_rules
from rubrics.editor.saving import save_part
from rubrics.editor.scale import MOST_SHOWN
from rubrics.judging.parts import COMMENT
from rubrics.models import RubricDraft
from tasks.lead_pages.led import TooLargeError, edited, or_document, to

from .forms import DimensionForm, SavingForm
from .part_forms import RulesForm, add_findings, focus, form_to_show, posted_fields
from .row_forms import RuleForm

EDIT = "tasks/rubric_editor/edit.html"


@require_safe
@edited
@or_document
def first_part(request: Request, draft: RubricDraft) -> HttpResponse:
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

    The form names the version of the part that it was made from. If someone changed the part
    meanwhile, nothing is saved, and both texts are shown.
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
    theirs = ""
    if base_version != version:
        theirs = text_of_part(edit, part)
    posted = posted_fields(empty_fields(part), request.POST)
    save_part(edit, part, posted, sent.cleaned_data.get("act", ""))
    is_readable = not edit.slips or not edit.has(part)
    if not theirs and is_readable:
        draft.beside = plain_values(edit.memory)
        draft.keep(edit.document, by=request.user, now=timezone.now())
        return _answer_saved(request, draft, part, edit.order, posted)
    if not edit.has(part):  # to be removed, but not as it is now
        return _show_part(request, draft, part, draft.edit(), version, theirs=theirs)
    return _show_part(
        request,
        draft,
        part,
        edit,
        version,
        posted,
        theirs=theirs,
        # Until she presses Save, nothing of hers takes the place of theirs.
        base_version=base_version if theirs else version,
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
        # No fragment: a browser that goes to one takes the cursor away once the page is loaded.
        end = "?new=1" if request.POST.get("act") == "add" else ""
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
    posted: PartFields | None = None,
    *,
    theirs: str = "",
    base_version: str | None = None,
) -> HttpResponse:
    """Show the form of a part as `edit` has it.

    `version`: the stored one; `base_version`: the one that the form is made from, if it is another.
    `theirs`: the text of the part that someone else stored meanwhile.
    """
    findings = findings_in(edit, draft.report.findings)
    dimension = None if part in ("about", "checks") else edit.dimension(part)
    form = form_to_show(edit, part, posted)
    if not request.htmx:
        focus(form, is_added=bool(request.GET.get("new")))
    facts = facts_to_choose(edit, dimension)
    numbers = scores_of(dimension) if dimension else ()
    scores = [*map(str, numbers)] if len(numbers) <= MOST_SHOWN else []
    if dimension and isinstance(form, RulesForm):
        _add_scores_and_effects(form, draft, dimension.code, scores)
    context = {
        "draft": draft,
        "part": part,
        "section": part.partition(".")[2],
        "form": form,
        "dimension": dimension,
        "content": edit.content,
        "slips": edit.slips,
        "shown": version if base_version is None else base_version,
        "now": version,
        "theirs": theirs,
        "facts": facts,
        "needed": [*facts, (COMMENT, _("a comment"))],
        "scores": scores,
        "outline": outline_of(edit, findings),
        "findings": findings,
        "open": sum(finding.is_fault for finding in findings),
        "part_findings": add_findings(form, [entry for entry in findings if entry.part == part]),
    }
    if not request.htmx:
        return render(request, EDIT, context)
    answer = render(request, f"{EDIT}#whole", context)
    return trigger_client_event(answer, "evenhand:saved")


def _add_scores_and_effects(
    rules_form: RulesForm, draft: RubricDraft, dimension_code: str, scale_scores: list[str]
) -> None:
    """Let the rows of rules offer the scores of the scale, and say what each rule does."""
    rules = [row for row in rules_form.rows if isinstance(row, RuleForm)]
    rubric = draft.report.rubric
    if not rules:
        return
    effects = effects_of_rules(rubric.dimension(dimension_code)) if rubric else {}
    for row in rules:
        row.offer_scores(scale_scores)
        row.effects = effects.get(row.code)


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
