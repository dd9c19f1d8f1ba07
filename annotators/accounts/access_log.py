"""The access log: log-ins, passwords and refusals.

Each event is one line of JSON, without a password.
"""

import json
import logging

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import handler429
from django.db.models import Value
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from annotators.models import User

log = logging.getLogger("evenhand.access")


def note(
    event: str,
    request: HttpRequest,
    *,
    account: User | None = None,
    tried: str = "",
    level: int = logging.INFO,
) -> None:
    """Log an event, with the account or the name that was tried, and the client's address.

    JSON escapes all but printable ASCII, so that nobody can forge a second line or overwrite
    the first.
    """
    said: dict[str, object] = {"event": event, "address": get_adapter().get_client_ip(request)}
    if account:
        said["account"] = account.pk
    elif tried:
        # Some type a password into the field for the name: a hash hides it and tells names apart.
        said["tried"] = salted_hmac("annotators.access", tried).hexdigest()[:12]
    log.log(level, "%s", json.dumps(said))


def known_as(name: str) -> User | None:
    """Return the user with this name or e-mail, in any case; a name comes before an e-mail."""
    if not name.strip():
        return None
    folded = Lower(Value(name.strip()))  # by the database's rules, as both are stored
    people = User.objects.alias(name=Lower("username"), address=Lower("email")).order_by("pk")
    return people.filter(name=folded).first() or people.filter(address=folded).first()


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Refuse a request over the rate limit, and log it. The account is not looked up."""
    note(
        f"refused: too many requests to {request.path}",
        request,
        tried=(request.POST.get("login") or request.POST.get("email") or ""),
        level=logging.WARNING,
    )
    return handler429(request)
