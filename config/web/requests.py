"""Request classes for views. Every app may import this module; it imports no app.

The middleware sets `htmx` and `user` on each request; these classes only declare them to the type
checker. `Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django_htmx.middleware import HtmxDetails

    # The only import of an app in this module, for the type checker.
    from annotators.models import User


class HtmxRequest(HttpRequest):
    """A request of a user who may or may not be logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request of a user who is logged in, as LoginRequired guarantees."""

    user: User
