"""A forgotten password, in tests: the form, and the e-mail that the worker then sends."""

from __future__ import annotations

from typing import Any

from django.core import mail
from django.test import Client
from django.utils import timezone

from annotators.accounts.reset_emails import answer_resets

FORM = "/accounts/password/reset/"


def forget(browser: Client, address: str, **options: Any) -> None:
    """Ask for a new password, and have the worker answer it."""
    browser.post(FORM, {"email": address}, **options)
    answer_resets(timezone.now())


def link_of_last_email() -> str:
    """The path of the link in the last e-mail."""
    words = str(mail.outbox[-1].body).split()
    [link] = [word for word in words if "/reset/key/" in word]
    return link.removeprefix("http://127.0.0.1:8000")
