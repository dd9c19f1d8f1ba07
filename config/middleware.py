"""What holds for every response: the security headers, and the way to the log-in page."""

from __future__ import annotations

import gzip
import re
import secrets
from collections.abc import Callable
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.shortcuts import resolve_url
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect

from config.error_pages import error_page

# Constant on purpose: one policy for all pages can be read, tested and trusted. Nothing inline,
# nothing from elsewhere.
CONTENT_SECURITY_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
SESSION_KEY = re.compile(r"[a-z0-9]{16,64}")
# A desk of 55 kB becomes 8 kB in 0.2 ms; at 6, which is Django's, 7 kB in 0.6 ms. The one for what
# comes again and again in a page, the other for the page.
GZIP_LEVELS = {True: 3, False: 6}
# Powers of the browser that no page of ours uses.
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeaders:
    """Put the headers that Django has no setting for on every response.

    It stands first in MIDDLEWARE: a 404, a 500, a redirect and a static file pass it on their way
    out. Django turns an exception into a response inside the chain, so this sees it too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, with the headers on."""
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        response.headers["Permissions-Policy"] = PERMISSIONS_POLICY
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        # A page is one person's, at one time: gone back to, it must come as it stands by now, and
        # after the log-out not at all. A static file says how long it may be kept.
        response.headers.setdefault("Cache-Control", "no-store")
        if _has_logged_out(request, response):
            # What the desk has kept in the browser while the server was away.
            response.headers["Clear-Site-Data"] = '"storage"'
        # Django and whitenoise set this on most responses; "most" is not enough.
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        return response


def _has_logged_out(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether a log-out was asked for and done. A refusal is none: any site can have a browser ask,
    and what was not sent yet would be gone."""
    match = request.resolver_match
    if request.method != "POST" or match is None or match.view_name != "account_logout":
        return False
    return response.status_code == 302 and not request.user.is_authenticated


class PlainRequests:
    """Refuse, before anything reads it, what no browser of ours sends: a text that is not UTF-8,
    and a body larger than a form of its address can be. Files are taken at the upload's address
    alone, so that nobody fills the disk from the log-in page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or refuse with 400 or 413."""
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            return error_page(request, 400, charset=charset)
        size = request.META.get("CONTENT_LENGTH") or "0"
        most = settings.LARGEST_FORM + (
            settings.UPLOAD_LIMIT if request.path_info.endswith("/upload/") else 0
        )
        if size.isdigit() and int(size) > most:
            return error_page(request, 413, sent=int(size), most=most)
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        if session and not SESSION_KEY.fullmatch(session):
            del request.COOKIES[settings.SESSION_COOKIE_NAME]  # none of ours: as good as none
        return self.get_response(request)


class Gzip(GZipMiddleware):
    """Django's, but quicker for whole pages, which are made for one reader and sent once."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress what is long enough, for who takes it."""
        if (
            not isinstance(response, HttpResponse)
            or len(response.content) < 200
            or response.has_header("Content-Encoding")
            or response.has_header("ETag")
            or not re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        ):
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        # A file name of random length hides the length of what is compressed (BREACH), as it does
        # in Django.
        padding = "a" * secrets.randbelow(self.max_random_bytes)
        packed = BytesIO()
        level = GZIP_LEVELS["HTTP_HX_REQUEST" in request.META]
        with gzip.GzipFile(padding, "wb", level, packed, mtime=0) as file:
            file.write(response.content)
        response.content = packed.getvalue()
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Content-Encoding"] = "gzip"
        return response


class LoginRequired(LoginRequiredMiddleware):
    """Every view asks for a log-in, but for those marked `login_not_required`.

    An HTMX request must not get the log-in page: it would be swapped into the middle of the desk.
    It gets HX-Redirect, and comes back to the page it was sent from, not to the address of the
    fragment it asked for.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and leave no one's time zone to the thread's next request."""
        with timezone.override(None):
            response = super().__call__(request)
        assert isinstance(response, HttpResponseBase)  # under WSGI it is one
        return response

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Send on whoever is not logged in; for the others, go on in the language that they chose,
        and with the times of where they are."""
        refused = super().process_view(request, view_func, args, kwargs)
        if refused or not request.user.is_authenticated:
            return refused
        timezone.activate(request.user.zone)
        if chosen := request.user.language:
            translation.activate(chosen)  # for this request: LocaleMiddleware begins each anew
            request.LANGUAGE_CODE = chosen
        return refused

    def handle_no_permission(  # type: ignore[override]  # the stubs know of no redirect but Django's
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Send the sender to the log-in page, and from there to the page they were on."""
        htmx = getattr(request, "htmx", None)
        if not htmx and request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        query = QueryDict(mutable=True)
        # Nothing where the page is another site's: then the start page will do.
        sent_from = htmx.current_url_abs_path if htmx else _own_page(request)
        query[REDIRECT_FIELD_NAME] = sent_from or resolve_url(settings.LOGIN_REDIRECT_URL)
        if not htmx and (over_log_in := getattr(view_func, "over_log_in", None)):
            # Its own address leads to the page that it is a step of.
            with_form: HttpResponseBase | None = over_log_in(request, sent_from or request.path)
            if with_form is not None:
                return with_form
        login = f"{resolve_url(self.get_login_url(view_func))}?{query.urlencode(safe='/')}"
        return HttpResponseClientRedirect(login) if htmx else HttpResponseRedirect(login)


def _own_page(request: HttpRequest) -> str:
    """The path of the page of ours that a form was sent from, where the browser says it."""
    told = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(
        told, {request.get_host()}, require_https=request.is_secure()
    ):
        return ""
    parts = urlsplit(told)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
