"""Who invites people to a project, and who comes by an invitation."""

from __future__ import annotations

from smtplib import SMTPServerDisconnected
from unittest import mock

from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from playwright.sync_api import expect

from annotators.models import User
from tasks.models import Invitation, Project
from tests.factories import make_project, make_user
from tests.invitations import DAY, make_email, make_link, path_of
from tests.visitor import Visitor, Walk

LONG = "a-name-without-a-break-that-is-as-long-as-may-be" + ".or-so" * 8 + "@example.org"


def inviting(visitor: Visitor) -> Walk:
    """Bring people by link, by e-mail, and many at once."""
    page, now = visitor.page, timezone.now()
    lea = make_user(name="lea-who-invites")
    project = make_project(slug="inviting", leads=[lea])
    people, invitations = "/projects/inviting/people/", "/projects/inviting/invitations/"
    visitor.become(lea)
    visitor.go(people)
    yield "alone"
    visitor.send(f"{invitations}link/", most="0", until="")
    yield "no link yet, refused"
    visitor.go(people)
    visitor.press("Make a link")
    page.get_by_text("Change the link").click()
    page.get_by_label("People, at most").fill("5")
    visitor.press("Save")
    expect(page.get_by_text("5 at most")).to_be_visible()
    visitor.send(f"{invitations}link/", most="5", until="2020-01-01")
    yield "refused"
    visitor.send(invitations, email="gil@example", role="annotator")
    yield "refused"
    visitor.go(people)
    page.get_by_label("One address a line").fill("gil@example.org\nivo@example")
    visitor.press("Check the list")
    expect(page.get_by_text("Line 2:")).to_be_visible()
    yield "refused"
    page.get_by_label("One address a line").fill("gil@example.org\nhana@example.org, Hana")
    visitor.press("Check the list")
    expect(page.get_by_text("Nothing is sent yet.")).to_be_visible()
    yield "checked"
    visitor.press("Send 2 invitations")
    expect(page.get_by_text("2 invitations will be sent.")).to_be_visible()
    make_email(project, "opened@example.org").note_first_visit(now=now)
    make_email(project, "soon@example.org", now=now - 6 * DAY)
    make_email(project, "over@example.org", now=now - 9 * DAY)
    make_email(project, "gone@example.org").withdraw(now=now)
    make_email(project, "used@example.org").accept(by=make_user(name="uma"), now=now)
    gone = SMTPServerDisconnected("Connection-unexpectedly-closed-" * 8)
    with mock.patch.object(EmailBackend, "send_messages", side_effect=gone):
        make_email(project, LONG)
    visitor.go(people)
    yield "full of invitations"
    waiting = [(f"{number}@example.org", "") for number in range(3)]
    Invitation.objects.invite(project, waiting, role="annotator", by=lea, now=now)
    with mock.patch("tasks.people.views.ON_A_PAGE", 2):
        visitor.go(f"{people}?emails=2")
        yield "some wait"
    visitor.go("/projects/inviting/")
    yield "invitations wait"
    Invitation.objects.filter(project=project, email="").update(expires_at=now)
    visitor.go(people)
    yield "link over"
    Project.objects.filter(pk=project.pk).update(names_annotators=False)
    visitor.go(people)
    yield "names hidden"


def joining(visitor: Visitor) -> Walk:
    """Come by an invitation, in time and too late."""
    page, now = visitor.page, timezone.now()
    project = make_project(slug="joining", title="L" + "ong" * 60, leads=[make_user()])
    link, email = make_link(project, most=1), make_email(project, LONG)
    page.context.clear_cookies()
    visitor.go(f"/join/{link.token[:-1]}/", status=404)
    yield "link cut off"
    visitor.go(path_of(email))
    yield "by e-mail"
    to_lead = make_email(project, "lead@example.org", role="lead")
    visitor.go(path_of(to_lead))
    yield "to lead"
    visitor.go(to_lead.path)
    yield "not theirs"
    visitor.go(path_of(make_email(project, "judge@example.org", role="adjudicator")))
    yield "to adjudicate"
    visitor.go(path_of(link))
    yield "by link"
    page.get_by_label("Name").fill("a name")
    page.get_by_label("Password").fill("short")
    visitor.press("Join")
    expect(page.locator(".errorlist")).to_have_count(2)
    yield "refused"
    make_user(name="kim", email="kim@example.org")
    known = make_email(project, "kim@example.org")
    visitor.go(path_of(known))
    yield "with an account"
    page.get_by_role("link", name="Sign in to join").click()
    yield "to join"
    sam = make_user(name="sam-who-has-an-account")
    visitor.become(sam)
    visitor.go(path_of(link))
    yield "signed in"
    visitor.press(f"Join as {sam}")
    expect(page.locator(".messages")).to_be_visible()
    page.context.clear_cookies()
    visitor.go(path_of(link), status=410)
    yield "link used up"
    email.accept(by=User.objects.get(username="kim"), now=now)
    visitor.go(path_of(email), status=410)
    yield "used"
    known.withdraw(now=now)
    visitor.become(make_user(name="too-late"))
    visitor.go(path_of(known), status=410)
    yield "withdrawn"
    visitor.go(path_of(make_email(project, "late@example.org", now=now - 9 * DAY)), status=410)
    yield "ran out"
