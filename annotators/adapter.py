"""allauth's switchboard, set to Evenhand's ways."""

from typing import ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
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

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never; the sign-up page isn't in the URLconf either."""
        return False
