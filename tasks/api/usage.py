"""Calls are counted in each process, and added to one table once a minute and at its end.

So a call writes nothing for it. The page of tokens says “about”.
"""

import atexit
import logging
from threading import Lock, Timer

from django.conf import settings
from django.db import close_old_connections, connections
from django.http import HttpRequest
from django.utils import timezone

from tasks.models import ApiUsage
from tasks.models.api_usage import UsageCount, UsageKey

REFUSED = 400  # a status from here on
log = logging.getLogger(__name__)


class Counter:
    """The calls that this process has answered and not stored yet."""

    def __init__(self) -> None:
        self._counts: dict[UsageKey, UsageCount] = {}
        self._lock = Lock()
        self._timer: Timer | None = None

    def count(self, request: HttpRequest, status: int, reason: str = "", *, calls: int = 1) -> None:
        """Count a call whose token is known, and see to it that it is stored within a minute.

        `calls`: 0 for rows that came after the call was counted.
        """
        token = getattr(request, "token_key", None)
        match = request.resolver_match
        if token is None or match is None:
            return
        now = timezone.now()
        key = UsageKey(token, match.url_name or "", status, now.date())
        with self._lock:
            count = self._counts.setdefault(key, UsageCount(last=now))
            count.calls += calls
            count.rows += getattr(request, "row_count", 0)
            count.last = now
            count.reason = reason
            if self._timer is None and settings.API_USAGE_SECONDS:
                self._timer = Timer(settings.API_USAGE_SECONDS, self._store_later)
                self._timer.daemon = True
                self._timer.start()

    def store(self) -> None:
        """Add to the table what was counted. If that fails, it stays for the next time."""
        with self._lock:
            counts, self._counts = self._counts, {}
            self._timer = None
        if not counts:
            return
        try:
            ApiUsage.objects.add(counts)
        except Exception:  # the database is away, or takes nothing new
            log.exception("Calls of the API are stored later")
            with self._lock:
                for key, count in counts.items():
                    known = self._counts.setdefault(key, count)
                    if known is not count:
                        known.calls += count.calls
                        known.rows += count.rows

    def _store_later(self) -> None:
        """Store in a thread of its own, which has a connection of its own."""
        close_old_connections()
        try:
            self.store()
        finally:
            connections.close_all()


counter = Counter()


@atexit.register
def _store_at_end() -> None:
    if settings.API_USAGE_SECONDS:
        counter.store()
