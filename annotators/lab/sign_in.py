"""A sign-in by the lab's provider: OpenID Connect's code flow with PKCE, state and nonce.

allauth does the flow. It sends no nonce, and it trusts a token that it fetched itself. Here the
nonce is sent and compared, and each token's signature is checked by the provider's keys, which are
fetched anew each time: a provider may change them.
"""

import logging
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import jwt
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, get_random_string
from django.utils.translation import get_language
from requests import RequestException

from .claims import Stated, read_claims
from .refusals import SignInFault, SignInRefused
from .site_provider import site_provider

NONCE_LENGTH = 32
# Signatures by keys of which the provider publishes one half. With others, the published half
# would be enough to sign.
ALGORITHMS = frozenset(
    {
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        *("ES256", "ES384", "ES512", "EdDSA"),
    }
)
# While the provider is away: after one request has waited for it, others need not.
AWAY, AWAY_FOR = "lab-provider-is-away", 5  # a key of the cache; seconds
# What PyJWT finds wrong, and what the page says of it.
REASONS = {
    jwt.ExpiredSignatureError: SignInFault.EXPIRED,
    jwt.ImmatureSignatureError: SignInFault.EARLY,
    jwt.InvalidAudienceError: SignInFault.AUDIENCE,
    jwt.InvalidIssuerError: SignInFault.AUDIENCE,
    jwt.MissingRequiredClaimError: SignInFault.INCOMPLETE,
}

log = logging.getLogger(__name__)


class TokenAdapter(OpenIDConnectOAuth2Adapter):
    """allauth's adapter, with the checks that it leaves out."""

    expected_nonce = ""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, site_provider().issuer)

    def get_provider(self) -> "Provider":
        """Return the provider that the settings name."""
        return Provider(self.request)

    @cached_property
    def openid_config(self) -> Stated:
        """The provider's page about itself. It must be the one that the settings name."""
        if cache.get(AWAY):
            raise SignInRefused(SignInFault.AWAY)
        try:
            config: Stated = super().openid_config
            issuer = str(config["issuer"])
        except (RequestException, KeyError, TypeError) as error:
            log.warning("the lab's provider is away: %r", error)
            cache.set(AWAY, True, AWAY_FOR)
            raise SignInRefused(SignInFault.AWAY) from None
        if issuer.rstrip("/") != site_provider().issuer.rstrip("/"):
            log.warning("OIDC_ISSUER is not what the provider calls itself: %r", issuer)
            raise SignInRefused(SignInFault.AWAY)
        return config

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address on the site's own host, whatever host was requested."""
        return f"{settings.SITE_URL}{reverse('lab_callback')}"

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Check the token, and return whom it names, with the claims about them."""
        credential = kwargs["response"].get("id_token")
        if not isinstance(credential, str):
            raise SignInRefused(SignInFault.INCOMPLETE)
        claims_made = self._checked(credential, app.client_id)
        about = self._about_person(token, claims_made["sub"])
        if "email" in about:  # whether it is confirmed is said beside it
            claims_made = {**claims_made, "email_verified": False}
        claims_made = {**claims_made, **about}
        lab = site_provider()
        account = SocialAccount(provider=lab.issuer, uid=str(claims_made["sub"]))
        login = SocialLogin(account=account, provider=self.get_provider())
        login.claims = read_claims(
            claims_made, lead_claim=lab.lead_claim, lead_value=lab.lead_value
        )
        return login

    def _checked(self, credential: str, client_id: str) -> Stated:
        """Return the claims of a token by the provider, for this site and this sign-in."""
        config = self.openid_config
        try:
            if jwt.get_unverified_header(credential).get("alg") not in ALGORITHMS:
                raise SignInRefused(SignInFault.SIGNATURE)
            claims_made: Stated = jwtkit.verify_and_decode(
                credential=credential,
                keys_url=config["jwks_uri"],
                issuer=config["issuer"],
                audience=client_id,
                lookup_kid=jwtkit.lookup_kid_jwk,
                verify_signature=True,
            )
        # allauth expects that keys and tokens are complete.
        except (KeyError, TypeError, ValueError, jwt.PyJWTError) as error:
            if isinstance(error, RequestException):
                raise
            log.warning("a token of the lab's provider is odd: %r", error)
            raise SignInRefused(SignInFault.SIGNATURE) from None
        if not isinstance(claims_made.get("sub"), str) or not {"exp", "iat"} <= claims_made.keys():
            raise SignInRefused(SignInFault.INCOMPLETE)
        if not constant_time_compare(str(claims_made.get("nonce", "")), self.expected_nonce):
            raise SignInRefused(SignInFault.NONCE)
        if isinstance(claims_made["aud"], list) and claims_made.get("azp", client_id) != client_id:
            raise SignInRefused(SignInFault.AUDIENCE)
        return claims_made

    def _about_person(self, token: SocialToken, subject: object) -> Stated:
        """Return what the provider's page about the person says, if it has such a page."""
        if "userinfo_endpoint" not in self.openid_config:
            return {}
        claims_made: Stated = self._fetch_user_info(token.token)
        if claims_made.get("sub") != subject:
            raise SignInRefused(SignInFault.AUDIENCE)
        return claims_made


class Provider(OpenIDConnectProvider):
    """The provider that the settings name."""

    oauth2_adapter_class = TokenAdapter

    def __init__(self, request: HttpRequest) -> None:
        lab = site_provider()
        app = SocialApp(
            provider=self.id,
            provider_id=lab.issuer,  # with it a person's link is kept: another one, other people
            name=lab.name,
            client_id=lab.client_id,
            secret=lab.secret,
            settings={"server_url": lab.issuer.rstrip("/"), "oauth_pkce_enabled": True},
        )
        super().__init__(request, app)

    def get_oauth2_adapter(self, request: HttpRequest) -> TokenAdapter:
        """Return the adapter, which needs no address of allauth's."""
        return TokenAdapter(request)


class CallbackView(OAuth2CallbackView):
    """allauth's view, which hands the nonce of this browser's sign-in to the adapter."""

    adapter: TokenAdapter

    def _get_state(
        self, request: HttpRequest, provider: Provider
    ) -> tuple[Mapping[str, str] | None, HttpResponse | None]:
        state, refusal = super()._get_state(request, provider)
        if state is not None:
            self.adapter.expected_nonce = state["nonce"]
        return state, refusal


def redirect_to_provider(request: HttpRequest, following: str) -> HttpResponse:
    """Begin a sign-in: keep state, nonce and verifier in the session, and lead to the provider."""
    nonce = get_random_string(NONCE_LENGTH)
    page: HttpResponse = Provider(request).redirect(
        request,
        AuthProcess.LOGIN,
        next_url=following,
        data=request.POST.get("zone", ""),
        auth_params={"nonce": nonce, "ui_locales": get_language() or settings.LANGUAGE_CODE},
        nonce=nonce,
    )
    return page


def answer_provider(request: HttpRequest) -> HttpResponse:
    """Finish a sign-in by the answer in the address."""
    page: HttpResponse = CallbackView.adapter_view(TokenAdapter(request))(request)
    return page


def reason_of(error: str, exception: Exception | None) -> SignInFault:
    """Return what went wrong, by what allauth caught."""
    match exception:
        case None if error == AuthError.CANCELLED:
            return SignInFault.CANCELED
        case RequestException():
            return SignInFault.AWAY
        case OAuth2Error():
            log.warning("the lab's provider: %r", exception)
            return _reason_of_token(exception)
    return SignInFault.DECLINED


def _reason_of_token(error: OAuth2Error) -> SignInFault:
    """Return what is wrong with a token, or why there is none."""
    for kind, reason in REASONS.items():
        if isinstance(error.__cause__, kind):
            return reason
    answer = str(error)
    if not answer.startswith("Error retrieving access token"):
        return SignInFault.SIGNATURE
    if "invalid_grant" in answer:
        return SignInFault.CODE
    return SignInFault.CLIENT if "invalid_client" in answer else SignInFault.AWAY
