"""Error pages for responses that are sent before the user is known."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation


def error_page(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    """Return the page for a status in the browser's language, without using the database."""
    with translation.override(translation.get_language_from_request(request)):
        return HttpResponse(render_to_string(f"{status}.html", context), status=status)
