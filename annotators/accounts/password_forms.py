"""allauth's forms with a password field. They accept no password that is too long."""

from typing import Any

from allauth.account import forms as allauths
from django.http import HttpRequest

from .access_log import note
from .passwords import not_too_long


class WithPassword:
    """A form with the user's own password. A password that is too long is never hashed."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & {"password", "oldpassword"}:
            self.fields[name].validators.append(not_too_long)


class ChangePasswordForm(WithPassword, allauths.ChangePasswordForm):
    """A form to change the password, which asks for the present one."""


class ReauthenticateForm(WithPassword, allauths.ReauthenticateForm):
    """A form that asks for the password again before a sensitive action."""


class ResetPasswordForm(allauths.ResetPasswordForm):
    """A form to ask for a reset letter. The log records for whom."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the letters if the e-mail belongs to an account, and log the request."""
        for account in self.users or [None]:
            note("password reset asked", request, account=account, tried=self.cleaned_data["email"])
        return super().save(request, **kwargs)
