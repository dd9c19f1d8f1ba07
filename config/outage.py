"""What a request gets while the database is away: status 503, when to come back, and a page that
says so.

Every address that stores something may be sent again, so 503 with Retry-After is the whole truth:
whoever sends the same once more gets the same answer, whether the first was stored or not.

An error comes to `server_error` from wherever it arose, middleware included, since Django asks its
handler for status 500 about all of them. A request that waited in vain for a connection tells those
after it: they are answered at once, for a moment, instead of waiting in line to find out the same.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from time import monotonic

import psycopg
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.defaults import server_error as broken
from psycopg_pool import PoolTimeout

from config.embedded_postgres.programs import EmbeddedDatabaseError
from config.error_pages import error_page

RETRY_AFTER = 5  # seconds; a killed server is back by then, mostly
TELLING = 1.0  # seconds for which one request's wait in vain stands for all others'
# SQLSTATE: the server shuts down, crashed, starts up, or has no connection left. Class 08: the line
# broke.
GOING = frozenset({"57P01", "57P02", "57P03", "53300"})

log = logging.getLogger(__name__)


class Outage:
    """Answer at once while the database is known to be away."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or say when to come back."""
        return unavailable(request) if last_wait.is_fresh() else self.get_response(request)


class LastWait:
    """When a request last waited in vain for a connection. One for the process, with many
    threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0

    def note(self) -> None:
        """It was just now. Says so in the log, once for an outage."""
        with self._lock:
            begins = monotonic() > self._until + 60
            self._until = monotonic() + TELLING
        if begins:
            log.error("the database is away; requests are answered with 503 until it is back")

    def is_fresh(self) -> bool:
        """Whether it was a moment ago."""
        return monotonic() < self._until

    def forget(self) -> None:
        """Start anew."""
        self._until = 0.0


last_wait = LastWait()


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Django's handler for uncaught errors: that of an outage, or the page for everything else."""
    error = sys.exception()
    if not is_outage(error):
        return broken(request)
    if not had_connection(error):
        last_wait.note()
    return unavailable(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """The page, in the browser's language. It asks the database nothing."""
    response = error_page(request, 503)
    response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


def is_outage(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, says that the database can't be reached: not
    that it refused something, met a deadlock, or gave up a query."""
    for cause in _causes(error):
        if isinstance(cause, EmbeddedDatabaseError):
            return True
        if isinstance(cause, psycopg.OperationalError):
            # libpq's own errors, of a line that broke or was never there, carry no SQLSTATE.
            state = cause.sqlstate
            return state is None or state.startswith("08") or state in GOING
    return False


def had_connection(error: BaseException | None) -> bool:
    """Whether the error came on a connection that had been got, and was lost then."""
    return not any(
        isinstance(cause, (EmbeddedDatabaseError, PoolTimeout)) for cause in _causes(error)
    )


def _causes(error: BaseException | None) -> list[BaseException]:
    found = []
    while error is not None:
        found.append(error)
        error = error.__cause__
    return found


class WithoutTraceback(logging.Filter):
    """Keeps Django's line about each 503, and leaves its traceback out: a hundred of them say no
    more."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let everything pass."""
        if getattr(record, "status_code", None) == 503:
            record.exc_info = None
        return True
