"""The addresses of the API."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase, HttpResponseNotAllowed
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI

from config.web.problems import Problem, ProblemKind, problem_response

from . import files
from .api import DOCUMENT, api
from .authentication import token_may_send_files
from .usage import counter


def _answered(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Have a token in place of the log-in, and a problem document for a wrong method."""

    @wraps(view)
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        try:
            response = view(request, **arguments)
        except Exception:
            counter.count(request, HTTPStatus.INTERNAL_SERVER_ERROR, ProblemKind.FAILED.title)
            raise
        counter.count(request, response.status_code, getattr(response, "reason", ""))
        if isinstance(response, HttpResponseNotAllowed):
            allowed = ", ".join(sorted(response.headers["Allow"].split(", ")))
            detail = f"There is no {request.method} at this address. There is: {allowed}."
            problem = Problem(ProblemKind.METHOD, detail, headers={"Allow": allowed})
            return problem_response(problem)
        return response

    return login_not_required(answer)


def patterns_of(api: NinjaAPI) -> list[URLPattern]:
    """Return ninja's patterns with our views, but that of the root, which has nothing."""
    patterns = []
    for pattern in api.urls[0]:
        assert isinstance(pattern, URLPattern)
        if pattern.name == "api-root":
            continue
        view = pattern.callback
        if pattern.name == DOCUMENT:
            view = require_safe(view)
        pattern.callback = csrf_exempt(_answered(view))  # no call has a cookie
        if pattern.name == files.send_file.__name__:
            pattern.callback.takes_files_of_calls = token_may_send_files  # type: ignore[attr-defined]  # for `Bodies`
        patterns.append(pattern)
    return patterns


urlpatterns = [path("api/v1/", (patterns_of(api), "ninja", "api"))]
