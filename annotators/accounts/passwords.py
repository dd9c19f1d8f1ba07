"""Passwords: how they are stored, which are accepted, and the forms for them and for the log-in.

A password that an admin handed out is changed before anything else.
"""

import re
from collections.abc import Callable
from typing import Any

from allauth.account import forms as allauths
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _, gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from annotators.models import User

from .adapter import note

LONGEST = 1_024  # characters; not as a field's `maxlength`: browsers would cut off silently
LONGEST_NAME = 254  # characters of an e-mail
LONGEST_REPEATED = 8  # characters of a pattern that fills the password
# Characters whose strength is estimated: the time for it grows faster than their square.
ESTIMATED = 40
FEWEST_GUESSES = 10**8
# What others know of a user, and try first.
FIELDS_OF_USER = ("username", "first_name", "last_name", "email", "joins")
CHANGE_VIEW = "account_change_password"
# Open to a user who has to change the password first.
OPEN_VIEWS = frozenset({CHANGE_VIEW, "account_logout"})

not_too_long = MaxLengthValidator(LONGEST)


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id at OWASP's minimum: 19 MiB, two passes, one lane.

    Django's default takes 100 MiB in eight lanes: users who log in at the same time would wait for
    each other.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1


class LengthValidator:
    """A validator that refuses passwords longer than a form accepts."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if the password is too long."""
        not_too_long(password)

    def get_help_text(self) -> str:
        """Return the limit in words."""
        return _("Your password can have up to 1,024 characters.")


class GuessableValidator(CommonPasswordValidator):
    """A validator that refuses passwords among the first to be guessed.

    Few entries of Django's list have the required 12 characters. zxcvbn has lists of 30,000
    passwords and as many words and names. It also knows how people make longer ones of them: a
    year at the end, @ for a, rows of keys.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if it repeats itself, is on a list, or takes few guesses."""
        if is_repetitive(password):
            raise ValidationError(
                _("This password repeats one character or a short pattern. Choose another."),
                code="password_repeats",
            )
        super().validate(password, user)
        if guesses(password, user) < FEWEST_GUESSES:
            raise ValidationError(
                _(
                    "This password is easy to guess: it is common, or made of "
                    "names, dates or neighbouring keys. A few unrelated words are "
                    "better."
                ),
                code="password_guessable",
            )

    def get_help_text(self) -> str:
        """Return what is refused in words."""
        return _("Your password can’t be a common one or a few repeated characters.")


def is_repetitive(password: str) -> bool:
    """Return True if the password is one character or a short pattern, repeated."""
    folded = password.lower()
    longest = min(LONGEST_REPEATED, len(folded) // 2)
    return any(folded[size:] == folded[:-size] for size in range(1, longest + 1))


def guesses(password: str, user: User | None) -> int:
    """Estimate the number of guesses for somebody who knows the user."""
    from zxcvbn import zxcvbn  # its lists take 13 MB, and most processes never ask for them

    known = [str(getattr(user, name, "")) for name in FIELDS_OF_USER] if user else []
    parts = [part for text in known for part in (text[:ESTIMATED], *re.split(r"[@.\s]+", text))]
    found = zxcvbn(password[:ESTIMATED], user_inputs=["evenhand", *filter(None, parts)])
    return int(found["guesses"])


class WithPassword:
    """A form with the user's own password. A password that is too long is never hashed."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & {"password", "oldpassword"}:
            self.fields[name].validators.append(not_too_long)


class LoginForm(WithPassword, allauths.LoginForm):
    """allauth's form in Evenhand's words.

    It has labels, not placeholders: a placeholder is gone once one types.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = gettext_lazy("Name or e-mail")
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST_NAME))
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = gettext_lazy("Password")
        # The page's template says where to go with a forgotten password.
        self.fields["password"].help_text = ""
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def user_credentials(self) -> dict[str, str]:
        """Return what was entered as a name.

        The backend looks for an e-mail of this name by itself. Given both, it would try the
        password twice.
        """
        return {"username": self.cleaned_data["login"], "password": self.cleaned_data["password"]}


class ChangePasswordForm(WithPassword, allauths.ChangePasswordForm):
    """A form to change the password, which asks for the present one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user.must_change_password:
            # The way to a reset leads back here (`ChangeFirst`).
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
    """A form to ask for a reset e-mail. The log records for whom."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the e-mail if the address belongs to an account, and log the request."""
        for account in self.users or [None]:
            note("password reset asked", request, account=account, tried=self.cleaned_data["email"])
        return super().save(request, **kwargs)


class ChangeFirst(MiddlewareMixin):
    """Middleware that leads to the page for the change until the password is the owner's own."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Redirect every request of such a user, but for the change itself and the log-out."""
        user, match = request.user, request.resolver_match
        is_open = match is not None and match.view_name in OPEN_VIEWS
        if is_open or not user.is_authenticated or not user.must_change_password:
            return None
        if getattr(request, "htmx", None):
            return HttpResponseClientRedirect(resolve_url(CHANGE_VIEW))
        return redirect(CHANGE_VIEW)
