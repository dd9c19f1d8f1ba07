"""The entry of each item in the list that leads filter and sort, and the filter itself.

A trigger makes the entry when an item is stored. The worker (`manage.py work`) indexes the texts
(`item_words.py`), and renews the entries of the items that were rated. So a submit writes nothing
here. ADR 11 says why.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import Any, NamedTuple, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan, LessThan
from django.utils.translation import gettext_lazy as _

from config.web.raw_sql import rows_as

from .item_words import ItemWords
from .items import Item
from .projects import Project
from .ratings import Rating

MOST_COUNTED = 10_000
NO_SPREAD = -1  # nothing was scored twice

# The models of the items that are indexed, and those of the few others.
MODELS = """
SELECT list.responders AS indexed, ARRAY(
  SELECT DISTINCT response.model
  FROM tasks_itementry AS entry JOIN tasks_response AS response USING (item_id)
  WHERE entry.project_id = %(project)s AND entry.item_id > coalesce(list.indexed, 0)
    AND response.model <> '') AS others,
  (SELECT jsonb_object_agg(subject, number) FROM tasks_storednumber
    WHERE project_id = %(project)s AND kind = 'model' AND reader = %(reader)s) AS numbers
FROM (SELECT 1) AS one LEFT JOIN tasks_itemlist AS list ON list.project_id = %(project)s
"""
# When the first rating came that the list lacks, and how far the list is. One row, whether or not
# the project has a list yet.
UNLISTED = """
SELECT (
    SELECT coalesce(file.created_at, rating.submitted_at)
    FROM tasks_rating AS rating JOIN tasks_itementry AS entry ON entry.item_id = rating.item_id
      LEFT JOIN tasks_ratingfile AS file ON file.id = rating.file_id
    WHERE rating.project_id = %(project)s AND rating.id > coalesce(list.upto, 0)
      AND entry.latest < rating.id
    ORDER BY rating.id LIMIT 1) AS came_at,
  list.begun_at, coalesce(list.indexed, 0) AS indexed
FROM (SELECT 1) AS one LEFT JOIN tasks_itemlist AS list ON list.project_id = %(project)s
"""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """The items that a lead asks for. An empty one leaves everything in."""

    words: str = ""
    batches: tuple[int, ...] = ()
    # A counted score in a dimension, of a model if one is named.
    dimension: str = ""
    scores: tuple[int, ...] = ()
    model: str = ""
    spread: int | None = None  # at least
    check: str = ""  # dimension:code=answer
    annotator: int | None = None
    state: str = ""
    flagged: str = ""  # "on": and not decided; "ever"

    @property
    def is_empty(self) -> bool:
        """True if it leaves everything in; a dimension alone only says which scores are shown."""
        return self == ItemFilter(dimension=self.dimension)

    @property
    def has_traits_alone(self) -> bool:
        """True if it asks for traits and for nothing else."""
        others = (self.words, self.batches, self.state, self.flagged)
        return bool(self.traits) and self.spread is None and not any(others)

    def traits_in(self, project: Project) -> list[list[str]]:
        """Return these traits as the entries of a project have them: "7:score:quality:5"."""
        traits = []
        for names in self.traits:
            traits.append([f"{project.pk}:{name}" for name in names])
        return traits

    @property
    def traits(self) -> list[list[str]]:
        """The traits that an item has, one or more of each list: [["score:quality:5"]]."""
        traits = []
        scores = [f"{self.dimension}:{score}" for score in self.scores]
        if scores and self.model:
            # A model's name has no limit, but a row of an index has one.
            name = md5(self.model.encode(), usedforsecurity=False).hexdigest()
            traits.append([f"model:{score}:{name}" for score in scores])
        elif scores:
            traits.append([f"score:{score}" for score in scores])
        if self.check:
            traits.append([f"check:{self.check}"])
        if self.annotator is not None:
            traits.append([f"by:{self.annotator}"])
        return traits


class Sort(models.TextChoices):
    """The orders of the list. A minus turns one round."""

    ID = "id", _("ID")
    LATEST = "latest", _("Latest rating")
    SPREAD = "spread", _("Spread")


# The columns by which each order sorts.
KEYS: dict[str, tuple[str, ...]] = {
    "id": ("external_id",),
    "latest": ("latest", "item_id"),
    "spread": ("spread", "item_id"),
}
KEYS |= {f"-{sort}": columns for sort, columns in KEYS.items()}


def _without_index(key: str) -> Func:
    """Return a column as an expression that no index has: texts and numbers stay as they are."""
    template = "%(expressions)s || ''" if key == "external_id" else "%(expressions)s + 0"
    return Func(F(key), template=template)


def row_of(expressions: Iterable[F | Value]) -> Func:
    """Return a row of SQL, to be compared with another one as a whole."""
    return Func(*expressions, function="ROW", output_field=models.TextField())


class ItemEntryQuerySet(models.QuerySet["ItemEntry"]):
    def matching(self, project: Project, wanted: ItemFilter) -> Self:
        """Return the entries of those items of a project that a filter leaves in."""
        entries = self.filter(project=project)
        for names in wanted.traits_in(project):
            entries = entries.filter(traits__overlap=names)
        if wanted.batches:
            entries = entries.filter(batch__in=wanted.batches)
        if wanted.spread is not None:
            entries = entries.filter(spread__gte=wanted.spread)
        if wanted.state:
            entries = entries.filter(state=wanted.state)
        if wanted.flagged:
            concerns = project.concerns.order_by()
            if wanted.flagged == "on":
                concerns = concerns.undecided()
            entries = entries.filter(item__in=concerns.values("item"))
        if wanted.words:
            texts = ItemWords.objects.with_all(wanted.words).filter(project=project)
            entries = entries.filter(item__in=texts.values("item"))
        return entries

    def in_order(self, sort: str, *, is_reversed: bool, is_short: bool) -> Self:
        """Sort by "id", "latest" or "spread"; a minus before it turns it round.

        With `is_short`, the keys are expressions that no index has. PostgreSQL finds the items
        first and sorts them afterwards. Otherwise it may plan an index scan in the order, of
        `items_by_id` and the like, and pass a million others before it meets the few.
        """
        down = sort.startswith("-") != is_reversed
        orders = []
        for key in KEYS[sort]:
            expression = _without_index(key) if is_short else F(key)
            orders.append(expression.desc() if down else expression.asc())
        return self.order_by(*orders)

    def after_key(self, sort: str, sort_key: tuple[Any, ...], *, is_reversed: bool) -> Self:
        """Return what comes after a sort key in an order, or before it."""
        down = sort.startswith("-") != is_reversed
        comparison = LessThan if down else GreaterThan
        columns = row_of(map(F, KEYS[sort]))
        values = row_of(map(Value, sort_key))
        return self.filter(comparison(columns, values))

    def counted(self) -> int:
        """Return how many there are, or one more than `MOST_COUNTED` if there are more."""
        return self.order_by()[: MOST_COUNTED + 1].count()


class ItemEntry(models.Model):
    """Entry of one item in the list: all that the list filters and sorts by."""

    class State(models.TextChoices):
        UNTOUCHED = "untouched", _("not rated")
        STARTED = "begun", _("started")
        FINISHED = "finished", _("finished")
        DROPPED = "dropped", _("dropped")

    # A trigger copies these from the item, so there is nothing for the database to check.
    item = models.OneToOneField(
        Item,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="entry",
        db_constraint=False,
    )
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    batch = models.ForeignKey(
        "tasks.Batch",
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    external_id = models.TextField()
    latest = models.BigIntegerField(default=0)  # key of the last rating of any kind; 0: none
    spread = models.SmallIntegerField(default=NO_SPREAD)  # the largest of its targets
    state = models.CharField(max_length=12, choices=State)
    # What its counted ratings say, and who they are by, each with the project's key in front. They
    # are short: a rubric's codes have 80 characters at most, and a model is named by an MD5.
    traits = ArrayField(models.TextField(), default=list)

    objects = ItemEntryQuerySet.as_manager()

    class Meta:
        indexes = (
            GinIndex(fields=("traits",), name="items_with_a_trait"),
            models.Index(fields=("project", "item"), name="items_by_key"),
            models.Index(fields=("project", "batch"), name="items_of_a_batch"),
            models.Index(fields=("project", "state"), name="items_in_a_state"),
            models.Index(fields=("project", "external_id"), name="items_by_id"),
            models.Index(fields=("project", "latest", "item"), name="items_by_latest_rating"),
            models.Index(fields=("project", "spread", "item"), name="items_by_spread"),
        )

    def sort_key(self, sort: str) -> tuple[Any, ...]:
        """Return the key by which an order sorts the item."""
        return tuple(getattr(self, key) for key in KEYS[sort])


class ItemList(models.Model):
    """How far the entries of a project's items have its ratings, and how far texts are indexed."""

    project = models.OneToOneField(
        Project, on_delete=models.CASCADE, related_name="+", primary_key=True
    )
    upto = models.BigIntegerField(default=0)  # key of a rating; the entries have all up to it
    indexed = models.BigIntegerField(default=0)  # key of an item; the texts up to it are indexed
    responders = ArrayField(models.TextField(), default=list)  # models of the items up to it
    # Since when all of it is made anew, because other ratings count. None: it never was.
    begun_at = models.DateTimeField(null=True, blank=True)


class _Models(NamedTuple):
    """The columns of `MODELS`."""

    indexed: list[str] | None
    others: list[str]
    numbers: str | None  # JSON


class _Unlisted(NamedTuple):
    """The columns of `UNLISTED`."""

    came_at: datetime | None
    begun_at: datetime | None
    indexed: int


def list_progress_of(project: Project) -> ItemList:
    """Return how far the list of a project has its ratings and texts."""
    return ItemList.objects.filter(project=project).first() or ItemList()


def numbers_of_models(project: Project, reader: int) -> dict[str, int | None]:
    """Return the models that answered any item of a project, each with its stored number, if any.

    `reader`: the account whose numbers these are (`StoredNumber`).
    """
    [row] = rows_as(_Models, MODELS, {"project": project.pk, "reader": reader})
    numbers = json.loads(row.numbers or "{}")
    return {name: numbers.get(name) for name in {*(row.indexed or ()), *row.others}}


def unlisted_ratings(project: Project) -> models.QuerySet[Rating]:
    """Return the ratings that the list may lack, oldest first. No figures lack any other."""
    upto = models.Subquery(ItemList.objects.filter(project=project).values("upto"))
    return Rating.objects.filter(project=project, pk__gt=Coalesce(upto, 0)).order_by("pk")


def missing_since(project: Project, wanted: ItemFilter) -> datetime | None:
    """Return since when the list lacks a rating, or a text that is searched; None if it has all."""
    [unlisted] = rows_as(_Unlisted, UNLISTED, {"project": project.pk})
    times = []
    if unlisted.came_at:  # a list that is made anew lacks all ratings since it was begun
        times.append(max(unlisted.came_at, unlisted.begun_at or unlisted.came_at))
    if wanted.words:
        texts = ItemEntry.objects.filter(project=project, item__gt=unlisted.indexed)
        times += texts.order_by("item").values_list("batch__created_at", flat=True)[:1]
    return min(times, default=None)
