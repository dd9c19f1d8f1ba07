"""The log-in form, and a form that it carries through if the log-in is over when that is sent.

It can be sent again after the log-in. A browser with scripts saves the form by itself. Without
scripts the form exists only in the request.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from allauth.account.forms import LoginForm as AllauthLoginForm
from django import forms
from django.core import signing
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import resolve
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from config.web.requests import HtmxRequest

from .passwords import WithPassword

LONGEST_NAME = 254  # characters of an e-mail
FORM_SALT = "sent before a log-in"
FORM_KEPT_FOR = 24 * 60 * 60  # seconds
LARGEST_FORM = 2**20  # characters of a form; no desk has more
View = TypeVar("View", bound=Callable[..., HttpResponse])


class LoginForm(WithPassword, AllauthLoginForm):
    """allauth's form in Evenhand's words.

    It has labels, not placeholders: a placeholder is gone once one types.
    """

    # A sealed form that was sent when the log-in was over.
    sent = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
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
            _sent_before(request, self.cleaned_data["sent"], response.headers.get("Location", "/"))
            or response
        )


def carried_over_log_in(owns: Callable[..., bool]) -> Callable[[View], View]:
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
    sealed = _seal_form(request)
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


def _seal_form(request: HttpRequest) -> str:
    """Return the sent form and its URL, signed; "" if the form is too large to carry."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    if sum(len(name) + len(value) for name, value in fields) > LARGEST_FORM:
        return ""
    return signing.dumps([request.path, fields], salt=FORM_SALT, compress=True)


def _sent_before(request: HtmxRequest, sealed: str, page: str) -> HttpResponse | None:
    """Return a page to resend the carried form, or to leave it and go on to `page`.

    Return None if there is no form. Return None too if the view's `owns` says that it is someone
    else's: another user may have logged in.
    """
    if not sealed or not request.user.is_authenticated:
        return None
    try:
        address, fields = signing.loads(sealed, salt=FORM_SALT, max_age=FORM_KEPT_FOR)
    except signing.BadSignature:
        return None
    match = resolve(address)
    # Only a form of a view with `owns` is sealed.
    if not match.func.owns(request.user, **match.kwargs):  # type: ignore[attr-defined]  # likewise
        return None
    with translation.override(request.user.language or translation.get_language()):
        return render(
            request,
            "annotators/drafts/sent_before.html",
            {"address": address, "fields": fields, "page": page},
        )
