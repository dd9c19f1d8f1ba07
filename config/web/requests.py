"""Request classes for views, and files as answers. Every app may import this; it imports no app.

The middleware sets `htmx` and `user` on each request; these classes only declare them to the type
checker. `Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
"""

from collections.abc import Iterator

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django_htmx.middleware import HtmxDetails

from config.web.people import User


class HtmxRequest(HttpRequest):
    """A request of a user who may or may not be logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request of a user who is logged in, as LoginRequired guarantees."""

    user: User


def download(
    request: HttpRequest, name: str, content_type: str, blocks: Iterator[bytes]
) -> StreamingHttpResponse:
    """Return a file as an attachment; on HEAD, only its headers, without generating it."""
    return StreamingHttpResponse(
        () if request.method == "HEAD" else blocks,
        content_type=content_type,
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "",
            "Cache-Control": "no-store",
        },
    )
