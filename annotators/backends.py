"""The backend for log-ins. Its path is in every session, so it cannot move."""

from allauth.account.auth_backends import AuthenticationBackend


class PlainBackend(AuthenticationBackend):
    """allauth's backend by name or e-mail.

    It is the only backend: a log-in attempt costs a password hash for each.
    """
