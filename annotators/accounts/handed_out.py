"""A password that an admin handed out is changed before anything else."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.deprecation import MiddlewareMixin
from django_htmx.http import HttpResponseClientRedirect

CHANGE = "account_change_password"
OPEN = frozenset({CHANGE, "account_logout"})


class ChangeFirst(MiddlewareMixin):
    """Middleware that leads to the page for the change until the password is the owner's own."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Redirect every request of such a user, but for the change itself and the log-out."""
        user, match = request.user, request.resolver_match
        is_open = match is not None and match.view_name in OPEN
        if is_open or not user.is_authenticated or not user.must_change_password:
            return None
        if getattr(request, "htmx", None):
            return HttpResponseClientRedirect(resolve_url(CHANGE))
        return redirect(CHANGE)
