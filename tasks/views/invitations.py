"""A lead invites people to a project: by link, by e-mail, or many at once."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.forms.people import InviteForm, InviteManyForm
from tasks.letters import send_letters
from tasks.models import Invitation, Project

from .led import led
from .people import link_form_of, people_page


@redirect_get_to("tasks:people", "slug")
@led
def invite(request: Request, project: Project) -> HttpResponse:
    """Send an invitation to one address."""
    form = InviteForm(request.POST, auto_id="invite_%s")
    if not form.is_valid():
        return people_page(request, project, invite_form=form)
    _invite(request, project, [(form.cleaned_data["email"], "")], form.cleaned_data["role"])
    return redirect("tasks:people", slug=project.slug)


@redirect_get_to("tasks:people", "slug")
@led
def invite_many(request: Request, project: Project) -> HttpResponse:
    """Check a list of addresses; send the invitations if the button says so."""
    form = InviteManyForm(request.POST, auto_id="many_%s")
    if not form.is_valid():
        return people_page(request, project, many_form=form)
    people = form.cleaned_data["people"]
    if "send" not in request.POST:
        return people_page(request, project, many_form=form, checked=len(people))
    _invite(request, project, people, form.cleaned_data["role"])
    return redirect("tasks:people", slug=project.slug)


@redirect_get_to("tasks:people", "slug")
@led
def offer_link(request: Request, project: Project) -> HttpResponse:
    """Make the project's link, or change how many it serves and until when."""
    link = project.invitations.links().filter(withdrawn_at=None).first()
    form = link_form_of(link, request.POST)
    if not form.is_valid():
        return people_page(request, project, link_form=form)
    most, until = form.cleaned_data["most"], form.cleaned_data["until"]
    Invitation.objects.offer_link(
        project, most=most, expires_at=until, by=request.user, now=timezone.now()
    )
    messages.success(request, _("The link is ready: copy it, and hand it on."))
    return redirect("tasks:people", slug=project.slug)


@redirect_get_to("tasks:people", "slug")
@led
def send(request: Request, project: Project, pk: int) -> HttpResponse:
    """Send the letter of an invitation again. Its link stays, and is valid for a week anew."""
    invitation = get_object_or_404(project.invitations, pk=pk)
    faults = send_letters([invitation], now=timezone.now())
    if not faults:
        messages.info(
            request, _("No letter was sent: one left a moment ago, or the invitation is over.")
        )
    _say_sent(request, faults)
    return redirect("tasks:people", slug=project.slug)


@redirect_get_to("tasks:people", "slug")
@led
def withdraw(request: Request, project: Project, pk: int) -> HttpResponse:
    """End an invitation. Whoever has joined by it stays."""
    invitation = get_object_or_404(project.invitations, pk=pk)
    if invitation.withdraw(now=timezone.now()):
        messages.success(request, _("Withdrawn: nobody can join by it any more."))
    return redirect("tasks:people", slug=project.slug)


def _invite(request: Request, project: Project, people: list[tuple[str, str]], role: str) -> None:
    """Store the invitations, send their letters, and say what became of them."""
    now = timezone.now()
    invited = Invitation.objects.invite(project, people, role=role, by=request.user, now=now)
    faults = send_letters(invited, now=now)
    _say_sent(request, faults)
    if before := len(people) - len(faults):
        said = ngettext(
            "%d address was invited before, and got no second letter. Press “Send again” in the "
            "list below. If you withdrew it just now, invite it again in a minute.",
            "%d addresses were invited before, and got no second letter. Press “Send again” in the "
            "list below. If you withdrew one just now, invite it again in a minute.",
            before,
        )
        messages.info(request, said % before)


def _say_sent(request: Request, faults: list[str]) -> None:
    if sent := faults.count(""):
        said = ngettext("%d invitation is sent.", "%d invitations are sent.", sent)
        messages.success(request, said % sent)
    if failed := len(faults) - sent:
        said = ngettext(
            "%d letter did not leave. The list below says why, and has its link to hand on.",
            "%d letters did not leave. The list below says why, and has their links to hand on.",
            failed,
        )
        messages.error(request, said % failed)
