"""Rubrics, to be looked at: a version is loaded from its document, and once published it never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from .models import Dimension, Rubric

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[models.Model]
    Inline = admin.TabularInline[models.Model, models.Model]
else:
    ModelAdmin, Inline = admin.ModelAdmin, admin.TabularInline


class ReadOnly:
    """Looked at only."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False


class DimensionInline(ReadOnly, Inline):
    model = Dimension
    extra = 0
    fields = ("code", "title", "unit", "lowest", "highest", "question")


@admin.register(Rubric)
class RubricAdmin(ReadOnly, ModelAdmin):
    list_display = ("title", "slug", "version", "status", "published_at")
    list_filter = ("status", "slug")
    inlines = (DimensionInline,)
