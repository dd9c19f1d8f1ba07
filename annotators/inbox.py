"""The inbox: a user's notices, each with its link, and their number in the bar of every page.

Every query here starts from the current user. Nobody sees the notices of others.
"""

from collections.abc import Callable, Collection
from typing import Any

from django import forms
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.models import (
    Batch,
    Concern,
    Membership,
    Notice,
    Project,
    ReturnedRating,
    Upload,
)

from .my_work import became

ON_A_PAGE = 50
LEADS = (
    Notice.Kind.RAISED,
    Notice.Kind.REVISED,
    Notice.Kind.FINISHED,
    Notice.Kind.UPLOAD,
    Notice.Kind.JOINED,
    Notice.Kind.PRACTICE,
)


class NoticeForm(forms.Form):
    """The notice at which a page begins or ends. An invalid one is none."""

    notice = forms.IntegerField(required=False, min_value=0, max_value=2**63 - 1)

    @property
    def key(self) -> int:
        """Its primary key, or 0, which no notice has."""
        return (self.cleaned_data["notice"] if self.is_valid() else None) or 0


def unread_notices(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """Count the user's unread notices, for the templates that ask: fragments do not.

    A context processor, so each page may show the number.
    """
    user = getattr(request, "user", None)
    return {"unread_notices": lambda: Notice.objects.unread_number(user) if user else 0}


@require_safe
def inbox(request: Request) -> HttpResponse:
    """Show one's notices, newest first."""
    own = Notice.objects.of(request.user)
    last = own.filter(pk=NoticeForm(request.GET).key).first()
    found = list(_with_what_they_are_about(own.older_than(last) if last else own)[: ON_A_PAGE + 1])
    shown = found[:ON_A_PAGE]
    return render(
        request,
        "annotators/inbox.html",
        {
            "lines": _lines(request, shown),
            "older": shown[-1].pk if len(found) > ON_A_PAGE else None,
            "newest": shown[0] if not last and own.unread().exists() else None,
            "is_first": last is None,
        },
    )


@redirect_get_to("annotators:inbox")
def open_notice(request: Request, pk: int) -> HttpResponse:
    """Mark a notice as read, and lead to what it is about, or else back to the inbox."""
    notice = get_object_or_404(_with_what_they_are_about(Notice.objects.of(request.user)), pk=pk)
    notice.mark_read(now=timezone.now())
    [line] = _lines(request, [notice])
    return redirect(line["url"] or "annotators:inbox")


@redirect_get_to("annotators:inbox")
def read_all(request: Request) -> HttpResponse:
    """Mark as read what the page showed and what is older, but nothing that came meanwhile."""
    own = Notice.objects.of(request.user)
    if newest := own.filter(pk=NoticeForm(request.POST).key).first():
        own.unread().filter(created_at__lte=newest.created_at).update(read_at=timezone.now())
    return redirect("annotators:inbox")


def inbox_lines(
    notices: QuerySet[Notice], *, rated: Collection[int], led: Collection[int]
) -> list[dict[str, Any]]:
    """Return notices in words; `rated` and `led`: the reader's projects, by primary key."""
    return [_line(each, rated, led) for each in _with_what_they_are_about(notices)]


def _lines(request: Request, notices: list[Notice]) -> list[dict[str, Any]]:
    projects = Project.objects.filter(pk__in={each.project_id for each in notices})
    rated = set(projects.rated_by(request.user).values_list("pk", flat=True))
    led = set(projects.led_by(request.user).values_list("pk", flat=True))
    return [_line(each, rated, led) for each in notices]


def _with_what_they_are_about(notices: QuerySet[Notice]) -> QuerySet[Notice]:
    concerns = Concern.objects.with_what_was_done().select_related("item", "annotator")
    uploads = Upload.objects.select_related("batch").only(
        "file_name", "report", "batch__name", "rating_file"
    )
    returned = ReturnedRating.objects.select_related(
        "rating__annotator", "rating__item__batch", "rating__superseded_by"
    )
    # Most notices have a project and a batch only. These tables have many columns, and in a query
    # of a few rows each column costs as much as a row.
    return (
        notices.select_related("project", "batch")
        .only(
            *("user", "kind", "words", "created_at", "read_at"),
            *("invitation", "concern", "upload", "returned"),
            *("project__slug", "project__title", "project__status"),
            *("batch__name", "batch__size", "batch__dropped"),
        )
        .prefetch_related(
            "invitation",
            Prefetch("concern", concerns),
            Prefetch("upload", uploads),
            Prefetch("returned", returned),
        )
    )


def _line(notice: Notice, rated: Collection[int], led: Collection[int]) -> dict[str, Any]:
    """Return a notice in words, as true now as when it came."""
    is_leads = notice.kind in LEADS or notice.words == Membership.Role.LEAD
    text, quote, state, url = _said(notice)
    is_open = notice.kind == Notice.Kind.INVITATION or notice.project_id in (
        led if is_leads else rated
    )
    if is_leads and not is_open:
        text, quote, state = _("You no longer lead this project."), "", ""
    return {
        "notice": notice,
        "text": text,
        "quote": quote,  # the words of a person
        "state": state,  # what became of it since
        "url": url if is_open else "",
    }


def _said(notice: Notice) -> tuple[str, str, str, str]:
    """Return a notice's text, the words of a person, its state, and its address."""
    project, concern, batch = notice.project, notice.concern, notice.batch
    desk = reverse("annotators:desk", args=[project.slug])
    match notice.kind:
        case Notice.Kind.ADDED if notice.words == Membership.Role.LEAD:
            return _("You now lead this project."), "", "", _of_project("project", project)
        case Notice.Kind.ADDED:
            return _("You now rate in this project."), "", "", desk
        case Notice.Kind.INVITATION:
            assert notice.invitation is not None
            text = _("You are invited to this project.")
            if not notice.invitation.is_open(timezone.now()):
                return text, "", _("The invitation is over."), ""
            return text, "", "", notice.invitation.path
        case Notice.Kind.JOINED:
            text = _("Joined this project: %(names)s") % {"names": notice.words}
            return text, "", "", _of_project("people", project)
        case Notice.Kind.PRACTICE:
            number = len(notice.words.split(", "))
            said = ngettext(
                "%(number)s time someone sees an example otherwise.",
                "%(number)s times someone sees an example otherwise.",
                number,
            )
            return said % {"number": number}, "", "", _of_project("practice", project)
        case Notice.Kind.BATCH:
            assert batch is not None
            # Without the batch's name, which may reveal what an annotator must not know.
            items = batch.size - batch.dropped
            said = ngettext("%(number)s new item to rate.", "%(number)s new items to rate.", items)
            return said % {"number": items}, "", "", desk
        case Notice.Kind.FINISHED:
            number = len(notice.words.split(","))
            said = ngettext(
                "Batch “%(batch)s” is finished.",
                "%(number)s batches are finished, the last one is “%(batch)s”.",
                number,
            )
            text = said % {"number": number, "batch": batch}
            return text, "", "", _of_project("items", project)
        case Notice.Kind.UPLOAD:
            upload = notice.upload
            assert upload is not None
            if upload.batch:
                text = _("Batch “%(batch)s” is loaded.") % {"batch": upload.batch}
            elif upload.is_imported:
                text = _("The ratings of %(file)s are loaded.") % {"file": upload.file_name}
            elif upload.report.get("refused"):
                text = _("%(file)s can’t be loaded. Look at it.") % {"file": upload.file_name}
            else:
                text = _("%(file)s is read. Look at it.") % {"file": upload.file_name}
            if upload.is_imported and upload.report.get("ratings"):
                return text, "", "", _of_project("agreement", project)
            return text, "", "", reverse("tasks:uploaded", args=[project.slug, upload.pk])
        case Notice.Kind.RETURNED | Notice.Kind.REVISED:
            return _of_returned(notice)
    assert concern is not None
    names = {"name": concern.annotator, "item": concern.item}
    if notice.kind == Notice.Kind.RAISED:
        text = _("%(name)s flagged %(item)s: %(reason)s") % {
            **names,
            "reason": concern.get_reason_display(),
        }
        state = "" if concern.decision == "" else _("It is decided.")
        waiting = project.concerns.waiting()["flags"]
        if waiting > (concern.decision == ""):
            more = ngettext("%(shown)s flag waits", "%(shown)s flags wait", waiting)
            state += f" {more % {'shown': waiting}}."
        return (
            text,
            concern.note,
            state,
            reverse("tasks:item", args=[project.slug, concern.item_id]),
        )
    text = (
        _("The lead decided on your flag on %(item)s.")
        if concern.kind == Concern.Kind.FLAG
        else _("The lead decided on your skip of %(item)s.")
    )
    own = reverse("annotators:work") + "#concerns"
    return text % names, concern.answer, str(became(concern)), own


def _of_returned(notice: Notice) -> tuple[str, str, str, str]:
    """Say that a rating came back, or to a lead that it was answered."""
    returned, project = notice.returned, notice.project
    assert returned is not None
    rating = returned.rating
    names = {"name": rating.annotator, "item": rating.item}
    if notice.kind == Notice.Kind.REVISED:
        text = _("%(name)s answered the question about %(item)s.") % names
        url = reverse("tasks:item", args=[project.slug, rating.item_id])
        return text, returned.reason, "", url
    text = _("Your rating of %(item)s came back to you.") % names
    if returned.place:
        text += " " + _("It is about response %(letter)s.") % {"letter": returned.letter}
    own = reverse("annotators:rating", args=[project.slug, rating.pk]) + returned.fragment
    is_open = (
        project.status == Project.Status.OPEN and rating.item.batch.status == Batch.Status.OPEN
    )
    if getattr(rating, "superseded_by", None) is not None:
        state = _("You have checked it.")
    elif returned.settled_at is not None:
        state = _("The lead no longer asks for it.")
    elif not is_open:
        state = _("The project or batch is not open now. You have nothing to do.")
    else:
        state = _("It waits for you.")
    return text, returned.reason, state, own


def _of_project(name: str, project: Project) -> str:
    return reverse(f"tasks:{name}", args=[project.slug])
