"""Invitations, as tests make them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from tasks.models import Invitation, Project
from tasks.people.emails import send_invitations

DAY = timedelta(days=1)


def path_of(invitation: Invitation) -> str:
    """The address of the page on which one joins: that of the e-mail, or of the link."""
    return invitation.email_path if invitation.email else invitation.path


def make_link(
    project: Project, *, most: int = 10, now: datetime | None = None, days: int = 14
) -> Invitation:
    """The link of a project that somebody leads."""
    now = now or timezone.now()
    by = project.memberships.filter(role="lead")[0].user
    return Invitation.objects.offer_link(
        project, most=most, expires_at=now + days * DAY, by=by, now=now
    )


def make_email(
    project: Project,
    email: str = "gil@example.org",
    *,
    role: str = "annotator",
    now: datetime | None = None,
) -> Invitation:
    """An invitation by e-mail whose e-mail was sent."""
    now = now or timezone.now()
    by = project.memberships.filter(role="lead")[0].user
    [made] = Invitation.objects.invite(project, [(email, "")], role=role, by=by, now=now)
    send_invitations(now)
    made.refresh_from_db()
    return made
