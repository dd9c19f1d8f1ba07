"""The e-mail with the link to choose a new password. The worker sends it."""

import logging
from datetime import datetime, timedelta

from allauth.account.adapter import get_adapter
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.db import transaction
from django.utils import translation

from annotators.models import ResetRequest, User
from config.web.access_log import note_of

AT_ONCE = 20  # requests; then other work has its turn
AGAIN = timedelta(minutes=5)  # after an e-mail that did not leave
KEPT_FOR = timedelta(days=1)  # who still waits then asks again


def answer_resets(now: datetime) -> bool:
    """Answer the requests for a new password. Return True if there are more."""
    due = ResetRequest.objects.to_answer(now)
    keys = list(due.values_list("pk", flat=True)[: AT_ONCE + 1])
    for key in keys[:AT_ONCE]:
        with transaction.atomic():
            # Another worker, which has locked it, answers it.
            locked = due.select_for_update(skip_locked=True).filter(pk=key).first()
            if locked is not None:
                _answer(locked, now)
    return len(keys) > AT_ONCE


def _answer(request: ResetRequest, now: datetime) -> None:
    """Send the e-mail if the address has an account. Keep the request if it did not leave."""
    account = User.objects.filter(email__iexact=request.address, is_active=True).first()
    try:
        if account is not None and account.may_use_password:
            _send(account, request.language)
            note_of("password reset sent", request.client_ip, account=account)
    except OSError:  # smtplib's errors too
        note_of("e-mail not sent", request.client_ip, account=account, level=logging.ERROR)
        if now - request.made_at < KEPT_FOR:
            request.due_at = now + AGAIN
            request.save(update_fields=["due_at"])
            return
    request.delete()


def _send(account: User, language: str) -> None:
    """Send the e-mail to the address that is stored, not to the one that was entered."""
    adapter = get_adapter()
    key = f"{user_pk_to_url_str(account)}-{default_token_generator.make_token(account)}"
    context = {
        "user": account,
        "password_reset_url": adapter.get_reset_password_from_key_url(key),
        "current_site": {"name": "Evenhand", "domain": settings.SITE_URL},
    }
    with translation.override(account.language or language):
        adapter.render_mail("account/email/password_reset_key", account.email, context).send()
