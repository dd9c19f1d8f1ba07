"""Admin pages, on which ratings are read-only and nothing can be deleted."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy as _

from config.web.admin import ChangeOnlyAdmin, Pages, ReadOnlyAdmin, Rows

from .models import (
    Batch,
    Invitation,
    Item,
    Lease,
    Membership,
    Project,
    Rating,
    Response,
    Score,
)


class MembershipInline(admin.StackedInline):
    """Memberships stacked one below the other, since Django's table gives fields no labels."""

    model = Membership
    extra = 0
    fields = ("user", "role")  # without the columns that the queue uses
    raw_id_fields = ("user",)


@admin.register(Project)
class ProjectAdmin(Pages, ChangeOnlyAdmin, admin.ModelAdmin):
    """Rename, pause or close a project, and add or remove members; rubric and seed stay.

    Projects are added at /projects/new/.
    """

    pages = ("changelist", "change", "history")
    list_display = ("title", "slug", "rubric", "status", "wanted", "created_at")
    list_filter = ("status",)
    list_select_related = ("rubric",)
    search_fields = ("title", "slug")
    # Settings that are copied onto the items change on the project's own page, which updates them.
    readonly_fields = (
        *("rubric", "seed", "wanted", "overlap_percent", "overlap_wanted", "grouping"),
        *("created_by", "created_at"),
    )
    inlines = (MembershipInline,)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Release the leases of annotators who leave the project, and end leads' invitations."""
        super().save_formset(request, form, formset, change)
        now = timezone.now()
        for membership in formset.deleted_objects:
            if membership.role == Membership.Role.ANNOTATOR:
                Lease.objects.filter(project=membership.project_id).give_back(
                    membership.user, now=now, removed=True
                )
            else:
                Invitation.objects.filter(
                    project=membership.project_id, made_by=membership.user
                ).withdraw(now=now)


@admin.register(Batch)
class BatchAdmin(Pages, ChangeOnlyAdmin, admin.ModelAdmin):
    """Pause or close a batch."""

    pages = ("changelist", "change", "history")
    list_display = ("name", "project", "status", "created_at")
    list_filter = ("status",)
    list_select_related = ("project",)
    readonly_fields = (
        *(
            "project",
            "position",
            "size",
            "wanted",
            "dropped",
            "finished",
            "warning",
            "file_name",
            "digest",
        ),
        *("created_by", "created_at"),
    )


class ResponseInline(Rows):
    model = Response
    fields = ("position", "model", "text")


@admin.register(Item)
class ItemAdmin(Pages, ReadOnlyAdmin, admin.ModelAdmin):
    list_display = ("external_id", "project", "batch", "wanted", "counted", "lent", "dropped")
    list_select_related = ("project", "batch")
    search_fields = ("external_id",)
    show_full_result_count = False
    inlines = (ResponseInline,)


class ScoreInline(Rows):
    model = Score
    fields = (
        "dimension",
        "unit",
        "response",
        "model",
        "position",
        "value",
        "open",
        "clauses",
        "checks",
    )


@admin.register(Rating)
class RatingAdmin(Pages, ReadOnlyAdmin, admin.ModelAdmin):
    """Ratings, one for each revision, with the fields that say which one is current at the top."""

    list_display = (
        "item",
        "annotator",
        "project",
        "kind",
        "attempt",
        "revision",
        "stands",
        "submitted_at",
    )
    list_filter = ("kind",)
    list_select_related = ("item", "annotator", "project", "superseded_by")
    fields = (
        *(
            "project",
            "item",
            "annotator",
            "rubric",
            "revision",
            "standing",
            "supersedes",
            "kind",
            "attempt",
        ),
        *(
            "comment",
            "view",
            "lease",
            "active_seconds",
            "elapsed_seconds",
            "started_at",
            "submitted_at",
        ),
        *("asked", "fingerprint"),
    )
    show_full_result_count = False
    inlines = (ScoreInline,)

    @admin.display(boolean=True, description=_("stands"))
    def stands(self, rating: Rating) -> bool:
        """Return whether no later revision replaced the rating."""
        return not hasattr(rating, "superseded_by")

    @admin.display(description=_("stands"))
    def standing(self, rating: Rating) -> str:
        """Say whether the rating is current, else link to the revision that replaced it."""
        if self.stands(rating):
            return gettext("Yes: it is what the annotator said last, and what is exported.")
        later = rating.superseded_by
        return format_html(
            gettext("No: the annotator corrected it, and {link} took its place."),
            link=format_html(
                '<a href="{}">{}</a>',
                reverse("admin:tasks_rating_change", args=[later.pk]),
                gettext("revision %(number)s") % {"number": later.revision},
            ),
        )


@admin.register(Lease)
class LeaseAdmin(Pages, ReadOnlyAdmin, admin.ModelAdmin):
    list_display = ("item", "annotator", "project", "status", "started_at", "expires_at")
    list_filter = ("status",)
    list_select_related = ("item", "annotator", "project")
    show_full_result_count = False
