"""allauth's adapter for sign-ins by a provider, with Evenhand's rules."""

from collections.abc import Mapping
from typing import NoReturn

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, Provider
from django.db import IntegrityError
from django.http import HttpRequest

from config.web.access_log import note

from .people import join_account, renew_account
from .refusals import SignInFault, SignInRefused
from .site_provider import site_provider


class LabAdapter(DefaultSocialAccountAdapter):
    """An adapter for the one provider that the settings name."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return nothing: no table adds a provider. `sign_in.Provider` reads the settings."""
        return []

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find, join or make the account of a person whose token was checked."""
        provider, claims = site_provider(), sociallogin.claims
        if provider.domains and not claims.confirmed_email:
            raise SignInRefused(SignInFault.UNCONFIRMED)
        if not provider.admits(claims.confirmed_email):
            raise SignInRefused(SignInFault.DOMAIN)
        if not sociallogin.is_existing:
            try:
                sociallogin.user = join_account(provider, claims, sociallogin.account)
            except IntegrityError:  # the same person comes twice at once, for the first time
                raise SignInRefused(SignInFault.STALE) from None
            note("account joined with the lab's", request, account=sociallogin.user)
        if not sociallogin.user.is_active:
            raise SignInRefused(SignInFault.INACTIVE)
        renew_account(provider, claims, sociallogin.user)
        sociallogin.user.set_first_time_zone(sociallogin.state["data"])

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: str = AuthError.UNKNOWN,
        exception: Exception | None = None,
        extra_context: Mapping[str, object] | None = None,
    ) -> NoReturn:
        """Refuse the sign-in for the reason that fits what allauth caught."""
        from .sign_in import reason_of  # it loads much: see `views`

        if exception is None and "state_id" in (extra_context or {}):
            raise SignInRefused(SignInFault.STALE)
        raise SignInRefused(reason_of(error, exception))
