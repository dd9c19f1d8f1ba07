"""Pages on which a lead starts a rubric, finds it again, deletes it, or has it as a document.

`start_forms` has a form for each way to start, and reads the document that may replace a draft.
"""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.decorators import takes_files
from config.web.people import User
from config.web.requests import Request, download
from rubrics.documents.shipped import SLUGS
from rubrics.documents.yaml_lines import DocumentError, in_yaml
from rubrics.editor.from_prose import materials
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.line_differences import lines_between
from tasks.lead_pages.led import drafts_of, edited
from tasks.models import Project

from .start_forms import WAYS, DocumentForm, GalleryForm


@require_safe
def rubrics(request: Request) -> HttpResponse:
    """List the drafts that one may edit, and the newest version of each published rubric."""
    _refuse_annotators(request.user)
    lists = {
        "drafts": drafts_of(request.user).listed(),
        "published": Rubric.objects.listed(request.user),
    }
    return render(request, "tasks/rubric_editor/rubrics.html", lists)


@takes_files(Project.objects.may_be_made_by)
@require_http_methods(["GET", "HEAD", "POST"])
def start_rubric(request: Request) -> HttpResponse:
    """Start a draft in one of several ways, each with a form of its own."""
    _refuse_annotators(request.user)
    way = request.POST.get("way", "")
    forms = {}
    for name, form_class in WAYS.items():
        auto_id = f"{name}-%s"
        if name == way:
            forms[name] = form_class(request.POST, request.FILES, auto_id=auto_id)
        else:
            forms[name] = form_class(auto_id=auto_id)
    form = forms.get(way)
    if form and form.is_valid() and form.content:
        try:
            draft = RubricDraft.objects.start(
                form.content,
                is_by_program=form.is_by_program,
                unread=form.unread,
                by=request.user,
                now=timezone.now(),
            )
            return redirect("tasks:draft", draft.pk)
        except DocumentError as error:
            messages.error(request, _("Not saved: %(fault)s") % {"fault": error})
    led = Project.objects.led_by(request.user)
    used = Rubric.objects.filter(pk__in=led.values("rubric"))
    gallery = GalleryForm(request.GET, auto_id="by-%s")
    context = {
        "forms": forms,
        "gallery": gallery,
        "chosen": request.GET.get("kind", ""),
        "shipped": SLUGS,
        "used": used.order_by("title", "-version"),
        "languages": settings.LANGUAGES,
        **materials(),
    }
    return render(request, "tasks/rubric_editor/start.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@edited
def delete_draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Ask once, then delete a draft."""
    if request.method != "POST":
        return render(request, "tasks/rubric_editor/delete_draft.html", {"draft": draft})
    draft.delete()
    messages.success(request, _("The draft “%(title)s” is deleted.") % {"title": draft})
    return redirect("tasks:rubrics")


@takes_files(lambda user, pk: drafts_of(user).filter(pk=pk).exists())
@require_http_methods(["GET", "HEAD", "POST"])
@edited
def draft_document(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show a draft as a document, and how another differs. Then replace the draft by that one."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = DocumentForm(*sent)
    before = after = draft.text
    revision = str(draft.revision)
    is_older = request.POST.get("revision", revision) != revision
    if form.is_valid() and form.content:
        content = {**form.content, "slug": draft.slug}
        if "replaces" in request.POST and not is_older:
            draft.beside = {}
            try:
                draft.keep(content, by=request.user, now=timezone.now())
                messages.success(request, _("The draft is replaced by the document."))
            except DocumentError as error:
                messages.error(request, _("Not saved: %(fault)s") % {"fault": error})
            return redirect("tasks:draft_document", draft.pk)
        after = in_yaml(content)
    lines = lines_between(before.splitlines(), after.splitlines())
    context = {"draft": draft, "form": form, "document": before, "differences": lines}
    context["are_too_many"] = lines is None
    context["is_older"] = is_older
    return render(request, "tasks/rubric_editor/document.html", context)


@require_safe
@edited
def draft_document_file(request: Request, draft: RubricDraft) -> HttpResponseBase:
    """Download a draft as a document."""
    name = f"{draft.slug}.yaml"
    text = draft.text.encode()
    blocks = iter([text])
    return download(request, name, "application/yaml; charset=utf-8", blocks)


def _refuse_annotators(user: User) -> None:
    if not Project.objects.may_be_made_by(user):
        raise PermissionDenied
