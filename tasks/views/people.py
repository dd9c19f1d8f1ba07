"""The page of a project's people: what each is and did, and the ways to bring more."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.decorators import redirect_get_to
from config.web.downloads import download
from config.web.requests import Request
from tasks.exporting.writing import csv_lines, defuse
from tasks.forms.people import InviteForm, InviteManyForm, LinkForm, RoleForm
from tasks.forms.projects import MemberForm
from tasks.models import Membership, Project
from tasks.models.invitations import Invitation
from tasks.overview.members import members_of

from .led import led


@require_safe
@led
def people(request: Request, project: Project) -> HttpResponse:
    """Show who is in a project, who is invited, and the ways to bring more people."""
    return people_page(request, project)


@redirect_get_to("tasks:people", "slug")
@led
def add_member(request: Request, project: Project) -> HttpResponse:
    """Give a role in the project to someone who has an account."""
    form = MemberForm(request.POST)
    if not form.is_valid():
        return people_page(request, project, member_form=form)
    person, role = form.cleaned_data["name"], form.cleaned_data["role"]
    is_new = project.admit(person, role=role, by=request.user, now=timezone.now())
    said = (
        _("%(name)s is now %(role)s in this project.")
        if is_new
        else _("%(name)s is %(role)s in this project already.")
    )
    messages.success(request, said % {"name": person, "role": Membership.Role(role).label})
    return redirect("tasks:people", slug=project.slug)


@redirect_get_to("tasks:people", "slug")
@led
def change_member(request: Request, project: Project, user: int) -> HttpResponse:
    """Change the roles of a member, or remove them. Their work stays."""
    member = project.memberships.select_related("user").filter(user=user).first()
    form = RoleForm(request.POST)
    if member is None:  # pressed twice
        return redirect("tasks:people", slug=project.slug)
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
                _("By the invitation link anyone who has it can join: withdraw it if need be."),
            )
    still_leads = Project.objects.led_by(request.user).filter(pk=project.pk).exists()
    return redirect("tasks:people", slug=project.slug) if still_leads else redirect("/")


@require_safe
@led
def hours(request: Request, project: Project) -> HttpResponseBase:
    """Download what each person worked on each day, for their payment."""
    rows = (
        (day, defuse(name), rated, seconds, f"{seconds / 3600:.2f}")
        for day, name, rated, seconds in project.workdays.hours()
    )
    lines = csv_lines(("day", "annotator", "ratings", "active_seconds", "hours"), rows)
    return download(request, f"{project.slug}-hours.csv", "text/csv; charset=utf-8", lines)


def people_page(
    request: Request,
    project: Project,
    *,
    member_form: MemberForm | None = None,
    invite_form: InviteForm | None = None,
    many_form: InviteManyForm | None = None,
    link_form: LinkForm | None = None,
    checked: int = 0,
) -> HttpResponse:
    """Show the page, with the form that was sent. `checked`: the addresses of a good list."""
    now = timezone.now()
    members = members_of(project, project.rubric.schema.dimensions[0], now)
    invitations = project.invitations.select_related("accepted_by")
    letters = [(each, each.state(now), each.ends_soon(now)) for each in invitations.letters()]
    link = invitations.links().filter(withdrawn_at=None).first()
    context = {
        "project": project,
        "now": now,
        "members": members,
        "annotators": sum(each.role != Membership.Role.LEAD for each in members),
        "leads": sum(each.role != Membership.Role.ANNOTATOR for each in members),
        "hours": project.workdays.seconds() / 3600,
        "roles": RoleForm.CHOICES,
        "link": link,
        "link_state": link and link.state(now),
        "link_address": link and _address(request, link),
        "letters": [
            (each, state, soon, _address(request, each) if state == each.State.NOT_SENT else "")
            for each, state, soon in letters
        ],
        "waiting": sum(each.is_open(now) for each, _state, _soon in letters),
        "member_form": member_form or MemberForm(),
        "invite_form": invite_form or InviteForm(auto_id="invite_%s"),
        "many_form": many_form or InviteManyForm(auto_id="many_%s"),
        "link_form": link_form or link_form_of(link),
        "checked": checked,
    }
    return render(request, "tasks/people.html", context)


def link_form_of(link: Invitation | None, data: Any = None) -> LinkForm:
    """Return the form of the project's link, with its limits as they are."""
    if link is None:
        return LinkForm(data, auto_id="link_%s")
    until = timezone.localtime(link.expires_at - timedelta(seconds=1)).date()
    initial = {"most": link.most, "until": until}
    return LinkForm(data, used=link.used, initial=initial, auto_id="link_%s")


def _address(request: Request, invitation: Invitation) -> str:
    return request.build_absolute_uri(invitation.path)
