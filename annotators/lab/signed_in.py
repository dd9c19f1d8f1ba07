"""How somebody signed in: by the lab's provider, or otherwise."""

from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.http import HttpRequest

from annotators.models import User


def came_by_lab(request: HttpRequest, user: User) -> bool:
    """Return True if the provider recognized the user in this session."""
    records = get_authentication_records(request, user)
    return any(record.get("method") == "socialaccount" for record in records)


def asks_second_factor(request: HttpRequest, user: User) -> bool:
    """Return True if the user's second factor is asked for: the lab's provider asks for its own."""
    provider = settings.LAB_PROVIDER
    if provider is None or provider.asks_second_factor:
        return True
    return not came_by_lab(request, user)
