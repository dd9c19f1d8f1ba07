"""What an admin may look up beside the pages. What people said is only read here, and nothing is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils import timezone

from rubrics.admin import ReadOnly

from .models import Batch, Item, Lease, Membership, Project, Rating, Response, Score

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[models.Model]
    Inline = admin.TabularInline[models.Model, models.Model]
else:
    ModelAdmin, Inline = admin.ModelAdmin, admin.TabularInline


class MembershipInline(Inline):
    model = Membership
    extra = 0
    raw_id_fields = ("user",)


@admin.register(Project)
class ProjectAdmin(ModelAdmin):
    """A project can be renamed, paused and closed, and people join or leave; rubric and seed stay."""

    list_display = ("title", "slug", "rubric", "status", "wanted", "created_at")
    list_filter = ("status",)
    list_select_related = ("rubric",)
    search_fields = ("title", "slug")
    # What is written on the items too is set on the project's own page, which sees to them.
    readonly_fields = (
        *("rubric", "seed", "wanted", "overlap_percent", "overlap_wanted", "grouping"),
        *("created_by", "created_at"),
    )
    inlines = (MembershipInline,)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Who leaves the project holds nothing in it any more."""
        super().save_formset(request, form, formset, change)
        for membership in formset.deleted_objects:
            if membership.role == Membership.Role.ANNOTATOR:
                held = Lease.objects.filter(project=membership.project_id)
                held.give_back(membership.user, now=timezone.now())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # /projects/new/ does it

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(Batch)
class BatchAdmin(ModelAdmin):
    """A batch can be paused and closed."""

    list_display = ("name", "project", "status", "created_at")
    list_filter = ("status",)
    list_select_related = ("project",)
    readonly_fields = (
        *("project", "position", "size", "wanted", "dropped", "finished", "warning", "file_name", "digest"),
        *("created_by", "created_at"),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class ResponseInline(ReadOnly, Inline):
    model = Response
    extra = 0
    fields = ("position", "model", "text")


@admin.register(Item)
class ItemAdmin(ReadOnly, ModelAdmin):
    list_display = ("external_id", "project", "batch", "wanted", "counted", "lent", "dropped")
    list_select_related = ("project", "batch")
    search_fields = ("external_id",)
    show_full_result_count = False
    inlines = (ResponseInline,)


class ScoreInline(ReadOnly, Inline):
    model = Score
    extra = 0
    fields = ("dimension", "unit", "response", "model", "position", "value", "open", "clauses", "checks")


@admin.register(Rating)
class RatingAdmin(ReadOnly, ModelAdmin):
    list_display = ("item", "annotator", "project", "kind", "round", "revision", "submitted_at")
    list_filter = ("kind",)
    list_select_related = ("item", "annotator", "project")
    show_full_result_count = False
    inlines = (ScoreInline,)


@admin.register(Lease)
class LeaseAdmin(ReadOnly, ModelAdmin):
    list_display = ("item", "annotator", "project", "status", "started_at", "expires_at")
    list_filter = ("status",)
    list_select_related = ("item", "annotator", "project")
    show_full_result_count = False
