"""The lab's own sign-in: a provider of OpenID Connect, as the environment names it."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import environment

# Only the browser on this machine can be reached by them, so nothing has to be encrypted.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# Whose password still opens the account.
PASSWORDS = ("everyone", "createsuperuser", "nobody")
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")


@dataclass(frozen=True)
class LabProvider:
    """A provider that knows the lab's people."""

    issuer: str  # its address, by which its tokens name it
    client_id: str
    secret: str = field(repr=False)
    name: str  # on the button
    # Of the addresses that may sign in; whoever has no account gets one. Empty: only accounts.
    domains: tuple[str, ...] = ()
    # The claim, and the value in it, of whoever may start projects.
    lead_claim: str = ""
    lead_value: str = ""
    asks_second_factor: bool = False

    def admits(self, address: str) -> bool:
        """Return True if the domain of the address may sign in."""
        return not self.domains or address.rpartition("@")[2].lower() in self.domains


def lab_provider() -> LabProvider | None:
    """Return the provider that OIDC_ISSUER names, or None."""
    issuer = environment.string("OIDC_ISSUER")
    if not issuer:
        for name in ("OIDC_CLIENT", "OIDC_DOMAINS", "OIDC_LEAD_CLAIM"):
            if environment.string(name):
                raise ImproperlyConfigured(f"{name} is set without OIDC_ISSUER; set both.")
        return None
    host = _host_of_issuer(issuer)
    client_id, secret = environment.string("OIDC_CLIENT"), environment.secret("OIDC_SECRET")
    if not client_id or not secret:
        raise ImproperlyConfigured(
            "OIDC_ISSUER is set without OIDC_CLIENT or OIDC_SECRET; the provider gives you both "
            "when you register this site with it."
        )
    claim, value = _lead_claim()
    return LabProvider(
        issuer=issuer,
        client_id=client_id,
        secret=secret,
        name=environment.string("OIDC_NAME", host),
        domains=_domains(),
        lead_claim=claim,
        lead_value=value,
        asks_second_factor=environment.flag("OIDC_SECOND_FACTOR", default=False),
    )


def sign_in_origins() -> list[str]:
    """Return the origins to which the form of the sign-in page may lead."""
    issuer = environment.string("OIDC_ISSUER")
    if not issuer:
        return []
    parts = urlsplit(issuer)
    origins = environment.strings("OIDC_ORIGINS", default=[f"{parts.scheme}://{parts.netloc}"])
    for origin in origins:
        if not re.fullmatch(r"https?://[^\s/?#@;,'\"]+", origin):
            raise ImproperlyConfigured(
                f"OIDC_ORIGINS has {origin!r}; an origin looks like https://login.example."
            )
    return origins


def passwords(provider: LabProvider | None) -> str:
    """Return whose password still opens the account, one of PASSWORDS."""
    chosen = environment.choice("PASSWORDS", default="everyone", among=PASSWORDS)
    if chosen != "everyone" and provider is None:
        raise ImproperlyConfigured(
            f"PASSWORDS is {chosen!r} without OIDC_ISSUER; nobody else could sign in."
        )
    return chosen


def _host_of_issuer(issuer: str) -> str:
    """Return the host of an issuer that is an encrypted address, or one of this machine."""
    parts = urlsplit(issuer)
    host = parts.hostname or ""
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)
    if not is_safe or not re.fullmatch(r"https?://[^\s?#@;,'\"]+", issuer):
        raise ImproperlyConfigured(
            f"OIDC_ISSUER is {issuer!r}; it must look like https://login.example/realm, as the "
            "provider names itself."
        )
    return host


def _domains() -> tuple[str, ...]:
    domains = tuple(name.lower() for name in environment.strings("OIDC_DOMAINS"))
    for name in domains:
        if not _DOMAIN.fullmatch(name):
            raise ImproperlyConfigured(
                f"OIDC_DOMAINS has {name!r}; it must be domains of e-mail addresses, such as "
                "example.org, separated by commas."
            )
    return domains


def _lead_claim() -> tuple[str, str]:
    text = environment.string("OIDC_LEAD_CLAIM")
    claim, _equals, value = text.partition("=")
    if text and not (claim and value):
        raise ImproperlyConfigured(
            f"OIDC_LEAD_CLAIM is {text!r}; it must look like groups=evenhand-leads."
        )
    return claim, value
