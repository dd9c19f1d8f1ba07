"""People in the admin pages: made, ended (not deleted: what they rated stays theirs), given a
password."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from rubrics.admin import Pages
from tasks.models import Lease

from .models import Session, User

UNUSED = frozenset({"groups", "user_permissions"})
# The history looks up what was changed by its label, and Django's catalogues begin these with small
# letters.
LABELS = (
    gettext_noop("Username"),
    gettext_noop("First name"),
    gettext_noop("Last name"),
    gettext_noop("Active"),
    gettext_noop("Staff status"),
    gettext_noop("Superuser status"),
)


class PasswordForm(AdminPasswordChangeForm):
    """Django's, without the list in its help text, which stands in a paragraph."""

    usable_password_help_text = _(  # type: ignore[assignment]  # the stubs know of no lazy text
        "Whether they sign in with a password. If that is disabled, the password that they have now is lost."
    )


@admin.register(User)
class PeopleAdmin(Pages, UserAdmin):
    """Django's own pages for people, without deleting. Who is not "active" cannot log in any
    more."""

    pages = ("changelist", "add", "change", "history", "password_change")

    change_password_form = PasswordForm
    list_display = ("username", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    # Nothing here asks for groups or single permissions: what someone may do in a project is a
    # membership.
    filter_horizontal = ()
    fieldsets = tuple(
        (
            title,
            {**options, "fields": tuple(name for name in options["fields"] if name not in UNUSED)},
        )
        for title, options in UserAdmin.fieldsets or ()
    )
    readonly_fields = ("last_login", "date_joined")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Who is not active any more holds nothing: it goes back to the queue. Their sessions end,
        so that none comes back when they do. An address that is someone's no more leads to no
        account any more: allauth keeps a copy of each that a password was reset by."""
        super().save_model(request, obj, form, change)
        EmailAddress.objects.filter(user=obj).exclude(email__iexact=obj.email).delete()
        if not obj.is_active:
            Lease.objects.give_back(obj, now=timezone.now())
            Session.objects.filter(person=obj).delete()

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Never: ratings keep their annotator."""
        return False
