"""Carry a form through the log-in page if the log-in is over when the form is sent.

It can be sent again after the log-in. A browser with scripts saves the form by itself. Without
scripts the form exists only in the request.
"""

from collections.abc import Callable
from typing import TypeAlias

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import resolve
from django.utils import translation

from config.web.requests import HtmxRequest

SALT = "sent before a log-in"
KEPT_FOR = 24 * 60 * 60  # seconds
MOST = 2**20  # characters of a form; no desk has more


# owns(user, **kwargs): True if what a URL with these arguments names is the user's own.
Owns: TypeAlias = Callable[..., bool]


def seal_form(request: HttpRequest) -> str:
    """Return the sent form and its URL, signed; "" if the form is too large to carry."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    if sum(len(name) + len(value) for name, value in fields) > MOST:
        return ""
    return signing.dumps([request.path, fields], salt=SALT, compress=True)


def sent_before(request: HtmxRequest, sealed: str, page: str) -> HttpResponse | None:
    """Return a page to resend the carried form, or to leave it and go on to `page`.

    Return None if there is no form. Return None too if the view's `owns` says that it is someone
    else's: another user may have logged in.
    """
    if not sealed or not request.user.is_authenticated:
        return None
    try:
        address, fields = signing.loads(sealed, salt=SALT, max_age=KEPT_FOR)
    except signing.BadSignature:
        return None
    match = resolve(address)
    owns: Owns = match.func.owns  # type: ignore[attr-defined]  # only such a form is sealed
    if not owns(request.user, **match.kwargs):
        return None
    with translation.override(request.user.language or translation.get_language()):
        return render(
            request,
            "annotators/drafts/sent_before.html",
            {"address": address, "fields": fields, "page": page},
        )
