"""The accounts of people who come by the lab's provider."""

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.utils.translation import get_supported_language_variant

from annotators.models import User
from annotators.names import free_name
from config.lab_provider import LabProvider

from .claims import Claims
from .refusals import SignInFault, SignInRefused


@transaction.atomic
def join_account(provider: LabProvider, claims: Claims, link: SocialAccount) -> User:
    """Return the account with the confirmed address, or a new one, linked to the person.

    An address that the provider has not confirmed opens nothing: whoever entered it there may not
    have it. The addresses of accounts here are known: admins enter them, or an invitation went
    there.
    """
    address = claims.confirmed_email
    if not address:
        raise SignInRefused(SignInFault.UNCONFIRMED)
    account = User.objects.filter(email__iexact=address).first()
    if account is None:
        account = _make_account(provider, claims)
    elif not account.is_active:
        raise SignInRefused(SignInFault.INACTIVE)
    link.user = account
    link.save()
    return account


def _make_account(provider: LabProvider, claims: Claims) -> User:
    """Make an account for an address in an allowed domain, or for who may start projects."""
    if not provider.domains and not claims.may_lead:
        raise SignInRefused(SignInFault.UNKNOWN)
    address = claims.confirmed_email
    full_name = f"{claims.first_name} {claims.last_name}"
    account = User(
        username=free_name((claims.username, full_name, address)),
        email=address,
    )
    account.set_unusable_password()
    account.save()
    return account


def renew_account(provider: LabProvider, claims: Claims, account: User) -> None:
    """Take over what the provider says: name and language where none is known, and who may lead.

    Nobody needs a password that an admin handed out any more: it stops working.
    """
    account.first_name = account.first_name or claims.first_name[:150]
    account.last_name = account.last_name or claims.last_name[:150]
    account.language = account.language or language_of_locale(claims.locale)
    if provider.lead_claim:
        account.may_start_projects = claims.may_lead
    if account.must_change_password:
        account.must_change_password = False
        account.set_unusable_password()
    account.save(
        update_fields=[
            *("first_name", "last_name", "language", "may_start_projects"),
            *("must_change_password", "password"),
        ]
    )


def language_of_locale(locale: str) -> str:
    """Return the language of the interface for a locale such as de-AT, or ""."""
    try:
        language = get_supported_language_variant(locale.replace("_", "-").lower())
    except LookupError:
        return ""
    return language if language in dict(settings.LANGUAGES) else ""
