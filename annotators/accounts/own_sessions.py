"""A user's own sessions, for them to see and to end."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _, ngettext

from annotators.models import Session
from config.web.decorators import redirect_get_to
from config.web.requests import Request

from . import user_agents as agents
from .access_log import note

OTHERS = "others"


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session as its owner sees it."""

    key: str
    name: str  # stands for the key, which nobody should read on a page
    agent: str
    first_seen: datetime | None  # None if the session began before this was noted
    last_used: datetime
    is_this: bool


def own_sessions(request: Request) -> list[OwnSession]:
    """Return the valid sessions, this one first, then by last use."""
    now_valid = request.user.get_session_auth_hash()
    found = []
    for row in Session.objects.filter(person=request.user, expire_date__gt=timezone.now()):
        stored = row.get_decoded()
        if constant_time_compare(stored.get(HASH_SESSION_KEY, ""), now_valid):
            since, agent = stored.get("since"), stored.get("agent", "")
            found.append(
                OwnSession(
                    key=row.pk,
                    name=salted_hmac("annotators.accounts.own_sessions", row.pk).hexdigest()[:32],
                    agent=agents.in_words(agent) or _("Unknown browser"),
                    first_seen=datetime.fromisoformat(since) if since else None,
                    last_used=row.last_used,
                    is_this=row.pk == request.session.session_key,
                )
            )
    return sorted(found, key=lambda each: (not each.is_this, -each.last_used.timestamp()))


@redirect_get_to("annotators:profile")
def end(request: Request) -> HttpResponse:
    """End one of one's other sessions, by its name, or all of them."""
    which = request.POST.get("session")
    chosen = [
        each for each in own_sessions(request) if which in (OTHERS, each.name) and not each.is_this
    ]
    if not chosen and which != OTHERS:
        raise Http404(_("This sign-in no longer exists."))
    Session.objects.filter(pk__in=[each.key for each in chosen]).delete()
    note(f"sessions ended: {len(chosen)}", request, account=request.user)
    said = ngettext(
        "Signed out on %d other device.", "Signed out on %d other devices.", len(chosen)
    )
    messages.success(request, said % len(chosen))
    return redirect("annotators:profile")
