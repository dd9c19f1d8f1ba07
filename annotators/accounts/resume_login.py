"""A form that is sent when its log-in is over goes along through the log-in page, and is sent again
from there.

A browser with scripts keeps what is entered by itself. Without them the form is in the request and
nowhere else.
"""

from __future__ import annotations

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


# Whether what an address names is a person's own: the person, then what the address names.
Owns: TypeAlias = Callable[..., bool]


def seal(request: HttpRequest) -> str:
    """The form that was sent, and to which address; "" where it is too large to go along."""
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
    """What went along, for who has logged in now to send again, or to leave it and go on to `page`.
    None where nothing did, and where the view says (`owns`) that it is another's: who logs in next
    may be someone else."""
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
    context = {"address": address, "fields": fields, "page": page}
    with translation.override(request.user.language or translation.get_language()):
        return render(request, "annotators/drafts/sent_before.html", context)
