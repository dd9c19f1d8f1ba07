"""Batches of items, as uploaded. Nothing here changes a text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Func, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from .projects import Project

if TYPE_CHECKING:
    from annotators.models import User


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is, or several (`batch` is None): items, counted ratings, and how many are wanted."""

    batch: Batch | None
    items: int
    counted: int
    wanted: int

    @classmethod
    def of(cls, parts: Collection[Progress]) -> Progress:
        """The sum."""
        return cls(
            None,
            sum(part.items for part in parts),
            sum(part.counted for part in parts),
            sum(part.wanted for part in parts),
        )


class BatchQuerySet(models.QuerySet["Batch"]):
    def progress(self, wanted: int) -> list[Progress]:
        """How far each batch is, where `wanted` ratings of each item are wanted."""
        rows = self.annotate(size=Count("items"), rated=Coalesce(Sum("items__counted"), 0))
        return [Progress(row, row.size, row.rated, row.size * wanted) for row in rows]  # type: ignore[attr-defined]


class Batch(models.Model):
    """One uploaded file. `digest` is the SHA-256 of its bytes: the same file twice is refused."""

    class Status(models.TextChoices):
        OPEN = "open", "open"
        PAUSED = "paused", "paused"
        CLOSED = "closed", "closed"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status, default=Status.OPEN)
    file_name = models.CharField(max_length=255, blank=True)
    digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()

    objects: ClassVar[BatchQuerySet] = BatchQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("position",)
        verbose_name_plural = "batches"
        constraints = (
            models.UniqueConstraint(fields=("project", "name"), name="a_batch_name_stands_once_in_a_project"),
            models.UniqueConstraint(fields=("project", "position"), name="batches_stand_in_one_order"),
            models.UniqueConstraint(
                fields=("project", "digest"), name="a_file_is_uploaded_once_in_a_project"
            ),
        )

    def __str__(self) -> str:
        return self.name


class ItemQuerySet(models.QuerySet["Item"]):
    def in_queue_order(self) -> Self:
        return self.order_by("batch__position", "position")

    def open_to(self, annotator: User, now: datetime) -> Self:
        """Items that still want a counted rating, that nobody who would fill the place holds, and that
        this annotator has neither rated nor holds."""
        from .leases import Lease  # leases refer to items, not items to leases

        held = (
            Lease.objects.live(now)
            .filter(item=OuterRef("pk"), revises=None)
            .order_by()
            .values("item")
            .annotate(number=Count("pk"))
            .values("number")
        )
        return (
            self.filter(batch__status=Batch.Status.OPEN, project__status=Project.Status.OPEN)
            .exclude(ratings__annotator=annotator)
            .exclude(pk__in=Lease.objects.live(now).filter(annotator=annotator).values("item"))
            .alias(held=Coalesce(Subquery(held), 0))
            .filter(counted__lt=F("project__wanted") - F("held"))
        )

    def unfinished(self) -> Self:
        """Items that still want a counted rating, whoever holds them."""
        return self.filter(
            batch__status=Batch.Status.OPEN,
            project__status=Project.Status.OPEN,
            counted__lt=F("project__wanted"),
        )

    def metadata_names(self) -> list[str]:
        """The names that stand in the items' metadata, sorted by code point."""
        names = Func(F("metadata"), function="jsonb_object_keys", output_field=models.TextField())
        names.set_returning = True
        return sorted(self.order_by().values_list(names, flat=True).distinct())


class Item(models.Model):
    """What is shown and rated: a persona (lines), a conversation (list of {role, text}), and responses.

    `external_id` is the `id` of the upload. `counted` is the number of counted ratings of round 0; it is
    changed only under the item's row lock, together with the rating that it counts.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="items")
    external_id = models.TextField()
    position = models.PositiveIntegerField()
    persona = models.JSONField(default=list, blank=True)
    messages = models.JSONField(default=list, blank=True)
    system = models.TextField(blank=True)
    context = models.TextField(blank=True)
    reference = models.TextField(blank=True)
    source = models.TextField(blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    counted = models.PositiveSmallIntegerField(default=0)

    objects: ClassVar[ItemQuerySet] = ItemQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("batch", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "external_id"), name="an_item_id_stands_once_in_a_project"
            ),
            models.UniqueConstraint(fields=("batch", "position"), name="items_of_a_batch_stand_in_one_order"),
        )

    def __str__(self) -> str:
        return self.external_id


class Response(models.Model):
    """What a model said to an item; `position` counts from 1 in the upload's order."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="responses")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="responses")
    position = models.PositiveSmallIntegerField()
    model = models.TextField(blank=True)
    text = models.TextField(blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("item", "position"), name="responses_of_an_item_stand_in_one_order"
            ),
            models.CheckConstraint(condition=Q(position__gte=1), name="responses_count_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.item}, response {self.position}"
