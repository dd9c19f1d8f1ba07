"""The two addresses of the lab's own sign-in: where it begins, and where the provider leads back.

The check of an answer needs an HTTP client and cryptography, which take 0.2 s and 20 MB to load. So
both views import it with the first sign-in.
"""

from allauth.account.utils import get_next_redirect_url
from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from config.web.requests import HtmxRequest

from .refusals import SignInRefused, refusal_page
from .site_provider import site_provider


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HtmxRequest) -> HttpResponse:
    """Lead to the provider, which leads back to `callback`."""
    site_provider()
    following = get_next_redirect_url(request) or settings.LOGIN_REDIRECT_URL
    if request.user.is_authenticated:
        return redirect(following)
    if request.method != "POST":
        return redirect("account_login")
    from .sign_in import redirect_to_provider  # see above

    try:
        return ratelimit.consume_or_429(request, action="lab_sign_in") or redirect_to_provider(
            request, following
        )
    except SignInRefused as refused:
        return refusal_page(request, refused.reason)


@login_not_required
@require_GET
def callback(request: HtmxRequest) -> HttpResponse:
    """Check the provider's answer, and sign in."""
    site_provider()
    from .sign_in import answer_provider  # see above

    try:
        return ratelimit.consume_or_429(request, action="lab_sign_in") or answer_provider(request)
    except SignInRefused as refused:
        return refusal_page(request, refused.reason)
