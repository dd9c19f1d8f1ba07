"""Batches of items, as uploaded. Nothing here changes a text."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Case, Count, F, Func, Q, Sum, When
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from config.web.raw_sql import one_row, run
from rubrics.schema import Dimension, Needs, Unit

from .notices import Notice
from .projects import Project
from .wanted_ratings import (
    drop_bare,
    find_groups,
    hold_batch,
    settle_wanted,
    settle_wanted_of_item,
)

# The first characters of the text that a line of a list begins with.
BEGINNING = """
left(coalesce(CASE WHEN tasks_item.messages <> '[]' THEN tasks_item.messages -> -1 ->> 'text'
  WHEN tasks_item.context <> '' THEN tasks_item.context ELSE tasks_item.persona ->> 0 END, ''), %s)
"""
UNTOUCHED = """
WITH item AS (SELECT id FROM tasks_item WHERE batch_id = %(batch)s)
SELECT NOT EXISTS (SELECT FROM tasks_lease WHERE item_id IN (TABLE item) AND status <> 'live')
  AND NOT EXISTS (SELECT FROM tasks_draft WHERE item_id IN (TABLE item))
  AND NOT EXISTS (SELECT FROM tasks_rating WHERE item_id IN (TABLE item) AND kind <> 'imported')
  AND NOT EXISTS (SELECT FROM tasks_concern WHERE item_id IN (TABLE item))
  AND NOT EXISTS (
    SELECT FROM tasks_corpusanswer WHERE batch_id = %(batch)s AND annotator_id IS NOT NULL)
"""
# Figures that count its imported ratings go, too.
REMOVE = """
DELETE FROM tasks_scorecounts USING tasks_rating AS rating, tasks_item AS item
WHERE rating.project_id = tasks_scorecounts.project_id AND rating.item_id = item.id
  AND item.batch_id = %(batch)s;
DELETE FROM tasks_agreementresult USING tasks_rating AS rating, tasks_item AS item
WHERE rating.project_id = tasks_agreementresult.project_id AND rating.item_id = item.id
  AND item.batch_id = %(batch)s;
DELETE FROM tasks_lease USING tasks_item AS item
WHERE item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_itemwords USING tasks_item AS item
WHERE item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_itementry WHERE batch_id = %(batch)s;
DELETE FROM tasks_placement USING tasks_rating AS rating, tasks_item AS item
WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_factcheck USING tasks_rating AS rating, tasks_item AS item
WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_score USING tasks_rating AS rating, tasks_item AS item
WHERE rating_id = rating.id AND rating.item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_rating USING tasks_item AS item
WHERE item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_corpusanswer WHERE batch_id = %(batch)s;
DELETE FROM tasks_response USING tasks_item AS item
WHERE item_id = item.id AND item.batch_id = %(batch)s;
DELETE FROM tasks_item WHERE batch_id = %(batch)s;
DELETE FROM tasks_notice WHERE batch_id = %(batch)s
OR upload_id IN (SELECT id FROM tasks_upload WHERE batch_id = %(batch)s);
DELETE FROM tasks_assignment WHERE batch_id = %(batch)s;
DELETE FROM tasks_batchprogress WHERE batch_id = %(batch)s;
DELETE FROM tasks_uploadblock USING tasks_upload AS upload
WHERE upload_id = upload.id AND upload.batch_id = %(batch)s;
DELETE FROM tasks_uploadprogress USING tasks_upload AS upload
WHERE upload_id = upload.id AND upload.batch_id = %(batch)s;
DELETE FROM tasks_upload WHERE batch_id = %(batch)s;
DELETE FROM tasks_batch WHERE id = %(batch)s
"""
LONGEST_NAME = 200  # characters of a batch's name
LONGEST_WARNING = 500  # characters of a batch's warning


class BatchQuerySet(models.QuerySet["Batch"]):
    def with_progress(self) -> Self:
        """Annotate how far each batch is; dropped items are left out.

        It adds up the annotators' batch progress, so it costs the same for any number of items.
        """
        return self.annotate(
            item_count=F("size") - F("dropped"),
            finished_count=F("finished") + Sum("batch_progress__finished", default=0),
            counted=F("imported")
            - F("dropped_ratings")
            + Sum("batch_progress__counted", default=0),
        ).order_by("position")  # aggregation drops the model's default order


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
    # See `count_asked`. None until somebody looks.
    asked = models.JSONField(null=True, editable=False)
    # Covers the texts of every item until the annotator opens them.
    warning = models.TextField(_("Warning before each item"), blank=True, default="", db_default="")
    file_name = models.CharField(max_length=255, blank=True)
    digest = models.CharField(max_length=64)  # of the file, its part and its mapping
    # What the columns of the file were, as YAML (`importing.foreign`); "" for our own shape.
    mapping = models.TextField(blank=True, default="", db_default="")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField()

    objects: ClassVar[BatchQuerySet] = BatchQuerySet.as_manager()  # type: ignore[assignment]

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
        **values: Any,
    ) -> None:
        """Change fields of a batch, and who may work on it: nobody in `annotators` is everybody.

        Fields that are left out stay. Leases stay live, and opened texts stay open.
        """
        with transaction.atomic():
            for name, value in values.items():
                setattr(self, name, value)
            self.save(update_fields=values.keys())
            if annotators is not None:
                self.assignments.all().delete()
                self.assignments.bulk_create(
                    self.assignments.model(batch=self, annotator=each) for each in annotators
                )
            Notice.objects.tell_of_batches(self.project_id, now=timezone.now())

    @property
    def is_untouched(self) -> bool:
        """True if nobody has a draft, flag, rating or ended lease of any of its items."""
        (found,) = one_row(UNTOUCHED, {"batch": self.pk}) or (False,)
        return bool(found)

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
            is_gone = self.is_untouched
            if is_gone:
                files = [*self.project.rating_files.filter(ratings__item__batch=self).distinct()]
                for statement in REMOVE.split(";"):
                    run(statement, {"batch": self.pk})
                for file in files:
                    file.remove_if_bare(timezone.now())
        return is_gone

    def count_asked(self) -> dict[str, int]:
        """Return for how many items each dimension that needs something is asked, by its code.

        Neither a batch nor a version of a rubric changes, so this counts once for a version and
        keeps the counts. An item that is dropped or taken back changes them (`count_asked_again`).
        """
        version = f"rubric {self.project.rubric_id}"
        if version not in (self.asked or {}):
            with transaction.atomic():
                hold_batch(self.pk)  # nobody drops an item meanwhile
                counts = {}
                for dimension in self._dimensions_in_need():
                    items = Item.objects.asked(dimension, self).filter(dropped=False)
                    counts[dimension.code] = items.count()
                self.asked = {version: counts}
                self.save(update_fields=["asked"])
        return dict((self.asked or {})[version])

    def count_asked_again(self, item: "Item") -> None:
        """Count an item that was just dropped or taken back, for who has locked the batch."""
        self.refresh_from_db(fields=["asked"])
        counts = (self.asked or {}).get(f"rubric {self.project.rubric_id}", {})
        for dimension in self._dimensions_in_need() if counts else ():
            if Item.objects.asked(dimension, self).filter(pk=item.pk).exists():
                counts[dimension.code] += -1 if item.dropped else 1
        if counts:
            self.save(update_fields=["asked"])

    def _dimensions_in_need(self) -> list[Dimension]:
        every = self.project.rubric.schema.dimensions
        return [each for each in every if each.needs != Needs()]

    def apply_settings(self) -> int:
        """Apply the project's settings to the items; return how many want other ratings now."""
        changed = settle_wanted(self.project_id, self.pk)
        # Items that annotators have already passed may be open again.
        self.recount(look_from=0 if changed else None)
        if self.project.grouping != Project.Grouping.FREE:
            find_groups(self.pk)
        return changed

    def follow_imports(self) -> None:
        """Have its items want what they want now that ratings came in a file, or went with it."""
        drop_bare(self.pk)
        self.apply_settings()

    def recount(self, *, look_from: int | None = None) -> None:
        """Count the batch's items again, after the ratings they want changed, and its progress.

        `look_from`: from this position on, there may be open items that annotators have passed.
        """
        with transaction.atomic(), connection.cursor() as cursor:
            hold_batch(self.pk)
            # Ratings that come in meanwhile wait for the batch progress, and add to the new count.
            cursor.execute(
                "SELECT FROM tasks_batchprogress WHERE batch_id = %s ORDER BY id FOR UPDATE",
                [self.pk],
            )
            cursor.execute(
                """
                WITH gone AS (
                  SELECT rating.annotator_id, count(*) AS number
                  FROM tasks_item AS item JOIN tasks_rating AS rating ON rating.item_id = item.id
                  WHERE item.batch_id = %(batch)s AND item.dropped AND rating.attempt = 0
                    AND rating.revision = 1
                  GROUP BY rating.annotator_id
                ), anew AS (
                  UPDATE tasks_batchprogress AS own SET finished = 0,
                    dropped = coalesce(gone.number, 0),
                    position = least(own.position, %(look_from)s::int)
                  FROM tasks_batchprogress AS same
                  LEFT JOIN gone ON gone.annotator_id = same.annotator_id
                  WHERE same.id = own.id AND own.batch_id = %(batch)s
                    AND (own.finished > 0 OR own.position > %(look_from)s::int
                      OR own.dropped <> coalesce(gone.number, 0))
                )
                UPDATE tasks_batch SET wanted = found.wanted, dropped = found.dropped,
                  dropped_ratings = found.dropped_ratings, finished = found.finished,
                  imported = found.imported
                FROM (
                  SELECT coalesce(sum(greatest(counted, wanted)) FILTER (WHERE NOT dropped), 0)
                      AS wanted,
                    count(*) FILTER (WHERE dropped) AS dropped,
                    coalesce(sum(counted) FILTER (WHERE dropped), 0) AS dropped_ratings,
                    count(*) FILTER (WHERE NOT dropped AND counted >= wanted) AS finished,
                    coalesce(sum(imported), 0) AS imported
                  FROM tasks_item WHERE batch_id = %(batch)s
                ) AS found
                WHERE id = %(batch)s
                """,
                {"batch": self.pk, "look_from": look_from},
            )


# Enough of a text for one line of a list, once its white space is joined.
GIST = 240  # characters


class ItemQuerySet(models.QuerySet["Item"]):
    def in_brief(self) -> Self:
        """Load what one line of a list shows: the gist of an item, and no whole text."""
        gist = RawSQL(BEGINNING, (GIST,), models.TextField())  # noqa: S611 - constant
        return self.annotate(gist=gist).only(
            "project", "external_id", "wanted", "counted", "dropped", "lacks_texts"
        )

    def with_blank_prompt(self) -> Self:
        """Return the items whose newest message has no text."""
        return self.alias(newest=KT("messages__-1__text")).filter(newest__regex=r"^\s*$")

    def first_to_rate(self) -> "Item | None":
        """Return the first item as uploaded that is not dropped, if any."""
        return (
            self.filter(dropped=False)
            .select_related("batch")
            .order_by("batch__position", "position")
            .first()
        )

    def asked(self, dimension: Dimension, batch: Batch) -> Self:
        """Return the items of a batch that a dimension applies to.

        It is the rule of the rating form (`item_view_of`), for many items at once.
        """
        needs = dimension.needs
        tagged = Q()
        for tag in needs.tags:  # a list, or a text with ";", as in `Item.tags`
            tagged |= Q(metadata__tags__contains=[tag])
            tagged |= Q(metadata__tags__regex=rf"(^|;)\s*{tag}\s*(;|$)")
        found = self.filter(
            ~Q(persona=[]) if needs.persona else Q(),
            ~Q(messages=[]) if needs.history else Q(),
            tagged,
            batch=batch,
        )
        if dimension.unit is not Unit.CANDIDATE_SET:
            return found
        responses = Response.objects.filter(item__batch=batch).order_by()
        models_asked = (
            responses.values("model")
            .annotate(histories=Count("item", distinct=True))
            .filter(histories__gt=needs.other_histories)  # this item is one of them
        )
        sets = (
            responses.filter(model__in=models_asked.values("model"))
            .values("item", "model")
            .annotate(number=Count("pk"))
            .filter(number__gte=needs.candidates)
        )
        return found.filter(pk__in=sets.values("item"))

    def asked_nothing(self, batch: "Batch") -> Self:
        """Return the items of a batch that no dimension of the project's rubric applies to.

        Dropped ones are left out.
        """
        found = self.filter(batch=batch, dropped=False)
        for dimension in batch.project.rubric.schema.dimensions:
            found = found.exclude(pk__in=self.asked(dimension, batch).values("pk"))
        return found

    def metadata_names(self) -> list[str]:
        """Return the names in the items' metadata, sorted by code point."""
        names = Func(F("metadata"), function="jsonb_object_keys", output_field=models.TextField())
        names.set_returning = True
        return sorted(self.order_by().values_list(names, flat=True).distinct())


class Item(models.Model):
    """An item to rate, with its responses."""

    # `project` and `batch` need no index of their own: others below begin with them.
    project = models.ForeignKey(
        Project,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
    )
    batch = models.ForeignKey(
        Batch,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
    )
    external_id = models.TextField()
    position = models.PositiveIntegerField()  # from 0
    persona = models.JSONField(default=list, blank=True)  # lines
    # A list of {role, text}.
    messages = models.JSONField(default=list, blank=True)
    system = models.TextField(blank=True)
    context = models.TextField(blank=True)
    reference = models.TextField(blank=True)
    source = models.TextField(blank=True)
    warning = models.TextField(blank=True, default="", db_default="")
    metadata = models.JSONField(default=dict, blank=True)
    # Triggers maintain `counted`, the ratings that count, and `reserved`, the places that leases
    # hold. They refuse a lease or a counted rating for which there is no place.
    wanted = models.PositiveSmallIntegerField(default=1, db_default=1)
    counted = models.PositiveSmallIntegerField(default=0)
    reserved = models.PositiveSmallIntegerField(default=0, db_default=0)
    imported = models.PositiveSmallIntegerField(default=0, db_default=0)  # counted ones of a file
    # The file has ratings of it, but no text: nobody can be asked about it.
    lacks_texts = models.BooleanField(default=False, db_default=False)
    # A dropped item is no longer handed out, and counts in no figure.
    dropped = models.BooleanField(default=False, db_default=False)
    # The last act that dropped it or took it back.
    dropped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    dropped_at = models.DateTimeField(null=True, blank=True)
    dropped_why = models.TextField(blank=True, default="", db_default="")
    # The same number for items that show the same. None until the project has a rule for them.
    group = models.BigIntegerField(null=True, blank=True)

    objects: ClassVar[ItemQuerySet] = ItemQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
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
            # `reserved` is not in it, so that leasing an item updates no index. The position is an
            # expression, so that no other index provides the same order. PostgreSQL cannot know how
            # few items still want a rating, and used the index of all positions in a nearly
            # finished project.
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
            models.Index(
                fields=("project", "counted"),
                condition=Q(counted__gt=0, counted__lt=F("wanted"), dropped=False),
                name="items_begun",
            ),
            # The short list that every figure leaves out (`counting.NOT_DROPPED`).
            models.Index(fields=("id",), condition=Q(dropped=True), name="items_dropped"),
        )

    def __str__(self) -> str:
        return self.external_id

    gist: str  # set by `in_brief`
    # The batch's warning, if the query that loaded the item has set it.
    batch_warning: str | None = None
    # Of an item that is not stored: the responses to other histories, by their model.
    elsewhere: Mapping[str, Sequence[str]] | None = None

    @cached_property
    def own_responses(self) -> list["Response"]:
        """Responses in the order of the upload.

        They are fetched at most once; the query that loads the item may have set them already.
        """
        return list(self.responses.all())

    @property
    def tags(self) -> frozenset[str]:
        """The tags in the metadata: a list, or a text with ";" between them."""
        said = self.metadata.get("tags", "")
        return frozenset(
            str(tag).strip() for tag in (said if isinstance(said, list) else str(said).split(";"))
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the annotator before they see the texts: the batch's and the item's."""
        of_batch = self.batch.warning if self.batch_warning is None else self.batch_warning
        return tuple(dict.fromkeys(filter(None, (of_batch, self.warning))))

    def open_again(self) -> None:
        """Settle the ratings it wants after a decision, for who has locked batch and item."""
        settle_wanted_of_item(self.project_id, self.batch_id, self.position)
        # The item may be open again to annotators who have passed it.
        self.batch.recount(look_from=self.position)

    def has_place_for(self, *, held: bool) -> bool:
        """Return True if the item has a place for the rating of a lease.

        The caller has locked the item. A live lease already holds a place (`held`), any other lease
        needs a free one.
        """
        taken = self.counted if held else self.counted + self.reserved
        return not self.dropped and taken < self.wanted


class Response(models.Model):
    """A model's response to an item."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="responses")
    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="responses", db_index=False
    )
    position = models.PositiveSmallIntegerField()  # from 1, in the upload's order
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
