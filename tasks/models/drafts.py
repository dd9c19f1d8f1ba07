"""Drafts: forms that annotators have filled in and not submitted yet.

A draft survives a reload, the end of its lease, a change of device and a restart. One rule covers
all of its changes: a page may save over, or turn into a rating, only the draft that it wrote or was
shown.
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from config.web.people import User
from tasks.submission import DraftVersion

from .items import Item
from .projects import Project


class UnseenDraft(Exception):
    """A draft of the item was saved that the page was not shown. Nothing was changed."""


class DraftQuerySet(models.QuerySet["Draft"]):
    def of_item(self, item: Item, annotator: User) -> Draft | None:
        """Return the annotator's draft of an item, if there is one."""
        return self.filter(item=item, annotator=annotator).first()

    def half_done(self, annotator: User) -> Self:
        """Return the annotator's drafts of items that they can still rate, newest first."""
        return self.filter(
            annotator=annotator,
            lease__isnull=False,
            item__dropped=False,
            item__counted__lt=models.F("item__wanted"),
        ).order_by("-saved_at")

    def discard(self, item: Item, annotator: User, version: DraftVersion | None) -> None:
        """Delete the draft of a correction because the page that wrote or showed it gives it up."""
        begun = self.filter(item=item, annotator=annotator, corrects__isnull=False)
        if version:
            begun = begun.filter(Q(writer=version.writer) | Q(revision=version.based_on))
        begun.delete()


class Draft(models.Model):
    """The form of an item as an annotator left it; the submit deletes it.

    An annotator has at most one draft of an item. It belongs to a lease, or to the revision of a
    rating that it `corrects`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="drafts", db_index=False)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="drafts", db_index=False
    )
    lease = models.ForeignKey(
        "Lease", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    corrects = models.ForeignKey(
        "Rating", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    # `writer` and `number` are those of the `DraftVersion` that saved it.
    writer = models.CharField(max_length=32)
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    # By field name (tasks.rating_form.fields), in the order drawn for the annotator. The order is
    # the same in every lease of the item.
    answers = models.JSONField()
    seen = models.TextField(blank=True)  # remarks that were already shown
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    saved_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)  # of a correction

    objects: ClassVar[DraftQuerySet] = DraftQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("annotator", "item"), name="one_draft_of_an_item"),
            models.CheckConstraint(
                condition=Q(lease__isnull=True, corrects__isnull=False)
                | Q(lease__isnull=False, corrects__isnull=True),
                name="a_draft_is_of_a_lease_or_of_a_correction",
            ),
        )
