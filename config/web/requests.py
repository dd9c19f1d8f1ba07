"""Request classes for views. Every app may import this module; it imports no app.

The middleware sets `htmx` and `user` on each request; these classes only declare them to the type
checker. `Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
"""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from config.web.people import User


class HtmxRequest(HttpRequest):
    """A request of a user who may or may not be logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request of a user who is logged in, as LoginRequired guarantees."""

    user: User
