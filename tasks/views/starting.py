"""Pages on which a lead starts a rubric, finds it again, deletes it, or has it as a document."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from config.web.people import User
from config.web.requests import Request, download
from rubrics.differences import lines_between
from rubrics.models import Rubric, RubricDraft
from rubrics.prose import materials
from rubrics.shipped import SLUGS
from rubrics.yaml_lines import DocumentError, in_yaml
from tasks.forms.starting import WAYS, DocumentForm, GalleryForm
from tasks.models import Project

from .led import drafts_of, edited


@require_safe
def rubrics(request: Request) -> HttpResponse:
    """List the drafts that one may edit, and the newest version of each published rubric."""
    _refuse_annotators(request.user)
    lists = {
        "drafts": drafts_of(request.user).listed(),
        "published": Rubric.objects.listed(request.user),
    }
    return render(request, "tasks/rubrics/rubrics.html", lists)


@require_http_methods(["GET", "HEAD", "POST"])
def start_rubric(request: Request) -> HttpResponse:
    """Start a draft in one of several ways, each with a form of its own."""
    _refuse_annotators(request.user)
    way = request.POST.get("way", "")
    sent = (request.POST, request.FILES)
    forms = {
        name: kind(*(sent if name == way else ()), auto_id=f"{name}-%s")
        for name, kind in WAYS.items()
    }
    if way in forms and forms[way].is_valid() and forms[way].content:
        try:
            draft = RubricDraft.objects.start(
                forms[way].content,
                is_by_program=way == "prose",
                unread=forms[way].read.unread if way == "prose" else (),
                by=request.user,
                now=timezone.now(),
            )
            return redirect("tasks:draft", draft.pk)
        except DocumentError as error:
            messages.error(request, _("Not saved: %(fault)s") % {"fault": error})
    led = Project.objects.led_by(request.user)
    context = {
        "forms": forms,
        "gallery": GalleryForm(request.GET, auto_id="by-%s"),
        "chosen": request.GET.get("kind", ""),
        "shipped": SLUGS,
        "used": Rubric.objects.filter(pk__in=led.values("rubric")).order_by("title", "-version"),
        "languages": settings.LANGUAGES,
        **materials(),
    }
    return render(request, "tasks/rubrics/start.html", context)


# config.middleware.Bodies asks before anything of the file is read.
start_rubric.takes_files_from = Project.objects.may_be_made_by  # type: ignore[attr-defined]  # noted on the view


@require_http_methods(["GET", "HEAD", "POST"])
@edited
def delete_draft(request: Request, draft: RubricDraft) -> HttpResponse:
    """Ask once, then delete a draft."""
    if request.method != "POST":
        return render(request, "tasks/rubrics/delete_draft.html", {"draft": draft})
    draft.delete()
    messages.success(request, _("The draft “%(title)s” is deleted.") % {"title": draft})
    return redirect("tasks:rubrics")


@require_http_methods(["GET", "HEAD", "POST"])
@edited
def draft_document(request: Request, draft: RubricDraft) -> HttpResponse:
    """Show a draft as a document, and how another differs. Then replace the draft by that one."""
    form = DocumentForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    before = after = draft.text
    is_older = request.POST.get("revision", str(draft.revision)) != str(draft.revision)
    if form.is_valid():
        content = form.content | {"slug": draft.slug}
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
    return render(request, "tasks/rubrics/document.html", {**context, "is_older": is_older})


draft_document.takes_files_from = lambda user, pk: drafts_of(user).filter(pk=pk).exists()  # type: ignore[attr-defined]  # noted on the view


@require_safe
@edited
def draft_document_file(request: Request, draft: RubricDraft) -> HttpResponseBase:
    """Download a draft as a document."""
    name, text = f"{draft.slug}.yaml", draft.text.encode()
    return download(request, name, "application/yaml; charset=utf-8", iter([text]))


def _refuse_annotators(user: User) -> None:
    if not Project.objects.may_be_made_by(user):
        raise PermissionDenied
