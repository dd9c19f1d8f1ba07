"""Batches of items, as uploaded. Nothing here changes a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Case, F, Func, Q, Sum, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .projects import Project
from .queue.targets import find_groups, hold_batch, settle_wanted

if TYPE_CHECKING:
    from annotators.models import User


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is, or several (`batch` is None): items, those among them that have all that
    they want, counted ratings, and how many are wanted."""

    batch: Batch | None
    items: int
    finished: int
    counted: int
    wanted: int

    @classmethod
    def of(cls, parts: Collection[Progress]) -> Progress:
        """The sum."""
        return cls(
            None,
            sum(part.items for part in parts),
            sum(part.finished for part in parts),
            sum(part.counted for part in parts),
            sum(part.wanted for part in parts),
        )


class BatchQuerySet(models.QuerySet["Batch"]):
    def progress(self) -> list[Progress]:
        """How far each batch is. It adds up what is kept beside the items, however many they
        are."""
        rows = self.annotate(
            counted=Coalesce(Sum("seats__counted"), 0),
            newly_finished=Coalesce(Sum("seats__finished"), 0),
        ).order_by("position")  # adding up forgets the model's own order
        return [
            Progress(
                row,
                row.size - row.dropped,
                row.finished + row.newly_finished,
                row.counted,
                row.wanted,
            )
            for row in rows
        ]


class Batch(models.Model):
    """One uploaded file. `digest` is the SHA-256 of its bytes: the same file twice is refused.

    `rank` and, in a project that goes by priority, `priority` (the greater the sooner) say when its
    turn comes; else batches come as they were uploaded. `size`, `wanted`: its items, and the
    ratings that they want, kept by the database (trigger `a_batch_knows_its_size`); after
    `recount`, of an item that is dropped or has more than it wants as many as it has, so that all
    are there when there are as many. `dropped` and `finished`: how many items were dropped, and how
    many had all their ratings, when `recount` last looked; seats add to the latter. `warning`: what
    stands before every item's texts until they are opened. `status`: paused, it hands out nothing;
    closed, its ratings stand as they are besides. What was lent is taken all the same, and the lead
    may open it again.
    """

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    class Rank(models.IntegerChoices):
        FIRST = -1, _("first")
        NORMAL = 0, _("in its turn")
        LAST = 1, _("last")

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="batches", verbose_name=_("Project")
    )
    name = models.CharField(_("Name"), max_length=200)
    position = models.PositiveIntegerField(_("Position in the project"))
    status = models.CharField(_("Status"), max_length=12, choices=Status, default=Status.OPEN)
    rank = models.SmallIntegerField(
        _("Its turn comes"), choices=Rank, default=Rank.NORMAL, db_default=0
    )
    priority = models.SmallIntegerField(_("Priority"), default=0, db_default=0)
    size = models.PositiveIntegerField(_("Number of items"), default=0, db_default=0)
    wanted = models.PositiveIntegerField(_("Ratings wanted"), default=0, db_default=0)
    dropped = models.PositiveIntegerField(_("Items dropped"), default=0, db_default=0)
    finished = models.PositiveIntegerField(
        _("Items finished, when last counted"), default=0, db_default=0
    )
    warning = models.TextField(
        _("Warning before every item of it"), blank=True, default="", db_default=""
    )
    file_name = models.CharField(_("Name of the file"), max_length=255, blank=True)
    digest = models.CharField(_("SHA-256 of the file"), max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Uploaded by"),
    )
    created_at = models.DateTimeField(_("Uploaded at"))

    objects: ClassVar[BatchQuerySet] = BatchQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "name"), name="a_batch_name_stands_once_in_a_project"
            ),
            models.UniqueConstraint(
                fields=("project", "position"), name="batches_stand_in_one_order"
            ),
            models.UniqueConstraint(
                fields=("project", "digest"), name="a_file_is_uploaded_once_in_a_project"
            ),
        )

    # Set by `progress`.
    counted: int
    newly_finished: int

    def __str__(self) -> str:
        return self.name

    def change(
        self,
        *,
        status: str,
        rank: int,
        priority: int,
        annotators: Iterable[User],
        warning: str = "",
    ) -> None:
        """When its turn comes, whose it is, and what it warns of; without `annotators` everybody's.
        What is lent stays lent, and what is open stays open."""
        with transaction.atomic():
            self.status, self.rank, self.priority, self.warning = status, rank, priority, warning
            self.save(update_fields=["status", "rank", "priority", "warning"])
            self.assignments.all().delete()
            self.assignments.bulk_create(
                self.assignments.model(batch=self, annotator=annotator) for annotator in annotators
            )

    def settle(self) -> None:
        """Write on items that have just come in what the project's settings mean for them."""
        if self.project.overlap_percent:
            settle_wanted(self.project, self.pk)
            self.recount()
        if self.project.grouping != Project.Grouping.FREE:
            find_groups(self.pk)

    def recount(self, *, look_from: int | None = None) -> None:
        """Look at the items again, after what they want has changed, and let the seats begin anew.
        `look_from`: from this position on there may be items again that annotators have passed
        by."""
        with transaction.atomic(), connection.cursor() as cursor:
            hold_batch(self.pk)
            # Ratings that come in meanwhile wait for the seats, and are added to the new count.
            cursor.execute(
                "SELECT FROM tasks_seat WHERE batch_id = %s ORDER BY id FOR UPDATE", [self.pk]
            )
            cursor.execute(
                """
                WITH gone AS (
                  SELECT rating.annotator_id, count(*) AS number
                  FROM tasks_item AS item JOIN tasks_rating AS rating ON rating.item_id = item.id
                  WHERE item.batch_id = %(batch)s AND item.dropped AND rating.round = 0
                    AND rating.revision = 1
                  GROUP BY rating.annotator_id
                ), anew AS (
                  UPDATE tasks_seat AS seat SET finished = 0, dropped = coalesce(gone.number, 0),
                    position = least(seat.position, %(look_from)s::int)
                  FROM tasks_seat AS there LEFT JOIN gone ON gone.annotator_id = there.annotator_id
                  WHERE there.id = seat.id AND seat.batch_id = %(batch)s
                    AND (seat.finished > 0 OR seat.position > %(look_from)s::int
                      OR seat.dropped <> coalesce(gone.number, 0))
                )
                UPDATE tasks_batch SET wanted = found.wanted, dropped = found.dropped, finished =
                found.finished FROM (
                  SELECT coalesce(sum(CASE WHEN dropped THEN counted ELSE greatest(counted, wanted) END), 0)
                      AS wanted,
                    count(*) FILTER (WHERE dropped) AS dropped,
                    count(*) FILTER (WHERE NOT dropped AND counted >= wanted) AS finished
                  FROM tasks_item WHERE batch_id = %(batch)s
                ) AS found
                WHERE id = %(batch)s
                """,
                {"batch": self.pk, "look_from": look_from},
            )


class ItemQuerySet(models.QuerySet["Item"]):
    def in_queue_order(self) -> Self:
        return self.order_by("batch__position", "position")

    def metadata_names(self) -> list[str]:
        """The names that stand in the items' metadata, sorted by code point."""
        names = Func(F("metadata"), function="jsonb_object_keys", output_field=models.TextField())
        names.set_returning = True
        return sorted(self.order_by().values_list(names, flat=True).distinct())


class Item(models.Model):
    """What is shown and rated: a persona (lines), a conversation (list of {role, text}), and
    responses.

    `external_id` is the `id` of the upload; `position` counts from 0 in its batch.

    `wanted`: how many counted ratings it gets. `counted`: how many it has; `lent`: how many places
    are held by leases. The database keeps both (triggers of migration 0005), and refuses a lease or
    a counted rating that has no place. `dropped`: it is handed out no more. `group`: the same for
    items that show the same; empty where the project does not ask.
    """

    # Indexes that begin with these are below.
    project = models.ForeignKey(
        Project,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
        verbose_name=_("Project"),
    )
    batch = models.ForeignKey(
        Batch,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
        verbose_name=_("Batch"),
    )
    external_id = models.TextField(_("ID in the file"))
    position = models.PositiveIntegerField(_("Position in the batch"))
    persona = models.JSONField(_("Persona"), default=list, blank=True)
    messages = models.JSONField(_("Conversation"), default=list, blank=True)
    system = models.TextField(_("System prompt"), blank=True)
    context = models.TextField(_("Context"), blank=True)
    reference = models.TextField(_("Reference answer"), blank=True)
    source = models.TextField(_("Source"), blank=True)
    warning = models.TextField(_("Warning"), blank=True, default="", db_default="")
    metadata = models.JSONField(_("Metadata"), default=dict, blank=True)
    wanted = models.PositiveSmallIntegerField(_("Ratings wanted"), default=1, db_default=1)
    counted = models.PositiveSmallIntegerField(_("Ratings that count"), default=0)
    lent = models.PositiveSmallIntegerField(_("Places lent"), default=0, db_default=0)
    dropped = models.BooleanField(_("Dropped"), default=False, db_default=False)
    group = models.BigIntegerField(_("Group of those that show the same"), null=True, blank=True)

    objects: ClassVar[ItemQuerySet] = ItemQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("item")
        verbose_name_plural = _("items")
        ordering = ("batch", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "external_id"), name="an_item_id_stands_once_in_a_project"
            ),
            models.UniqueConstraint(
                fields=("batch", "position"), name="items_of_a_batch_stand_in_one_order"
            ),
            models.CheckConstraint(
                condition=Q(wanted__gte=1), name="an_item_wants_one_rating_at_least"
            ),
        )
        indexes = (
            # What is lent is not in it, so that lending an item rewrites no index. An expression,
            # because no other index can then be taken for the same order: PostgreSQL cannot know
            # how few items still want something, and took that of all positions when a project was
            # nearly done.
            models.Index(
                F("batch"),
                Case(When(counted__lt=F("wanted"), dropped=False, then=F("position"))),
                condition=Q(counted__lt=F("wanted"), dropped=False),
                name="items_in_the_queue",
            ),
            models.Index(
                fields=("project", "group"),
                condition=Q(group__isnull=False),
                name="items_of_a_group",
            ),
        )

    def __str__(self) -> str:
        return self.external_id

    # The batch's, where the statement that gave the item told.
    batch_warning: str | None = None

    @cached_property
    def own_responses(self) -> list[Response]:
        """Its responses in the upload's order: asked for once, and not at all where the statement
        that gave the item gave them too."""
        return list(self.responses.all())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the annotator is to know before they see the texts: the batch's warning, and the
        item's."""
        of_batch = self.batch.warning if self.batch_warning is None else self.batch_warning
        return tuple(dict.fromkeys(filter(None, (of_batch, self.warning))))

    def has_place_for(self, *, held: bool) -> bool:
        """Whether the item, locked, still wants the rating of a lease: one that is live has held a
        place (`held`), another needs one that is free."""
        taken = self.counted if held else self.counted + self.lent
        return not self.dropped and taken < self.wanted


class Response(models.Model):
    """What a model said to an item; `position` counts from 1 in the upload's order."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="responses")
    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="responses", db_index=False
    )
    position = models.PositiveSmallIntegerField(_("Position"))
    model = models.TextField(_("Model"), blank=True)
    text = models.TextField(_("Text"), blank=True)

    class Meta:
        verbose_name = _("response")
        verbose_name_plural = _("responses")
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("item", "position"), name="responses_of_an_item_stand_in_one_order"
            ),
            models.CheckConstraint(condition=Q(position__gte=1), name="responses_count_from_one"),
        )

    def __str__(self) -> str:
        return gettext("%(item)s, response %(number)s") % {
            "item": self.item,
            "number": self.position,
        }
