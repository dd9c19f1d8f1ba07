"""Decorators of views, and what they note on a view."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
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
        def answer(request: HttpRequest, **arguments: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, **arguments)
            if request.method in ("GET", "HEAD"):
                if but and but in request.GET:
                    return view(request, **arguments)
                return redirect(page, **{name: arguments[name] for name in names})
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])

        return answer

    return decorate


def admins_only(view: View) -> View:
    """Answer with a 404 to whoever is no admin."""

    @wraps(view)
    def answer(request: HttpRequest, *positional: Any, **arguments: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *positional, **arguments)

    return answer


def takes_files(allowed: Callable[..., bool]) -> Callable[[View], View]:
    """Let the users for whom `allowed` is true send files to the view.

    `allowed` takes the user and the URL's arguments. `config.middleware.Bodies` asks it before
    anything of a file is read.
    """

    def decorate(view: View) -> View:
        view.takes_files_from = allowed  # type: ignore[attr-defined]  # noted on the view, as Django does
        return view

    return decorate


def may_send_files(request: HttpRequest, view: View, arguments: Mapping[str, Any]) -> bool | None:
    """Return True if the user or the call may send files to the view; None if it takes none.

    The user is read from the database only for a view that takes files. An operation of the API has
    a function of its own, which takes the request and looks at its token.
    """
    of_calls = getattr(view, "takes_files_of_calls", None)
    if of_calls is not None:
        return bool(of_calls(request, **arguments))
    allowed = getattr(view, "takes_files_from", None)
    if allowed is None:
        return None
    return request.user.is_authenticated and bool(allowed(request.user, **arguments))
