"""allauth's forms with a password field. They accept no password that is too long."""

from typing import Any

from allauth.account import forms as allauths
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user.must_change_password:
            # The way to a reset leads back here (`handed_out`).
            self.fields["oldpassword"].help_text = ""

    def clean_password1(self) -> str:
        """Refuse the password that an admin handed out, because the admin knows it."""
        chosen: str = self.cleaned_data["password1"]
        if self.user.must_change_password and self.user.check_password(chosen):
            raise ValidationError(_("This is the password you were given. Choose another."))
        return chosen


class ReauthenticateForm(WithPassword, allauths.ReauthenticateForm):
    """A form that asks for the password again before a sensitive action."""


class ResetPasswordForm(allauths.ResetPasswordForm):
    """A form to ask for a reset letter. The log records for whom."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the letters if the e-mail belongs to an account, and log the request."""
        for account in self.users or [None]:
            note("password reset asked", request, account=account, tried=self.cleaned_data["email"])
        return super().save(request, **kwargs)
