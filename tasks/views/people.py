"""The page of a project's people: what each is and did, and the ways to bring more."""

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Min
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.requests import Request, download
from tasks.agreement.results import last_result
from tasks.exporting.writing import csv_lines, defuse
from tasks.forms import FormAmongOthers
from tasks.forms.people import (
    InviteForm,
    InviteManyForm,
    LinkForm,
    MemberForm,
    RaterForm,
    RoleForm,
)
from tasks.freshness import Freshness
from tasks.imported import point, take_back
from tasks.models import ImportedRater, Invitation, Membership, Project, RatingFile
from tasks.overview.page import members_of, raters_of

from .led import led, led_with

ON_A_PAGE = 200  # people, invitations
RATERS_ON_A_PAGE = 25  # each with a list of all members


@require_safe
@led
def people(request: Request, project: Project) -> HttpResponse:
    """Show who is in a project, who is invited, and the ways to bring more people."""
    return _page(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def add_member(request: Request, project: Project) -> HttpResponse:
    """Give a role in the project to someone who has an account."""
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, project, member_form=form)
    person, role = form.cleaned_data["name"], form.cleaned_data["role"]
    is_new = project.admit(person, role=role, by=request.user, now=timezone.now())
    said = (
        _("%(name)s is now %(role)s in this project.")
        if is_new
        else _("%(name)s is %(role)s in this project already.")
    )
    messages.success(request, said % {"name": person, "role": Membership.Role(role).label})
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def change_member(request: Request, project: Project, user: int) -> HttpResponse:
    """Change the roles of a member, or remove them. Their work stays."""
    member = project.memberships.select_related("user").filter(user=user).first()
    form = RoleForm(request.POST)
    if member is None:  # pressed twice
        return _back(request, project)
    if not form.is_valid():
        messages.error(request, _("Choose one of the roles, then press “Change”."))
    elif not project.change_roles(member.user, form.roles, by=request.user):
        messages.error(request, _("A project needs a lead: add another one first."))
    elif form.roles:
        role = dict(RoleForm.CHOICES)[form.cleaned_data["role"]]
        messages.success(
            request,
            _("%(name)s is now %(role)s in this project.") % {"name": member.user, "role": role},
        )
    else:
        messages.success(
            request,
            _("%(name)s is no longer in this project. All ratings stay.") % {"name": member.user},
        )
        if project.invitations.links().open_at(timezone.now()).exists():
            messages.warning(
                request,
                _(
                    "Anyone with the invitation link can join. "
                    "Withdraw the link if you do not want that."
                ),
            )
    still_leads = Project.objects.led_by(request.user).filter(pk=project.pk).exists()
    return _back(request, project) if still_leads else redirect("/")


@redirect_get_to("tasks:people", "slug")
@led_with(ImportedRater)
def point_rater(request: Request, project: Project, pk: int) -> HttpResponse:
    """Say which member an imported rater is, or that it is nobody here."""
    rater = get_object_or_404(project.raters, pk=pk, is_slot=False)
    form = RaterForm(project, request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of the members, then press “Change”."))
    elif point(rater, form.cleaned_data["account"], now=timezone.now()):
        messages.success(request, _("Saved. Figures follow within a minute or two."))
    else:
        said = _("%(name)s is another imported rater already: change that one first.")
        messages.error(request, said % {"name": form.cleaned_data["account"]})
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led_with(RatingFile)
def take_back_ratings(request: Request, project: Project, pk: int) -> HttpResponse:
    """Delete the ratings of a file, with the people that it brought."""
    file = get_object_or_404(project.rating_files, pk=pk)
    if take_back(file, now=timezone.now()):
        messages.success(request, _("The ratings of “%(file)s” are taken back.") % {"file": file})
    else:
        messages.error(request, _("Someone has worked with this import since, so it stays."))
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def invite(request: Request, project: Project) -> HttpResponse:
    """Invite one address."""
    form = InviteForm(request.POST, auto_id="invite_%s")
    if not form.is_valid():
        return _page(request, project, invite_form=form)
    _invite(request, project, [(form.cleaned_data["email"], "")], form.cleaned_data["role"])
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def invite_many(request: Request, project: Project) -> HttpResponse:
    """Check a list of addresses; invite them if the button says so."""
    form = InviteManyForm(request.POST, auto_id="many_%s")
    if not form.is_valid():
        return _page(request, project, many_form=form)
    people = form.cleaned_data["people"]
    if "send" not in request.POST:
        return _page(request, project, many_form=form, checked=len(people))
    _invite(request, project, people, form.cleaned_data["role"])
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def offer_link(request: Request, project: Project) -> HttpResponse:
    """Make the project's link, or change how many it serves and until when."""
    form = LinkForm(project.invitations.current_link(), request.POST)
    if not form.is_valid():
        return _page(request, project, link_form=form)
    Invitation.objects.offer_link(
        project,
        most=form.cleaned_data["most"],
        expires_at=form.cleaned_data["until"],
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _("The link is ready: copy it, and hand it on."))
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led_with(Invitation)
def send(request: Request, project: Project, pk: int) -> HttpResponse:
    """Have the e-mail of an invitation sent again. Its link stays, and is valid for a week anew."""
    if get_object_or_404(project.invitations, pk=pk).ask_email(now=timezone.now()):
        _say_to_be_sent(request, 1)
    else:
        messages.info(
            request,
            _("No e-mail was sent: the last one left a moment ago, or the invitation has ended."),
        )
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led_with(Invitation)
def withdraw(request: Request, project: Project, pk: int) -> HttpResponse:
    """End an invitation. Whoever has joined by it stays."""
    if get_object_or_404(project.invitations, pk=pk).withdraw(now=timezone.now()):
        messages.success(request, _("Withdrawn: nobody can join by it any more."))
    return _back(request, project)


def _invite(request: Request, project: Project, people: list[tuple[str, str]], role: str) -> None:
    """Store the invitations for the worker, and say so."""
    invited = Invitation.objects.invite(
        project, people, role=role, by=request.user, now=timezone.now()
    )
    _say_to_be_sent(request, len(invited))
    if before := len(people) - len(invited):
        said = ngettext(
            "%d address was invited before, and got no second e-mail. Press “Send again” in the "
            "list below. If you withdrew it just now, invite it again in a minute.",
            "%d addresses were invited before, and got no second e-mail. Press “Send again” in the "
            "list below. If you withdrew one just now, invite it again in a minute.",
            before,
        )
        messages.info(request, said % before)


def _say_to_be_sent(request: Request, number: int) -> None:
    if number:
        said = ngettext("%d invitation will be sent.", "%d invitations will be sent.", number)
        messages.success(request, said % number)


@require_safe
@led
def hours(request: Request, project: Project) -> HttpResponseBase:
    """Download what each person worked on each day, for their payment."""
    rows = (
        (day, defuse(name), rated, seconds, f"{seconds / 3600:.2f}")
        for day, name, rated, seconds in project.workdays.rows()
    )
    return download(
        request,
        f"{project.slug}-hours.csv",
        "text/csv; charset=utf-8",
        csv_lines(("day", "annotator", "ratings", "active_seconds", "hours"), rows),
    )


def _page(
    request: Request, project: Project, *, checked: int = 0, **sent: FormAmongOthers
) -> HttpResponse:
    """Show the page, with the form that was sent. `checked`: the addresses of a good list."""
    now = timezone.now()
    dimension = project.rubric.schema.dimensions[0]
    members = members_of(project, dimension, now)
    figures = last_result(project, dimension, people=False) if project.has_imported else None
    raters = raters_of(project, figures or {}, {})
    invitations = project.invitations.prefetch_related("accepted_by")
    emails = Paginator(invitations.emails(), ON_A_PAGE).get_page(request.GET.get("emails"))
    link = project.invitations.current_link()
    return render(
        request,
        "tasks/people.html",
        {
            "project": project,
            "dimension": dimension,  # of α with others
            "now": now,
            "members": Paginator(members, ON_A_PAGE).get_page(request.GET.get("members")),
            "annotators": sum(Membership.Role.ANNOTATOR in each["roles"] for each in members),
            "leads": sum(Membership.Role.LEAD in each["roles"] for each in members),
            "hours": project.workdays.seconds() / 3600,
            "raters": Paginator(raters, RATERS_ON_A_PAGE).get_page(request.GET.get("raters")),
            "rater_form": RaterForm(project),
            "rating_files": project.rating_files.with_numbers() if project.has_imported else (),
            "roles": RoleForm.CHOICES,
            "link": link,
            "link_state": link and link.state(now),
            "link_address": link and _address(request, link),
            "emails": emails,
            "shown_emails": [
                (
                    each,
                    each.state(now),
                    each.ends_soon(now),
                    _address(request, each) if each.is_open(now) else "",
                )
                for each in emails
            ],
            "writes_files": settings.EMAIL_BACKEND == "config.emails.EmailFiles",
            "waiting": invitations.emails().open_at(now).count(),
            "fresh": Freshness(
                invitations.to_send(now).aggregate(since=Min("wanted_at"))["since"], now
            ),
            "member_form": MemberForm(),
            "invite_form": InviteForm(auto_id="invite_%s"),
            "many_form": InviteManyForm(auto_id="many_%s"),
            "link_form": LinkForm(link),
            "checked": checked,
            **sent,
        },
    )


def _back(request: Request, project: Project) -> HttpResponse:
    """Lead to the page, and to the part of its tables that one came from."""
    return redirect(reverse("tasks:people", args=[project.slug], query=request.GET))


def _address(request: Request, invitation: Invitation) -> str:
    return request.build_absolute_uri(invitation.path)
