"""Pages of errors that are answered before anyone is asked who sent the request."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation


def error_page(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    """The page of a status, in the browser's language. It asks the database nothing."""
    with translation.override(translation.get_language_from_request(request)):
        response = HttpResponse(render_to_string(f"{status}.html", context), status=status)
    response.headers["Cache-Control"] = "no-store"
    return response
