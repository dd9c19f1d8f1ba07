"""Reasons why nobody was signed in by the lab's provider, and the page that says them."""

import logging
from http import HTTPStatus

from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from config.web.access_log import note

from .site_provider import site_provider


class SignInFault(models.TextChoices):
    """A fault that was in the way. The label says it on the page, and what to do."""

    AWAY = (
        "away",
        _(
            "%(provider)s is not answering right now, so nobody can be recognized by it. Try again "
            "in a few minutes. If this lasts, tell whoever runs this site."
        ),
    )
    STALE = (
        "stale",
        _(
            "This sign-in was started more than ten minutes ago, in another browser, or is "
            "finished already. Start again."
        ),
    )
    CANCELED = (
        "canceled",
        _("%(provider)s reports that you stopped the sign-in. Start again when you are ready."),
    )
    DECLINED = (
        "declined",
        _(
            "%(provider)s did not sign you in. Try again. If it happens again, ask whoever runs "
            "%(provider)s to let you use this site."
        ),
    )
    CODE = (
        "code",
        _(
            "%(provider)s did not confirm this sign-in. Start again. If it happens again, tell "
            "whoever runs this site."
        ),
    )
    CLIENT = (
        "client",
        _(
            "%(provider)s does not accept this site. Tell whoever runs this site: its name or "
            "secret at the provider is wrong."
        ),
    )
    NONCE = (
        "nonce",
        _(
            "The answer of %(provider)s belongs to another sign-in, so it was not trusted. Start "
            "again. If it happens again, tell whoever runs this site."
        ),
    )
    EXPIRED = (
        "expired",
        _(
            "The answer of %(provider)s came too late. Start again. If it happens again, tell "
            "whoever runs this site that the clocks may differ."
        ),
    )
    EARLY = (
        "early",
        _(
            "The answer of %(provider)s is dated in the future. Start again. If it happens again, "
            "tell whoever runs this site that the clocks differ."
        ),
    )
    AUDIENCE = (
        "audience",
        _(
            "The answer of %(provider)s is meant for another site, so it was not trusted. Start "
            "again. If it happens again, tell whoever runs this site."
        ),
    )
    SIGNATURE = (
        "signature",
        _(
            "The answer is not signed with a key of %(provider)s, so it was not trusted. Start "
            "again. If it happens again, tell whoever runs this site."
        ),
    )
    INCOMPLETE = (
        "incomplete",
        _(
            "The answer of %(provider)s lacks something, so it was not trusted. Tell whoever runs "
            "this site."
        ),
    )
    UNCONFIRMED = (
        "unconfirmed",
        _(
            "%(provider)s has not confirmed your e-mail address. Confirm it there, then sign in "
            "again."
        ),
    )
    DOMAIN = (
        "domain",
        _(
            "Your e-mail address is not one of those that may sign in by %(provider)s. Ask whoever "
            "leads your project for an invitation to another address."
        ),
    )
    UNKNOWN = (
        "unknown",
        _(
            "No account here has your e-mail address. Ask whoever leads your project for an "
            "invitation."
        ),
    )
    INACTIVE = (
        "inactive",
        _(
            "Nobody can sign in with your account now. Your ratings stay saved. Ask the lead of "
            "your project, or whoever runs this site, to activate it."
        ),
    )


# The provider's own faults; all others are refusals.
FAULTS = {
    SignInFault.AWAY: HTTPStatus.SERVICE_UNAVAILABLE,
    SignInFault.CLIENT: HTTPStatus.BAD_GATEWAY,
}


class SignInRefused(Exception):
    """Nobody is signed in, for a reason."""

    def __init__(self, reason: SignInFault) -> None:
        super().__init__(reason.value)
        self.reason = reason


def refusal_page(request: HttpRequest, reason: SignInFault) -> HttpResponse:
    """Return the page that says what happened and what to do, and log it."""
    note(f"lab sign-in refused: {reason.value}", request, level=logging.WARNING)
    text = str(reason.label) % {"provider": site_provider().name}
    status = FAULTS.get(reason, HTTPStatus.FORBIDDEN)
    return render(request, "account/lab_refused.html", {"text": text}, status=status)
