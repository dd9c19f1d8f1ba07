"""Log-ins: Django's sessions in the database, and with each the person it is of, found in one
statement.

Who asks for anything but a file is looked up at every request, and nearly always the look-up finds
what is in order. Whatever is not goes Django's own way: keys that changed, backends that are none,
people who were deactivated.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from annotators.backends import PERSON
from annotators.models import Session, User

NOTED_EVERY = timedelta(minutes=5)  # that it was used: no request but one in these minutes writes
LOAD = f"""
SELECT session.session_data, session.last_used, {PERSON}
FROM annotators_session AS session LEFT JOIN annotators_user AS person ON person.id = session.person_id
WHERE session.session_key = %s AND session.expire_date > %s
"""  # noqa: S608 - columns by their names


class SessionStore(DatabaseStore):
    """Django's store, over a table that says whose each session is. `person`: whose this was when
    it was loaded; None where nobody is logged in by it, or nobody is known to be."""

    person: User | None = None
    last_used: datetime | None = None
    only_used = False

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def load(self) -> dict[str, Any]:
        """What is stored in it; nothing where it is over, or none."""
        with connection.cursor() as cursor:
            cursor.execute(LOAD, [self.session_key, timezone.now()])
            row = cursor.fetchone()
        if row is None:
            self._session_key = None
            return {}
        data, self.last_used, *person = row
        self.person = PERSON.instance(person)
        stored = dict(self.decode(data))
        # How long it lasts is for today's settings to say, not for those at the log-in.
        stored.pop("_session_expiry", None)
        return stored

    def note_use(self, now: datetime) -> None:
        """Have it last anew from now, where nothing else is stored and the last use was a while
        ago."""
        if self.last_used and not self.modified and now - self.last_used >= NOTED_EVERY:
            self.only_used = self.modified = True

    def save(self, must_create: bool = False) -> None:
        """Store it. Of one that was only used, no more than that: another request may have changed
        it."""
        if not self.only_used:
            return super().save(must_create)
        Session.objects.filter(pk=self.session_key).update(
            last_used=timezone.now(),
            expire_date=self.get_expiry_date(),
            person=self.get(SESSION_KEY),
        )

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """What is stored, and whose it is."""
        session = super().create_model_instance(data)
        assert isinstance(session, Session)
        session.person_id = data.get(SESSION_KEY)
        return session


class Authentication(AuthenticationMiddleware):
    """Django's, but that whoever comes with a session in order is known already."""

    def process_request(self, request: HttpRequest) -> None:
        """Give the request its user, looked up when it is asked for."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _user(request))  # type: ignore[assignment]  # a User when read

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Note that the session was used. Whatever else is stored in it was put there by now."""
        session = request.session
        assert isinstance(session, SessionStore)
        session.note_use(timezone.now())
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponseBase | None:
        """Where a view asks for a log-in, give it the person themself, whom a page looks at a
        hundred times: each look through Django's lazy object costs more than what is looked at."""
        if getattr(view, "login_required", True):
            request.user = _user(request)
        return None


def _user(request: HttpRequest) -> User | AnonymousUser:
    """Who asks."""
    found: User | AnonymousUser = _in_order(request.session) or get_user(request)
    return found


def _in_order(session: Any) -> User | None:
    """Whose session it is, where Django would find the same: the password is that of the log-in,
    and the account is open."""
    logged_in, backend = session.get(SESSION_KEY), session.get(BACKEND_SESSION_KEY)
    person: User | None = session.person
    if person is not None and not person.is_active:
        session.flush()  # for good: it does not come back with the account
        return None
    if (
        person is not None
        and logged_in == str(person.pk)
        and backend in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())
    ):
        return person
    return None
