"""Decorators of views."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect

View: TypeAlias = Callable[..., HttpResponse]


def redirect_get_to(page: str, *names: str, but: str = "") -> Callable[[View], View]:
    """Accept POST only, and redirect GET to `page` with the URL arguments `names`.

    A GET with the parameter `but` reaches the view, too.

    When the view answers a POST with a page, the browser shows the view's URL. A user who reloads
    it, or returns to it after a log-in, sends a GET.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, **named: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, **named)
            if request.method in ("GET", "HEAD"):
                if but and but in request.GET:
                    return view(request, **named)
                return redirect(page, **{name: named[name] for name in names})
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])

        return answer

    return decorate
