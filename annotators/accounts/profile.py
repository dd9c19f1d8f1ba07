"""The profile page: one's own settings, and the sessions that one may end.

The settings are how the pages look, and the keys of the desk.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY, logout
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.text import format_lazy
from django.utils.translation import get_language_from_request, gettext, gettext_lazy as _, ngettext
from django.views.decorators.http import require_http_methods

from annotators.keyboard import COMMANDS, USUAL, is_key, key_label
from annotators.models import Session, User, zones
from config.web.access_log import note
from config.web.decorators import redirect_get_to
from config.web.requests import Request
from rubrics.models import Rubric
from tasks.models import Project

from . import user_agents as agents
from .passwords import FocusesFault

CHOSEN = ("language", "theme", "text_size", "reading_width", "time_zone", "single_keys", "moves_on")
OTHERS = "others"  # the name of all sessions but this one
WORDS = {
    "skip": _("Skip the item"),
    "flag": _("Flag the item"),
    "best": _("Best answer to all questions of a row"),
    "pause": _("Pause and resume"),
    "view": _("Plain text or rendered"),
    "compare": _("Differences between the responses"),
    "look_up": _("Look up the selected claim"),
    "back": _("Go to the last rating and back"),
    "rubric": _("Show or hide the rubric"),
    "unsure": _("Mark the item as not sure"),
    "help": _("List of keys"),
}


def _key_field(command: str, key: str) -> forms.CharField:
    """Return the field for the key of a command."""
    missing = format_lazy(_("Enter a key. The default is {key}."), key=USUAL[command])
    attributes = {
        "size": 2,
        "autocomplete": "off",
        "autocapitalize": "characters",
        "spellcheck": "false",
    }
    return forms.CharField(
        label=WORDS[command],
        initial=key,
        error_messages={"required": missing},
        widget=forms.TextInput(attributes),
    )


class ProfileForm(FocusesFault, forms.ModelForm):
    """A user's own settings.

    The fields `key_…` are stored as the keys that differ from the usual ones.
    """

    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        # The second is what the list shows, so that "new york" finds its zone.
        choices=lambda: [(name, name.replace("_", " ")) for name in zones()],
        required=False,
        help_text=_(
            "Your day, for “today” and daily limits, starts at midnight there. Leave it empty to "
            "take your browser’s when you next sign in."
        ),
        error_messages={
            "invalid_choice": _(
                "“%(value)s” is not in the list. Type a large city near you and choose its zone, "
                "for example Europe/Berlin."
            )
        },
        widget=forms.TextInput({"list": "zones", "spellcheck": "false"}),
    )

    class Meta:
        model = User
        fields = CHOSEN
        labels = {
            "language": _("Language"),
            "theme": _("Colours"),
            "text_size": _("Text size"),
            "reading_width": _("Text width"),
            "single_keys": _("Rate with single keys"),
            "moves_on": _("After a click on a score, go to the next row"),
        }
        help_texts = {
            "language": _("Rubrics and items stay in their own language."),
            "theme": _("If your system asks for more contrast, every choice has it."),
            "reading_width": _("As far as the window has room."),
            "single_keys": _(
                "Switch this off if you dictate, or press keys by accident. You can "
                "still use Tab, the arrow keys, Ctrl or Cmd + Enter to submit, and "
                "Esc."
            ),
            "moves_on": _("The next row or response comes by itself, as after a score by key."),
        }
        widgets = dict.fromkeys(
            ("language", "theme", "text_size", "reading_width"), forms.RadioSelect
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        keys = self.instance.keys.by_command()
        for command in COMMANDS:
            self.fields[f"key_{command}"] = _key_field(command, keys[command])

    def clean(self) -> None:
        """Write the keys as on a keyboard, and refuse invalid ones with a reason each."""
        super().clean()
        cleaned = self.cleaned_data
        keys = {}
        for command in COMMANDS:
            if f"key_{command}" in cleaned:
                keys[command] = key_label(cleaned[f"key_{command}"])
        times = Counter(keys.values())
        letters = self._letters()
        for command, key in keys.items():
            cleaned[f"key_{command}"] = key
            if not is_key(key):
                fault = gettext(
                    "“%(key)s” can’t be used. Enter one letter or sign. Digits "
                    "are for scores, and + and - are not possible."
                )
            elif times[key] > 1:
                fault = gettext("%(key)s is used twice. Each command needs its own key.")
            elif key in letters and key != USUAL[command]:
                fault = gettext("%(key)s is the key for “%(check)s” in %(rubric)s. Choose another.")
            else:
                continue
            check, rubric = letters.get(key, ("", ""))
            self.add_error(f"key_{command}", fault % {"key": key, "check": check, "rubric": rubric})

    def _letters(self) -> dict[str, tuple[str, str]]:
        """Return check and rubric by the check's letter, for every rubric the user rates by."""
        projects = Project.objects.rated_by(self.instance)
        letters = {}
        for rubric in Rubric.objects.filter(pk__in=projects.values("rubric")):
            for dimension in rubric.schema.dimensions:
                for check in dimension.lettered_checks:
                    if check.key:
                        letters[key_label(check.key)] = (check.wording, rubric.schema.title)
        return letters

    def save(self, commit: bool = True) -> User:
        """Store the settings and no other field of the user."""
        user: User = self.instance
        user.own_keys = {}
        for command in COMMANDS:
            key = self.cleaned_data[f"key_{command}"]
            if key != USUAL[command]:
                user.own_keys[command] = key
        user.save(update_fields=[*CHOSEN, "own_keys"])
        return user


@dataclass(frozen=True)
class ValidSession:
    """A valid session as the page shows it."""

    key: str
    agent: str  # in words
    first_seen: datetime | None  # None if the session began before this was noted
    last_used: datetime
    is_this: bool

    @property
    def name(self) -> str:
        """A name that stands for the key, which nobody should read on a page."""
        return salted_hmac("annotators.accounts.own_sessions", self.key).hexdigest()[:32]


def valid_sessions(request: Request) -> list[ValidSession]:
    """Return the valid sessions of the user, this one first, then by last use."""
    now_valid = request.user.get_session_auth_hash()
    sessions = []
    for row in Session.objects.filter(person=request.user, expire_date__gt=timezone.now()):
        stored = row.get_decoded()
        if constant_time_compare(stored.get(HASH_SESSION_KEY, ""), now_valid):
            since = stored.get("since")
            agent = agents.in_words(stored.get("agent", ""))
            session = ValidSession(
                key=row.pk,
                agent=agent or gettext("Unknown browser"),
                first_seen=datetime.fromisoformat(since) if since else None,
                last_used=row.last_used,
                is_this=row.pk == request.session.session_key,
            )
            sessions.append(session)
    sessions.sort(key=lambda session: session.last_used, reverse=True)
    sessions.sort(key=lambda session: not session.is_this)
    return sessions


@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: Request) -> HttpResponse:
    """Show and store the current user's settings."""
    # Not request.user: a form that is refused must not change how its own page looks.
    user = User.objects.get(pk=request.user.pk)
    form = ProfileForm(request.POST if request.method == "POST" else None, instance=user)
    if form.is_valid():
        form.save()
        translation.activate(user.language or get_language_from_request(request))
        messages.success(request, gettext("Saved. If you are rating in another tab, reload it."))
        return redirect("annotators:profile")
    context = {
        "form": form,
        "keys": [form[f"key_{command}"] for command in COMMANDS],
        "sessions": valid_sessions(request),
        "hours": settings.SESSION_COOKIE_AGE // 3600,
    }
    return render(request, "annotators/profile.html", context)


@redirect_get_to("annotators:profile")
def end_session(request: Request) -> HttpResponse:
    """End one of one's other sessions, by its name, or all of them.

    The first of several requests at once acts, perhaps from several sessions. The others find
    nothing left to do.
    """
    name = request.POST.get("session")
    with transaction.atomic():
        User.objects.select_for_update().get(pk=request.user.pk)
        sessions = valid_sessions(request)
        is_valid = any(session.is_this for session in sessions)
        chosen = []
        if is_valid:
            others = [session for session in sessions if not session.is_this]
            chosen = [session for session in others if name in (OTHERS, session.name)]
        if not chosen and name != OTHERS:
            raise Http404(gettext("This sign-in no longer exists."))
        Session.objects.filter(pk__in=[session.key for session in chosen]).delete()
    notice = gettext("Done: you are signed in nowhere else.")
    if chosen:
        note(f"sessions ended: {len(chosen)}", request, account=request.user)
        notice = ngettext(
            "Signed out on %d other device.", "Signed out on %d other devices.", len(chosen)
        ) % len(chosen)
    elif not is_valid:
        logout(request)
        notice = gettext("Done: this device was signed out by another of yours.")
    messages.success(request, notice)
    return redirect("annotators:profile")
