"""The page of a project's people: what each is and did, and the ways to bring more."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Page, Paginator
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
from tasks.exporting.cells import defuse
from tasks.exporting.csv_files import csv_lines
from tasks.importing.after_import import point, take_back
from tasks.lead_pages.forms import FormAmongOthers
from tasks.lead_pages.freshness import Freshness
from tasks.lead_pages.led import led, led_with
from tasks.models import ImportedRater, Invitation, Membership, Project, RatingFile
from tasks.overview.people_rows import raters_of

from .forms import InviteForm, InviteManyForm, LinkForm, MemberForm, RaterForm, RoleForm
from .member_rows import members_of

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
    person = form.cleaned_data["name"]
    role = form.cleaned_data["role"]
    message = _("%(name)s is %(role)s in this project already.")
    if project.admit(person, role=role, by=request.user, now=timezone.now()):
        message = _("%(name)s is now %(role)s in this project.")
    messages.success(request, message % {"name": person, "role": Membership.Role(role).label})
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
        message = _("%(name)s is now %(role)s in this project.")
        messages.success(request, message % {"name": member.user, "role": role})
    else:
        message = _("%(name)s is no longer in this project. All ratings stay.")
        messages.success(request, message % {"name": member.user})
        if project.invitations.links().usable_at(timezone.now()).exists():
            warning = _(
                "Anyone with the invitation link can join. "
                "Withdraw the link if you do not want that."
            )
            messages.warning(request, warning)
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
        message = _("%(name)s is another imported rater already: change that one first.")
        messages.error(request, message % {"name": form.cleaned_data["account"]})
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
    invitation = get_object_or_404(project.invitations, pk=pk)
    if invitation.ask_email(now=timezone.now()):
        _announce_emails(request, 1)
    else:
        message = _(
            "No e-mail was sent: the last one left a moment ago, or the invitation has ended."
        )
        messages.info(request, message)
    return _back(request, project)


@redirect_get_to("tasks:people", "slug")
@led_with(Invitation)
def withdraw(request: Request, project: Project, pk: int) -> HttpResponse:
    """End an invitation. Whoever has joined by it stays."""
    invitation = get_object_or_404(project.invitations, pk=pk)
    if invitation.withdraw(now=timezone.now()):
        messages.success(request, _("Withdrawn: nobody can join by it any more."))
    return _back(request, project)


def _invite(request: Request, project: Project, invitees: list[tuple[str, str]], role: str) -> None:
    """Store the invitations for the worker, and say so."""
    invited = Invitation.objects.invite(
        project, invitees, role=role, by=request.user, now=timezone.now()
    )
    _announce_emails(request, len(invited))
    before = len(invitees) - len(invited)
    if before:
        message = ngettext(
            "%d address was invited before, and got no second e-mail. Press “Send again” in the "
            "list below. If you withdrew it just now, invite it again in a minute.",
            "%d addresses were invited before, and got no second e-mail. Press “Send again” in the "
            "list below. If you withdrew one just now, invite it again in a minute.",
            before,
        )
        messages.info(request, message % before)


def _announce_emails(request: Request, number: int) -> None:
    if number:
        message = ngettext("%d invitation will be sent.", "%d invitations will be sent.", number)
        messages.success(request, message % number)


@require_safe
@led
def hours(request: Request, project: Project) -> HttpResponseBase:
    """Download what each person worked on each day, for their payment."""
    heads = ("day", "annotator", "ratings", "active_seconds", "hours")
    lines = csv_lines(heads, _hours_of_days(project))
    return download(request, f"{project.slug}-hours.csv", "text/csv; charset=utf-8", lines)


def _hours_of_days(project: Project) -> Iterator[tuple[object, ...]]:
    """Yield a row for each person and day, when they are sent: a HEAD reads none."""
    for day, name, rated, seconds in project.workdays.rows():
        yield day, defuse(name), rated, seconds, f"{seconds / 3600:.2f}"


def _page(
    request: Request, project: Project, *, checked: int = 0, **sent: FormAmongOthers
) -> HttpResponse:
    """Show the page, with the form that was sent. `checked`: the addresses of a good list."""
    now = timezone.now()
    context = {
        "project": project,
        "now": now,
        "checked": checked,
        **_members_context(request, project, now),
        **_raters_context(request, project),
        **_invitations_context(request, project, now),
        **sent,
    }
    return render(request, "tasks/people/people.html", context)


def _members_context(request: Request, project: Project, now: datetime) -> Mapping[str, object]:
    dimension = project.rubric.schema.dimensions[0]
    members = members_of(project, dimension, now)
    roles: Counter[str] = Counter()
    for member in members:
        roles.update(member.roles)
    return {
        "dimension": dimension,  # of α with others
        "members": _page_of(request, "members", members, ON_A_PAGE),
        "annotators": roles[Membership.Role.ANNOTATOR],
        "leads": roles[Membership.Role.LEAD],
        "adjudicators": roles[Membership.Role.ADJUDICATOR],
        "hours": project.workdays.seconds() / 3600,
        "roles": RoleForm.CHOICES,
        "member_form": MemberForm(),
    }


def _raters_context(request: Request, project: Project) -> Mapping[str, object]:
    """Return the raters of files, and the files."""
    figures = None
    files: Any = ()
    if project.has_imported:
        figures = last_result(project, project.rubric.schema.dimensions[0], names_people=False)
        files = project.rating_files.with_numbers()
    raters = raters_of(project, figures, {})
    return {
        "raters": _page_of(request, "raters", raters, RATERS_ON_A_PAGE),
        "rater_form": RaterForm(project),
        "rating_files": files,
    }


def _invitations_context(request: Request, project: Project, now: datetime) -> Mapping[str, object]:
    """Return the link, the invitations by e-mail, and how far the worker is with these."""
    link = project.invitations.current_link()
    invitations = project.invitations.prefetch_related("accepted_by")
    emails = _page_of(request, "emails", invitations.emails(), ON_A_PAGE)
    rows = []
    for email in emails:
        address = _address(request, email) if email.is_usable(now) else ""
        rows.append((email, email.state(now), email.ends_soon(now), address))
    wanted = invitations.to_send(now).aggregate(since=Min("wanted_at"))
    return {
        "link": link,
        "link_state": link and link.state(now),
        "link_address": link and _address(request, link),
        "link_form": LinkForm(link),
        "invite_form": InviteForm(auto_id="invite_%s"),
        "many_form": InviteManyForm(auto_id="many_%s"),
        "emails": emails,
        "email_rows": rows,
        "writes_files": settings.EMAIL_BACKEND == "config.emails.EmailFiles",
        "waiting": invitations.emails().usable_at(now).count(),
        "fresh": Freshness(wanted["since"], now),
    }


def _page_of(request: Request, name: str, table_rows: Any, size: int) -> Page[Any]:
    """Return the page of a table that the address asks for by the table's name."""
    number = request.GET.get(name)
    return Paginator(table_rows, size).get_page(number)


def _back(request: Request, project: Project) -> HttpResponse:
    """Lead to the page, and to the part of its tables that one came from."""
    return redirect(reverse("tasks:people", args=[project.slug], query=request.GET))


def _address(request: Request, invitation: Invitation) -> str:
    return request.build_absolute_uri(invitation.path)
