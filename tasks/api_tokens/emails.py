"""The e-mail about a token that ends within a week. The worker sends it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import translation

from tasks.models import ApiToken, Project
from tasks.people.emails import deliver, plain_line

AT_ONCE = 20  # e-mails; then other work has its turn
AGAIN = timedelta(hours=1)  # after one that did not leave


def announce_ends(now: datetime) -> bool:
    """Send the e-mails about tokens that end soon. Return True if there are more.

    One that does not leave is tried again in an hour.
    """
    due = ApiToken.objects.to_announce(now)
    keys = list(due.values_list("pk", flat=True)[: AT_ONCE + 1])
    for key in keys[:AT_ONCE]:
        with transaction.atomic():
            # Another worker, which has locked it, sends it.
            query = due.select_related("owner", "project").filter(pk=key)
            token = query.select_for_update(of=("self",), skip_locked=True).first()
            if token is None:
                continue
            with translation.override(token.owner.language or settings.LANGUAGE_CODE):
                fault = _send(token)
            token.announce_at = now + AGAIN if fault else None
            token.save(update_fields=["announce_at"])
    return len(keys) > AT_ONCE


def _send(token: ApiToken) -> str:
    """Send the e-mail. Return "" or why it did not leave."""
    page = ""
    project = token.project or Project.objects.led_by(token.owner).order_by("title", "pk").first()
    if project is not None:
        page = settings.SITE_URL + reverse("tasks:tokens", args=[project.slug])
    context = {
        "name": plain_line(token.name),
        "project": plain_line(token.project.title) if token.project else "",
        "ends": token.expires_at,
        "page": page,
        "site": settings.SITE_URL,
    }
    return deliver("token", context, token.owner.email, None)
