"""The site of the admin's pages: Django's, without what has a page of ours or leads nowhere
here."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

# One's own password has a page for everyone. No field here is looked up as one types, no object has
# a page on the site beside its own.
WITHOUT = frozenset({"password_change", "password_change_done", "autocomplete", "view_on_site"})


class Site(AdminSite):
    """One log-out for all: it gives back what one holds, and clears what the browser keeps."""

    # The index has the same list, and every page leads there; beside a page its table's rows are
    # too short.
    enable_nav_sidebar = False
    final_catch_all_view = False

    def get_urls(self) -> list[Any]:
        """Those that there is a use for."""
        return [each for each in super().get_urls() if getattr(each, "name", None) not in WITHOUT]

    def logout(  # type: ignore[override]  # the stubs know of no redirect but Django's
        self, request: HttpRequest, extra_context: object = None
    ) -> HttpResponse:
        """To the page that asks whether one wants to."""
        return redirect("account_logout")


def icon_of(value: bool | None) -> SafeString:
    """Whether something is so, as a picture; Django's says what it shows in Python's words."""
    name, words = {
        True: ("yes", _("yes")),
        False: ("no", _("no")),
        None: ("unknown", _("unknown")),
    }[value]
    return format_html('<img src="{}" alt="{}">', static(f"admin/img/icon-{name}.svg"), words)


class AdminApp(AdminConfig):
    """The app with that site."""

    default_site = "config.administration.Site"

    def ready(self) -> None:
        """Take in what the apps register, but for what nothing here asks for: groups, since what
        someone may do in a project is a membership; and allauth's copies of addresses, which follow
        those of people."""
        super().ready()
        from allauth.account.models import (
            EmailAddress,
        )  # models may be imported once the apps are there
        from django.contrib.admin import site
        from django.contrib.admin.templatetags import admin_list
        from django.contrib.auth.models import Group

        site.unregister([Group, EmailAddress])
        admin_list._boolean_icon = icon_of  # type: ignore[attr-defined]  # not in the stubs
