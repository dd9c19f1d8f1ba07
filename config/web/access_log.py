"""The access log: log-ins, passwords, tokens and refusals.

Each event is one line of JSON, without a password or a token.
"""

import json
import logging

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from config.web.people import User

log = logging.getLogger("evenhand.access")


def client_ip(request: HttpRequest) -> str:
    """Return the address of the client."""
    return str(get_adapter().get_client_ip(request))


def note(
    event: str,
    request: HttpRequest,
    *,
    account: User | None = None,
    typed_name: str = "",
    level: int = logging.INFO,
) -> None:
    """Log an event, with the account or the name that was tried, and the client's address."""
    note_of(event, client_ip(request), account=account, typed_name=typed_name, level=level)


def note_of(
    event: str,
    address: str,
    *,
    account: User | None = None,
    typed_name: str = "",
    level: int = logging.INFO,
) -> None:
    """Log what a client at this address caused, perhaps a while ago.

    JSON escapes all but printable ASCII, so that nobody can forge a second line or overwrite
    the first.
    """
    entry: dict[str, str | int] = {"event": event, "address": address}
    if account:
        entry["account"] = account.pk
    elif typed_name:
        # Some type a password into the field for the name: a hash hides it and tells names apart.
        entry["tried"] = salted_hmac("annotators.access", typed_name).hexdigest()[:12]
    log.log(level, "%s", json.dumps(entry))
