"""The read-only admin of rubrics.

Versions are loaded from documents, and a published version never changes.
"""

from django.contrib import admin

from config.web.admin import Pages, ReadOnlyAdmin

from .models import Rubric


@admin.register(Rubric)
class RubricAdmin(Pages, ReadOnlyAdmin, admin.ModelAdmin):
    list_display = ("title", "slug", "version", "status", "published_at")
    list_filter = ("status", "slug")
    exclude = ("dimensions",)  # templates/admin/rubrics/rubric/change_form.html has them as a table
