"""Who someone is who comes with a session: asked at each request, and so asked plainly."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.db import connection

from tasks.models.joined import Columns

from .models import User


class PlainBackend(ModelBackend):
    """Django's own, but that the look-up by key is not put together anew each time."""

    def get_user(self, user_id: int) -> User | None:
        """The person, if they are active."""
        columns = Columns(User, "person")
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns} FROM annotators_user AS person WHERE id = %s", [user_id])  # noqa: S608
            row = cursor.fetchone()
        if row is None:
            return None
        user = columns.instance(row)
        return user if self.user_can_authenticate(user) else None
