"""The people of a project, with their roles."""

from typing import Self, TypeAlias

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from . import roles
from .project_settings import FIRST_VIEWS


class MembershipQuerySet(models.QuerySet["Membership"]):
    def firsts(self) -> Self:
        """Return one membership of each member: that of the role that they have had longest."""
        same = Membership.objects.filter(project=OuterRef("project"), user=OuterRef("user"))
        return self.filter(~Exists(same.filter(pk__lt=OuterRef("pk"))))


class Membership(models.Model):
    """A user's role in a project. One person may both lead and rate."""

    Role: TypeAlias = roles.Role

    project = models.ForeignKey(
        "tasks.Project", on_delete=models.PROTECT, related_name="memberships"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="memberships",
    )
    role = models.CharField(max_length=12, choices=Role)
    # False: another lead gave the role, and its holder never took an invitation to it. Then the
    # other leads see none of the holder's drafts of rubrics.
    agreed = models.BooleanField(default=True, db_default=True)
    # In a shuffled project: how far an annotator has come in the order drawn for them. One number
    # for each rank of batches: first, in their turn, last.
    drawn = ArrayField(models.PositiveIntegerField(), null=True, blank=True)
    # Of the introduction that an annotator last read.
    introduced_at = models.DateTimeField(null=True, blank=True)
    # The view that an annotator last chose to read in; "" until then.
    view = models.CharField(
        _("Default text view"),
        max_length=12,
        choices=FIRST_VIEWS,
        blank=True,
        default="",
        db_default="",
    )

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "user", "role"), name="a_role_is_held_once"),
            models.CheckConstraint(
                condition=Q(view__in=("", "text", "rendered")),
                name="a_member_chose_text_or_rendered",
            ),
        )
