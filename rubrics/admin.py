"""Rubrics, to be looked at: a version is loaded from its document, and once published it never
changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from .models import Dimension, Rubric

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[models.Model]
    Inline = admin.TabularInline[models.Model, models.Model]
else:
    ModelAdmin, Inline = admin.ModelAdmin, admin.TabularInline


class Pages:
    """Those of Django's pages of a model that there is a use for, by the ends of their names."""

    pages: ClassVar[tuple[str, ...]] = ("changelist", "change")

    def get_urls(self) -> list[Any]:
        """The addresses of these, and no other."""
        ends = tuple(f"_{page}" for page in self.pages)
        every = super().get_urls()  # type: ignore[misc]  # a ModelAdmin's, beside which this stands
        return [each for each in every if (each.name or "").endswith(ends)]


class ReadOnly:
    """Looked at only."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False


class Rows(ReadOnly, Inline):
    """What belongs to a thing, in a table under it."""

    extra = 0
    template = "admin/rows.html"


class DimensionInline(Rows):
    model = Dimension
    fields = ("code", "title", "unit", "lowest", "highest", "question")


@admin.register(Rubric)
class RubricAdmin(Pages, ReadOnly, ModelAdmin):
    list_display = ("title", "slug", "version", "status", "published_at")
    list_filter = ("status", "slug")
    inlines = (DimensionInline,)
