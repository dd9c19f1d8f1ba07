"""The log-in form, and the form that it carries through the log-in."""

from collections.abc import Callable
from typing import Any, TypeVar

from allauth.account.forms import LoginForm as AllauthLoginForm
from django import forms
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from config.web.requests import HtmxRequest

from .password_forms import WithPassword
from .resume_login import Owns, seal_form, sent_before

LONGEST_NAME = 254  # characters of an e-mail
View = TypeVar("View", bound=Callable[..., HttpResponse])


class LoginForm(WithPassword, AllauthLoginForm):
    """allauth's form in Evenhand's words.

    It has labels, not placeholders: a placeholder is gone once one types.
    """

    # A sealed form that was sent when the log-in was over (`resume_login`).
    sent = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or e-mail")
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST_NAME))
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = _("Password")
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

    def login(self, request: HtmxRequest, redirect_url: str | None = None) -> HttpResponseBase:
        """Log in, then resume the form that was sent before, or redirect as requested."""
        response: HttpResponseBase = super().login(request, redirect_url)
        return (
            sent_before(request, self.cleaned_data["sent"], response.headers.get("Location", "/"))
            or response
        )


def carried_over_log_in(owns: Owns) -> Callable[[View], View]:
    """Carry the view's form through the log-in if it is sent when nobody is logged in.

    `owns(user, **kwargs)` returns True if what the URL names is the user's own.
    """

    def mark(view: View) -> View:
        # As Django marks login_not_required.
        view.over_log_in = _log_in_with  # type: ignore[attr-defined]  # noted on the function
        view.owns = owns  # type: ignore[attr-defined]  # likewise
        return view

    return mark


def _log_in_with(request: HttpRequest, page: str) -> HttpResponse | None:
    """Return the log-in page with the sent form in it, or None if there is none to carry.

    `page`: where to go on.
    """
    sealed = seal_form(request)
    if not sealed:
        return None
    return render(
        request,
        "account/login.html",
        {
            "form": LoginForm(initial={"sent": sealed}),
            "redirect_field_name": "next",
            "redirect_field_value": page,
        },
    )
