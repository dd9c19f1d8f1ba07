"""The read-only admin of rubrics.

Versions are loaded from documents, and a published version never changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db import models

from config.web.admin import Pages, ReadOnlyAdmin, Rows

from .models import Dimension, Rubric

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[models.Model]
else:
    ModelAdmin = admin.ModelAdmin


class DimensionInline(Rows):
    model = Dimension
    fields = ("code", "title", "unit", "lowest", "highest", "question")


@admin.register(Rubric)
class RubricAdmin(Pages, ReadOnlyAdmin, ModelAdmin):
    list_display = ("title", "slug", "version", "status", "published_at")
    list_filter = ("status", "slug")
    inlines = (DimensionInline,)
