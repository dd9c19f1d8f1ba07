"""Claims: a provider says them of a person."""

from collections.abc import Mapping
from dataclasses import dataclass

Stated = Mapping[str, object]  # claims by their names, as JSON has them


@dataclass(frozen=True)
class Claims:
    """A person, as the provider knows them. A text that it does not give is empty."""

    subject: str  # the provider's own name for the person, which never changes
    email: str
    has_confirmed_email: bool
    username: str
    first_name: str
    last_name: str
    locale: str  # such as de-AT
    may_lead: bool

    @property
    def confirmed_email(self) -> str:
        """The address, or "" if the provider has not confirmed it."""
        return self.email if self.has_confirmed_email else ""


def read_claims(claims_made: Stated, *, lead_claim: str, lead_value: str) -> Claims:
    """Read the claims of a checked token, with those of the provider's page about the person."""
    first, _space, last = _text(claims_made, "name").partition(" ")
    return Claims(
        subject=_text(claims_made, "sub"),
        email=_text(claims_made, "email"),
        # Some providers send a text in place of a boolean.
        has_confirmed_email=claims_made.get("email_verified") in (True, "true"),
        username=_text(claims_made, "preferred_username") or _text(claims_made, "nickname"),
        first_name=_text(claims_made, "given_name") or first,
        last_name=_text(claims_made, "family_name") or last,
        locale=_text(claims_made, "locale"),
        may_lead=bool(lead_claim) and _has(claims_made.get(lead_claim), lead_value),
    )


def _text(claims_made: Stated, name: str) -> str:
    value = claims_made.get(name)
    if not isinstance(value, str) or "\0" in value:
        return ""
    return value.strip()[:254]


def _has(value: object, expected: str) -> bool:
    """Return True if the value of a claim is the expected one, or a list with it."""
    if isinstance(value, list):
        return expected in value
    return value == expected
