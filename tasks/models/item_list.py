"""The entry of each item in the list that leads filter and sort.

A trigger makes the entry when an item is stored. The worker (`manage.py work`) indexes the texts
(`item_words.py`), and renews the entries of the items that were rated. So a submit writes nothing
here. ADR 11 says why.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import Any, ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import F, Func, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan, LessThan
from django.utils.translation import gettext_lazy as _

from config.web.raw_sql import all_rows, one_row, run
from rubrics.schema import Better

from .counting import completed
from .item_words import INDEX, ItemWords
from .items import Item, Response
from .loads import is_alone
from .projects import Project
from .ratings import Rating
from .stored_figures import NO_END, SETTLED

STEP = 1_000  # ratings in one transaction
TEXTS = 200  # items whose texts are indexed in one transaction
MOST_COUNTED = 10_000
NO_SPREAD = -1  # nothing was scored twice

# The last of the next settled ratings, and how many these are (see `stored_figures.SETTLED`).
NEXT_SETTLED = """
SELECT coalesce(max(id), %(upto)s), count(*) FROM (
  SELECT id FROM tasks_rating
  WHERE project_id = %(project)s AND id > %(upto)s
    AND coalesce(submitted_at, '-infinity') <= %(settled)s
  ORDER BY id LIMIT %(step)s) AS next
"""
# Items that have a rating which their entries lack. The ratings of an item are stored one after
# the other, each with a higher key, because each of them locks the item. One more than a step
# takes tells that there are others: beside the settled ratings, some that are not settled may have
# keys up to the last.
OUTDATED = """
SELECT DISTINCT entry.item_id
FROM tasks_rating AS rating JOIN tasks_itementry AS entry ON entry.item_id = rating.item_id
WHERE rating.project_id = %(project)s AND rating.id > %(upto)s AND rating.id <= %(last)s
  AND entry.latest < rating.id
LIMIT %(step)s + 1
"""
# Those of the items that are indexed, and those of the few others.
MODELS = """
SELECT list.responders, ARRAY(
  SELECT DISTINCT response.model
  FROM tasks_itementry AS entry JOIN tasks_response AS response USING (item_id)
  WHERE entry.project_id = %(project)s AND entry.item_id > coalesce(list.indexed, 0)
    AND response.model <> '')
FROM (SELECT 1) AS one LEFT JOIN tasks_itemlist AS list ON list.project_id = %(project)s
"""
# When the first rating came that the list lacks, and how far the list is.
UNLISTED = """
SELECT (
    SELECT coalesce(file.created_at, rating.submitted_at)
    FROM tasks_rating AS rating JOIN tasks_itementry AS entry ON entry.item_id = rating.item_id
      LEFT JOIN tasks_ratingfile AS file ON file.id = rating.file_id
    WHERE rating.project_id = %(project)s AND rating.id > coalesce(list.upto, 0)
      AND entry.latest < rating.id
    ORDER BY rating.id LIMIT 1),
  list.begun_at, coalesce(list.indexed, 0)
FROM (SELECT 1) AS one LEFT JOIN tasks_itemlist AS list ON list.project_id = %(project)s
"""
# Whoever drops an item, or wants more ratings of it, changes its entry too. Don't wait for them:
# they may wait for us.
LOCK = """
SELECT item_id FROM tasks_itementry WHERE item_id = ANY(%(items)s) FOR NO KEY UPDATE SKIP LOCKED
"""
RENEW = completed("""
WITH said AS (
  SELECT rating.item_id, {person} AS person, score.dimension, score.response_id, score.value,
    score.checks, coalesce(response.model, score.model) AS model
  FROM tasks_rating AS rating JOIN tasks_score AS score ON score.rating_id = rating.id {raters}
  LEFT JOIN tasks_response AS response ON response.id = score.response_id
  WHERE rating.item_id = ANY(%(items)s) AND {counting}
    AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)
), furthest AS (
  SELECT item_id, max(spread) AS spread FROM (
    SELECT item_id, CASE WHEN dimension = ANY(%(classes)s) THEN least(max(value) - min(value), 1)
      ELSE max(value) - min(value) END AS spread FROM said
    GROUP BY item_id, dimension, response_id, CASE WHEN response_id IS NULL THEN model END
    HAVING count(value) > 1) AS target
  GROUP BY item_id
), trait AS (
  SELECT item_id, concat(%(project)s, ':by:', person) AS name FROM said
  UNION SELECT item_id, concat(%(project)s, ':score:', dimension, ':', value) FROM said
  WHERE value IS NOT NULL
  UNION SELECT item_id, concat(%(project)s, ':model:', dimension, ':', value, ':', md5(model))
  FROM said WHERE value IS NOT NULL
  UNION SELECT item_id, concat(%(project)s, ':check:', dimension, ':', key, '=', answer)
  FROM said, jsonb_each_text(checks) AS given (key, answer) WHERE answer <> ''
)
UPDATE tasks_itementry AS entry SET
  latest = (SELECT coalesce(max(id), 0) FROM tasks_rating WHERE item_id = item.id),
  spread = coalesce(furthest.spread, %(no_spread)s),
  traits = coalesce(has.traits, '{}'),
  state = tasks_item_state(item.counted, item.wanted, item.dropped)
FROM tasks_item AS item LEFT JOIN furthest ON furthest.item_id = item.id LEFT JOIN (
  SELECT item_id, array_agg(name ORDER BY name COLLATE "C") AS traits FROM trait GROUP BY item_id
) AS has ON has.item_id = item.id
WHERE item.id = ANY(%(items)s) AND entry.item_id = item.id
""")


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
        """Return these traits as the entries of a project have them."""
        return [[f"{project.pk}:{name}" for name in names] for names in self.traits]

    @property
    def traits(self) -> list[list[str]]:
        """The traits that an item has: one or more of each list."""
        wanted = []
        if self.scores and self.model:
            # A model's name has no limit, but a row of an index has one.
            name = md5(self.model.encode(), usedforsecurity=False).hexdigest()
            wanted.append([f"model:{self.dimension}:{score}:{name}" for score in self.scores])
        elif self.scores:
            wanted.append([f"score:{self.dimension}:{score}" for score in self.scores])
        if self.check:
            wanted.append([f"check:{self.check}"])
        if self.annotator is not None:
            wanted.append([f"by:{self.annotator}"])
        return wanted


class Sort(models.TextChoices):
    """The orders of the list. A minus turns one round."""

    ID = "id", _("ID")
    LATEST = "latest", _("Latest rating")
    SPREAD = "spread", _("Spread")


class ItemEntryQuerySet(models.QuerySet["ItemEntry"]):
    def matching(self, project: Project, wanted: ItemFilter) -> Self:
        """Return the entries of those items of a project that a filter leaves in."""
        found = self.filter(project=project)
        for names in wanted.traits_in(project):
            found = found.filter(traits__overlap=names)
        if wanted.batches:
            found = found.filter(batch__in=wanted.batches)
        if wanted.spread is not None:
            found = found.filter(spread__gte=wanted.spread)
        if wanted.state:
            found = found.filter(state=wanted.state)
        if wanted.flagged:
            concerns = project.concerns.order_by()
            concerns = concerns.undecided() if wanted.flagged == "on" else concerns
            found = found.filter(item__in=concerns.values("item"))
        if wanted.words:
            texts = ItemWords.objects.with_all(wanted.words).filter(project=project)
            found = found.filter(item__in=texts.values("item"))
        return found

    def in_order(self, sort: str, *, is_reversed: bool, is_short: bool) -> Self:
        """Sort by "id", "latest" or "spread"; a minus before it turns it round.

        With `is_short`, the keys are expressions that no index has. PostgreSQL finds the items
        first and sorts them afterwards. Otherwise it may plan an index scan in the order, of
        `items_by_id` and the like, and pass a million others before it meets the few.
        """
        down = sort.startswith("-") != is_reversed
        as_is = {"external_id": "%(expressions)s || ''"}  # the other keys are numbers
        orders = [
            Func(F(key), template=as_is.get(key, "%(expressions)s + 0")) if is_short else F(key)
            for key in KEYS[sort]
        ]
        return self.order_by(*(key.desc() if down else key.asc() for key in orders))

    def after_key(self, sort: str, sort_key: tuple[Any, ...], *, is_reversed: bool) -> Self:
        """Return what comes after a sort key in an order, or before it."""
        down = sort.startswith("-") != is_reversed
        own = Func(*map(F, KEYS[sort]), function="ROW", output_field=models.TextField())
        given = Func(*map(Value, sort_key), function="ROW", output_field=models.TextField())
        return self.filter((LessThan if down else GreaterThan)(own, given))

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

    objects: ClassVar[ItemEntryQuerySet] = ItemEntryQuerySet.as_manager()  # type: ignore[assignment]

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


KEYS = {
    f"{minus}{sort}": keys
    for minus in ("", "-")
    for sort, keys in (
        (Sort.ID.value, ("external_id",)),
        (Sort.LATEST.value, ("latest", "item_id")),
        (Sort.SPREAD.value, ("spread", "item_id")),
    )
}


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


def list_progress_of(project: Project) -> ItemList:
    """Return how far the list of a project has its ratings and texts."""
    return ItemList.objects.filter(project=project).first() or ItemList()


def models_of(project: Project) -> set[str]:
    """Return the models that answered any item of a project."""
    indexed, others = one_row(MODELS, {"project": project.pk}) or ((), ())
    return {*(indexed or ()), *others}


def unlisted_ratings(project: Project) -> models.QuerySet[Rating]:
    """Return the ratings that the list may lack, oldest first. No figures lack any other."""
    upto = models.Subquery(ItemList.objects.filter(project=project).values("upto"))
    return Rating.objects.filter(project=project, pk__gt=Coalesce(upto, 0)).order_by("pk")


def missing_since(project: Project, wanted: ItemFilter) -> datetime | None:
    """Return since when the list lacks a rating, or a text that is searched; None if it has all."""
    came_at, begun_at, indexed = one_row(UNLISTED, {"project": project.pk}) or (None, None, 0)
    times = [max(filter(None, (came_at, begun_at)))] if came_at else []
    if wanted.words:
        texts = ItemEntry.objects.filter(project=project, item__gt=indexed).order_by("item")
        times += texts.values_list("batch__created_at", flat=True)[:1]
    return min(times, default=None)


@transaction.atomic
def renew_entries(project: Project, *, now: datetime) -> bool:
    """Renew the entries of the items rated since the last step. Return True if others are left."""
    progress = _lock_progress(project)
    if progress is None or not is_alone(project.pk):
        return False
    values = {"project": project.pk, "upto": progress.upto, "step": STEP, "settled": now - SETTLED}
    upto, settled = one_row(NEXT_SETTLED, values) or (progress.upto, 0)
    last = upto if settled == STEP else NO_END
    items = [pk for (pk,) in all_rows(OUTDATED, {**values, "last": last})]
    locked = [pk for (pk,) in all_rows(LOCK, {"items": items})] if items else []
    if locked:
        # A statement of its own sees all that was changed before the locks were taken.
        _renew(project, locked)
    if len(locked) < len(items):  # the others wait for the next round
        return False
    if len(items) > STEP:
        return True
    if upto > progress.upto:
        progress.upto = upto
        progress.save(update_fields=["upto"])
    return last != NO_END


def renew_entry(item: Item) -> None:
    """Renew the entry of an item that its caller has locked, so that no rating comes meanwhile."""
    _renew(item.project, [item.pk])


def renew_all(project: Project, items: list[int]) -> None:
    """Renew the entries of items, for who has locked the project's loads and the items."""
    for first in range(0, len(items), STEP):
        _renew(project, items[first : first + STEP])


def _renew(project: Project, items: list[int]) -> None:
    dimensions = project.rubric.schema.dimensions
    values = {
        "items": items,
        "project": project.pk,
        "no_spread": NO_SPREAD,
        "classes": [each.code for each in dimensions if each.better is Better.NONE],
    }
    run(RENEW, values)


@transaction.atomic
def index_texts(project: Project) -> bool:
    """Index the texts of the next items. Return True if others are left."""
    progress = _lock_progress(project)
    if progress is None:
        return False
    # Uploads to a project come one after the other, so no item gets a lower key later.
    entries = ItemEntry.objects.filter(project=project, item__gt=progress.indexed).order_by("item")
    items = list(entries.values_list("item", flat=True)[: TEXTS + 1])
    if items:
        run(INDEX, {"items": items[:TEXTS]})
        progress.indexed = items[:TEXTS][-1]
        progress.responders = sorted({*progress.responders, *_models_of(items)})
        progress.save(update_fields=["indexed", "responders"])
    return len(items) > TEXTS


def _models_of(items: Any) -> Iterable[str]:
    responses = Response.objects.filter(item__in=items).exclude(model="").order_by()
    return responses.values_list("model", flat=True).distinct()


def _lock_progress(project: Project) -> ItemList | None:
    """Return how far the list of a project is, locked; None if another worker has locked it."""
    progress, _made = ItemList.objects.get_or_create(project=project)
    return ItemList.objects.select_for_update(skip_locked=True).filter(pk=progress.pk).first()
