"""Who someone is who logs in, or comes with a session that does not know it."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend
from django.db import connection

from config.web.hydration import Columns

from .models import User

PERSON = Columns(User, "person")
LOOK_UP = f"SELECT {PERSON} FROM annotators_user AS person WHERE id = %s"  # noqa: S608 - columns by their names


class PlainBackend(AuthenticationBackend):
    """allauth's, which knows names and e-mails, with a look-up by key that is put together once.

    The only one: each that a log-in is tried with costs the hash of a password."""

    def get_user(self, user_id: int) -> User | None:
        """The person, if they are active."""
        with connection.cursor() as cursor:
            cursor.execute(LOOK_UP, [user_id])
            row = cursor.fetchone()
        user = PERSON.instance(row) if row else None
        return user if self.user_can_authenticate(user) else None
