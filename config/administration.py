"""The admin site: Django's, without the pages that are useless here or that we replace."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

# URLs to leave out. The site has its own page for a password change. No admin uses autocomplete
# fields, and no object has a page to view on the site.
WITHOUT = frozenset({"password_change", "password_change_done", "autocomplete", "view_on_site"})


class Site(AdminSite):
    """Our admin site.

    It uses the site's own log-out, which returns the user's leases and clears the drafts in the
    browser.
    """

    site_header = gettext_lazy("Evenhand administration")
    site_title = "Evenhand"
    # The index has the same list, and every page links to it. The sidebar would leave too little
    # width for tables.
    enable_nav_sidebar = False
    final_catch_all_view = False

    def get_urls(self) -> list[Any]:
        """Return Django's URLs without those in WITHOUT."""
        urls = super().get_urls()
        return [url for url in urls if getattr(url, "name", None) not in WITHOUT]

    def has_permission(self, request: HttpRequest) -> bool:
        """Return True for an admin, who is a superuser. Django asks for its staff status too."""
        return request.user.is_active and request.user.is_superuser

    def login(self, request: HttpRequest, extra_context: object = None) -> HttpResponse:
        """Redirect to the site's log-in, which limits guesses. An admin goes to the first page."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        following = request.GET.get("next") or reverse("admin:index")
        return redirect(reverse("account_login", query={"next": following}))

    def logout(  # type: ignore[override]  # the stubs know of no redirect but Django's
        self, request: HttpRequest, extra_context: object = None
    ) -> HttpResponse:
        """Redirect to the site's page that asks for confirmation."""
        return redirect("account_logout")


def icon_of(value: bool | None) -> SafeString:
    """Return the icon for a boolean. Django's has the alternative texts "True" and "False"."""
    name, words = {
        True: ("yes", _("yes")),
        False: ("no", _("no")),
        None: ("unknown", _("unknown")),
    }[value]
    return format_html('<img src="{}" alt="{}">', static(f"admin/img/icon-{name}.svg"), words)


class AdminApp(AdminConfig):
    """The admin app with our site."""

    default_site = "config.administration.Site"

    def ready(self) -> None:
        """Register the apps' admins, without groups and allauth's tables.

        Memberships decide what a user may do in a project, so groups have no use. allauth's
        addresses are copies of those of the users. The environment names the lab's provider.
        """
        super().ready()
        # Models may be imported once the apps are there.
        from allauth.account.models import EmailAddress
        from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
        from django.contrib.admin import site
        from django.contrib.admin.templatetags import admin_list
        from django.contrib.auth.models import Group

        site.unregister([Group, EmailAddress, SocialAccount, SocialApp, SocialToken])
        admin_list._boolean_icon = icon_of  # type: ignore[attr-defined]  # not in the stubs
