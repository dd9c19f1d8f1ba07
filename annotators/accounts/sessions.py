"""Django's sessions in the database, each loaded with its user in one query instead of two.

settings.py names both classes. In a request:

1. `SessionStore.load` reads the session and its user.
2. `Authentication` sets `request.user` to that user if the session is valid, as it nearly always
   is. All other cases go through Django, such as changed keys and unknown backends.
3. After the view, it notes every five minutes that the session is in use, which extends it.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from annotators.models import Session, User
from config.web.raw_sql import Columns, one_row
from config.web.refused_writes import WritesRefused

NOTED_EVERY = timedelta(minutes=5)  # how often a session's last use is written
PERSON = Columns(User, "person")
LOAD = f"""
SELECT session.session_data, session.last_used, {PERSON}
FROM annotators_session AS session
  LEFT JOIN annotators_user AS person ON person.id = session.person_id
WHERE session.session_key = %s AND session.expire_date > %s
"""  # noqa: S608 - columns by their names


class SessionStore(DatabaseStore):
    """Django's session store, on a table with the user of each session."""

    # Set by `load`: the user, or None if nobody is logged in, and when the session was last used.
    person: User | None = None
    last_used: datetime | None = None
    is_only_used = False  # to be saved although nothing in it has changed

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def load(self) -> dict[str, Any]:
        """Return the stored data; nothing if the session has expired or does not exist."""
        row = one_row(LOAD, [self.session_key, timezone.now()])
        if row is None:
            self._session_key = None
            return {}
        data, self.last_used, *person = row
        self.person = PERSON.instance(person)
        stored = dict(self.decode(data))
        # Today's settings decide how long it lasts, not those at the log-in.
        stored.pop("_session_expiry", None)
        return stored

    def note_use(self, now: datetime) -> None:
        """Extend the session from now, if it was last used a while ago.

        A session that has changed is saved and extended by Django.
        """
        if self.last_used and not self.modified and now - self.last_used >= NOTED_EVERY:
            self.is_only_used = True
            self.modified = True  # so Django saves it

    def save(self, must_create: bool = False) -> None:
        """Save the session; if it was only used, when that was.

        The rest of its row is left alone then, because another request may have changed it.
        """
        if not self.is_only_used:
            return super().save(must_create)
        with suppress(WritesRefused):  # one can still read
            Session.objects.filter(pk=self.session_key).update(
                last_used=timezone.now(),
                expire_date=self.get_expiry_date(),
                person=self.get(SESSION_KEY),
            )

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row to store, with the session's user."""
        session = super().create_model_instance(data)
        assert isinstance(session, Session)
        session.person_id = data.get(SESSION_KEY)
        return session


class Authentication(AuthenticationMiddleware):
    """Django's middleware, with the user that a valid session was loaded with."""

    def process_request(self, request: HttpRequest) -> None:
        """Set `request.user`, which is looked up when it is read."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _user(request))  # type: ignore[assignment]  # a User when read

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Note that the session was used. Everything else is stored in it by now."""
        session = request.session
        assert isinstance(session, SessionStore)
        session.note_use(timezone.now())
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponseBase | None:
        """Give a view behind the log-in the user itself, not Django's lazy object.

        A page reads the user a hundred times. Each access through the lazy object costs more than
        the value that it reads.
        """
        if getattr(view, "login_required", True):
            request.user = _user(request)
        return None


def _user(request: HttpRequest) -> User | AnonymousUser:
    """Return the user of the request."""
    assert isinstance(request.session, SessionStore)
    return _valid_user(request.session) or get_user(request)


def _valid_user(session: SessionStore) -> User | None:
    """Return the session's user if Django would return the same one, else None.

    The password must be that of the log-in, and the account active.
    """
    user_key = session.get(SESSION_KEY)  # loads the session
    person = session.person
    if person is None:
        return None
    if not person.is_active:
        session.flush()  # for good: reactivating the account does not restore it
        return None
    digest = session.get(HASH_SESSION_KEY, "")
    is_valid = (
        user_key == str(person.pk)
        and session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(digest, person.get_session_auth_hash())
    )
    return person if is_valid else None
