"""The backend for log-ins. Its path is in every session, so it cannot move."""

from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest

from annotators.models import User


class PlainBackend(AuthenticationBackend):
    """allauth's backend by name or e-mail.

    It is the only backend: a log-in attempt costs a password hash for each.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: object) -> User | None:
        """Return the account, unless its password is switched off: then it opens nothing."""
        user: User | None = super().authenticate(request, **credentials)
        return user if user and user.may_use_password else None
