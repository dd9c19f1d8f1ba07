"""Requests as views see them. A leaf: every app may import it, it imports none of them.

The middleware puts `htmx` and `user` on each request; these classes only tell the type checker so.
`Request` is for views behind the log-in, `HtmxRequest` for the few public ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser
    from django_htmx.middleware import HtmxDetails

    # The one place where the leaf looks at an app, and only for the checker's eyes.
    from annotators.models import User


class HtmxRequest(HttpRequest):
    """A request whose sender may or may not have logged in."""

    htmx: HtmxDetails
    user: User | AnonymousUser


class Request(HtmxRequest):
    """A request that LoginRequired let through: `user` is a person."""

    user: User
