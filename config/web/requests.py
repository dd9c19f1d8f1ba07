"""Requests as views see them. A leaf: every app may import it, it imports none of them.

The middleware puts `htmx` and `user` on each request; these classes only tell the type checker so.
`Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django_htmx.middleware import HtmxDetails

    # The one place where the leaf looks at an app, and only for the checker's eyes.
    from annotators.models import User


View: TypeAlias = Callable[..., HttpResponse]


class HtmxRequest(HttpRequest):
    """A request whose sender may or may not have logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request that LoginRequired let through: `user` is a person."""

    user: User


def step_of(page: str, *names: str) -> Callable[[View], View]:
    """Of a view that takes a form by POST. Where it answers with a page, the browser stands at its
    address: who goes there anew, or comes back to it by a log-in, is led to `page`, which has these
    of its arguments."""

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, **named: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, **named)
            if request.method in ("GET", "HEAD"):
                return redirect(page, **{name: named[name] for name in names})
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])

        return answer

    return decorate
