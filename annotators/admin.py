"""The admin's pages for users: create, deactivate, set a password.

Nobody is deleted: ratings keep their annotator.
"""

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, gettext_noop

from config.web.admin import Pages
from tasks.models import Lease

from .models import Session, User

UNUSED = frozenset({"is_staff", "groups", "user_permissions"})
# The history looks up a changed field by its label. Django's catalogues have these labels only in
# lower case.
LABELS = (
    gettext_noop("Username"),
    gettext_noop("First name"),
    gettext_noop("Last name"),
    gettext_noop("Active"),
    gettext_noop("Superuser status"),
)


class PasswordForm(AdminPasswordChangeForm):
    """Django's form, without the list in its help text, since the page puts that in a paragraph."""

    usable_password_help_text = _(  # type: ignore[assignment]  # the stubs allow no lazy text
        "They sign in with a password. If you switch this off, their password is lost."
    )


@admin.register(User)
class PeopleAdmin(Pages, UserAdmin):
    """Django's pages for users. Only active users can log in."""

    pages = ("changelist", "add", "change", "history", "password_change")

    change_password_form = PasswordForm
    list_display = ("username", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    # Groups, permissions and Django's staff are not used: a membership says what a user may do in a
    # project, and a superuser is an admin.
    filter_horizontal = ()
    fieldsets = tuple(
        (
            title,
            {**options, "fields": tuple(name for name in options["fields"] if name not in UNUSED)},
        )
        for title, options in UserAdmin.fieldsets or ()
    )
    readonly_fields = ("last_login", "date_joined")

    def save_model(
        self, request: HttpRequest, obj: User, form: forms.BaseForm, change: bool
    ) -> None:
        """Save a user. If the user is inactive, end their leases and sessions.

        A new user changes the password at the first log-in, because an admin knows it.

        The leased items go back to the queue. The sessions are deleted, so that they stay ended if
        the account is activated again.

        allauth has a copy of each e-mail that a password was reset by. Old copies are deleted, so
        that they lead to no account any more.
        """
        if not change:
            obj.must_change_password = obj.has_usable_password()
        super().save_model(request, obj, form, change)
        EmailAddress.objects.filter(user=obj).exclude(email__iexact=obj.email).delete()
        if not obj.is_active:
            Lease.objects.give_back(obj, now=timezone.now())
            Session.objects.filter(person=obj).delete()

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Set a user's password, which its owner then has to change; unless it is one's own."""
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if response.status_code == 302 and id != str(request.user.pk):
                User.objects.filter(pk=id).update(must_change_password=True)
        return response
