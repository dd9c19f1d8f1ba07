"""allauth's forms with a password in them, which take none that is too long to be one."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauths
from django.http import HttpRequest

from .access_log import note
from .passwords import not_too_long


class WithPassword:
    """A form in which a password of one's own is entered. One that is too long is never hashed."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & {"password", "oldpassword"}:
            self.fields[name].validators.append(not_too_long)


class ChangePasswordForm(WithPassword, allauths.ChangePasswordForm):
    """Who changes a password says the present one."""


class ReauthenticateForm(WithPassword, allauths.ReauthenticateForm):
    """Who does something grave says their password again."""


class ResetPasswordForm(allauths.ResetPasswordForm):
    """Who forgot a password asks for a letter, and the log says for whom."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the letters, if the e-mail is anybody's."""
        for account in self.users or [None]:
            note("password reset asked", request, account=account, tried=self.cleaned_data["email"])
        email: str = super().save(request, **kwargs)
        return email
