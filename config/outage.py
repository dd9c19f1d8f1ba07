"""Answer requests with 503, Retry-After and a page while the database is unavailable.

A database that can be read but takes nothing new is unavailable too, for what stores something.

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
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.views.defaults import server_error as broken
from psycopg_pool import PoolTimeout

from config.embedded_postgres.programs import EmbeddedDatabaseError
from config.error_pages import error_page
from config.web.problems import is_call, problem_of_status
from config.web.refused_writes import is_refusal

RETRY_AFTER = 5  # seconds; a killed server is usually back by then
RETRY_WRITES_AFTER = 60  # seconds; somebody has to act
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
    """Handle an uncaught error: 503 for an outage, 400 for half a body, else Django's 500."""
    error = sys.exception()
    if isinstance(error, UnreadablePostError):
        return error_page(request, 400)
    if any(map(is_refusal, _causes(error))):
        # Not every browser still has what was entered if one goes back; the page has it. A file, it
        # can't have, and a password, it should not.
        sent = not request.FILES and not any("password" in name for name in request.POST)
        return unavailable(
            request, RETRY_WRITES_AFTER, refused=True, sent=sent and list(request.POST.lists())
        )
    if not is_outage(error):
        return problem_of_status(500) if is_call(request) else broken(request)
    if any(isinstance(cause, (EmbeddedDatabaseError, PoolTimeout)) for cause in _causes(error)):
        last_wait.note()  # it never got a connection
    return unavailable(request)


def unavailable(request: HttpRequest, after: int = RETRY_AFTER, **context: object) -> HttpResponse:
    """Return the 503 page in the browser's language, without using the database."""
    response = error_page(request, 503, **context)
    response.headers["Retry-After"] = str(after)
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
    """A log filter that leaves one line of what Django says of each response but a 500."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the reason of a 503 in place of its traceback; let every record pass.

        A visitor's mistake is no error of ours, and needs no reason.
        """
        status = getattr(record, "status_code", 500)
        if status < 500 and record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if status != 500:
            reason = f" ({record.exc_info[1]})" if status == 503 and record.exc_info else ""
            record.msg = " ".join(f"{record.getMessage()}{reason}".split())
            record.args, record.exc_info = (), None
        return True
