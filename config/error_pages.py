"""Error pages for responses that are sent before the user is known, or by Django itself.

A call of the API gets a problem document in place of a page.
"""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views import defaults

from config.web.problems import is_call, problem_of_status


def error_page(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    """Return the page for a status in the browser's language, without using the database."""
    if is_call(request):
        return problem_of_status(status, _detail(context))
    with translation.override(translation.get_language_from_request(request)):
        return HttpResponse(render_to_string(f"{status}.html", context), status=status)


def _detail(context: Mapping[str, object]) -> str:
    """Return the sentence for what a page says by its context, or "" for the usual one."""
    if "most" in context:
        return f"The body has {context['sent']} bytes; the most is {context['most']}. Send less."
    if "charset" in context:
        return f"The body is in {context['charset']}; send UTF-8."
    if context.get("refused"):
        return "The database can be read, but takes nothing new. Nothing of the call was stored."
    return ""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django refuses to read."""
    if is_call(request):
        return problem_of_status(HTTPStatus.BAD_REQUEST)
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django refuses to do."""
    if is_call(request):
        return problem_of_status(HTTPStatus.FORBIDDEN)
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for an address that does not exist."""
    if is_call(request):
        return problem_of_status(HTTPStatus.NOT_FOUND)
    return defaults.page_not_found(request, exception)
