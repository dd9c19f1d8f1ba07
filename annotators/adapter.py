"""allauth's switchboard, set to Evenhand's ways."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by leads and admins: nobody signs up alone."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never; the sign-up page isn't in the URLconf either."""
        return False
