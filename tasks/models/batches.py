"""Batches: the items of one uploaded file each, in which order, for whom, and how far.

An import makes a batch (`tasks/importing/batches/`), and leads change it (`tasks/settings/`).
Nothing here changes a text.
"""

from collections.abc import Iterable
from typing import Any, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from config.web.raw_sql import run
from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Needs

from .batch_removal import is_untouched, remove_rows
from .loads import wait_for_loads
from .notices import Notice
from .projects import Project
from .wanted_ratings import drop_bare, find_groups, hold_batch, store_wanted

LOCK_PROGRESS = "SELECT FROM tasks_batchprogress WHERE batch_id = %s ORDER BY id FOR UPDATE"
# Counts a batch anew, and in the progress of its annotators what was dropped of their ratings.
# `look_from`: from this position on, annotators look again for items that they have passed.
RECOUNT = """
WITH dropped AS (
  SELECT rating.annotator_id, count(*) AS ratings
  FROM tasks_item AS item JOIN tasks_rating AS rating ON rating.item_id = item.id
  WHERE item.batch_id = %(batch)s AND item.dropped AND rating.attempt = 0
    AND rating.revision = 1
  GROUP BY rating.annotator_id
), changed AS (
  UPDATE tasks_batchprogress AS progress SET finished = 0,
    dropped = coalesce(dropped.ratings, 0),
    position = least(progress.position, %(look_from)s::int)
  FROM tasks_batchprogress AS same
  LEFT JOIN dropped ON dropped.annotator_id = same.annotator_id
  WHERE same.id = progress.id AND progress.batch_id = %(batch)s
    AND (progress.finished > 0 OR progress.position > %(look_from)s::int
      OR progress.dropped <> coalesce(dropped.ratings, 0))
)
UPDATE tasks_batch SET wanted = items.wanted, dropped = items.dropped,
  dropped_ratings = items.dropped_ratings, finished = items.finished,
  imported = items.imported
FROM (
  SELECT coalesce(sum(greatest(counted, wanted)) FILTER (WHERE NOT dropped), 0)
      AS wanted,
    count(*) FILTER (WHERE dropped) AS dropped,
    coalesce(sum(counted) FILTER (WHERE dropped), 0) AS dropped_ratings,
    count(*) FILTER (WHERE NOT dropped AND counted >= wanted) AS finished,
    coalesce(sum(imported), 0) AS imported
  FROM tasks_item WHERE batch_id = %(batch)s
) AS items
WHERE id = %(batch)s
"""
LONGEST_NAME = 200  # characters of a batch's name
LONGEST_WARNING = 500  # characters of a batch's warning


class BatchQuerySet(models.QuerySet["Batch"]):
    def with_progress(self) -> Self:
        """Annotate how far each batch is; dropped items are left out.

        It adds up the annotators' batch progress, so it costs the same for any number of items.
        """
        finished = Sum("batch_progress__finished", default=0)
        counted = Sum("batch_progress__counted", default=0)
        batches = self.annotate(
            item_count=F("size") - F("dropped"),
            finished_count=F("finished") + finished,
            counted=F("imported") - F("dropped_ratings") + counted,
        )
        return batches.order_by("position")  # aggregation drops the model's default order


class Batch(models.Model):
    """The items of one uploaded file. A project refuses the same file twice."""

    class Status(models.TextChoices):
        """The states of a batch; the lead can always reopen it.

        Every state accepts the first rating of an item that is already leased.
        """

        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")  # hands out no items
        CLOSED = "closed", _("closed")  # hands out no items, and its ratings are read-only

    class Rank(models.IntegerChoices):
        FIRST = -1, _("first")
        NORMAL = 0, _("in its turn")
        LAST = 1, _("last")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    name = models.CharField(max_length=LONGEST_NAME)
    position = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status, default=Status.OPEN)
    # False while more items may come in by the API: nothing is asked about its candidate sets yet,
    # and nobody is told that it is finished.
    complete = models.BooleanField(default=True, db_default=True)
    # Batches come by rank, then by priority (higher first) if the project is ordered so, then as
    # they were uploaded.
    rank = models.SmallIntegerField(
        _("Handed out"), choices=Rank, default=Rank.NORMAL, db_default=0
    )
    priority = models.SmallIntegerField(_("Priority"), default=0, db_default=0)
    # A trigger (`a_batch_knows_its_size`) maintains `size` and `wanted`. `recount` sets `wanted` to
    # the ratings there are for over-rated items, so that a finished batch is complete. A dropped
    # item wants none.
    size = models.PositiveIntegerField(default=0, db_default=0)
    wanted = models.PositiveIntegerField(default=0, db_default=0)
    # As of the last `recount`. The batch progress counts the items that were finished since.
    dropped = models.PositiveIntegerField(default=0, db_default=0)
    dropped_ratings = models.PositiveIntegerField(default=0, db_default=0)  # of places they filled
    finished = models.PositiveIntegerField(default=0, db_default=0)
    # Imported ratings that fill places. The batch progress counts all others.
    imported = models.PositiveIntegerField(default=0, db_default=0)
    # See `count_applicable`. None until somebody looks.
    asked = models.JSONField(null=True, editable=False)
    # Covers the texts of every item until the annotator opens them.
    warning = models.TextField(_("Warning before each item"), blank=True, default="", db_default="")
    file_name = models.CharField(max_length=255, blank=True)
    digest = models.CharField(max_length=64)  # of the file, its part and its mapping
    # What the columns of the file were, as YAML; "" for our own shape.
    mapping = models.TextField(blank=True, default="", db_default="")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField()

    objects = BatchQuerySet.as_manager()

    class Meta:
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

    # Set by `with_progress`.
    item_count: int
    finished_count: int
    counted: int  # ratings

    def __str__(self) -> str:
        return self.name

    def change(
        self,
        *,
        annotators: Iterable[User] | None = None,
        **changes: Any,
    ) -> None:
        """Change fields of a batch, and who may work on it: nobody in `annotators` is everybody.

        Fields that are left out stay. Leases stay live, and opened texts stay open.
        """
        with transaction.atomic():
            for name, value in changes.items():
                setattr(self, name, value)
            self.save(update_fields=changes.keys())
            if annotators is not None:
                self.assignments.all().delete()
                assignment = self.assignments.model
                self.assignments.bulk_create(
                    assignment(batch=self, annotator=annotator) for annotator in annotators
                )
            Notice.objects.tell_of_batches(self.project_id, now=timezone.now())

    @property
    def is_untouched(self) -> bool:
        """True if nobody has a draft, flag, rating, decision or ended lease of its items."""
        return is_untouched(self.pk)

    def remove(self) -> bool:
        """Delete the batch with its items, if it is untouched. Return True if it is gone.

        Live leases go with it, and what an import of ratings brought with it: its people and its
        rubric, unless they are needed otherwise. The ids of its items and its file can be used
        again.
        """
        with transaction.atomic():
            if self.items.filter(ratings__isnull=False).exists():
                self.project.hold()  # it may be as before them, and no figures are being stored
            hold_batch(self.pk)
            # Wait for everybody who takes, submits or saves something of it at this moment.
            run("SELECT FROM tasks_item WHERE batch_id = %s ORDER BY id FOR UPDATE", [self.pk])
            if not self.is_untouched:
                return False
            files = list(self.project.rating_files.filter(ratings__item__batch=self).distinct())
            remove_rows(self.pk)
            for file in files:
                file.remove_if_bare(timezone.now())
        return True

    def count_applicable(self) -> dict[str, int]:
        """Return for how many items each dimension that needs something is asked, by its code.

        Neither a complete batch nor a version of a rubric changes, so this counts once for a
        version and keeps the counts. An item that is dropped or taken back changes them
        (`recount_applicable`), and new items have them counted anew (`recount_new_items`).
        """
        counts = self._applicable_counts()
        if counts is None:
            counts = {}
            with transaction.atomic():
                hold_batch(self.pk)  # nobody drops an item meanwhile
                for dimension in self._dimensions_in_need():
                    items = self.items.with_dimension(dimension, self)
                    counts[dimension.code] = items.filter(dropped=False).count()
                self._store_applicable(counts)
        return dict(counts)

    def recount_applicable(self, item: int, *, is_dropped: bool) -> None:
        """Count an item that was just dropped or taken back, for who has locked the batch."""
        self.refresh_from_db(fields=["asked"])
        counts = self._applicable_counts()
        if not counts:
            return
        for dimension in self._dimensions_in_need():
            if self.items.with_dimension(dimension, self).filter(pk=item).exists():
                counts[dimension.code] += -1 if is_dropped else 1
        self._store_applicable(counts)

    def recount_new_items(self) -> None:
        """Count the items that just came in; of a batch that goes on, when somebody looks."""
        if self.complete:
            self.count_applicable()  # so that no page has to
        else:
            self.asked = None
            self.save(update_fields=["asked"])

    def _applicable_counts(self) -> dict[str, int] | None:
        """Return the counts of the project's version of the rubric, None if nobody has looked."""
        return (self.asked or {}).get(f"rubric {self.project.rubric_id}")

    def _store_applicable(self, counts: dict[str, int]) -> None:
        self.asked = {f"rubric {self.project.rubric_id}": counts}
        self.save(update_fields=["asked"])

    def _dimensions_in_need(self) -> list[Dimension]:
        dimensions = self.project.rubric.schema.dimensions
        return [dimension for dimension in dimensions if dimension.needs != Needs()]

    def apply_settings(self, first: int = 0) -> int:
        """Apply the project's settings to the items; return how many want other ratings now.

        `first`: only to those from this position on.
        """
        changed = store_wanted(self.project_id, self.pk, first)
        # Items that annotators have already passed may be open again.
        self.recount(look_from=first if changed else None)
        if self.project.grouping != Project.Grouping.FREE:
            find_groups(self.pk, first)
        return changed

    def call_complete(self) -> bool:
        """Let no more items come in. Return False if it was complete before."""
        with transaction.atomic():
            wait_for_loads(self.project_id)
            hold_batch(self.pk)
            self.refresh_from_db(fields=["complete"])
            if self.complete:
                return False
            self.complete = True
            self.asked = None
            self.save(update_fields=["complete", "asked"])
            Notice.objects.tell_if_finished(self.project_id, self.pk)
        return True

    def follow_imports(self) -> None:
        """Have its items want what they want now that ratings came in a file, or went with it."""
        drop_bare(self.pk)
        self.apply_settings()

    def recount(self, *, look_from: int | None = None) -> None:
        """Count the batch's items again, after the ratings they want changed, and its progress.

        `look_from`: from this position on, there may be items to rate that annotators have passed.
        """
        with transaction.atomic():
            hold_batch(self.pk)
            # Ratings that come in meanwhile wait for the batch progress, and add to the new count.
            run(LOCK_PROGRESS, [self.pk])
            run(RECOUNT, {"batch": self.pk, "look_from": look_from})
