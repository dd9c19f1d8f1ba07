"""The e-mails of invitations: their words, and whether they left. The worker sends them."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from smtplib import SMTPRecipientsRefused, SMTPResponseException, SMTPServerDisconnected

from allauth.core import ratelimit
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from config.web.people import User
from tasks.models import Invitation
from tasks.models.invitations import KEPT_FOR

AT_ONCE = 20  # e-mails; then other work has its turn
PUT_OFF = timedelta(hours=1)  # e-mails beyond what a lead may send in a day
# What holds a link together, but not a number.
_LINKED = re.compile(
    r"(?<!\d)[.:/@\\\u3002\uff0e\uff61](?=\S)|[.:/@\\\u3002\uff0e\uff61](?=[^\s\d])"
)


def send_invitations(now: datetime) -> bool:
    """Send the e-mails of invitations that are to be sent. Return True if there are more.

    Store why one did not leave. Beyond what a lead may send in a day it is put off.
    """
    wanted = Invitation.objects.to_send(now)
    keys = list(wanted.values_list("pk", flat=True)[: AT_ONCE + 1])
    if not keys:
        return False
    connection, not_open = None, None
    try:  # once for all e-mails: a server that does not answer is not waited for by each
        connection = get_connection()
        connection.open()
    except OSError as error:  # smtplib's errors too
        not_open = error
    for key in keys[:AT_ONCE]:
        with transaction.atomic():
            # Another worker, which has locked it, sends it.
            query = wanted.select_related("project", "made_by").filter(pk=key)
            invitation = query.select_for_update(of=("self",), skip_locked=True).first()
            if invitation is None:
                continue
            if not not_open and not _may_send(invitation.made_by):
                query.update(wanted_at=now + PUT_OFF)
                continue
            invitation.expires_at = now + KEPT_FOR
            with translation.override(invitation.language or None):
                fault = _why(not_open) if not_open else _send(invitation, connection)
            invitation.note_email(fault=fault, now=now)
    if connection:
        connection.close()
    return len(keys) > AT_ONCE


def _may_send(lead: User) -> bool:
    """Count an e-mail of a lead. Return False if they have sent as many as one may."""
    return ratelimit.consume(HttpRequest(), action="invitation", user=lead)


def plain_line(text: str) -> str:
    """Return a text in one line, without links, and without quotes that would end ours."""
    return re.sub('[“”„«»"]', "'", _LINKED.sub(r"\g<0> ", " ".join(text.split())))


def _send(invitation: Invitation, connection: BaseEmailBackend | None) -> str:
    """Send the e-mail. Return "" or why it did not leave."""
    context = {
        "role": invitation.role,
        "name": plain_line(invitation.name),
        "project": plain_line(invitation.project.title),
        "inviter": plain_line(invitation.made_by.get_username()),
        "link": settings.SITE_URL + invitation.email_path,
        "ends": invitation.expires_at,
        "site": settings.SITE_URL,
    }
    return deliver("invitation", context, invitation.email, connection)


def deliver(
    name: str, context: Mapping[str, object], address: str, connection: BaseEmailBackend | None
) -> str:
    """Send an e-mail made from the templates of a name. Return "" or why it did not leave."""
    subject = render_to_string(f"tasks/emails/{name}_subject.txt", context)
    text = render_to_string(f"tasks/emails/{name}_message.txt", context)
    email = EmailMessage(
        " ".join(subject.split()), text.strip(), to=[address], connection=connection
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
        name = error.strerror or error or type(error).__name__
        return _("the mail server can’t be reached (%(error)s)") % {"error": name}
    text = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
    return f"{code} {' '.join(text.split())}"
