"""allauth's account adapter with Evenhand's rules."""

import logging
import math
import time
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.core.internal.ratelimit import get_cache_key, get_rates, handler429, truncate_ip
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.db.models import Value
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _, ngettext

from annotators.accounts import user_agents as agents
from annotators.lab.signed_in import came_by_lab
from annotators.models import User
from config.web.access_log import note
from tasks.models import Lease


def find_user(name: str) -> User | None:
    """Return the user with this name or e-mail, in any case; a name comes before an e-mail."""
    if not name.strip():
        return None
    folded = Lower(Value(name.strip()))  # by the database's rules, as both are stored
    people = User.objects.alias(name=Lower("username"), address=Lower("email"))
    people = people.order_by("pk")
    by_name = people.filter(name=folded).first()
    return by_name or people.filter(address=folded).first()


def minutes_to_wait(request: HttpRequest, action: str, key: str) -> int:
    """Return the minutes until a limit lets another try through, at least one."""
    app = "allauth.account"
    ends = [time.time() + 1]
    for rate in get_rates(app=app, action=action):
        cache_key = get_cache_key(request, app=app, action=action, rate=rate, key=key)
        tries = cache.get(cache_key, [])
        if len(tries) >= rate.amount:
            ends.append(tries[-1] + rate.duration)  # the oldest comes last
    return math.ceil((max(ends) - time.time()) / 60)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Refuse a request over the rate limit, and log it. The account is not looked up."""
    name = request.POST.get("login") or request.POST.get("email") or ""
    event = f"refused: too many requests to {request.path}"
    note(event, request, typed_name=name, level=logging.WARNING)
    return handler429(request)


def _typed_name(credentials: Mapping[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")


class AccountAdapter(DefaultAccountAdapter):
    """An adapter for accounts that leads and admins make. The URLconf has no sign-up."""

    error_messages: ClassVar = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("No account has this name or e-mail with this password."),
        "email_password_mismatch": _("No account has this name or e-mail with this password."),
        "enter_current_password": _("This is not your password."),
        "incorrect_password": _("This is not your password."),
    }

    def logout(self, request: HttpRequest) -> None:
        """Log out, and return the user's items to the queue."""
        if isinstance(request.user, User):
            Lease.objects.give_back(request.user, now=timezone.now())
        super().logout(request)

    def set_password(self, user: User, password: str) -> None:
        """Store the password that a user chose. It is their own from now on."""
        user.must_change_password = False
        super().set_password(user, password)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return the start page: the page of the form says nothing new."""
        return reverse("annotators:home")

    def is_safe_url(self, url: str) -> bool:
        """Allow only a path of this site as the next page. allauth fails at what is no address."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    # --- log-ins ---

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, as IPv4 if the server listens on IPv6 and maps it.

        An invalid header from a proxy is ignored, so that it locks nobody out.
        """
        try:
            address = ip_address(super().get_client_ip(request).strip("[]"))
        except (PermissionDenied, ImproperlyConfigured, ValueError):
            return str(request.META.get("REMOTE_ADDR", ""))
        return str(getattr(address, "ipv4_mapped", None) or address)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count failures by what was entered and client address, so a stranger locks nobody out.

        allauth counts them from any address. A count by account would tell which e-mail goes with
        which name.
        """
        name = _typed_name(credentials).strip().lower()
        return f"{name} {truncate_ip(self.get_client_ip(request))}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a log-in after too many failures, log it, and say how long to wait."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            self._note_name("refused: too many failed log-ins", request, credentials)
            key = self._get_login_attempts_cache_key(request, **credentials)
            minutes = minutes_to_wait(request, "login_failed", key)
            text = ngettext(
                "Too many wrong passwords. Wait %d minute, then try again.",
                "Too many wrong passwords. Wait %d minutes, then try again.",
                minutes,
            )
            raise ValidationError(text % minutes, code=error.code) from None

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Log the failure, and write to the account's owner after many."""
        account = self._note_name("log-in failed", request, credentials)
        if not (account and account.is_active and account.email):
            return
        key = str(account.pk)
        if ratelimit.consume(request, action="guesses_of_account", key=key):
            return
        if ratelimit.consume(request, action="email_about_guesses", key=key):
            self._tell_of_guesses(request, account)

    def _note_name(
        self, event: str, request: HttpRequest, credentials: dict[str, Any]
    ) -> User | None:
        name = _typed_name(credentials)
        account = find_user(name)
        note(event, request, account=account, typed_name=name, level=logging.WARNING)
        return account

    def _tell_of_guesses(self, request: HttpRequest, account: User) -> None:
        """Write to the owner in their own language, not in that of the request."""
        context = {
            "user": account,
            "count": settings.GUESSES_BEFORE_EMAIL,
            "address": self.get_client_ip(request),
            "change_url": f"{settings.SITE_URL}{reverse('account_change_password')}",
        }
        with translation.override(account.language or settings.LANGUAGE_CODE):
            self.send_mail("account/email/guesses", account.email, context)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Log that a deactivated user came with the right password."""
        note("log-in refused: not active", request, account=user, level=logging.WARNING)
        return super().respond_user_inactive(request, user)

    def login(self, request: HttpRequest, user: User) -> None:
        """Log in, log it, and store the time zone and by what the owner recognises the session."""
        super().login(request, user)
        user.set_first_time_zone(request.POST.get("zone", ""))
        request.session["agent"] = request.headers.get("User-Agent", "")[: agents.LONGEST]
        request.session["since"] = timezone.now().isoformat()
        if settings.PASSWORDS == "everyone" or came_by_lab(request, user):
            note("log-in", request, account=user)
        else:
            note("log-in by a password that is left", request, account=user, level=logging.WARNING)

    # --- e-mails ---

    def send_notification_mail(
        self, template_prefix: str, user: User, *args: Any, **kwargs: Any
    ) -> None:
        """Log what happened to a password. allauth calls this after each change."""
        event = template_prefix.rpartition("/")[2].replace("_", " ")
        note(event, self.request, account=user)
        super().send_notification_mail(template_prefix, user, *args, **kwargs)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the URL for an e-mail, on the site's own host whatever host was requested."""
        uid, _hyphen, token = key.partition("-")
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": token})
        return f"{settings.SITE_URL}{path}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an e-mail that names the site, not the requested host."""
        site = {"name": "Evenhand", "domain": settings.SITE_URL}
        try:
            super().send_mail(template_prefix, email, {**context, "current_site": site})
        except OSError:
            # smtplib's errors too. An error page would show which e-mails have accounts.
            note("e-mail not sent", self.request, account=context.get("user"), level=logging.ERROR)
