"""The letters of invitations: their words, and whether they left."""

from collections.abc import Iterable
from datetime import datetime
from smtplib import SMTPRecipientsRefused, SMTPResponseException, SMTPServerDisconnected

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from .models import Invitation


def send_letters(invitations: Iterable[Invitation], *, now: datetime) -> list[str]:
    """Send a letter for each invitation that wants one, in the language in use.

    Store and return for each letter why it did not leave, or "". Nobody gets two letters within a
    minute.
    """
    faults, connection, not_open = [], None, ""
    try:  # once for all letters: a server that does not answer is not waited for by each
        connection = get_connection()
        connection.open()
    except OSError as error:  # smtplib's errors too
        not_open = _why(error)
    for each in invitations:
        with transaction.atomic():
            # The lock makes a second press of the button wait, and then see that it is sent.
            own = Invitation.objects.select_related("project", "made_by")
            invitation = own.select_for_update(of=("self",)).get(pk=each.pk)
            if not invitation.wants_letter(now):
                continue
            invitation.prolong(now=now)
            fault = not_open or _send(invitation, connection)
            invitation.note_letter(fault=fault, now=now)
            faults.append(fault)
    if connection:
        connection.close()
    return faults


def _send(invitation: Invitation, connection: BaseEmailBackend | None) -> str:
    """Send the letter. Return "" or why it did not leave."""
    context = {
        "invitation": invitation,
        "inviter": invitation.made_by.get_username(),
        "link": settings.SITE_URL + invitation.letter_path,
        "ends": invitation.expires_at,
        "site": settings.SITE_URL,
    }
    subject = render_to_string("tasks/letters/invitation_subject.txt", context)
    text = render_to_string("tasks/letters/invitation_message.txt", context)
    letter = EmailMessage(
        " ".join(subject.split()), text.strip(), to=[invitation.email], connection=connection
    )
    try:
        try:
            letter.send()
        except SMTPServerDisconnected:  # a server may end a connection after some letters
            if connection is not None:
                connection.close()
            letter.send()
    except OSError as error:
        return _why(error)
    except ValueError as error:  # a host that has no form in ASCII
        return _("no letter can go to this address (%(error)s)") % {"error": error}
    return ""


def _why(error: OSError) -> str:
    """Return the server's answer, or what kept it from answering."""
    if isinstance(error, SMTPResponseException):
        code, answer = error.smtp_code, error.smtp_error
    elif isinstance(error, SMTPRecipientsRefused):
        [(code, answer)] = error.recipients.values()  # a letter goes to one person
    else:
        return _("the mail server cannot be reached (%(error)s)") % {
            "error": error.strerror or error or type(error).__name__
        }
    said = answer.decode(errors="replace") if isinstance(answer, bytes) else answer
    return f"{code} {' '.join(said.split())}"
