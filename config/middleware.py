"""Middleware for security headers, request checks and the log-in requirement."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.urls import Resolver404, resolve
from django.utils import timezone, translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect

from config.error_pages import error_page
from config.headers import HEADERS
from config.web.decorators import may_send_files
from config.web.problems import is_call

SESSION_KEY = re.compile(r"[a-z0-9]{16,64}")


class SecurityHeaders(MiddlewareMixin):
    """Middleware that adds the headers that Django has no setting for to every response.

    It is first in MIDDLEWARE, so it also sees 404s, 500s, redirects and static files. Django turns
    an exception into a response inside the chain, so this middleware sees that too.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the headers to the response."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if _has_logged_out(request, response):
            # Delete the drafts that the desk saved in the browser while the server was away.
            response.headers["Clear-Site-Data"] = '"storage"'
        return response


def _has_logged_out(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return True if this request logged the user out.

    A refused log-out does not count. Any site can make a browser request one, and clearing the
    storage would then lose drafts that were not sent yet.
    """
    match = request.resolver_match
    return (
        match is not None
        and match.view_name == "account_logout"
        and request.method == "POST"
        and response.status_code == 302
        and not request.user.is_authenticated
    )


class PlainRequests(MiddlewareMixin):
    """Middleware that answers what needs no page, before anything reads the request.

    It refuses requests which our pages never send. A proxy that asks if the server is there is told
    so under any host name, encrypted or not, and while the database is away.

    A call of the API goes on without cookies, so no session speaks for it and no form can forge it,
    and without a language: all that it says is English.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer 400 to a charset other than UTF-8 and to NUL; drop what is no session key."""
        if request.path_info == "/healthz":
            return HttpResponse("ok\n", content_type="text/plain")
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return error_page(request, 400)  # PostgreSQL has no such text
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            return error_page(request, 400, charset=charset)
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        if session and not SESSION_KEY.fullmatch(session):
            del request.COOKIES[settings.SESSION_COOKIE_NAME]  # not a session key of ours
        if is_call(request):
            request.COOKIES = {}
            request.META.pop("HTTP_ACCEPT_LANGUAGE", None)
        return None


class Bodies(MiddlewareMixin):
    """Middleware that refuses a body larger than any form of that URL, before anything reads it.

    A file is written to disk only where the view takes files of this user; elsewhere it is dropped
    (FILE_UPLOAD_HANDLERS). So nobody can fill the disk from the log-in page.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer 413 to a body that is too large; close what was written of a file at the end.

        Django closes a file that arrived in whole. One that broke off would wait for the garbage
        collection.
        """
        size, most = request.META.get("CONTENT_LENGTH") or "0", settings.LARGEST_FORM
        on_disk = TemporaryFileUploadHandler(request)
        may_send = _may_send_files(request)
        if may_send:
            request.upload_handlers = [*request.upload_handlers, on_disk]
        if may_send or (may_send is False and is_call(request)):  # the view says why not
            most += settings.UPLOAD_LIMIT
        if size.isdigit() and int(size) > most:
            return error_page(request, 413, sent=int(size), most=most)
        try:
            return super().__call__(request)  # type: ignore[return-value]  # under WSGI it is one
        finally:
            if hasattr(on_disk, "file"):
                on_disk.file.close()


def _may_send_files(request: HttpRequest) -> bool | None:
    """Return True if the view of this URL takes files of this user or call; None if it never does.

    A body that is no form has no file.
    """
    if request.content_type == "multipart/form-data":
        with suppress(Resolver404):
            view, _args, arguments = resolve(request.path_info)
            return may_send_files(request, view, arguments)
    return None


class LoginRequired(LoginRequiredMiddleware):
    """Middleware that requires a log-in for every view not marked `login_not_required`.

    An htmx request must not get the log-in page, which would be swapped into the middle of the
    desk. It gets HX-Redirect instead. After the log-in the user returns to the page that sent the
    request, not to the URL of the fragment.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Reset the time zone afterwards, so that the thread's next request does not inherit it."""
        with timezone.override(None):
            response = super().__call__(request)
        assert isinstance(response, HttpResponseBase)  # under WSGI it is one
        return response

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Redirect anonymous users; activate the language and time zone of the others."""
        refused = super().process_view(request, view_func, args, kwargs)
        if refused or not request.user.is_authenticated:
            return refused
        timezone.activate(request.user.zone)
        if chosen := request.user.language:
            translation.activate(chosen)  # LocaleMiddleware sets it again for each request
            request.LANGUAGE_CODE = chosen
        return refused

    def handle_no_permission(  # type: ignore[override]  # the stubs know of no redirect but Django's
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Redirect to the log-in page, and from there back to the user's page.

        A form with texts gets a page that shows them: neither `no-store` nor the desk's forms let
        a browser keep what was entered.
        """
        htmx = getattr(request, "htmx", None)
        if not htmx and request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        sent_from = None  # still None if the request came from another site
        with suppress(ValueError):  # what htmx says may be no address
            sent_from = htmx.current_url_abs_path if htmx else _page_path(request)
        page = sent_from or resolve_url(settings.LOGIN_REDIRECT_URL)
        if htmx:
            return HttpResponseClientRedirect(redirect_to_login(page).url)
        if texts := _texts_in(request):
            return render(
                request, "account/signed_out.html", {"texts": texts, "page": page}, status=403
            )
        return redirect_to_login(page)


def _texts_in(request: HttpRequest) -> list[str]:
    """Return the texts in a form, of more than one word, but no password.

    `seen` is no text: the desk lists there what it has shown.
    """
    return [
        text
        for name in request.POST
        if name != "seen" and "password" not in name
        for text in request.POST.getlist(name)
        if len(text.split()) > 1
    ]


def _page_path(request: HttpRequest) -> str:
    """Return the path of our page in the Referer header, or "" if there is none."""
    address = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    ):
        return ""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
