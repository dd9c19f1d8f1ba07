"""The e-mails of invitations: their words, and whether they left."""

import re
from collections.abc import Iterable
from datetime import datetime
from smtplib import SMTPRecipientsRefused, SMTPResponseException, SMTPServerDisconnected

from allauth.core import ratelimit
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from config.web.requests import Request

from .models import Invitation

WAITS = "waits"  # in place of a fault: its lead has sent as many as one may
# What holds a link together, but not a number.
_LINKED = re.compile(
    r"(?<!\d)[.:/@\\\u3002\uff0e\uff61](?=\S)|[.:/@\\\u3002\uff0e\uff61](?=[^\s\d])"
)


def send_emails(invitations: Iterable[Invitation], request: Request, *, now: datetime) -> list[str]:
    """Send an e-mail for each invitation that wants one, in the language in use.

    Store and return for each e-mail why it did not leave, or "". Return WAITS for those beyond
    what a lead may send in a day. Nobody gets two e-mails within a minute.
    """
    faults, connection, not_open = [], None, ""
    try:  # once for all e-mails: a server that does not answer is not waited for by each
        connection = get_connection()
        connection.open()
    except OSError as error:  # smtplib's errors too
        not_open = _why(error)
    for each in invitations:
        with transaction.atomic():
            # A second press of the button finds it locked, and leaves it to the first.
            own = Invitation.objects.select_related("project", "made_by").filter(pk=each.pk)
            invitation = own.select_for_update(of=("self",), skip_locked=True).first()
            if invitation is None or not invitation.wants_email(now):
                continue
            if not not_open and not ratelimit.consume(request, action="invitation"):
                faults.append(WAITS)
                continue
            invitation.prolong(now=now)
            fault = not_open or _send(invitation, connection)
            invitation.note_email(fault=fault, now=now)
            faults.append(fault)
    if connection:
        connection.close()
    return faults


def _plain(text: str) -> str:
    """Return a text in one line, without links, and without quotes that would end ours."""
    return re.sub('[“”„«»"]', "'", _LINKED.sub(r"\g<0> ", " ".join(text.split())))


def _send(invitation: Invitation, connection: BaseEmailBackend | None) -> str:
    """Send the e-mail. Return "" or why it did not leave."""
    context = {
        "offers_lead": invitation.offers_lead,
        "name": _plain(invitation.name),
        "project": _plain(invitation.project.title),
        "inviter": _plain(invitation.made_by.get_username()),
        "link": settings.SITE_URL + invitation.email_path,
        "ends": invitation.expires_at,
        "site": settings.SITE_URL,
    }
    subject = render_to_string("tasks/emails/invitation_subject.txt", context)
    text = render_to_string("tasks/emails/invitation_message.txt", context)
    email = EmailMessage(
        " ".join(subject.split()), text.strip(), to=[invitation.email], connection=connection
    )
    try:
        try:
            email.send()
        except SMTPServerDisconnected:  # a server may end a connection after some e-mails
            if connection is not None:
                connection.close()
            email.send()
    except OSError as error:
        return _why(error)
    except ValueError as error:  # a host that has no form in ASCII
        return _("no e-mail can go to this address (%(error)s)") % {"error": error}
    return ""


def _why(error: OSError) -> str:
    """Return the server's answer, or what kept it from answering."""
    if isinstance(error, SMTPResponseException):
        code, answer = error.smtp_code, error.smtp_error
    elif isinstance(error, SMTPRecipientsRefused):
        [(code, answer)] = error.recipients.values()  # an e-mail goes to one person
    else:
        return _("the mail server cannot be reached (%(error)s)") % {
            "error": error.strerror or error or type(error).__name__
        }
    said = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
    return f"{code} {' '.join(said.split())}"
