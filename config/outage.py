"""Answer requests with 503, Retry-After and a page while the database is unavailable.

Every request that stores something is safe to repeat. The client gets the same answer to the second
request, whether the first was stored or not. So 503 with Retry-After is always correct.

Django calls its handler for status 500, here `server_error`, for every uncaught error, including
those in middleware. When a request times out waiting for a connection, the requests that follow
fail at once for a moment, instead of waiting for the same timeout.
"""

import logging
import sys
from collections.abc import Iterator
from time import monotonic

import psycopg
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.views.defaults import server_error as broken
from psycopg_pool import PoolTimeout

from config.embedded_postgres.programs import EmbeddedDatabaseError
from config.error_pages import error_page

RETRY_AFTER = 5  # seconds; a killed server is usually back by then
TELLING = 1.0  # seconds for which all requests fail fast after one timed out
# SQLSTATEs: the server shuts down, crashed, starts up, or has no connection left. Class 08, checked
# below, is a broken connection.
GOING = frozenset({"57P01", "57P02", "57P03", "53300"})

log = logging.getLogger(__name__)


class Outage(MiddlewareMixin):
    """Middleware that answers 503 at once while the database is known to be unavailable."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer 503 if a request has just timed out."""
        return unavailable(request) if last_wait.is_fresh() else None


class LastWait:
    """The last time a request found no connection, shared by all threads of the process."""

    until = 0.0

    def note(self) -> None:
        """Record a request that found no connection; log it once per outage."""
        if monotonic() > self.until + 60:
            log.error("the database is away; requests are answered with 503 until it is back")
        self.until = monotonic() + TELLING

    def is_fresh(self) -> bool:
        """Return True for TELLING seconds after `note`."""
        return monotonic() < self.until


last_wait = LastWait()


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Handle an uncaught error: answer 503 for an outage, Django's 500 for everything else."""
    error = sys.exception()
    if not is_outage(error):
        return broken(request)
    if any(isinstance(cause, (EmbeddedDatabaseError, PoolTimeout)) for cause in _causes(error)):
        last_wait.note()  # it never got a connection
    return unavailable(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return the 503 page in the browser's language, without using the database."""
    response = error_page(request, 503)
    response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


def is_outage(error: BaseException | None) -> bool:
    """Return True if the error, or one of its causes, means that the database can't be reached.

    A refused statement, a deadlock or a cancelled query does not count.
    """
    for cause in _causes(error):
        if isinstance(cause, EmbeddedDatabaseError):
            return True
        if isinstance(cause, psycopg.OperationalError):
            # libpq's own errors, for a connection that broke or was never made, have no SQLSTATE.
            state = cause.sqlstate
            return state is None or state.startswith("08") or state in GOING
    return False


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


class WithoutTraceback(logging.Filter):
    """A log filter that drops the traceback from Django's line about each 503."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop the traceback of a 503; let every record pass."""
        if getattr(record, "status_code", None) == 503:
            record.exc_info = None
        return True
