"""The read-only admin of rubrics.

Versions are loaded from documents, and a published version never changes.
"""

from django.contrib import admin
from django.http import HttpRequest

from config.web.admin import Pages

from .models import Rubric


@admin.register(Rubric)
class RubricAdmin(Pages, admin.ModelAdmin):
    list_display = ("title", "slug", "version", "changes", "published_at")
    list_filter = ("slug",)
    exclude = ("dimensions",)  # templates/admin/rubrics/rubric/change_form.html has them as a table

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: versions are loaded from documents."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Rubric | None = None) -> bool:
        """Return False: a published version never changes."""
        return False
