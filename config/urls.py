"""All URLs.

The log-in and password pages are allauth's views. They are listed one by one, so that no other view
of allauth is reachable.
"""

from allauth.account import views as account
from django.contrib import admin
from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from annotators.accounts.passwords import ResetByLink, with_password
from annotators.lab import views as lab


class Base36(StringConverter):
    """A base-36 number, as in the links of allauth's e-mails.

    It ends at the first hyphen; a `str` converter would match beyond it.
    """

    regex = "[0-9A-Za-z]+"


register_converter(Base36, "base36")

handler400 = "config.error_pages.bad_request"
handler403 = "config.error_pages.permission_denied"
handler404 = "config.error_pages.page_not_found"
handler429 = "annotators.accounts.adapter.too_many_requests"  # allauth's, not Django's
handler500 = "config.outage.server_error"

urlpatterns = [
    path("", include("annotators.urls")),  # first: nearly all requests are the desk's
    path("accounts/login/", account.login, name="account_login"),
    path("accounts/logout/", account.logout, name="account_logout"),
    path("accounts/inactive/", account.account_inactive, name="account_inactive"),
    path("accounts/reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("accounts/lab/", lab.begin, name="lab_sign_in"),
    path("accounts/lab/callback/", lab.callback, name="lab_callback"),
    path(
        "accounts/password/change/",
        with_password(account.password_change),
        name="account_change_password",
    ),
    path(
        "accounts/password/set/", with_password(account.password_set), name="account_set_password"
    ),
    path("accounts/password/reset/", account.password_reset, name="account_reset_password"),
    path(
        "accounts/password/reset/done/",
        account.password_reset_done,
        name="account_reset_password_done",
    ),
    path(
        "accounts/password/reset/key/<base36:uidb36>-<key>/",
        ResetByLink.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("admin/", admin.site.urls),
    path("", include("tasks.urls")),  # with the pages of drafts, which look like those of rubrics
    path("", include("rubrics.urls")),
]
