"""Request classes for views. Every app may import this module; it imports no app.

The middleware sets `htmx` and `user` on each request; these classes only declare them to the type
checker. `Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
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

    # The only import of an app in this module, for the type checker.
    from annotators.models import User


View: TypeAlias = Callable[..., HttpResponse]


class HtmxRequest(HttpRequest):
    """A request of a user who may or may not be logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request of a user who is logged in, as LoginRequired guarantees."""

    user: User


def step_of(page: str, *names: str) -> Callable[[View], View]:
    """Accept POST only, and redirect GET to `page` with the URL arguments `names`.

    When the view answers a POST with a page, the browser shows the view's URL. A user who reloads
    it, or returns to it after a log-in, sends a GET.
    """

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
