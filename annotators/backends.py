"""The backend for log-ins, and for sessions that were loaded without their user."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend
from django.db import connection

from config.web.hydration import Columns

from .models import User

PERSON = Columns(User, "person")
LOOK_UP = f"SELECT {PERSON} FROM annotators_user AS person WHERE id = %s"  # noqa: S608 - columns by their names


class PlainBackend(AuthenticationBackend):
    """allauth's backend by name or e-mail, with a prepared query by primary key.

    It is the only backend: a log-in attempt costs a password hash for each.
    """

    def get_user(self, user_id: int) -> User | None:
        """Return the user if they are active."""
        with connection.cursor() as cursor:
            cursor.execute(LOOK_UP, [user_id])
            row = cursor.fetchone()
        user = PERSON.instance(row) if row else None
        return user if self.user_can_authenticate(user) else None
