"""Items and the responses to them, as uploaded. Nothing here changes a text."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Count, F, Func, Q, When
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT

from config.web.raw_sql import Columns, all_rows, instances
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Unit

from .batches import Batch
from .projects import Project
from .wanted_ratings import store_wanted_of_item

# The first characters of the text that a line of a list begins with.
BEGINNING = """
left(coalesce(CASE WHEN tasks_item.messages <> '[]' THEN tasks_item.messages -> -1 ->> 'text'
  WHEN tasks_item.context <> '' THEN tasks_item.context ELSE tasks_item.persona ->> 0 END, ''), %s)
"""
# A thousand items have thousands of responses: no instance is made of these.
RESPONSE_ROWS = """(
SELECT coalesce(jsonb_agg(jsonb_build_array(position, model, {text}) ORDER BY position), '[]')
FROM tasks_response WHERE item_id = tasks_item.id)
"""
# The fields with texts of an item.
TEXTS = ("persona", "messages", "system", "context", "reference", "source")
# Enough of a text for one line of a list, once its white space is joined.
GIST = 240  # characters


class ItemQuerySet(models.QuerySet["Item"]):
    def in_brief(self) -> Self:
        """Load what one line of a list shows: the gist of an item, and no whole text."""
        summary = RawSQL(BEGINNING, (GIST,), models.TextField())  # noqa: S611 - constant
        return self.annotate(summary=summary).only(
            "project", "external_id", "wanted", "counted", "dropped", "lacks_texts"
        )

    def with_responses(self, *, texts: bool) -> Self:
        """Load items with their responses, state and batch's name; the texts only if asked for."""
        state = Func(
            *("counted", "wanted", "dropped"),
            function="tasks_item_state",
            output_field=models.TextField(),
        )
        statement = RESPONSE_ROWS.format(text="text" if texts else "NULL")
        rows = RawSQL(statement, (), models.JSONField())  # noqa: S611 - constant parts
        items = self if texts else self.defer(*TEXTS)
        return items.annotate(state=state, batch_name=F("batch__name"), response_rows=rows)

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

    def with_dimension(self, dimension: Dimension, batch: Batch) -> Self:
        """Return the items of a batch that a dimension applies to.

        It is the rule of the rating form (`item_view_of`), for many items at once.
        """
        needs = dimension.needs
        tagged = Q()
        for tag in needs.tags:  # a list, or a text with ";", as in `Item.tags`
            tagged |= Q(metadata__tags__contains=[tag])
            tagged |= Q(metadata__tags__regex=rf"(^|;)\s*{tag}\s*(;|$)")
        items = self.filter(tagged, batch=batch)
        if needs.persona:
            items = items.exclude(persona=[])
        if needs.history:
            items = items.exclude(messages=[])
        if dimension.unit is not Unit.CANDIDATE_SET:
            return items
        if not batch.complete:
            return items.none()
        responses = Response.objects.filter(item__batch=batch).order_by()
        models_in_need = (
            responses.values("model")
            .annotate(histories=Count("item", distinct=True))
            .filter(histories__gt=needs.other_histories)  # this item is one of them
        )
        sets = (
            responses.filter(model__in=models_in_need.values("model"))
            .values("item", "model")
            .annotate(number=Count("pk"))
            .filter(number__gte=needs.candidates)
        )
        return items.filter(pk__in=sets.values("item"))

    def without_any_dimension(self, batch: Batch) -> Self:
        """Return the items of a batch that no dimension of the project's rubric applies to.

        Dropped ones are left out.
        """
        items = self.filter(batch=batch, dropped=False)
        for dimension in batch.project.rubric.schema.dimensions:
            items = items.exclude(pk__in=self.with_dimension(dimension, batch).values("pk"))
        return items

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

    objects = ItemQuerySet.as_manager()

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

    summary: str  # set by `in_brief`
    # Set by `with_responses`.
    state: str
    batch_name: str
    response_rows: Sequence[tuple[int, str, str | None]]  # position, model, text
    # Of the batch, if the query that loaded the item has set them.
    batch_warning: str | None = None
    batch_complete: bool | None = None
    # Of an item that is not stored: the responses to other histories, by their model.
    elsewhere: Mapping[str, Sequence[str]] | None = None

    @cached_property
    def responses_in_order(self) -> list["Response"]:
        """Responses in the order of the upload.

        They are fetched at most once; the query that loads the item may have set them already.
        """
        responses = []
        for row in all_rows(RESPONSES, {"item": self.pk}):
            responses += instances(row, RESPONSE)
        return responses

    @property
    def tags(self) -> frozenset[str]:
        """The tags in the metadata: a list, or a text with ";" between them."""
        tags = self.metadata.get("tags", "")
        if not isinstance(tags, list):
            tags = str(tags).split(";")
        return frozenset(str(tag).strip() for tag in tags)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the annotator before they see the texts: the batch's and the item's."""
        of_batch = self.batch_warning
        if of_batch is None:
            of_batch = self.batch.warning
        warnings = dict.fromkeys((of_batch, self.warning))
        return tuple(warning for warning in warnings if warning)

    @property
    def is_of_complete_batch(self) -> bool:
        """True if no more items come into its batch."""
        return self.batch.complete if self.batch_complete is None else self.batch_complete

    def offer_again(self) -> None:
        """Settle the ratings it wants after a decision, for who has locked batch and item."""
        store_wanted_of_item(self.project_id, self.batch_id, self.position)
        # The item may be open again to annotators who have passed it.
        self.batch.recount(look_from=self.position)

    def has_place_for(self, *, is_live: bool) -> bool:
        """Return True if the item has a place for the rating of a lease.

        The caller has locked the item. A live lease already holds a place, any other lease needs a
        free one.
        """
        places = self.counted
        if not is_live:
            places += self.reserved
        return not self.dropped and places < self.wanted


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


RESPONSE = Columns(Response, "response")
RESPONSES = f"""
SELECT {RESPONSE} FROM tasks_response AS response WHERE item_id = %(item)s ORDER BY position
"""  # noqa: S608 - constant parts
