"""People in the admin pages: made, ended (not deleted: what they rated stays theirs), given a password."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from .models import User


@admin.register(User)
class PeopleAdmin(UserAdmin):
    """Django's own pages for people, without deleting. Who is not "active" cannot log in any more."""

    list_display = ("username", "email", "is_active", "is_superuser", "last_login")

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Never: ratings keep their annotator."""
        return False
