"""allauth's switchboard, set to Evenhand's ways."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotators.models import User
from tasks.models import Lease


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by leads and admins: nobody signs up alone."""

    error_messages: ClassVar = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("No account has this name or e-mail with this password."),
        "email_password_mismatch": _("No account has this name or e-mail with this password."),
    }

    def logout(self, request: HttpRequest) -> None:
        """What someone holds goes back to the queue when they leave."""
        if isinstance(request.user, User):
            Lease.objects.give_back(request.user, now=timezone.now())
        super().logout(request)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the address in a letter. It begins with the site's own, whatever host was asked for."""
        uid, _hyphen, token = key.partition("-")
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": token})
        return f"{settings.SITE_URL}{path}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a letter that names the site, not the host that was asked for."""
        site = {"name": "Evenhand", "domain": urlsplit(settings.SITE_URL).netloc}
        super().send_mail(template_prefix, email, {**context, "current_site": site})

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never; the sign-up page isn't in the URLconf either."""
        return False
