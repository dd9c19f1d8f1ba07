"""Passwords: how they are stored, which are accepted, and the forms for them and for the log-in.

A password that an admin handed out is changed before anything else.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import forms as allauths
from allauth.account.views import PasswordResetFromKeyView
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.password_validation import (
    CommonPasswordValidator,
    UserAttributeSimilarityValidator,
)
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language, gettext as _, gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from annotators.models import ResetRequest, User
from config.lab_provider import LabProvider
from config.web.access_log import client_ip, note
from config.web.decorators import View

SHORTEST = 12  # characters
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

# The fields of allauth's forms in Evenhand's words.
LABELS = {
    "login": gettext_lazy("Name or e-mail"),
    "email": gettext_lazy("E-mail"),
    "password": gettext_lazy("Password"),
    "oldpassword": gettext_lazy("Current password"),
    "password1": gettext_lazy("Your new password"),
    "password2": gettext_lazy("Your new password again"),
}
ADVICE = gettext_lazy("12 characters or more. A few unrelated words are good.")

not_too_long = MaxLengthValidator(LONGEST)


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id at OWASP's minimum: 19 MiB, two passes, one lane.

    Django's default takes 100 MiB in eight lanes: users who log in at the same time would wait for
    each other.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1


class PasswordValidator(CommonPasswordValidator):
    """A validator for all new passwords, which says the first fault in one sentence.

    Few entries of Django's list have the required 12 characters. zxcvbn has lists of 30,000
    passwords and as many words and names. It also knows how people make longer ones of them: a
    year at the end, @ for a, rows of keys.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if it is too short or long, repeats itself, or is soon guessed."""
        not_too_long(password)
        if len(password) < SHORTEST:
            raise ValidationError(
                _("A password needs 12 characters or more; this one has %(length)d."),
                code="password_too_short",
                params={"length": len(password)},
            )
        if is_repetitive(password):
            raise ValidationError(
                _("This password repeats one character or a short pattern: choose another."),
                code="password_repeats",
            )
        if self._is_guessable(password, user):
            raise ValidationError(
                _(
                    "This password is easy to guess: choose a few unrelated words, not a common "
                    "password, names, dates, digits alone or neighbouring keys."
                ),
                code="password_guessable",
            )

    def _is_guessable(self, password: str, user: User | None) -> bool:
        try:
            super().validate(password, user)
            UserAttributeSimilarityValidator().validate(password, user)
        except ValidationError:
            return True
        return password.isdigit() or guesses(password, user) < FEWEST_GUESSES

    def get_help_text(self) -> str:
        """Return what a form says before one chooses."""
        return str(ADVICE)


def is_repetitive(password: str) -> bool:
    """Return True if the password is one character or a short pattern, repeated."""
    folded = password.lower()
    longest = min(LONGEST_REPEATED, len(folded) // 2)
    return any(folded[size:] == folded[:-size] for size in range(1, longest + 1))


def guesses(password: str, user: User | None) -> int:
    """Estimate the number of guesses for somebody who knows the user."""
    from zxcvbn import zxcvbn  # its lists take 13 MB, and most processes never ask for them

    known = ["evenhand"]
    for name in FIELDS_OF_USER:
        text = ""
        if user:
            text = str(getattr(user, name, ""))
        known += filter(None, (text[:ESTIMATED], *re.split(r"[@.\s]+", text)))
    estimate = zxcvbn(password[:ESTIMATED], user_inputs=known)
    return int(estimate["guesses"])


class FocusesFault(forms.BaseForm):
    """A form that comes back with the focus in the first field that is wrong."""

    def add_error(self, field: str | None, error: Any) -> None:
        """Store what is wrong with a field, or with the whole form."""
        if field and not self.errors:
            self.fields[field].widget.attrs["autofocus"] = True
        super().add_error(field, error)


class HouseWording(FocusesFault):
    """A form of allauth's in Evenhand's words. A password that is too long is never hashed.

    It has labels, not placeholders: a placeholder is gone once one types.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS[name]
            field.widget.attrs.pop("placeholder", None)
            if name in {"password", "oldpassword"}:
                field.validators.append(not_too_long)
            elif name == "password1":
                field.help_text = ADVICE


class LoginForm(HouseWording, allauths.LoginForm):
    """A form to sign in by name or e-mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST_NAME))
        self.fields["login"].widget.attrs |= {
            "autocomplete": "username",
            "autofocus": not (self.is_bound or self.comes_by_itself),
        }
        # The page's template says where to go with a forgotten password.
        self.fields["password"].help_text = ""

    @property
    def comes_by_itself(self) -> bool:
        """True in place of a page that somebody was at: the next key must land in no field."""
        place = "/"
        if self.request:
            place = self.request.GET.get("next", "/")
        return not self.is_bound and place != "/" and "/join/" not in place

    @property
    def lab(self) -> LabProvider | None:
        """The lab's provider, for the button above the form."""
        provider: LabProvider | None = settings.LAB_PROVIDER
        return provider

    @property
    def passwords(self) -> str:
        """Whose password still opens the account."""
        return str(settings.PASSWORDS)

    def add_error(self, field: str | None, error: Any) -> None:
        """Say at the password that the two do not go together: it is what one enters again."""
        super().add_error(field or "password", error)

    def user_credentials(self) -> dict[str, str]:
        """Return what was entered as a name.

        The backend looks for an e-mail of this name by itself. Given both, it would try the
        password twice.
        """
        return {"username": self.cleaned_data["login"], "password": self.cleaned_data["password"]}


class ChangePasswordForm(HouseWording, allauths.ChangePasswordForm):
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


class ReauthenticateForm(HouseWording, allauths.ReauthenticateForm):
    """A form that asks for the password again before a sensitive action."""


class ResetPasswordForm(HouseWording, allauths.ResetPasswordForm):
    """A form to ask for a reset e-mail, which the worker sends."""

    def clean_email(self) -> str:
        """Return the address. Nobody looks for its account here: that would take time."""
        address: str = self.cleaned_data["email"]
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Store and log the request, in the same way for every address."""
        address: str = self.cleaned_data["email"]
        now = timezone.now()
        ResetRequest.objects.create(
            address=address,
            language=get_language() or settings.LANGUAGE_CODE,
            client_ip=client_ip(request),
            made_at=now,
            due_at=now,
        )
        note("password reset asked", request, typed_name=address)
        return address


class ResetPasswordKeyForm(HouseWording, allauths.ResetPasswordKeyForm):
    """A form to choose a password by the link of an e-mail."""


class ResetByLink(PasswordResetFromKeyView):
    """The page to choose a password by the link of an e-mail."""

    def logout(self) -> None:
        """Sign out whoever else is signed in once the form is sent, not when the link is opened."""
        if self.request.method == "POST":
            super().logout()


def with_password(view: View) -> View:
    """Leave a page of passwords to accounts whose password works."""

    @wraps(view)
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.may_use_password:
            raise Http404
        return view(request, **arguments)

    return answer


class SetPasswordForm(HouseWording, allauths.SetPasswordForm):
    """A form to choose the first password of an account without one."""


class ChangeFirst(MiddlewareMixin):
    """Middleware that leads to the page for the change until the password is the owner's own."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Redirect every request of such a user, but for the change itself and the log-out."""
        user = request.user
        match = request.resolver_match
        is_open = match is not None and match.view_name in OPEN_VIEWS
        if is_open or not user.is_authenticated or not user.must_change_password:
            return None
        if getattr(request, "htmx", None):
            return HttpResponseClientRedirect(resolve_url(CHANGE_VIEW))
        return redirect(CHANGE_VIEW)
