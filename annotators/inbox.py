"""The inbox: a user's notices, each with its link, and their number in the bar of every page.

Every query here starts from the current user. Nobody sees the notices of others.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django import forms
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.people import User
from config.web.requests import Request
from tasks.models import Batch, Concern, Notice, Project, Question, ReturnedRating, Upload
from tasks.models.case_entries import token_of
from tasks.models.roles import Role

from .my_work import outcome_in_words

ON_A_PAGE = 50
LEADS = (
    Notice.Kind.RAISED,
    Notice.Kind.REVISED,
    Notice.Kind.FINISHED,
    Notice.Kind.UPLOAD,
    Notice.Kind.JOINED,
    Notice.Kind.PRACTICE,
)
# Most notices have a project and a batch only. The tables have many columns, and in a query of a
# few rows each column costs as much as a row.
COLUMNS = (
    *("user", "kind", "words", "created_at", "read_at"),
    *("invitation", "concern", "upload", "returned"),
    *("project__slug", "project__title", "project__status", "project__seed"),
    *("batch__name", "batch__size", "batch__dropped"),
)
COLUMNS_OF_UPLOADS = ("file_name", "report", "batch__name", "rating_file")


class NoticeForm(forms.Form):
    """The notice at which a page begins or ends. An invalid one is none."""

    notice = forms.IntegerField(required=False, min_value=0, max_value=2**63 - 1)

    @property
    def key(self) -> int:
        """Its primary key, or 0, which no notice has."""
        return (self.cleaned_data["notice"] if self.is_valid() else None) or 0


@dataclass(frozen=True)
class InboxLine:
    """A notice in words, as true now as when it came."""

    notice: Notice
    text: str
    url: str = ""
    quote: str = ""  # the words of a person
    state: str = ""  # what became of it since


def unread_notices(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """Count the user's unread notices, for the templates that ask: fragments do not.

    A context processor, so each page may show the number.
    """
    user = getattr(request, "user", None)
    return {"unread_notices": lambda: Notice.objects.unread_number(user) if user else 0}


@require_safe
def inbox(request: Request) -> HttpResponse:
    """Show one's notices, newest first."""
    notices = Notice.objects.of(request.user)
    last = notices.filter(pk=NoticeForm(request.GET).key).first()
    older = notices
    if last:
        older = notices.older_than(last)
    page = list(_with_subjects(older)[: ON_A_PAGE + 1])
    has_more = len(page) > ON_A_PAGE
    page = page[:ON_A_PAGE]
    has_unread = not last and notices.unread().exists()
    context = {
        "lines": _lines(request, page),
        "older": page[-1].pk if has_more else None,
        "newest": page[0] if has_unread else None,
        "is_first": last is None,
    }
    return render(request, "annotators/inbox.html", context)


@redirect_get_to("annotators:inbox")
def open_notice(request: Request, pk: int) -> HttpResponse:
    """Mark a notice as read, and lead to what it is about, or else back to the inbox."""
    notice = get_object_or_404(_with_subjects(Notice.objects.of(request.user)), pk=pk)
    notice.mark_read(now=timezone.now())
    [line] = _lines(request, [notice])
    return redirect(line.url or "annotators:inbox")


@redirect_get_to("annotators:inbox")
def read_all(request: Request) -> HttpResponse:
    """Mark as read what the page showed and what is older, but nothing that came meanwhile."""
    notices = Notice.objects.of(request.user)
    if newest := notices.filter(pk=NoticeForm(request.POST).key).first():
        unread = notices.unread().filter(created_at__lte=newest.created_at)
        unread.update(read_at=timezone.now())
    return redirect("annotators:inbox")


def inbox_lines(
    notices: QuerySet[Notice], reader: User, projects: Mapping[Role, Collection[int]]
) -> list[InboxLine]:
    """Return notices in words; `projects`: the primary keys of the reader's, by role."""
    return _in_words(list(_with_subjects(notices)), reader, projects)


def _lines(request: Request, notices: list[Notice]) -> list[InboxLine]:
    user = request.user
    projects = Project.objects.filter(pk__in={notice.project_id for notice in notices})
    by_role = {
        Role.ANNOTATOR: projects.rated_by(user),
        Role.LEAD: projects.led_by(user),
        Role.ADJUDICATOR: projects.adjudicated_by(user),
    }
    keys = {role: set(queryset.values_list("pk", flat=True)) for role, queryset in by_role.items()}
    return _in_words(notices, user, keys)


def _in_words(
    notices: Sequence[Notice], reader: User, projects: Mapping[Role, Collection[int]]
) -> list[InboxLine]:
    """Return notices in words, without a name in a reply to someone who is no lead."""
    nameless = []
    for notice in notices:
        if notice.kind == Notice.Kind.REVISED and notice.project_id not in projects[Role.LEAD]:
            nameless.append(notice)
    questions = _questions_of(reader, nameless)
    lines = []
    for notice in notices:
        question = questions.get(notice.pk)
        if question:
            line = _reply_line(notice, question, projects[Role.ADJUDICATOR])
        else:
            line = _line(notice, projects)
        lines.append(line)
    return lines


def _questions_of(reader: User, notices: Sequence[Notice]) -> dict[int, Question]:
    """Return the last question of a reader that each notice tells the reply to, by its key."""
    ratings = {notice.pk: notice.returned.rating for notice in notices if notice.returned}
    if not ratings:
        return {}
    items = {rating.item_id for rating in ratings.values()}
    replied = Question.objects.replied_to(reader).filter(item__in=items).select_related("item")
    last = {(question.item_id, question.annotator_id): question for question in replied}
    questions = {}
    for key, rating in ratings.items():
        question = last.get((rating.item_id, rating.annotator_id or 0))
        if question:
            questions[key] = question
    return questions


def _with_subjects(notices: QuerySet[Notice]) -> QuerySet[Notice]:
    """Load with notices what they are about."""
    concerns = Concern.objects.with_what_was_done().select_related("item", "annotator")
    uploads = Upload.objects.select_related("batch").only(*COLUMNS_OF_UPLOADS)
    returned = ReturnedRating.objects.select_related(
        "rating__annotator", "rating__item__batch", "rating__superseded_by"
    )
    notices = notices.select_related("project", "batch").only(*COLUMNS)
    return notices.prefetch_related(
        "invitation",
        Prefetch("concern", concerns),
        Prefetch("upload", uploads),
        Prefetch("returned", returned),
    )


def _line(notice: Notice, projects: Mapping[Role, Collection[int]]) -> InboxLine:
    """Return a notice in words, without an address that its reader can't open any more."""
    line = _notice_in_words(notice)
    role = _role_of(notice)
    if notice.kind == Notice.Kind.INVITATION or notice.project_id in projects[role]:
        return line
    if role == Role.LEAD:
        return InboxLine(notice, _("You no longer lead this project."))
    return replace(line, url="")


def _role_of(notice: Notice) -> Role:
    """Return the role in which its reader can do something about a notice."""
    if notice.kind in LEADS:
        return Role.LEAD
    if notice.kind == Notice.Kind.ADDED and notice.words in Role.values:
        return Role(notice.words)
    return Role.ANNOTATOR


def _notice_in_words(notice: Notice) -> InboxLine:
    project = notice.project
    match notice.kind:
        case Notice.Kind.ADDED:
            return _membership_line(notice)
        case Notice.Kind.INVITATION:
            return _invitation_line(notice)
        case Notice.Kind.JOINED:
            text = _("Joined this project: %(names)s") % {"names": notice.words}
            return InboxLine(notice, text, _url_of("people", project))
        case Notice.Kind.PRACTICE:
            return _practice_line(notice)
        case Notice.Kind.BATCH:
            return _batch_line(notice)
        case Notice.Kind.FINISHED:
            return _finished_line(notice)
        case Notice.Kind.UPLOAD:
            return _upload_line(notice)
        case Notice.Kind.REVISED:
            return _revision_line(notice)
        case Notice.Kind.RETURNED:
            return _returned_line(notice)
        case Notice.Kind.RAISED:
            return _flag_line(notice)
    return _decision_line(notice)


def _membership_line(notice: Notice) -> InboxLine:
    if notice.words == Role.LEAD:
        url = _url_of("project", notice.project)
        return InboxLine(notice, _("You now lead this project."), url)
    if notice.words == Role.ADJUDICATOR:
        url = _url_of("disagreements", notice.project)
        return InboxLine(notice, _("You now settle disagreements in this project."), url)
    return InboxLine(notice, _("You now rate in this project."), _desk_of(notice.project))


def _invitation_line(notice: Notice) -> InboxLine:
    assert notice.invitation is not None
    text = _("You are invited to this project.")
    if not notice.invitation.is_usable(timezone.now()):
        return InboxLine(notice, text, state=_("The invitation is over."))
    return InboxLine(notice, text, notice.invitation.path)


def _practice_line(notice: Notice) -> InboxLine:
    number = len(notice.words.split(", "))
    text = ngettext(
        "%(number)s time someone sees an example otherwise.",
        "%(number)s times someone sees an example otherwise.",
        number,
    )
    return InboxLine(notice, text % {"number": number}, _url_of("practice", notice.project))


def _batch_line(notice: Notice) -> InboxLine:
    batch = notice.batch
    assert batch is not None
    # Without the batch's name, which may reveal what an annotator must not know.
    items = batch.size - batch.dropped
    text = ngettext("%(number)s new item to rate.", "%(number)s new items to rate.", items)
    return InboxLine(notice, text % {"number": items}, _desk_of(notice.project))


def _finished_line(notice: Notice) -> InboxLine:
    number = len(notice.words.split(","))
    text = ngettext(
        "Batch “%(batch)s” is finished.",
        "%(number)s batches are finished, the last one is “%(batch)s”.",
        number,
    )
    text %= {"number": number, "batch": notice.batch}
    return InboxLine(notice, text, _url_of("items", notice.project))


def _upload_line(notice: Notice) -> InboxLine:
    upload = notice.upload
    project = notice.project
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
        return InboxLine(notice, text, _url_of("agreement", project))
    return InboxLine(notice, text, _url_of("uploaded", project, upload.pk))


def _flag_line(notice: Notice) -> InboxLine:
    """Tell a lead of a flag, and how many others wait."""
    concern = notice.concern
    project = notice.project
    assert concern is not None
    text = _("%(name)s flagged %(item)s: %(reason)s") % {
        "name": concern.annotator,
        "item": concern.item,
        "reason": concern.get_reason_display(),
    }
    is_undecided = concern.decision == ""
    state = ""
    if not is_undecided:
        state = _("It is decided.")
    waiting = project.concerns.waiting().flags
    if waiting > is_undecided:
        flags = ngettext("%(shown)s flag waits", "%(shown)s flags wait", waiting)
        state += f" {flags % {'shown': waiting}}."
    url = _url_of("item", project, concern.item_id)
    return InboxLine(notice, text, url, concern.note, state)


def _decision_line(notice: Notice) -> InboxLine:
    """Tell an annotator what the lead decided on their flag or skip."""
    concern = notice.concern
    assert concern is not None
    if concern.kind == Concern.Kind.FLAG:
        text = _("The lead decided on your flag on %(item)s.")
    else:
        text = _("The lead decided on your skip of %(item)s.")
    text %= {"item": concern.item}
    url = reverse("annotators:work") + "#concerns"
    return InboxLine(notice, text, url, concern.answer, str(outcome_in_words(concern)))


def _revision_line(notice: Notice) -> InboxLine:
    """Tell a lead that a rating that came back was answered."""
    returned = notice.returned
    assert returned is not None
    rating = returned.rating
    text = _("%(name)s answered the question about %(item)s.")
    text %= {"name": rating.annotator, "item": rating.item}
    return InboxLine(notice, text, _url_of("item", notice.project, rating.item_id), returned.reason)


def _reply_line(notice: Notice, question: Question, adjudicated: Collection[int]) -> InboxLine:
    """Tell an adjudicator of a reply, without the name of who replied."""
    if notice.project_id not in adjudicated:
        return InboxLine(notice, _("You no longer settle disagreements in this project."))
    project = notice.project
    item = question.item
    text = _("Your question about %(item)s was answered.") % {"item": item}
    token = token_of(project, item.pk, question.dimension, question.target)
    url = reverse("tasks:case", args=[project.slug, token])
    return InboxLine(notice, text, url, question.text)


def _returned_line(notice: Notice) -> InboxLine:
    """Tell an annotator that a rating came back."""
    returned = notice.returned
    project = notice.project
    assert returned is not None
    rating = returned.rating
    text = _("Your rating of %(item)s came back to you.") % {"item": rating.item}
    if returned.place:
        text += " " + _("It is about response %(letter)s.") % {"letter": returned.letter}
    batch = rating.item.batch
    is_open = project.status == Project.Status.OPEN and batch.status == Batch.Status.OPEN
    if getattr(rating, "superseded_by", None) is not None:
        state = _("You have checked it.")
    elif returned.settled_at is not None:
        state = _("The lead no longer asks for it.")
    elif not is_open:
        state = _("The project or batch is not open now. You have nothing to do.")
    else:
        state = _("It waits for you.")
    url = reverse("annotators:rating", args=[project.slug, rating.pk]) + returned.fragment
    return InboxLine(notice, text, url, returned.reason, state)


def _desk_of(project: Project) -> str:
    return reverse("annotators:desk", args=[project.slug])


def _url_of(page: str, project: Project, *args: int) -> str:
    """Return the address of a project's page for leads."""
    return reverse(f"tasks:{page}", args=[project.slug, *args])
